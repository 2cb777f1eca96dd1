//! The command line: the subcommands, and the arguments that several of them take.

use std::env;
use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, Parser, Subcommand, ValueEnum};
use fourbase::{Board, Position, notation};
use fourbase_tiers::database::{Database, DatabaseError};
use fourbase_tiers::kernel::Values;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::{
    analyse, bench, failure, grade, list, match_, play, position, query, size, solve, stats, strategy, verify,
};

/// Solve Connect Four boards, and query what was solved
#[derive(Parser, Debug)]
#[command(name = "fourbase", version, max_term_width = 100)]
#[command(after_help = "\
Examples:
  fourbase solve 5x4               solve every position of 5 columns x 4 rows
  fourbase query 5x4 33            what the position after 3, 3 is worth
  fourbase list                    what is solved, how far, how large

Exit codes: 0 done, 1 a failure of files or memory, 2 bad input.")]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The subcommands.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Solve every position of a board and write the database
    Solve(solve::Arguments),
    /// Look positions up in the database of a board, or search them forward
    Query(query::Arguments),
    /// Count legal positions by ply and by remoteness
    Stats(stats::Arguments),
    /// Draw a position and convert it between notations
    Position(position::Arguments),
    /// List what is solved, how far, how large
    List(list::Arguments),
    /// Measure solving and looking up, and check the answers
    Bench(bench::Arguments),
    /// Play a game in the terminal
    Play(play::Arguments),
    /// Tell what every move of a game gave away
    Analyse(analyse::Arguments),
    /// Let two players play many games
    Match(match_::Arguments),
    /// Compare a player's moves with the exact values
    Grade(grade::Arguments),
    /// Prove or refute a rule of play against every reply
    Strategy(strategy::Arguments),
    /// Check that a database is whole and right, without the solver
    Verify(verify::Arguments),
}

/// Which board.
#[derive(Args, Clone, Copy, Debug)]
pub struct BoardArgument {
    /// Columns x rows, then c and how many to connect if not 4, then m for misère: 5x4, 4x4c3, 4x4m
    // A hyphen is let through so that -1x4 is told what a board is, not that there is no option -1.
    #[arg(value_name = "BOARD", allow_hyphen_values = true)]
    pub board: Board,
}

/// Where the databases are.
#[derive(Args, Clone, Debug)]
pub struct DatabaseArgument {
    /// The folder with the databases [default: $FOURBASE_DB, else db]
    #[arg(long = "db", value_name = "DIR", default_value_os_t = default_root(), hide_default_value = true)]
    pub root: PathBuf,
}

impl DatabaseArgument {
    /// Opens the database of a board; warns on standard error where another would have been opened, could it be read.
    ///
    /// # Errors
    ///
    /// As for [`Database::find`].
    pub fn find(&self, board: Board) -> Result<Database, DatabaseError> {
        let database = Database::find(&self.root, board)?;
        if let Some(fault) = database.passed_over() {
            failure::print_warning(&fault.to_string());
        }
        Ok(database)
    }
}

/// Which values.
#[derive(Args, Clone, Copy, Debug)]
pub struct ValuesArgument {
    /// What to compute for each position: its value and the plies to the end, or only win, lose, tie
    #[arg(long = "values", value_name = "KIND", default_value = "remoteness")]
    pub kind: ValuesKind,
}

/// What `--values` may be.
#[derive(ValueEnum, Clone, Copy, Debug)]
pub enum ValuesKind {
    /// Values and plies to the end
    Remoteness,
    /// Values alone: less time, memory and disk
    Wdl,
}

impl From<ValuesKind> for Values {
    fn from(kind: ValuesKind) -> Values {
        match kind {
            ValuesKind::Remoteness => Values::Remoteness,
            ValuesKind::Wdl => Values::Wdl,
        }
    }
}

/// How many threads.
#[derive(Args, Clone, Copy, Debug)]
pub struct ThreadsArgument {
    /// How many threads work [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

impl ThreadsArgument {
    /// Starts the threads.
    ///
    /// # Errors
    ///
    /// Too many for the system.
    pub fn pool(self) -> anyhow::Result<ThreadPool> {
        ThreadPoolBuilder::new()
            .num_threads(self.threads.map_or(0, usize::from))
            .build()
            .context("cannot start the threads; ask for fewer with --threads")
    }
}

/// How much a reader of a database keeps in memory.
#[derive(Args, Clone, Copy, Debug)]
pub struct CacheArgument {
    /// How much memory expanded blocks of the database may take, such as 64M [default: 256M]
    #[arg(long = "cache", value_name = "SIZE", value_parser = size::parse)]
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

/// Returns the folder with the databases where `--db` does not say. An empty variable counts as none, which clap's own
/// reading of variables does not allow for.
fn default_root() -> PathBuf {
    env::var_os("FOURBASE_DB").filter(|root| !root.is_empty()).map_or_else(|| PathBuf::from("db"), PathBuf::from)
}

/// Says in the help of a subcommand how to write a position.
pub const POSITION_HELP: &str = "\
A position is one of
  moves                 4453: a column a move, 1 to 9, then a to w; - for the empty board
  column bit strings    10100 10010 11010 01010: from the bottom up, 0 first player, 1 second
                        player, then 1 and 0s above the column's end; also as several arguments
  GamesmanUni's string  1_-XXX--OO---O----: whose turn, then columns from top to bottom";

/// Reads the words of a position from the command line; no words are the empty board.
///
/// # Errors
///
/// The first mistake in the text.
pub fn read_position(board: Board, words: &[String]) -> Result<Position, notation::NotationError> {
    notation::parse_words(board, words)
}
