//! Arguments that several subcommands take. [`position`] reads boards and positions, and [`numbers`] reads numbers and sizes.

mod numbers;
mod position;

use std::env;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::thread;

use anyhow::{Context, anyhow};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueHint};
use fourbase::analysis::DEFAULT_NODES;
use fourbase::{Board, excerpt};
use fourbase_tiers::database::{Cache, DEFAULT_CACHE_BYTES, DEFAULT_ROOT, Database, DatabaseError, looks_like_address};
use fourbase_tiers::kernel::Values;
use fourbase_tiers::memory;
use fourbase_tiers::solve::Plan;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::failure::{self, BadInput};
use crate::output::wording;
use crate::remedy;
pub use numbers::{size, within};
pub use position::{
    BoardArgument, POSITION_HELP, PositionArgument, STRATEGIES, USUAL_BOARD, is_board_or_position, suggestions,
};

/// The help of `--db` for commands that refuse a web address. They use it in `#[command(mut_arg("db", |arg|
/// arg.help(FOLDER_HELP)))]`.
pub const FOLDER_HELP: &str = "The folder with the databases [default: $FOURBASE_DB, else db]";

/// The folder with the databases, or its address.
#[derive(Args, Clone, Debug)]
pub struct DatabaseArgument {
    /// The folder with the databases, or an address such as http://host/db [default: $FOURBASE_DB, else db]
    #[arg(id = "db", long = "db", value_name = "DIR", value_hint = ValueHint::DirPath)]
    #[arg(default_value_os_t = default_root(), hide_default_value = true)]
    pub root: PathBuf,
}

impl DatabaseArgument {
    /// Returns the folder, for a command that writes into the folder or lists its databases.
    ///
    /// # Errors
    ///
    /// The argument is a web address.
    pub fn folder(&self) -> Result<&Path, BadInput> {
        if looks_like_address(&self.root) && !self.root.exists() {
            let root = wording::path(&self.root);
            return Err(BadInput(format!("{root} is an address, where nothing is written or listed; give --db DIR")));
        }
        Ok(&self.root)
    }

    /// Opens the database of a board. Warns on standard error if a better one exists that cannot be read.
    ///
    /// # Errors
    ///
    /// Those of [`Database::find`].
    pub fn find(&self, board: Board) -> Result<Database, DatabaseError> {
        warned(Database::find(&self.root, board)?)
    }
}

/// Returns `database`. Warns if a preferred database could not be read, so that this one was opened instead.
fn warned(database: Database) -> Result<Database, DatabaseError> {
    if let Some(fault) = &database.passed_over {
        failure::print_warning(&remedy::describe(fault));
    }
    Ok(database)
}

/// Returns a parser of the kinds of values.
pub fn values() -> impl TypedValueParser<Value = Values> {
    one_of([
        ("remoteness", "Win, tie or loss, and the plies to the end", Values::Remoteness),
        ("wdl", "Win, tie or loss only: takes less time, memory and disk", Values::Wdl),
    ])
}

/// Returns a parser of an option with fixed choices. Each choice has a name, a help text and a value.
pub fn one_of<T, const N: usize>(choices: [(&'static str, &'static str, T); N]) -> impl TypedValueParser<Value = T>
where
    T: Clone + Send + Sync + 'static,
{
    let names = choices.each_ref().map(|(name, help, _)| PossibleValue::new(*name).help(*help));
    PossibleValuesParser::new(names).try_map(move |given| {
        let chosen = choices.iter().find(|(name, ..)| *name == given);
        chosen.map(|(.., stands_for)| stands_for.clone()).ok_or(BadInput(given))
    })
}

/// The number of threads.
#[derive(Args, Clone, Copy, Debug)]
pub struct ThreadsArgument {
    /// Number of threads [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = within::<u16>(1..=1024))]
    threads: Option<u16>,
}

impl ThreadsArgument {
    /// Returns the number of threads.
    pub fn count(self) -> usize {
        self.threads.map_or_else(processors, usize::from)
    }

    /// Starts the threads.
    ///
    /// # Errors
    ///
    /// The system cannot start this many.
    pub fn pool(self) -> anyhow::Result<ThreadPool> {
        self.pool_up_to(u64::MAX)
    }

