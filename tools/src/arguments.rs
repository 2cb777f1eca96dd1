//! Arguments that several subcommands take, and how numbers are read.

use std::env;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use anyhow::{Context, anyhow};
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use fourbase::{Board, excerpt};
use fourbase_tiers::database::{Database, DatabaseError};
use fourbase_tiers::files::grouped;
use fourbase_tiers::kernel::Values;
use parse_size::Config;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::failure::{self, BadInput};
use crate::{memory, remedy};

/// The board.
#[derive(Args, Clone, Copy, Debug)]
pub struct BoardArgument {
    /// Columns x rows; then cN for lines of N instead of 4; then m for misère: 5x4, 4x4c3, 4x4m
    // A hyphen is allowed, so that the answer to -1x4 says how to write a board, not that there is no option -1.
    #[arg(value_name = "BOARD", allow_hyphen_values = true)]
    pub board: Board,
}

/// The folder with the databases.
#[derive(Args, Clone, Debug)]
pub struct DatabaseArgument {
    /// The folder with the databases [default: $FOURBASE_DB, else db]
    #[arg(id = "db", long = "db", value_name = "DIR", default_value_os_t = default_root(), hide_default_value = true)]
    pub root: PathBuf,
}

impl DatabaseArgument {
    /// Opens the database of a board. Warns on standard error if a better one exists that cannot be read.
    ///
    /// # Errors
    ///
    /// Those of [`Database::find`].
    pub fn find(&self, board: Board) -> Result<Database, DatabaseError> {
        warned(Database::find(&self.root, board)?)
    }
}

/// Warns of the database that would have been preferred.
fn warned(database: Database) -> Result<Database, DatabaseError> {
    if let Some(fault) = database.passed_over() {
        failure::print_warning(&remedy::describe(fault));
    }
    Ok(database)
}

/// The kind of values.
#[derive(Args, Clone, Copy, Debug)]
pub struct ValuesArgument {
    /// What to compute for each position
    #[arg(id = "values", long = "values", value_name = "KIND", default_value = "remoteness", value_parser = values())]
    pub kind: Values,
}

/// Returns a parser of the kinds of values.
pub fn values() -> impl TypedValueParser<Value = Values> {
    one_of([
        ("remoteness", "Win, tie or loss, and the plies to the end", Values::Remoteness),
        ("wdl", "Win, tie or loss only: takes less time, memory and disk", Values::Wdl),
    ])
}

/// Returns a parser of an option that takes one of some names, each with its help and what it stands for.
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
    /// Starts the threads.
    ///
    /// # Errors
    ///
    /// The system cannot start this many.
    pub fn pool(self) -> anyhow::Result<ThreadPool> {
        ThreadPoolBuilder::new()
            .num_threads(self.threads.map_or(0, usize::from))
            .build()
            .context("cannot start the threads; ask for fewer with --threads")
    }
}

/// How much memory the cache of a database may take.
#[derive(Args, Clone, Copy, Debug)]
pub struct CacheArgument {
    /// Memory for the cache of expanded database blocks, such as 64M [default: 256M]
    #[arg(long = "cache", value_name = "SIZE", value_parser = size)]
    pub bytes: Option<u64>,
}

impl CacheArgument {
    /// Sets the cache of a database.
    pub fn apply(self, database: Database) -> Database {
        match self.bytes {
            Some(bytes) => database.with_cache(bytes),
            None => database,
        }
    }
}

/// Where to look positions up.
#[derive(Args, Clone, Debug)]
pub struct LookupArguments {
    #[command(flatten)]
    pub database: DatabaseArgument,

    #[command(flatten)]
    pub cache: CacheArgument,
}

impl LookupArguments {
    /// Opens the database of a board, or else the one that is part of the program, if there is one. Warns on standard error if
    /// a better one exists that cannot be read.
    ///
    /// # Errors
    ///
    /// Those of [`Database::find_or_embedded`].
    pub fn find_or_embedded(&self, board: Board) -> Result<Database, DatabaseError> {
        Ok(self.cache.apply(warned(Database::find_or_embedded(&self.database.root, board)?)?))
    }
}

/// How much memory to use.
#[derive(Args, Clone, Copy, Debug)]
pub struct MemoryArgument {
    /// Memory to use at most, such as 512M or 1.5GiB [default: 80 % of the free memory]
    #[arg(id = "memory", long = "memory", value_name = "SIZE", value_parser = size)]
    bytes: Option<u64>,
}

impl MemoryArgument {
    /// Returns the limit in bytes; `None` where it is not given and the system does not tell how much is free.
    pub fn known(self) -> Option<u64> {
        self.bytes.or_else(memory::default_limit)
    }

    /// Returns the limit in bytes.
    ///
    /// # Errors
    ///
    /// It is not given, and the system does not tell how much memory is free.
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
    #[arg(long, value_name = "DIR")]
    pub scratch: Option<PathBuf>,
}

/// What `match` and `grade` share: both let programs move, and compare the result with exact values.
#[derive(Args, Clone, Debug)]
pub struct TrialArguments {
    /// Seed of the random numbers; the same seed gives the same result
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = within::<u64>(0..=u64::MAX))]
    pub seed: u64,

    #[command(flatten)]
    pub lookup: LookupArguments,

    #[command(flatten)]
    pub threads: ThreadsArgument,

    /// Print one line of JSON
    #[arg(long)]
    pub json: bool,
}

