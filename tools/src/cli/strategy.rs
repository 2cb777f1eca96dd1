//! `fourbase strategy`: prove or refute a strategy against every reply.
//!
//! [`chosen`] makes the strategy from the command line, the library plays every reply against it, [`comparison`] looks up
//! where the strategy keeps the value, and [`report`] writes the result.

mod chosen;
mod comparison;
pub mod report;

use anyhow::anyhow;
use clap::Args;
use fourbase::Player;
use fourbase::notation::columns_to_text;
use fourbase::strategy::{CheckError, check};
use fourbase_tiers::files::bytes;

use crate::arguments::{BoardArgument, CacheArgument, DatabaseArgument, MemoryArgument, one_of};
use crate::number::grouped;
use crate::output;
use chosen::ChosenArguments;
use comparison::Comparison;
use report::StrategyReport;

/// Arguments of `fourbase strategy`.
#[derive(Args, Debug)]
#[command(after_help = "\
Strategies:
  follow-up  the second player answers in the column that the first player just
             played. There are two centre columns: the first move into one of
             them is answered in the other one. Stated for boards of at most 6
             columns and an even number of rows; you can check it on other
             boards too
  mirror     the second player answers in the mirrored column
  centre     either player plays the most central column with room

--reading chooses what \"the first move\" into the centre means:
  pair              the first move into the pair of columns; never loses on the
                    boards above
  column            the first move into each column; undefined if the other
                    column is full
  column-or-follow  the first move into each column; follows up if the other
                    column is full

The opponent plays every legal move. A line is a whole game, and lines are counted exactly. A \
strategy that loses is a result too: the exit code is 0, and the report shows the shortest lost \
line. If there is a complete database of the board, the report also counts the positions where \
the strategy keeps the value.

Examples:
  fourbase strategy follow-up 6x6
  fourbase strategy follow-up 5x4 --centre 3,4 --reading column
  fourbase strategy follow-up 4x4 --no-centre --json
  fourbase strategy centre 5x4 --player first")]
pub struct Arguments {
    #[command(flatten)]
    chosen: ChosenArguments,

    #[command(flatten)]
    board: BoardArgument,

    /// The player who follows the strategy, if it works for both [default: second]
    #[arg(long, value_name = "PLAYER", value_parser = one_of([
        ("first", "The player who moves first", Player::First),
        ("second", "The player who answers", Player::Second),
    ]))]
    player: Option<Player>,

    #[command(flatten)]
    database: DatabaseArgument,

    #[command(flatten)]
    cache: CacheArgument,

    #[command(flatten)]
    memory: MemoryArgument,

    /// Print one line of JSON
    #[arg(long)]
    json: bool,
}

/// Runs `fourbase strategy`.
///
/// # Errors
///
/// Bad input: an unknown strategy; options or a board that do not fit it. Failures: more positions than fit in memory; a
/// database that cannot be read.
pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let board = arguments.board.board;
    let chosen = arguments.chosen.choose(board)?;
    let player = chosen.player(arguments.player)?;
    let memory_bytes = arguments.memory.limit()?;
    let check = check(&*chosen.rule, board, player, memory_bytes).map_err(|error| explain(error, player))?;
    let comparison = Comparison::of(&check, &*chosen.rule, &arguments.database, arguments.cache, memory_bytes)?;
    let report = StrategyReport::of(chosen, check, comparison);
    output::print_result("strategy", &report, arguments.json)
}

/// Adds what the user can do to the error of a check.
fn explain(error: CheckError, player: Player) -> anyhow::Error {
    let CheckError::Memory { ply, positions, limit_bytes, refutation } = error else { return error.into() };
    let found = refutation
        .map(|line| format!(" (the {player} player loses in any case: {})", columns_to_text(line)))
        .unwrap_or_default();
    anyhow!(
        "after {ply} plies the check has met {} positions and needs more memory than {}; \
         give a higher --memory, or take a smaller board{found}",
        grouped(positions.into()),
        bytes(limit_bytes.into()),
    )
}
