//! `fourbase play`: a game in the terminal, or through a pipe.
//!
//! [`session`] plays the game and answers questions about it. [`input`] gets lines from the user, and [`typed`] parses the lines.
//! [`save`] and [`load`] write and read saved games.

mod input;
mod session;
mod typed;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail, ensure};
use clap::{Args, ValueEnum};
use fourbase::players::Kind;
use fourbase::{Board, Game};
use fourbase_tiers::database::Database;
use fourbase_tiers::files::{Disk, FileError, read_small};

use crate::arguments::{PositionArgument, within};
use crate::cli::query::limited::LimitedAnalyst;
use crate::cli::query::source::SearchArguments;
use crate::failure::BadInput;
use crate::output::wording;
use crate::temporary::Output;
use session::Session;
use typed::HELP;

/// The most cells of a board on which the player `perfect` moves fast enough without a database.
const PERFECT_CELLS: usize = 25;

/// The most move sequences that a quick opponent may look at for a move: this allows 8 plies on 7 columns. Alpha-beta search skips
/// most of the sequences, so a move takes about a quarter of a second.
const QUICK_ORDERS: usize = 10_000_000;

/// Arguments of `fourbase play`.
#[derive(Args, Debug)]
#[command(mut_arg("position", |arg| arg.value_name("MOVES").help("Start after these moves, such as 4453 or 4 4 5 3")))]
#[command(after_help = format!("\
You are X and move first. --level sets how well the computer plays; with --second human it moves first. \
Or name a PLAYER for each side: human or a program, which `fourbase match --help` lists. Two programs \
play the whole game; with `--second human` alone two people play.

Ctrl-C stops a search, and not the game. Type one of these lines:

{HELP}

Examples:
  fourbase play
  fourbase play --level 2
  fourbase play 5x4 33
  fourbase play --second pomakis:6
  fourbase play --first perfect --second rating:3 --seed 2
  printf '3\\n2\\nhistory\\n' | fourbase play 5x4 --second pomakis:4"))]
pub struct Arguments {
    #[command(flatten)]
    start: PositionArgument,

    /// The player who moves first
    #[arg(long, value_name = "PLAYER", default_value = "human")]
    first: Kind,

    /// The player who moves second [default: perfect; pomakis on a large board without a database]
    #[arg(long, value_name = "PLAYER")]
    second: Option<Kind>,

    /// How well the computer plays
    #[arg(long, value_name = "LEVEL")]
    level: Option<Level>,

    /// Seed of the programs' random moves; the same seed and the same moves of yours give the same game
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = within::<u64>(0..=u64::MAX))]
    seed: u64,

    /// Start from a saved game
    #[arg(long, value_name = "FILE")]
    load: Option<PathBuf>,

    #[command(flatten)]
    search: SearchArguments,
}

/// How well the computer plays.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Level {
    /// Sees little but its own wins (level:1)
    #[value(name = "1", alias = "beginner")]
    One = 1,
    /// Sees most threats (level:2)
    #[value(name = "2", alias = "easy")]
    Two,
    /// Sees some moves ahead (level:3)
    #[value(name = "3", alias = "medium")]
    Three,
    /// Overlooks little (level:4)
    #[value(name = "4", alias = "hard")]
    Four,
    /// Sees nearly everything (level:5)
    #[value(name = "5")]
    Five,
    /// Makes no mistakes
    Perfect,
}

impl Level {
    /// Returns the player of a level.
    fn kind(self) -> Kind {
        match self {
            Level::Perfect => Kind::Perfect { takes_first: false },
            level => Kind::Level { level: level as u32 },
        }
    }
}

