//! `fourbase analyse`: what every move of a game gave away.
//!
//! [`played`] finds the outcomes of all moves in every position of the game. What a move gave away is its difference to
//! the best move. [`report`] writes the result.

pub mod played;
mod report;

use clap::Args;

use crate::arguments::{BoardArgument, CacheArgument, DatabaseArgument};
use crate::game::Game;
use crate::query::source::SearchArguments;
use crate::{failure, output};
use report::Analysis;

/// Arguments of `fourbase analyse`.
#[derive(Args, Debug)]
#[command(after_help = "\
For each move, the report shows the outcome of the position for the player to move; what the
move gave away, either the value (win to tie, win to lose, tie to lose) or plies (a later win or
an earlier loss); and the best moves, if the move was not one of them. The game may be
unfinished.

Without a database, analyse searches every position forward, from the last one back. If a search
needs more than --nodes, the report shows ? for that position and all earlier ones.

Examples:
  fourbase analyse 5x4 33214
  fourbase analyse 7x6 4444435555 --json")]
pub struct Arguments {
    #[command(flatten)]
    board: BoardArgument,

    /// The moves of the game: one column each, 1 to 9, then a to w; - for the empty board
    #[arg(value_name = "MOVES", allow_hyphen_values = true)]
    moves: String,

    #[command(flatten)]
    database: DatabaseArgument,

    #[command(flatten)]
    cache: CacheArgument,

    #[command(flatten)]
    search: SearchArguments,

    /// Print one line of JSON
    #[arg(long)]
    json: bool,
}

/// Runs `fourbase analyse`.
///
/// # Errors
///
/// Bad input: moves that cannot be played. Failures: no database with `--search never`; a database that cannot be read.
pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let game = Game::parse(arguments.board.board, &arguments.moves)?;
    let asker = arguments.search.find(game.board(), &arguments.database, arguments.cache, false)?;
    let plies = played::of_game(&asker, &game)?;
    let analysis = Analysis::of(&game, plies, asker.note());
    if arguments.json {
        if let Some(note) = asker.note() {
            failure::print_note(&note);
        }
        output::print_json(&analysis.to_json())
    } else {
        output::print(analysis)
    }
}
