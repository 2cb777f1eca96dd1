//! `fourbase play`: a game in the terminal, or through a pipe.
//!
//! [`session`] is the game and what is asked about it, [`command`] reads what was typed, [`saved`] is the file of a
//! saved game.

mod command;
mod saved;
mod session;

use std::path::PathBuf;
use std::rc::Rc;

use clap::Args;
use fourbase::Board;
use fourbase::players::Kind;
use fourbase_tiers::database::Database;

use crate::arguments::{BoardArgument, CacheArgument, DatabaseArgument};
use crate::game::Game;
use crate::query::answerer::Answerer;
use crate::query::source::SearchArguments;
use session::Session;

/// Boards of at most so many cells are searched fast enough for perfect to be pleasant without a database.
const PERFECT_CELLS: usize = 25;

/// So many orders of moves are searched in a second, thanks to alpha-beta: 8 plies on 7 columns.
const MOST_ORDERS: usize = 10_000_000;

/// Returns the opponent on larger boards without a database: one that answers in a second.
fn otherwise(board: Board) -> Kind {
    let is_quick = |level: &u32| board.width().checked_pow(*level).is_some_and(|orders| orders <= MOST_ORDERS);
    Kind::Pomakis { level: (1..=8).rev().find(is_quick).unwrap_or(1) }
}

/// Arguments of `fourbase play`.
#[derive(Args, Debug)]
#[command(after_help = "\
The players are those of `fourbase match --help`, and human: you. Two programs play their game to the
end; `--first human --second human` is a board for two people.

Type a column to move, or one of

  undo            take your last move back, and what was played after it
  hint            the best moves, and what they are worth
  values          what every column is worth; values rating:3 adds the grades of that player
  history         who stood to win, tie or lose ply by ply, and in how many
  moves           the moves so far
  save FILE       save the game; load FILE goes on with a saved one
  board, new, help, quit

Examples:
  fourbase play 5x4
  fourbase play 7x6 --second pomakis:6
  fourbase play 7x6 --first perfect --second rating:3 --seed 2
  printf '3\\n2\\nhistory\\n' | fourbase play 5x4 --second pomakis:4")]
pub struct Arguments {
    #[command(flatten)]
    board: BoardArgument,

    /// Who moves first
    #[arg(long, value_name = "PLAYER", default_value = "human")]
    first: Kind,

    /// Who moves second [default: perfect; on a large board without a database pomakis]
    #[arg(long, value_name = "PLAYER")]
    second: Option<Kind>,

    /// Which random moves of the programs: the same number and the same moves of yours, the same game
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Begin after these moves
    #[arg(long, value_name = "MOVES", conflicts_with = "load", allow_hyphen_values = true)]
    moves: Option<String>,

    /// Go on with a saved game
    #[arg(long, value_name = "FILE")]
    load: Option<PathBuf>,

    #[command(flatten)]
    database: DatabaseArgument,

    #[command(flatten)]
    cache: CacheArgument,

    #[command(flatten)]
    search: SearchArguments,
}

/// Runs `fourbase play`.
///
/// # Errors
///
/// Bad input: moves or a saved game that do not replay. Failures: a file or database that cannot be read, and a move
/// that one of two programs cannot find.
pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let board = arguments.board.board;
    let game = match (&arguments.moves, &arguments.load) {
        (Some(moves), _) => Game::parse(board, moves)?,
        (None, Some(file)) => saved::load(file, board)?,
        (None, None) => Game::start(board),
    };
    let second = arguments.second.unwrap_or_else(|| {
        // Whether one had to be passed over is said where positions are asked for.
        let is_solved = Database::find(&arguments.database.root, board).is_ok_and(|database| database.is_complete());
        if is_solved || board.cells() <= PERFECT_CELLS {
            Kind::Perfect { takes_first: false }
        } else {
            otherwise(board)
        }
    });
    let answerer: Rc<dyn Answerer> =
        Rc::from(arguments.search.find(board, &arguments.database, arguments.cache, false)?);
    Session::new(game, [arguments.first, second], arguments.seed, answerer).run()
}
