//! Probes many positions, and turns their outcomes into the numbers of arrays.

use std::iter;

use fourbase::analysis::{Budget, Gap, Lookup};
use fourbase::search::Monitor;
use fourbase::{Outcome, Position, Value};
use fourbase_tiers::database::{Database, DatabaseError};
use pyo3::prelude::*;

use crate::failure::of_question;
use crate::progress::Shown;
use crate::rows::Batch;
use crate::wait::{budget, pool};

/// The value of a row that is no position, and of an illegal move.
pub const NO_VALUE: i8 = i8::MIN;

/// The plies of a row or a move that has no value, and of every value in a database without remoteness.
pub const NO_PLIES: u8 = u8::MAX;

/// How many positions are probed at once. More positions share more blocks, but Ctrl-C waits longer for them.
const PORTION: usize = 1 << 20;

/// How many positions are probed at once if it is an error that a search reaches its limit: the error then comes before many later
/// rows are searched in vain.
const PORTION_WITH_LIMIT: usize = 1 << 10;

/// How a batch is probed.
#[derive(Default)]
pub struct Question {
    /// Limits the search for each position that the database does not keep.
    pub nodes: Option<u64>,
    /// Whether a position not decided within the limit gets no outcome; otherwise it is an error.
    pub is_masked: bool,
    pub shown: Shown,
    /// How many positions were done before this batch, if the total is unknown; `None` if the batch is the total.
    pub done: Option<usize>,
}

/// Takes the number of a position and why that position has no answer. Returns this error with the row unless the row is masked.
type Unknown<'a> = &'a mut dyn FnMut(usize, DatabaseError) -> Result<(), (usize, DatabaseError)>;

/// Probes positions.
pub fn many(py: Python<'_>, database: &Database, question: Question, batch: &Batch) -> PyResult<(Vec<i8>, Vec<u8>)> {
    let total = batch.positions.iter().flatten().count();
    let look_up = |positions: &[Position], budget: &Budget, unknown: Unknown<'_>| {
        let outcomes = database.look_up_all(positions, budget).into_iter().enumerate();
        let or_none = |(number, outcome): (_, Result<_, _>)| match outcome {
            Ok(outcome) => Ok(Some(outcome)),
            Err(error) => unknown(number, error).map(|()| None),
        };
        outcomes.map(or_none).collect()
    };
    let portion = portion(database, &question);
    Ok(probe(py, question, batch, [1, portion], ("positions", total), look_up)?.into_iter().map(numbers).unzip())
}

/// Probes all moves of positions: for each position and each column of the board, whether the move is legal and its outcome.
pub fn moves(
    py: Python<'_>,
    database: &Database,
    question: Question,
    batch: &Batch,
) -> PyResult<(Vec<bool>, Vec<Option<Outcome>>)> {
    let width = batch.board.width();
    let mut legal = vec![false; batch.positions.len() * width];
    for (position, row) in batch.positions.iter().zip(legal.chunks_mut(width)) {
        position.iter().flat_map(Position::moves).for_each(|column| row[column] = true);
    }
    let total = legal.iter().filter(|is_legal| **is_legal).count();
    let look_up = |positions: &[Position], budget: &Budget, unknown: Unknown<'_>| {
        database.moves_of_many(positions, budget, unknown)
    };
    let portion = portion(database, &question);
    Ok((legal, probe(py, question, batch, [width, portion / width], ("moves", total), look_up)?))
}

/// Returns how many positions or moves are asked at once.
fn portion(database: &Database, question: &Question) -> usize {
    let may_fail = question.nodes.is_some() && !question.is_masked && database.manifest.keep_plies.is_some();
    if may_fail { PORTION_WITH_LIMIT } else { PORTION }
}

/// Probes `portion` positions at a time and returns `width` outcomes for each row, all `None` for a masked row. Ctrl-C stops the
/// probe. `counted` is the unit of the progress and the total number of units.
fn probe(
    py: Python<'_>,
    Question { nodes, is_masked, shown, done }: Question,
    batch: &Batch,
    [width, portion]: [usize; 2],
    counted: (&'static str, usize),
    look_up: impl Fn(&[Position], &Budget, Unknown<'_>) -> Result<Vec<Option<Outcome>>, (usize, DatabaseError)> + Sync,
) -> PyResult<Vec<Option<Outcome>>> {
    let (before, total) = (done.unwrap_or_default() as u64, done.is_none().then_some(counted.1));
    let told = |monitor: &Monitor| Some((counted.0, before + monitor.answers(), total, monitor.nodes()));
    let found = shown.patiently(py, &*pool()?, told, |monitor| {
        let mut found = Vec::with_capacity(batch.positions.len() * width);
        for rows in batch.positions.chunks(portion).take_while(|_| !monitor.is_cancelled()) {
            let start = found.len() / width;
            let of_row = |(row, position): (usize, &Option<Position>)| Some((start + row, (*position)?));
            let (numbers, positions): (Vec<usize>, Vec<Position>) = rows.iter().enumerate().filter_map(of_row).unzip();
            let mut unknown = |number: usize, error| match Database::gap(&error) {
                Some(Gap::Budget) if is_masked => Ok(()),
                _ => Err((numbers.get(number).copied().unwrap_or_default(), error)),
            };
            let outcomes = look_up(&positions, &budget(nodes, monitor), &mut unknown)?;
            let mut outcomes = outcomes.chunks(width);
            for row in rows {
                match row.and_then(|_| outcomes.next()) {
                    Some(outcomes) => found.extend_from_slice(outcomes),
                    None => found.extend(iter::repeat_n(None, width)),
                }
            }
        }
        Ok(found)
    })?;
    found.map_err(|(row, error)| of_question(row, error))
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