/// Returns the folder with the databases if `--db` is not given. An empty variable counts as unset, which clap's own
/// support for variables cannot express.
fn default_root() -> PathBuf {
    env::var_os("FOURBASE_DB").filter(|root| !root.is_empty()).map_or_else(|| PathBuf::from("db"), PathBuf::from)
}

/// The part of a help text that explains how to write a position.
pub const POSITION_HELP: &str = "\
Write a position in one of three forms:
  moves               4453: one character for each column played, 1 to 9, then
                      a to w; - for the empty board
  column bit strings  10100 10010 11010 01010: each column from the bottom up,
                      0 for the first player, 1 for the second, then a 1, and
                      0s to the top
  GamesmanUni string  1_-XXX--OO---O----: the player to move, then each column
                      from the top down
Moves and bit strings may be separate arguments: 4 4 5 3.";

/// Lists the boards whose early plies are part of the program: `7x5, 6x6, 7x6`.
pub fn embedded_boards() -> String {
    Database::embedded_boards().iter().map(Board::to_string).collect::<Vec<_>>().join(", ")
}

/// How much of a wrong text an error repeats.
pub const EXCERPT_BYTES: usize = 40;

/// The greatest number that a text with a point or an exponent may mean: all smaller ones are exact.
const MOST_EXACT: f64 = 9_007_199_254_740_992.0;

/// Returns a parser of whole numbers for an option: `1000000`, `1_000_000`, `1e6` or `1.5e6`.
///
/// Its error says which numbers the option takes.
pub fn within<T: TryFrom<u64>>(
    range: RangeInclusive<u64>,
) -> impl Fn(&str) -> anyhow::Result<T> + Clone + Send + Sync + 'static {
    move |text| {
        let number = read_whole(text).filter(|number| range.contains(number));
        number.and_then(|number| T::try_from(number).ok()).ok_or_else(|| {
            let least = grouped((*range.start()).into());
            let numbers = match *range.end() {
                u64::MAX => format!("of {least} or more; write it like 1000000 or 1e6"),
                most => format!("from {least} to {}", grouped(most.into())),
            };
            anyhow!("\"{}\" is not a whole number {numbers}", excerpt(text, EXCERPT_BYTES))
        })
    }
}

/// Reads a whole number, exactly.
fn read_whole(text: &str) -> Option<u64> {
    let text = text.replace('_', "");
    if text.is_empty() || !text.chars().all(|c| c.is_ascii_digit() || ".eE+".contains(c)) {
        return None;
    }
    if let Ok(number) = text.parse::<u64>() {
        return Some(number);
    }
    let number = text.parse::<f64>().ok()?;
    (number.fract() == 0.0 && number <= MOST_EXACT).then_some(number as u64)
}

/// Reads a number of bytes: a number with or without a fraction, an optional K, M, G, T, P or E for a power of 1024, and
/// an optional `B` or `iB`.
///
/// # Errors
///
/// The text is not a size; the message shows how to write one.
pub fn size(text: &str) -> anyhow::Result<u64> {
    Config::new().with_binary().parse_size(text).map_err(|reason| {
        let text = excerpt(text, EXCERPT_BYTES);
        anyhow!("\"{text}\" is not a size: {reason}; write bytes or powers of 1024, such as 512M, 2G or 1.5GiB")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_read_exactly_and_everything_else_is_an_error() {
        let read = within::<u64>(0..=u64::MAX);
        let numbers = [("0", 0), ("1e6", 1_000_000), ("1.5e6", 1_500_000), ("1_000", 1000), ("1E+3", 1000)];
        for (text, number) in numbers.into_iter().chain([("18446744073709551615", u64::MAX)]) {
            assert_eq!(read(text).unwrap(), number, "{text}");
        }
        for text in ["", "_", "-1", "1.5", "1e-3", "e", "inf", "nan", "1e400", "18446744073709551616", "1 000", "0x1"] {
            let message = read(text).unwrap_err().to_string();
            assert!(message.ends_with("is not a whole number of 0 or more; write it like 1000000 or 1e6"), "{message}");
        }
        let message = |text: &str| within::<u16>(1..=1024)(text).unwrap_err().to_string();
        assert_eq!(message("0"), "\"0\" is not a whole number from 1 to 1,024");
        assert!(message("\u{1b}").starts_with("\"\\u{1b}\" is not"));
    }

    #[test]
    fn sizes_are_bytes_or_powers_of_1024() {
        let sizes = [
            ("0", 0),
            ("1000", 1000),
            ("1K", 1 << 10),
            ("512M", 512 << 20),
            ("512MB", 512 << 20),
            ("2G", 2 << 30),
            ("1.5GiB", 3 << 29),
            ("1 T", 1 << 40),
            ("2g", 2 << 30),
        ];
        for (text, bytes) in sizes {
            assert_eq!(size(text).unwrap(), bytes, "{text}");
        }
    }

    #[test]
    fn everything_else_is_an_error_that_shows_a_size() {
        for text in ["", "-1", "G", "1X", "1.5.2G", "99999999E", "1e9e", "\u{1b}[31m1G"] {
            let message = size(text).unwrap_err().to_string();
            assert!(message.ends_with("such as 512M, 2G or 1.5GiB"), "{message}");
            assert!(!message.chars().any(char::is_control), "{message}");
        }
    }
}
