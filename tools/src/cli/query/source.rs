//! The options for forward search, and the choice between database and search.
//!
//! All commands that look positions up follow the same rule. They use all databases of the board, the user's and the built-in one.
//! They search whatever these do not have, within the limits of `--nodes` and `--seconds`. With `--search never` they search nothing,
//! and with `--search only` everything.
//!
//! If a database cannot be opened, a warning is printed and the built-in one is used instead, or else a search. `--search never`
//! fails.

use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use fourbase::Board;
use fourbase::analysis::{DEFAULT_NODES, SearchPool};
use fourbase::search::SearchOptions;
use fourbase_tiers::database::{Database, DatabaseError, When, choose};
use fourbase_tiers::memory;

use super::limited::LimitedAnalyst;
use crate::arguments::{LookupArguments, ThreadsArgument, one_of, refused, within};
use crate::{failure, remedy};

/// The most bytes of a search's table, even if more memory is free.
const MOST_TABLE_BYTES: u64 = 1 << 30;

/// The longest limit of time: ten years.
const MOST_SECONDS: f64 = 3.2e8;

/// Where to look positions up, and how to search.
#[derive(Args, Clone, Debug)]
pub struct SearchArguments {
    #[command(flatten)]
    pub lookup: LookupArguments,

    /// When to search forward [default: auto]
    #[arg(long, value_name = "WHEN", value_parser = one_of([
        ("never", "Use only the database", When::Never),
        ("auto", "Search what the database leaves open, or everything if there is none", When::Auto),
        ("only", "Search everything, and open no database", When::Only),
    ]))]
    search: Option<When>,

    /// How many nodes a search may visit for one position before it gives up [default: 1e8; no limit with
    /// --seconds]
    #[arg(long, value_name = "N", value_parser = within::<u64>(1..=u64::MAX))]
    nodes: Option<u64>,

    /// How many seconds a search may take for one position before it gives up, such as 0.5 [default: no limit]
    #[arg(long, value_name = "N", value_parser = seconds)]
    seconds: Option<Duration>,

    #[command(flatten)]
    threads: ThreadsArgument,
}

impl SearchArguments {
    /// Chooses the database or search that answers for a board. Warns if a database is not complete or cannot be read. If the
    /// caller has already failed to use the database, `failure` is the error.
    ///
    /// # Errors
    ///
    /// The database in the place of this board's is of another board. With `--search never` also: the database is missing (the
    /// error names the command that makes it), or cannot be opened.
    pub fn find(&self, board: Board, failure: Option<DatabaseError>) -> anyhow::Result<LimitedAnalyst> {
        let when = self.search.unwrap_or(When::Auto);
        let root = &self.lookup.database.root;
        let mut is_missing = false;
        let find = || {
            let failure = match failure.map_or_else(|| self.lookup.find_all(board), Err) {
                Err(error) if !matches!(error, DatabaseError::Missing { .. } | DatabaseError::Misplaced { .. }) => {
                    error
                }
                found => {
                    is_missing = matches!(found, Err(DatabaseError::Missing { .. }));
                    return found;
                }
            };
            if when == When::Never {
                return Err(failure);
            }
            failure::print_warning(&remedy::describe(&failure));
            // `Missing` makes the caller search instead.
            let database =
                Database::embedded(board)?.ok_or_else(|| DatabaseError::Missing { board, root: root.clone() })?;
            Ok(vec![self.lookup.cache.apply(database)])
        };
        let pool = || Arc::new(SearchPool::new(options(self.threads.count())));
        let analyst = choose(board, when, find, pool).map_err(remedy::or_search)?;
        let unfinished = analyst.databases.iter().find(|database| !database.is_complete());
        if let Some(database) = unfinished.filter(|_| when != When::Never) {
            failure::print_warning(&remedy::describe(&database.not_solved(0)));
        }
        let nodes = self.nodes.or_else(|| self.seconds.is_none().then_some(DEFAULT_NODES));
        Ok(LimitedAnalyst::new(analyst, nodes, self.seconds, is_missing.then(|| root.clone())))
    }
}

/// Reads the value of `--seconds`.
fn seconds(text: &str) -> anyhow::Result<Duration> {
    let seconds = text.parse().ok().filter(|seconds| (0.001..=MOST_SECONDS).contains(seconds));
    let reason = "is not a number of seconds; give a number from 0.001 on, such as 0.5 or 60";
    seconds.map(Duration::from_secs_f64).ok_or_else(|| refused(text, reason))
}

/// Returns the options of a search on this machine. The search's table may grow to half of the default memory limit of a solve. It
/// starts small, and few questions need much of it.
pub fn options(threads: usize) -> SearchOptions {
    let half = memory::default_limit().map_or(SearchOptions::default().table_bytes as u64, |bytes| bytes / 2);
    let table_bytes = usize::try_from(half.min(MOST_TABLE_BYTES)).unwrap_or(usize::MAX);
    SearchOptions { table_bytes, threads, ..SearchOptions::default() }
}
