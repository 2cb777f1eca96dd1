//! `fourbase query`: look positions up.
//!
//! Who answers is behind one seam, [`answerer`], so that nothing else cares whether answers come out of a database or
//! from a search forward ([`source`] decides). One position is answered at length ([`answer`]), many on standard input with one
//! line each ([`batch`]).

mod answer;
pub mod answerer;
mod batch;
mod both;
pub mod lines;
pub mod searcher;
pub mod source;

use clap::Args;

use crate::arguments::{BoardArgument, CacheArgument, DatabaseArgument, POSITION_HELP, read_position};
use crate::{failure, output};
use answer::Answer;
use source::SearchArguments;

/// Arguments of `fourbase query`.
#[derive(Args, Debug)]
#[command(after_help = format!("\
{POSITION_HELP}

With --batch, a line of input is a position and a line of output is

  POSITION<TAB>VALUE<TAB>REMOTENESS       REMOTENESS is - in a database without it
  POSITION<TAB>error<TAB>REASON           for a line that is no position (exit code 2 at the end)

Values are win, lose or tie for the player to move; the remoteness is the number of plies to the
end if the winner hastens and the loser delays.

Without --search, one position is searched forward where no database covers the board, and the
answer says so; a batch needs the database. --search auto also searches the remoteness that a
database of values alone leaves open, of the moves that keep the value, and positions that are not
solved yet; on 7x6 mostly about a second after 8 plies, longer before. With --json and --batch it is
standard error that tells of a board without a database. A search that reaches its --nodes has no
answer (exit code 1).

Examples:
  fourbase query 5x4
  fourbase query 5x4 3321 --json
  fourbase query 4x4 10100 10010 11010 01010
  fourbase query 7x6 44444265 --search only --nodes 1000000000
  fourbase query 7x6 44444265 --search auto
  printf '33\\n3321\\n' | fourbase query 5x4 --batch"))]
pub struct Arguments {
    #[command(flatten)]
    board: BoardArgument,

    /// The position, told by its form [default: the empty board]
    #[arg(value_name = "POSITION")]
    position: Vec<String>,

    #[command(flatten)]
    database: DatabaseArgument,

    #[command(flatten)]
    cache: CacheArgument,

    #[command(flatten)]
    search: SearchArguments,

    /// Answer the positions on standard input, one a line
    #[arg(long, conflicts_with_all = ["position", "json"])]
    batch: bool,

    /// Print one line of JSON
    #[arg(long)]
    json: bool,
}

/// Runs `fourbase query`.
///
/// # Errors
///
/// Bad input: a mistake in the position, or in any line of a batch. Failures: no database for the board where nobody may
/// search, one that cannot be read, or a search that came to its limit.
pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let board = arguments.board.board;
    // First what is cheap and the user's to correct; then the database.
    let position = read_position(board, &arguments.position)?;
    let answerer = arguments.search.find(board, &arguments.database, arguments.cache, arguments.batch)?;
    if arguments.batch {
        if let Some(note) = answerer.note() {
            failure::print_note(&note);
        }
        return batch::run(board, answerer.as_ref(), std::io::stdin().lock(), std::io::stdout().lock());
    }
    let answer = Answer::of(answerer.as_ref(), &position)?;
    if arguments.json {
        if let Some(note) = answer.note() {
            failure::print_note(note);
        }
        output::print_json(&answer.to_json())
    } else {
        output::print(answer)
    }
}
