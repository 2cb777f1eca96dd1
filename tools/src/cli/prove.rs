//! `fourbase prove`: prove or refute a strategy against every reply.
//!
//! [`chosen`] makes the strategy from the command line. The library plays every reply against the strategy. [`Comparison`] looks up
//! in how many positions the strategy keeps the value, and [`report`] writes the result.

mod chosen;
pub mod report;

use std::path::PathBuf;

use anyhow::anyhow;
use clap::Args;
use fourbase::analysis::Lookup;
use fourbase::analysis::json::DatabaseJson;
use fourbase::notation::columns_to_text;
use fourbase::strategy::{CheckError, KeptCounts, check};
use fourbase::{Player, Position, Value, excerpt};
use fourbase_tiers::database::{Database, DatabaseError};
use fourbase_tiers::files::{bytes, grouped};
use serde::Serialize;

use crate::arguments::{BoardArgument, LookupArguments, MemoryArgument, one_of};
use crate::output::{self, wording};
use crate::remedy;
use chosen::ChosenArguments;
use report::StrategyReport;

/// Arguments of `fourbase prove`.
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
  fourbase prove follow-up 6x6
  fourbase prove follow-up 5x4 --centre 3,4 --reading column
  fourbase prove follow-up 4x4 --no-centre --json
  fourbase prove centre 5x4 --player first")]
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
    lookup: LookupArguments,

    #[command(flatten)]
    memory: MemoryArgument,

    /// Print one line of JSON
    #[arg(long)]
    json: bool,
}

/// Runs `fourbase prove`.
///
/// # Errors
///
/// Bad input: an unknown strategy; options or a board that do not fit the strategy. Failures: more positions than fit in memory; a
/// database that cannot be read.
pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let board = arguments.board.board;
    let chosen = arguments.chosen.choose(board)?;
    let player = chosen.player(arguments.player)?;
    let memory_bytes = arguments.memory.limit()?;
    // Opened before the check, which may take long.
    let database = match arguments.lookup.find(board) {
        Ok(database) if database.is_complete() => Ok(database),
        Ok(database) => Err(format!("{} is not solved to the end yet", wording::path(database.folder()))),
        Err(missing @ DatabaseError::Missing { .. }) => Err(remedy::describe(&missing)),
        Err(error) => return Err(error.into()),
    };
    let check = check(&*chosen.rule, board, player, memory_bytes).map_err(|error| explain(error, player))?;
    let compare = |database: Database| -> anyhow::Result<Result<Comparison, String>> {
        let values = |positions: &[Position]| -> anyhow::Result<Vec<Value>> {
            database.probe_many(positions).into_iter().map(|outcome| Ok(outcome?.value)).collect()
        };
        Ok(match check.keep(&*chosen.rule, memory_bytes, values) {
            Ok(kept) => Ok(Comparison { database: database.describe(), kept, folder: database.folder().to_path_buf() }),
            Err(error) if error.is::<CheckError>() => {
                Err("its positions need more memory together; give a higher --memory".to_owned())
            }
            Err(error) => return Err(error),
        })
    };
    let comparison = database.map_or_else(|reason| Ok(Err(reason)), compare)?;
    let report = StrategyReport::of(chosen, check, comparison.map_err(|reason| not_compared(&reason)));
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

/// The most bytes of a message that contains a path; a longer message is cut.
const MESSAGE_BYTES: usize = 1024;

/// The positions where the strategy keeps the value.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Comparison {
    #[serde(flatten)]
    database: DatabaseJson,
    #[serde(flatten)]
    pub kept: KeptCounts,
    #[serde(skip)]
    pub folder: PathBuf,
}

fn not_compared(reason: &str) -> String {
    let message = format!("not compared with the value of the game: {reason}");
    // `excerpt` would also escape the shell quotes of a command in the message, so use it only if the message is too long.
    if message.len() <= MESSAGE_BYTES { message } else { excerpt(&message, MESSAGE_BYTES) }
}