    /// Starts the threads, but at most `most` of them.
    ///
    /// # Errors
    ///
    /// The same as [`ThreadsArgument::pool`].
    pub fn pool_up_to(self, most: u64) -> anyhow::Result<ThreadPool> {
        // 0 lets rayon choose, which also heeds RAYON_NUM_THREADS.
        let threads = usize::try_from(most).ok().filter(|most| *most < self.count());
        let threads = threads.unwrap_or(self.threads.map_or(0, usize::from));
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        pool.context("cannot start the threads; ask for fewer with --threads")
    }
}

/// Returns the number of processors.
pub fn processors() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// How much memory the cache of a database may take.
#[derive(Args, Clone, Copy, Debug)]
pub struct CacheArgument {
    /// Memory for the cache of expanded database blocks, such as 64M [default: 256M, or a quarter of the free memory if that is less]
    #[arg(long = "cache", value_name = "SIZE", value_parser = size)]
    bytes: Option<u64>,
}

impl CacheArgument {
    /// Returns the size in bytes. Without the argument, little free memory lowers the default.
    pub fn bytes(self) -> u64 {
        self.bytes.unwrap_or_else(|| memory::cache_bytes(DEFAULT_CACHE_BYTES))
    }

    /// Sets the size of a database's cache.
    pub fn apply(self, database: Database) -> Database {
        database.with_cache(&Cache::new(self.bytes()))
    }
}

/// Where to look positions up.
#[derive(Args, Clone, Debug)]
pub struct LookupArguments {
    #[command(flatten)]
    pub database: DatabaseArgument,

    /// Which database of the board [default: remoteness, else wdl]
    #[arg(long, value_name = "KIND", value_parser = values())]
    pub values: Option<Values>,

    #[command(flatten)]
    pub cache: CacheArgument,
}

impl LookupArguments {
    /// Opens the database of a board. Warns on standard error if a better one exists that cannot be read.
    ///
    /// # Errors
    ///
    /// Those of [`Database::find`] or [`Database::find_values`].
    pub fn find(&self, board: Board) -> Result<Database, DatabaseError> {
        let database = match self.values {
            Some(values) => Database::find_values(&self.database.root, board, values)?,
            None => self.database.find(board)?,
        };
        Ok(self.cache.apply(database))
    }

    /// Opens all databases of a board, the best one first, as [`Database::find_all`] does. With `--values`, opens that database and
    /// the built-in one. Warns on standard error if a better one exists that cannot be read.
    ///
    /// # Errors
    ///
    /// Those of [`Database::find_all`] or [`Database::find_values`].
    pub fn find_all(&self, board: Board) -> Result<Vec<Database>, DatabaseError> {
        let mut databases = match self.values {
            None => Database::find_all(&self.database.root, board)?,
            Some(_) => {
                let first = self.find_or_embedded(board)?;
                let embedded = if first.is_embedded { None } else { Database::embedded(board)? };
                [first].into_iter().chain(embedded).collect()
            }
        };
        let first = databases.remove(0);
        databases.insert(0, self.cache.apply(warned(first)?));
        Ok(databases)
    }

    /// Opens the database of a board, or else the one that is built in, if there is one. Warns on standard error if a better
    /// one exists that cannot be read.
    ///
    /// # Errors
    ///
    /// Those of [`Database::find_or_embedded`] or [`Database::find_values`].
    pub fn find_or_embedded(&self, board: Board) -> Result<Database, DatabaseError> {
        let Some(values) = self.values else {
            return Ok(self.cache.apply(warned(Database::find_or_embedded(&self.database.root, board)?)?));
        };
        let found = self.find(board);
        let embedded = match &found {
            Ok(database) if database.is_complete() => None,
            Ok(_) | Err(DatabaseError::MissingValues { .. }) => Database::embedded(board)?,
            Err(_) => None,
        };
        embedded.filter(|embedded| embedded.values() == values).map_or(found, |embedded| Ok(self.cache.apply(embedded)))
    }
}

/// The bytes of memory that the program itself uses, beside caches and tables.
const PROGRAM_BYTES: u64 = 16 << 20;

/// The smallest cache. With a smaller one, probes would expand nearly every block again.
const LEAST_CACHE_BYTES: u64 = 1 << 20;

