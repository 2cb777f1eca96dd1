//! Probing many positions: outcomes, and the numbers that arrays have for them.

use std::iter;

use fourbase::analysis::{Budget, Lookup};
use fourbase::{Outcome, Position, Value};
use fourbase_tiers::database::{Database, DatabaseError};
use pyo3::prelude::*;

use crate::failure::of_database;
use crate::rows::Batch;
use crate::wait::{budget, patiently};

/// The value of a row that is no position, and of an illegal move.
pub const NO_VALUE: i8 = i8::MIN;

/// The plies where there is no value, or a database stores no remoteness.
pub const NO_PLIES: u8 = u8::MAX;

/// Positions that are probed at once: more of them share blocks, and Ctrl-C waits for them.
const PORTION: usize = 1 << 20;

/// Probes positions. `nodes` limits the search for each that the database does not keep.
pub fn many(py: Python<'_>, database: &Database, nodes: Option<u64>, batch: &Batch) -> PyResult<(Vec<i8>, Vec<u8>)> {
    let look_up = |positions: &[Position], budget: &Budget| {
        database.look_up_all(positions, budget).into_iter().map(|outcome| outcome.map(Some)).collect()
    };
    Ok(probe(py, nodes, batch, 1, look_up)?.into_iter().map(numbers).unzip())
}

/// Probes all moves of positions: a row for each position, with an outcome for each column of the board; `None` for an illegal
/// move.
pub fn moves(py: Python<'_>, database: &Database, nodes: Option<u64>, batch: &Batch) -> PyResult<Vec<Option<Outcome>>> {
    let look_up = |positions: &[Position], budget: &Budget| database.moves_of_many(positions, budget);
    probe(py, nodes, batch, batch.board.width(), look_up)
}

/// Probes positions in portions, with `width` outcomes for each; a masked row has none. Ctrl-C stops it.
fn probe(
    py: Python<'_>,
    nodes: Option<u64>,
    batch: &Batch,
    width: usize,
    look_up: impl Fn(&[Position], &Budget) -> Result<Vec<Option<Outcome>>, DatabaseError> + Sync,
) -> PyResult<Vec<Option<Outcome>>> {
    patiently(py, |monitor| {
        let mut found = Vec::with_capacity(batch.positions.len() * width);
        for rows in batch.positions.chunks(PORTION / width).take_while(|_| !monitor.is_cancelled()) {
            let positions: Vec<Position> = rows.iter().flatten().copied().collect();
            let outcomes = look_up(&positions, &budget(nodes, monitor))?;
            let mut outcomes = outcomes.chunks(width);
            for row in rows {
                match row.and_then(|_| outcomes.next()) {
                    Some(outcomes) => found.extend_from_slice(outcomes),
                    None => found.extend(iter::repeat_n(None, width)),
                }
            }
        }
        Ok(found)
    })?
    .map_err(of_database)
}

/// Returns value and plies as numbers of arrays.
pub fn numbers(outcome: Option<Outcome>) -> (i8, u8) {
    let Some(Outcome { value, remoteness }) = outcome else { return (NO_VALUE, NO_PLIES) };
    let value = match value {
        Value::Win => 1,
        Value::Tie => 0,
        Value::Lose => -1,
    };
    (value, remoteness.and_then(|plies| u8::try_from(plies).ok()).unwrap_or(NO_PLIES))
}
