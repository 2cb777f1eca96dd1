//! `fourbase analyse`: a game move by move, and who messed up when.
//!
//! Every position of the game is asked for the outcomes of all its moves ([`played`]); what a move gave away is the
//! difference to the best of them. What is said is in [`report`].

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
For each move: what the position was worth for the player to move, what the move gave away - value
(win to tie, win to lose, tie to lose) or plies (a win put off, a loss brought nearer) - and the best
moves where it was none of them. The game need not be finished.

Without a database every position is searched forward, from the last one back; one that is not
decided within --nodes is told as ?, and those before it are not searched.

Examples:
  fourbase analyse 5x4 33214
  fourbase analyse 7x6 4444435555 --json")]
pub struct Arguments {
    #[command(flatten)]
    board: BoardArgument,

    /// The game: a column a move, 1 to 9, then a to w; - for the empty board
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
/// Bad input: moves that cannot be played. Failures: no database where nobody may search, or one that cannot be read.
pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let game = Game::parse(arguments.board.board, &arguments.moves)?;
    let answerer = arguments.search.find(game.board(), &arguments.database, arguments.cache, false)?;
    let plies = played::of_game(answerer.as_ref(), &game)?;
    let analysis = Analysis::of(&game, plies, answerer.note());
    if arguments.json {
        if let Some(note) = answerer.note() {
            failure::print_note(&note);
        }
        output::print_json(&analysis.to_json())
    } else {
        output::print(analysis)
    }
}