/// Runs `fourbase play`.
///
/// # Errors
///
/// Bad input: moves that cannot be played, in the arguments or in a saved game. Failures: a file or database that cannot be read;
/// in a game between two programs, a program finds no move.
pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let (board, moves) = arguments.start.read(false)?;
    let game = match &arguments.load {
        Some(_) if !moves.is_empty() => bail!(BadInput(format!("the game starts after {moves}; leave --load out"))),
        Some(file) => load(file, board)?,
        None => Game::parse(board, &moves)?,
    };
    let (first, second) = match (arguments.level.map(Level::kind), arguments.first, arguments.second) {
        (Some(computer), Kind::Human, Some(Kind::Human)) => (computer, Some(Kind::Human)),
        (Some(_), _, Some(second)) => {
            bail!(BadInput(format!("--level and --second {second} both choose a player; leave one out")))
        }
        (Some(computer), first, None) => (first, Some(computer)),
        (None, first, second) => (first, second),
    };
    let analyst = Arc::new(arguments.search.find(board, None)?);
    let second = second.unwrap_or_else(|| default_opponent(&analyst, board));
    Session::new(game, [first, second], arguments.seed, analyst)?.run()
}

/// Returns the default of `--second`: on a large board without a database, the farthest level of Pomakis that is quick.
fn default_opponent(analyst: &LimitedAnalyst, board: Board) -> Kind {
    let is_solved = analyst.database().is_some_and(Database::is_complete);
    if is_solved || board.cells() <= PERFECT_CELLS {
        return Kind::Perfect { takes_first: false };
    }
    let is_quick = |level: &u32| board.width().checked_pow(*level).is_some_and(|orders| orders <= QUICK_ORDERS);
    Kind::Pomakis { level: (1..=8).rev().find(is_quick).unwrap_or(1) }
}

/// The most bytes to read from a saved game; no saved game is that long.
const MOST_BYTES: u64 = 1024;

/// Saves a game to a file. If saving fails, an older saved game in that file stays as it was.
///
/// # Errors
///
/// Bad input: the file is a link, or exists and is not a saved game. Failure: the file cannot be written.
fn save(file: &Path, game: &Game) -> anyhow::Result<()> {
    let name = wording::path(file);
    let refused = |what: &str| BadInput(format!("{name} exists and is {what}; choose another name"));
    if let Ok(found) = fs::symlink_metadata(file) {
        // A link may lead to any file, so it is refused.
        ensure!(!found.is_symlink(), refused("a link"));
        let is_saved = read_text(file).is_ok_and(|text| Game::from_saved(&text).is_ok());
        ensure!(is_saved, refused("not a saved game"));
    }
    Output::write_file(file, &game.to_saved()).with_context(|| wording::cannot_write(file))
}

/// Loads a saved game of `board`.
///
/// # Errors
///
/// Bad input: the file is not a saved game, has another board, or has a move that cannot be played. Failure: the file cannot be
/// read.
fn load(file: &Path, board: Board) -> anyhow::Result<Game> {
    let name = wording::path(file);
    let text = read_text(file)?;
    let bad = |reason: String| BadInput(format!("{name}: {reason}"));
    let game = Game::from_saved(&text).map_err(bad)?;
    if game.board() != board {
        let command = to_load(game.board(), "", file);
        bail!(bad(format!("a game on {}; load it with: {command}", game.board())));
    }
    Ok(game)
}

/// Returns the command that continues a saved game with the options `players`.
fn to_load(board: Board, players: &str, file: &Path) -> String {
    format!("fourbase play {board}{players}{}", wording::option("load", file))
}

/// Reads a short text file. Refuses anything else, such as a folder, or a device or pipe whose data might never end.
fn read_text(file: &Path) -> anyhow::Result<String> {
    let name = wording::path(file);
    let cannot_read = || format!("cannot read {name}");
    let bad = |what: &str| BadInput(format!("{name}: not a saved game, {what}"));
    ensure!(fs::metadata(file).with_context(cannot_read)?.is_file(), bad("and not a file"));
    let bytes = match read_small(&Disk, file, MOST_BYTES) {
        Err(FileError::Io { source, .. }) => return Err(source).with_context(cannot_read),
        read => read.map_err(|_| bad(&format!("which has at most {MOST_BYTES} bytes")))?,
    };
    Ok(String::from_utf8(bytes).map_err(|_| bad("and not text"))?)
}
