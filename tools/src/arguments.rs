//! The command line: the subcommands, and the arguments that several of them take.

use std::env;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use fourbase::{Board, Position, notation};

use crate::{list, position, query, solve, stats};

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
    /// Look positions up in the database of a board
    Query(query::Arguments),
    /// Count legal positions by ply and by remoteness
    Stats(stats::Arguments),
    /// Draw a position and convert it between notations
    Position(position::Arguments),
    /// List what is solved, how far, how large
    List(list::Arguments),
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
