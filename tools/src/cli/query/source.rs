//! The options that say when to search forward, and what answers then.
//!
//! | `--search` | no database | position not solved yet | values alone |
//! |---|---|---|---|
//! | not given | one position: searched; a batch: an error | an error | no remoteness |
//! | `never` | an error | an error | no remoteness |
//! | `auto` | searched | searched | the remoteness is searched |
//! | `only` | searched | searched | searched |

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use anyhow::anyhow;
use clap::{Args, ValueEnum};
use fourbase::analysis::SearchPool;
use fourbase::search::Options;
use fourbase::{Board, excerpt};
use fourbase_tiers::database::{self, choose};

use super::limited::LimitedAnalyst;
use crate::arguments::{EXCERPT_BYTES, LookupArguments, within};
use crate::{memory, remedy};

/// How many nodes a search may visit for one position without `--nodes`: about half a minute of one thread on 7x6.
const DEFAULT_NODES: u64 = 100_000_000;

/// The most that the table of a search takes, however much memory is free.
const MOST_TABLE_BYTES: u64 = 1 << 30;

/// The longest limit of time: ten years.
const MOST_SECONDS: f64 = 3.2e8;

/// Where to look positions up, and how to search.
#[derive(Args, Clone, Debug)]
pub struct SearchArguments {
    #[command(flatten)]
    pub lookup: LookupArguments,

    /// When to search forward [default: search only if you ask about one position and the board has no database]
    #[arg(long, value_name = "WHEN")]
    search: Option<When>,

    /// How many nodes a search may visit for one position before it gives up [default: 1e8, or no limit with --seconds]
    #[arg(long, value_name = "N", value_parser = within::<u64>(1..=u64::MAX))]
    nodes: Option<u64>,

    /// How many seconds a search may take for one position before it gives up, such as 0.5 [default: no limit]
    #[arg(long, value_name = "N", value_parser = seconds)]
    seconds: Option<Duration>,

    /// How many threads search [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = within::<u16>(1..=1024))]
    threads: Option<u16>,
}

/// What `--search` may be.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum When {
    /// Use only the database
    Never,
    /// Search what the database leaves open, or everything if there is none
    Auto,
    /// Search everything, and open no database
    Only,
}

impl SearchArguments {
    /// Finds what answers for a board, in a batch or for one position.
    ///
    /// # Errors
    ///
    /// A missing database where `--search` does not allow for a search, with the command that makes it; a database that
    /// cannot be read.
    pub fn find(&self, board: Board, is_batch: bool) -> anyhow::Result<LimitedAnalyst> {
        let when = match self.search {
            Some(When::Never) => database::When::Never,
            None if is_batch => database::When::Never,
            None => database::When::NoDatabase,
            Some(When::Auto) => database::When::Auto,
            Some(When::Only) => database::When::Only,
        };
        let find = || self.lookup.find_or_embedded(board);
        let pool = || Arc::new(SearchPool::new(options(self.threads())));
        let analyst = choose(board, when, find, pool).map_err(remedy::or_search)?;
        let is_missing = analyst.lookup().is_none() && when != database::When::Only;
        let nodes = self.nodes.or_else(|| self.seconds.is_none().then_some(DEFAULT_NODES));
        let analyst = LimitedAnalyst::new(analyst, nodes, self.seconds);
        Ok(if is_missing { analyst.with_missing_in(&self.lookup.database.root) } else { analyst })
    }

    fn threads(&self) -> usize {
        self.threads.map_or_else(|| thread::available_parallelism().map_or(1, usize::from), usize::from)
    }
}

/// Reads the value of `--seconds`.
fn seconds(text: &str) -> anyhow::Result<Duration> {
    let seconds = text.parse().ok().filter(|seconds| (0.001..=MOST_SECONDS).contains(seconds));
    seconds.map(Duration::from_secs_f64).ok_or_else(|| {
        let text = excerpt(text, EXCERPT_BYTES);
        anyhow!("\"{text}\" is not a number of seconds; give a number from 0.001 on, such as 0.5 or 60")
    })
}

/// Returns the options of a search on this machine. Its table may take half of the memory that a solve would: it starts
/// small, and few questions need much of it.
pub fn options(threads: usize) -> Options {
    let half = memory::default_limit().map_or(Options::default().table_bytes as u64, |bytes| bytes / 2);
    let table_bytes = usize::try_from(half.min(MOST_TABLE_BYTES)).unwrap_or(usize::MAX);
    Options { table_bytes, threads, ..Options::default() }
}
