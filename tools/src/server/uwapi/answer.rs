//! What the contract says of a position and its moves.

use fourbase::analysis::Analysis;
use fourbase::notation::to_uni;
use fourbase::{Board, Outcome, Position, Value};
use serde::Serialize;

/// A remoteness that is finite and not known: the database has values alone.
const UNKNOWN_REMOTENESS: i64 = -100;

/// A position with its moves.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    position: String,
    autogui_position: String,
    position_value: &'static str,
    remoteness: i64,
    moves: Vec<Move>,
}

/// A move: the value of the position after it for the player to move there, and what the move is worth to its mover.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Move {
    #[serde(rename = "move")]
    name: String,
    autogui_move: String,
    move_value: &'static str,
    delta_remoteness: i64,
    position: String,
    autogui_position: String,
    position_value: &'static str,
    remoteness: i64,
}

/// Writes what was found out about a position; `None` where something is not known.
pub fn answer(position: &Position, found: &Analysis) -> Option<Answer> {
    let outcome = found.outcome?;
    let moves: Option<Vec<(usize, Outcome)>> = found.moves.iter().map(|of| Some((of.column, of.outcome?))).collect();
    let moves = moves?;
    let best = |value: Value| {
        let plies = moves.iter().filter(|(_, of)| of.value == value).filter_map(|(_, of)| of.remoteness);
        if value == Value::Lose { plies.max() } else { plies.min() }
    };
    let mut written: Vec<(Value, Move)> = moves
        .iter()
        .map(|&(column, of)| {
            let delta = of.remoteness.zip(best(of.value)).map_or(0, |(plies, best)| i64::from(plies.abs_diff(best)));
            let child = position.drop_piece(column);
            let text = to_uni(&child);
            let written = Move {
                name: (column + 1).to_string(),
                autogui_move: arrow(position.board(), column),
                move_value: of.value.name(),
                delta_remoteness: delta,
                autogui_position: text.clone(),
                position: text,
                position_value: of.value.flip().name(),
                remoteness: of.remoteness.map_or(UNKNOWN_REMOTENESS, |plies| i64::from(plies) - 1),
            };
            (of.value, written)
        })
        .collect();
    written.sort_by_key(|(value, of)| (rank(*value), of.delta_remoteness));
    let text = to_uni(position);
    Some(Answer {
        autogui_position: text.clone(),
        position: text,
        position_value: outcome.value.name(),
        remoteness: outcome.remoteness.map_or(UNKNOWN_REMOTENESS, i64::from),
        moves: written.into_iter().map(|(_, of)| of).collect(),
    })
}

/// The arrow of a column: from its tail to its head, by the places in the list of centres.
fn arrow(board: Board, column: usize) -> String {
    let cells = board.cells();
    format!("M_{}_{}_x", cells + column, cells + board.width() + column)
}

fn rank(value: Value) -> u32 {
    match value {
        Value::Win => 0,
        Value::Tie => 1,
        Value::Lose => 2,
    }
}
