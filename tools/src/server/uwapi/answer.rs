//! What the contract says of a position and its moves.

use fourbase::analysis::Analysis;
use fourbase::notation::to_uni;
use fourbase::{Outcome, Position, Value};
use serde_json::{Value as Json, json};

/// A remoteness that is finite and not known: the database has values alone.
const UNKNOWN_REMOTENESS: i64 = -100;

/// Writes what was found out about a position; `None` where something is not known.
pub fn answer(position: &Position, found: &Analysis) -> Option<Json> {
    let outcome = found.outcome?;
    let moves = found.moves.iter().map(|of| Some((of.column, of.outcome?)));
    let moves = moves.collect::<Option<Vec<(usize, Outcome)>>>()?;
    // By how many plies a move is worse than the best one of its value.
    let delta = |of: Outcome| {
        let plies = moves.iter().filter(|(_, other)| other.value == of.value).filter_map(|(_, other)| other.remoteness);
        let best = if of.value == Value::Lose { plies.max() } else { plies.min() };
        of.remoteness.zip(best).map_or(0, |(plies, best)| plies.abs_diff(best))
    };
    let mut ordered: Vec<_> = moves.iter().map(|&(column, of)| (column, of, delta(of))).collect();
    ordered.sort_by_key(|(_, of, delta)| (Outcome { remoteness: None, ..*of }, *delta));
    let text = to_uni(position);
    Some(json!({
        "position": text,
        "autoguiPosition": text,
        "positionValue": outcome.value.name(),
        "remoteness": outcome.remoteness.map_or(UNKNOWN_REMOTENESS, i64::from),
        "moves": ordered.into_iter().map(|(column, of, delta)| child(position, column, of, delta)).collect::<Vec<_>>(),
    }))
}

/// Writes a move: its value for the player who makes it, and the value of the position after it for the player to move there.
fn child(position: &Position, column: usize, of: Outcome, delta: u32) -> Json {
    let (cells, width) = (position.board().cells(), position.board().width());
    let text = to_uni(&position.drop_piece(column));
    json!({
        "move": (column + 1).to_string(),
        // The arrow of a column: from its tail to its head, by the places in the list of centres.
        "autoguiMove": format!("M_{}_{}_x", cells + column, cells + width + column),
        "moveValue": of.value.name(),
        "deltaRemoteness": delta,
        "position": text,
        "autoguiPosition": text,
        "positionValue": of.value.flip().name(),
        "remoteness": of.remoteness.map_or(UNKNOWN_REMOTENESS, |plies| i64::from(plies) - 1),
    })
}
