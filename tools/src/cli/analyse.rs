//! `fourbase analyse`: what every move of a game gave away.
//!
//! [`fourbase::analysis::GameAnalysis`] has the outcomes of all moves in every position of the game. What a move gave away is its
//! difference to the best move. [`report`] writes the result, [`batch`] a line for each of many games.

mod batch;
mod report;

use clap::Args;
use fourbase::Game;
use fourbase::analysis::GameAnalysis;
use fourbase::analysis::json::GameAnalysisJson;

use crate::arguments::{BoardArgument, CacheArgument, DatabaseArgument};
use crate::batch::BatchArguments;
use crate::cli::query::source::SearchArguments;
use crate::json::Envelope;
use crate::{failure, output};
use report::Report;

/// Arguments of `fourbase analyse`.
#[derive(Args, Debug)]
#[command(after_help = "\
For each move, the report shows the outcome of the position for the player to move; what the \
move gave away, either the value (win to tie, win to lose, tie to lose) or plies (a later win or \
an earlier loss); and the best moves, if the move was not one of them. The game may be \
unfinished.

Without a database, analyse searches every position forward, from the last one back. If a search \
reaches --nodes or --seconds, the report shows ? for what is not known, earlier positions get a \
quick look only, and the exit code is 1.

With --batch, a line of input is a game and a line of output is

  MOVES<TAB>FIRST<TAB>SECOND<TAB>UNDECIDED

FIRST and SECOND are the mistakes of each player, such as 1 missed tie at column 3; 5 missed win in \
7 at column 2, and - for none. UNDECIDED is the number of moves that were not decided. A line may have \
further fields, between tabs or blanks: the game is the first one, or that of --field, and the \
others are repeated at the end. --json writes a line of JSON for each game instead.

Examples:
  fourbase analyse 5x4 33214
  fourbase analyse 7x6 4444435555 --json
  fourbase analyse 5x4 --batch --input games.txt")]
pub struct Arguments {
    #[command(flatten)]
    board: BoardArgument,

    /// The moves of the game: one column each, 1 to 9, then a to w; - for the empty board
    #[arg(
        value_name = "MOVES",
        allow_hyphen_values = true,
        required_unless_present = "batch",
        conflicts_with_all = ["batch", "input", "output", "field"]
    )]
    moves: Option<String>,

    #[command(flatten)]
    database: DatabaseArgument,

    #[command(flatten)]
    cache: CacheArgument,

    #[command(flatten)]
    search: SearchArguments,

    #[command(flatten)]
    batch: BatchArguments,

    /// Print a line of JSON, in a batch one for each game
    #[arg(long)]
    json: bool,
}

/// Runs `fourbase analyse`.
///
/// # Errors
///
/// Bad input: moves that cannot be played. Failures: no database with `--search never`; a database that cannot be read;
/// moves that were not decided, after the report.
pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let (board, is_json) = (arguments.board.board, arguments.json);
    // A mistake in the game is cheap to find, so it is reported before the database is opened.
    let game = Game::parse(board, arguments.moves.as_deref().unwrap_or_default())?;
    let analyst = arguments.search.find(board, &arguments.database, arguments.cache, false)?;
    if arguments.batch.batch {
        if let Some(note) = analyst.note() {
            failure::print_note(&note);
        }
        return batch::run(&arguments.batch, board, &analyst, is_json);
    }
    let analysis = GameAnalysis::of(&game, |position, nodes| analyst.analyse(position, false, nodes))?;
    let note = analyst.note();
    if is_json {
        if let Some(note) = &note {
            failure::print_note(note);
        }
        output::print_json(&Envelope::new("analyse", GameAnalysisJson::of(&analysis)))?;
    } else {
        output::print(Report { analysis: &analysis, note: note.as_deref() })?;
    }
    report::failure(&analysis, &analyst).map_or(Ok(()), Err)
}