/// How much memory to use.
#[derive(Args, Clone, Copy, Debug)]
pub struct MemoryArgument {
    /// Memory to use at most, such as 512M or 1.5GiB [default: 80 % of the free memory]
    #[arg(id = "memory", long = "memory", value_name = "SIZE", value_parser = size)]
    bytes: Option<u64>,
}

impl MemoryArgument {
    /// Returns the limit in bytes; `None` if no limit is given and the system does not report how much memory is free.
    pub fn known(self) -> Option<u64> {
        self.bytes.or_else(memory::default_limit)
    }

    /// Lowers the cache of a database so that `caches` caches of this size fit in the limit, beside the program, its tables and
    /// `other_bytes` bytes of other memory. Leaves each cache at least a megabyte, even if that exceeds the limit. Also returns how
    /// many bytes of the limit the caches leave, not counting the first megabyte of each.
    pub fn limit_cache(self, database: Database, other_bytes: u64, caches: u64) -> (Database, u64) {
        let table_bytes = Plan::estimate(database.board(), database.values()).table_bytes();
        let other_bytes = u128::from(other_bytes) + table_bytes + u128::from(PROGRAM_BYTES);
        let rest = self.known().map(|limit| u128::from(limit).saturating_sub(other_bytes) / u128::from(caches));
        let most = rest.and_then(|rest| u64::try_from(rest).ok()).unwrap_or(u64::MAX);
        let cache_bytes = database.cache.bytes.min(most.max(LEAST_CACHE_BYTES));
        let database = database.with_cache(&Cache::new(cache_bytes));
        let beyond = cache_bytes.saturating_sub(LEAST_CACHE_BYTES).saturating_mul(caches);
        let left = self.known().map_or(u64::MAX, |limit| limit.saturating_sub(beyond));
        (database, left)
    }

    /// Returns the limit in bytes.
    ///
    /// # Errors
    ///
    /// No limit is given, and the system does not report how much memory is free.
    pub fn limit(self) -> anyhow::Result<u64> {
        self.known().context("cannot tell how much memory is free; give a limit with --memory, such as --memory 2G")
    }
}

/// What `solve` and `stats` share: both go over all tiers of a board.
#[derive(Args, Clone, Debug)]
pub struct SweepArguments {
    #[command(flatten)]
    pub threads: ThreadsArgument,

    #[command(flatten)]
    pub memory: MemoryArgument,

    /// Keep temporary files in this folder [default: memory; if they do not fit, the folder of databases]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub scratch: Option<PathBuf>,
}

/// What `match` and `grade` share: both let programs move, and compare the result with exact values.
#[derive(Args, Clone, Debug)]
pub struct TrialArguments {
    /// Seed of the random numbers; the same seed gives the same result
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = within::<u64>(0..=u64::MAX))]
    pub seed: u64,

    /// Search at most N nodes for a position whose value no database has
    #[arg(long, value_name = "N", default_value_t = DEFAULT_NODES, value_parser = within::<u64>(1..=u64::MAX))]
    pub nodes: u64,

    #[command(flatten)]
    pub lookup: LookupArguments,

    #[command(flatten)]
    pub threads: ThreadsArgument,

    /// Print one line of JSON
    #[arg(long)]
    pub json: bool,
}

/// Returns the default of `--db`: the environment variable `FOURBASE_DB`, or else the usual folder. An empty variable counts as
/// unset, which clap's own support for variables cannot express.
fn default_root() -> PathBuf {
    env::var_os("FOURBASE_DB").filter(|root| !root.is_empty()).map_or_else(|| DEFAULT_ROOT.into(), PathBuf::from)
}

/// Lists the boards whose early plies are built in: `7x5, 6x6, 7x6`.
pub fn embedded_boards() -> String {
    Database::embedded_boards().iter().map(Board::to_string).collect::<Vec<_>>().join(", ")
}

/// How many bytes of an invalid text an error message repeats.
pub const EXCERPT_BYTES: usize = 40;

/// Returns the error for a text that cannot be the value of an option. `reason` says what it is not, and what to write.
pub fn refused(text: &str, reason: impl Display) -> anyhow::Error {
    anyhow!("\"{}\" {reason}", excerpt(text, EXCERPT_BYTES))
}
