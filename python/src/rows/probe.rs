//! Probing many positions: values and plies as arrays.

use std::sync::Arc;

use fourbase::analysis::{Budget, Lookup};
use fourbase::search::Monitor;
use fourbase::{Outcome, Position, Value};
use fourbase_tiers::database::{Database, DatabaseError};
use pyo3::prelude::*;

use super::Batch;
use crate::failure::of_database;
use crate::wait::{patiently, pool};

/// The value of a row that is no position, and of an illegal move.
pub const NO_VALUE: i8 = i8::MIN;

/// The plies where there is no value, or a database has values alone.
pub const NO_PLIES: u8 = u8::MAX;

/// Positions that are probed at once: more of them share blocks, and Ctrl-C waits for them.
const PORTION: usize = 1 << 20;

/// What the moves of positions are worth: a row for each position, a column for each column of the board.
pub struct MoveValues {
    pub values: Vec<i8>,
    pub plies: Vec<u8>,
    pub legal: Vec<bool>,
}

/// Probes positions. A search of one that is not stored visits at most `nodes` nodes.
pub fn many(py: Python<'_>, database: &Database, nodes: Option<u64>, batch: &Batch) -> PyResult<(Vec<i8>, Vec<u8>)> {
    let look_up = |positions: &[Position], budget: &Budget| -> Result<Vec<(i8, u8)>, DatabaseError> {
        database.look_up_all(positions, budget).into_iter().map(|outcome| outcome.map(numbers)).collect()
    };
    let (mut values, mut plies): (Vec<i8>, Vec<u8>) =
        portions(py, nodes, &batch.positions, PORTION, look_up)?.into_iter().unzip();
    for row in &batch.masked {
        (values[*row], plies[*row]) = (NO_VALUE, NO_PLIES);
    }
    Ok((values, plies))
}

/// Probes all moves of positions.
pub fn moves(py: Python<'_>, database: &Database, nodes: Option<u64>, batch: &Batch) -> PyResult<MoveValues> {
    let (width, mut moves) = (batch.board.width(), moves_of(py, database, nodes, &batch.positions)?);
    for row in &batch.masked {
        moves[row * width..(row + 1) * width].fill(None);
    }
    let legal = moves.iter().map(Option::is_some).collect();
    let (values, plies) = moves.into_iter().map(|of| of.map_or((NO_VALUE, NO_PLIES), numbers)).unzip();
    Ok(MoveValues { values, plies, legal })
}

/// Probes all moves of positions, as [`Database::moves_of_many`] has them. Ctrl-C stops it.
pub fn moves_of(
    py: Python<'_>,
    database: &Database,
    nodes: Option<u64>,
    positions: &[Position],
) -> PyResult<Vec<Option<Outcome>>> {
    let portion = PORTION / database.board().width();
    portions(py, nodes, positions, portion, |positions, budget| database.moves_of_many(positions, budget))
}

/// Probes positions in portions, and returns what `probe` makes of all of them. Ctrl-C stops it.
fn portions<T: Send>(
    py: Python<'_>,
    nodes: Option<u64>,
    positions: &[Position],
    portion: usize,
    probe: impl Fn(&[Position], &Budget) -> Result<Vec<T>, DatabaseError> + Sync,
) -> PyResult<Vec<T>> {
    let monitor = Arc::new(Monitor::default());
    let budget = Budget { nodes, monitor: Some(Arc::clone(&monitor)), ..Budget::default() };
    let work = || {
        let mut found = Vec::with_capacity(positions.len());
        for positions in positions.chunks(portion).take_while(|_| !monitor.is_cancelled()) {
            found.extend(probe(positions, &budget)?);
        }
        Ok(found)
    };
    patiently(py, &*pool()?, || monitor.cancel(), |_| Ok(()), work)?.map_err(of_database)
}

/// Returns value and plies as numbers of arrays.
pub fn numbers(outcome: Outcome) -> (i8, u8) {
    let value = match outcome.value {
        Value::Win => 1,
        Value::Tie => 0,
        Value::Lose => -1,
    };
    (value, outcome.remoteness.and_then(|plies| u8::try_from(plies).ok()).unwrap_or(NO_PLIES))
}
