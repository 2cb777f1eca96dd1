//! Probing many positions: values and plies as numbers of arrays.

use std::sync::Arc;

use fourbase::{Outcome, Position, Value};
use fourbase_tiers::answer::{AnswerError, Answerer};
use fourbase_tiers::database::Database;
use pyo3::prelude::*;

use crate::failure::of_answer;
use crate::rows::Batch;
use crate::wait::{limits, patiently};

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

/// Probes positions. `nodes` limits the search for each that the database does not keep.
pub fn many(
    py: Python<'_>,
    database: &Arc<Database>,
    nodes: Option<u64>,
    batch: &Batch,
) -> PyResult<(Vec<i8>, Vec<u8>)> {
    let count = batch.positions.len();
    let (mut values, mut plies) = (vec![NO_VALUE; count], vec![NO_PLIES; count]);
    let rows = batch.positions.iter().enumerate().filter_map(|(row, position)| Some((row, (*position)?)));
    probe(py, database, nodes, rows, |row, outcome| (values[row], plies[row]) = numbers(outcome))?;
    Ok((values, plies))
}

/// Probes all moves of positions.
pub fn moves(py: Python<'_>, database: &Arc<Database>, nodes: Option<u64>, batch: &Batch) -> PyResult<MoveValues> {
    let width = batch.board.width();
    let places = batch.positions.len() * width;
    let (mut values, mut plies, mut legal) = (vec![NO_VALUE; places], vec![NO_PLIES; places], vec![false; places]);
    let rows = batch.positions.iter().enumerate().filter_map(|(row, position)| Some((row, (*position)?)));
    let children = rows.flat_map(|(row, position)| {
        position.moves().map(move |column| (row * width + column, position.drop_piece(column)))
    });
    probe(py, database, nodes, children, |place, outcome| {
        (values[place], plies[place]) = numbers(outcome.parent());
        legal[place] = true;
    })?;
    Ok(MoveValues { values, plies, legal })
}

/// Probes positions and gives `tell` their outcomes, each with the number that stands beside the position. Ctrl-C stops it.
fn probe(
    py: Python<'_>,
    database: &Database,
    nodes: Option<u64>,
    mut positions: impl Iterator<Item = (usize, Position)> + Send,
    mut tell: impl FnMut(usize, Outcome) + Send,
) -> PyResult<()> {
    patiently(py, |monitor| -> Result<(), AnswerError> {
        let limits = limits(nodes, monitor);
        while !monitor.is_cancelled() {
            let (places, portion): (Vec<usize>, Vec<Position>) = positions.by_ref().take(PORTION).unzip();
            if portion.is_empty() {
                break;
            }
            for (place, outcome) in places.into_iter().zip(database.outcomes(&portion, &limits)) {
                tell(place, outcome?);
            }
        }
        Ok(())
    })?
    .map_err(of_answer)
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
