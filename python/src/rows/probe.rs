//! Probing many positions: values and plies as arrays.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

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
    let count = batch.positions.len();
    let (mut values, mut plies) = (vec![NO_VALUE; count], vec![NO_PLIES; count]);
    probe(
        py,
        database,
        nodes,
        batch.positions.chunks(PORTION),
        |positions: &[Position]| positions.to_vec(),
        |row, outcome| {
            (values[row], plies[row]) = numbers(outcome);
        },
    )?;
    for row in &batch.masked {
        (values[*row], plies[*row]) = (NO_VALUE, NO_PLIES);
    }
    Ok((values, plies))
}

/// Probes all moves of positions.
pub fn moves(py: Python<'_>, database: &Database, nodes: Option<u64>, batch: &Batch) -> PyResult<MoveValues> {
    let width = batch.board.width();
    let places = batch.positions.len() * width;
    let (mut values, mut plies, mut legal) = (vec![NO_VALUE; places], vec![NO_PLIES; places], vec![false; places]);
    for (row, position) in batch.positions.iter().enumerate() {
        for column in position.moves() {
            legal[row * width + column] = true;
        }
    }
    for row in &batch.masked {
        legal[row * width..(row + 1) * width].fill(false);
    }
    // The place of each child in the table, in the order of the children.
    let mut children =
        legal.iter().enumerate().filter_map(|(place, legal)| legal.then_some(place)).collect::<Vec<_>>().into_iter();
    let masked = &batch.masked;
    let portion = PORTION / width;
    let numbered = batch.positions.chunks(portion).enumerate();
    let portions = numbered.map(|(number, positions)| (number * portion, positions)).collect::<Vec<_>>();
    let list = |(start, positions): (usize, &[Position])| -> Vec<Position> {
        let rows = positions.iter().zip(start..).filter(|(_, row)| masked.binary_search(row).is_err());
        rows.flat_map(|(position, _)| position.moves().map(|column| position.drop_piece(column))).collect()
    };
    probe(py, database, nodes, portions.into_iter(), list, |_, outcome| {
        if let Some(place) = children.next() {
            (values[place], plies[place]) = numbers(outcome.parent());
        }
    })?;
    Ok(MoveValues { values, plies, legal })
}

/// Probes the positions that `list` makes of each portion, and gives `tell` their outcomes, counted from 0. Ctrl-C stops it.
fn probe<P: Send>(
    py: Python<'_>,
    database: &Database,
    nodes: Option<u64>,
    portions: impl Iterator<Item = P> + Send,
    list: impl Fn(P) -> Vec<Position> + Sync,
    mut tell: impl FnMut(usize, Outcome) + Send,
) -> PyResult<()> {
    let monitor = Arc::new(Monitor::default());
    let stopped = AtomicBool::new(false);
    let stop = || {
        monitor.cancel();
        stopped.store(true, Relaxed);
    };
    let budget = Budget { nodes, monitor: Some(Arc::clone(&monitor)), ..Budget::default() };
    let work = || -> Result<(), DatabaseError> {
        let mut row = 0;
        for portion in portions {
            if stopped.load(Relaxed) {
                break;
            }
            for outcome in database.look_up_all(&list(portion), &budget) {
                tell(row, outcome?);
                row += 1;
            }
        }
        Ok(())
    };
    patiently(py, &*pool()?, stop, |_| Ok(()), work)?.map_err(of_database)
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
