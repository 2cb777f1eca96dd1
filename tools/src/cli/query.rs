//! `fourbase query`: look positions up.
//!
//! [`source`] reads the options and chooses between database and search. [`limited`] asks this source ([`fourbase::analysis`])
//! within limits, and [`watch`] shows the progress of long questions. [`answer`] writes the long answer about one position;
//! [`batch`] writes a line for each position of a batch.

mod answer;
mod batch;
pub mod limited;
pub mod source;
mod watch;

use anyhow::{anyhow, ensure};
use clap::Args;
use fourbase::analysis::json::{AnalysisJson, Envelope};

use crate::arguments::{POSITION_HELP, PositionArgument, embedded_boards};
use crate::batch::{BatchArguments, note_unread};
use crate::failure::BadInput;
use crate::{interrupt, output};
use answer::Answer;
use batch::Form;
use source::SearchArguments;

/// Arguments of `fourbase query`.
#[derive(Args, Debug)]
#[command(after_help = format!("\
{POSITION_HELP}

With --batch, a line of input is a position and a line of output is

  POSITION<TAB>VALUE<TAB>REMOTENESS   - for a remoteness that is not known
  POSITION<TAB>error<TAB>REASON       for a line that is not a position

A line that is not a position makes the exit code 2 at the end.

A value is win, tie or lose (a loss) for the player to move. The remoteness is the number of plies to \
the end when the winner plays for speed and the loser delays. In the table of one position, best moves are in upper \
case. --moves adds a field for each column of the \
board: the value and the remoteness of that move for the player who makes it, - where no move is \
possible, ? where it was not decided. --json writes a line of JSON instead.

A line may have further fields, between tabs, spaces or commas. The position is the first field, or that of \
--field; the others are copied to the end of the answer. If all fields could be one move, they are one game: put \
a tab after a position of one move. A blank line is an error, except at the end, and so is a line that begins with a blank.

--expect compares lines POSITION SCORE, as test sets have them, and prints POSITION, VALUE, REMOTENESS, SCORE and \
the other fields of those that differ; then the exit code is 1. Pons' score is 0 for a tie; for a win, one \
more than the pieces that the winner has left; negative for a loss.

The databases of the board answer: those in --db, and the built-in one of early plies (of {shipped}). Query searches \
forward what all of them leave open, within --nodes, and a note says so; --search never searches nothing. \
A search that reaches --nodes or --seconds shows what it knows, and ? for the rest; if it \
does not know the value, the exit code is 1. With --json or --batch, the note about where an answer \
comes from goes to standard error.

Examples:
  fourbase query                          the empty board of 7x6
  fourbase query 4453                     7x6 after the moves 4, 4, 5 and 3
  fourbase query 5x4 3 3 2 1
  fourbase query 'https://connect4.gamesolver.org/?pos=4453'
  fourbase query 5x4 3321 --json
  fourbase query 2112424273744666 --why
  fourbase query 4x4 10100 10010 11010 01010
  fourbase query 44444265 --search only --seconds 10
  printf '33\\n3321\\n' | fourbase query 5x4 --batch
  printf '4453 -2\\n' | fourbase query --batch --expect
  fourbase query 5x4 --batch --moves --input positions.txt --output answers.tsv", shipped = embedded_boards()))]
pub struct Arguments {
    #[command(flatten)]
    position: PositionArgument,

    #[command(flatten)]
    search: SearchArguments,

    #[command(flatten)]
    batch: BatchArguments,

    /// Add a field for each move to the answers of a batch
    #[arg(long, requires = "batch", conflicts_with = "json")]
    moves: bool,

    /// Compare each answer with the next field of its line: Pons' score, or win, tie or lose. Print only the lines that differ
    #[arg(long, requires = "batch", conflicts_with_all = ["json", "moves"])]
    expect: bool,

    /// Explain the value of the position and of each move, with proofs where there are any
    #[arg(long, conflicts_with_all = ["moves", "expect"])]
    why: bool,

    /// Print a line of JSON, in a batch one for each position
    #[arg(long)]
    json: bool,

    /// Add best play to the JSON of a batch
    #[arg(long, requires_all = ["batch", "json"])]
    line: bool,
}

/// Runs `fourbase query`.
///
/// # Errors
///
/// Bad input: a mistake in the position, or in any line of a batch. Failures: with `--search never`, a missing database; a database
/// that cannot be read; a search that reaches its limit before it finds the value.
pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let (board, text) = arguments.position.read(arguments.batch.batch)?;
    let has_place = arguments.json || !arguments.batch.batch;
    ensure!(!arguments.why || has_place, BadInput("a batch has reasons only as JSON; add --json to --why".to_owned()));
    // A mistake in the position is cheap to find, so it is reported before the database is opened.
    let position = fourbase::notation::parse(board, &text)?;
    let mut analyst = arguments.search.find(board, None)?;
    if arguments.batch.batch {
        analyst.print_note();
        let form = match arguments {
            Arguments { json: true, line, why, .. } => Form::Json { with_line: *line, with_reasons: *why },
            Arguments { moves: true, .. } => Form::Moves,
            Arguments { expect: true, .. } => Form::Differences,
            _ => Form::Outcomes,
        };
        return batch::run(&arguments.batch, board, &analyst, form);
    }
    interrupt::say_at_end(format!("interrupted the query of {board}; --seconds N shows what is known by then"))?;
    let mut analysis = match analyst.analyse_and_show(&position) {
        Err(failure) if analyst.has_files() => {
            analyst = arguments.search.find(board, Some(failure.downcast()?))?;
            analyst.analyse_and_show(&position)?
        }
        analysis => analysis?,
    };
    if arguments.why {
        analysis.explain();
    }
    let limit = analysis.limit.map(|limit| analyst.limit_text(limit));
    if arguments.json {
        analyst.print_note();
        let json = AnalysisJson::of(&analysis, &text, limit.clone());
        output::print_json(&Envelope::new("query", json))?;
    } else if analysis.is_known() {
        output::print(Answer { analysis: &analysis, limit: limit.as_deref(), source: &analyst.source() })?;
    }
    if text.is_empty() {
        note_unread();
    }
    limit.filter(|_| analysis.outcome.is_none()).map_or(Ok(()), |limit| Err(anyhow!(limit)))
}
