//! Probes many positions, and turns their outcomes into the numbers of arrays.

use std::borrow::Borrow;

use fourbase::analysis::{Analyst, Gap, Lookup};
use fourbase::search::Monitor;
use fourbase::{Outcome, Position, Value};
use fourbase_tiers::database::{Database, DatabaseError, moves_of_many, outcomes_of_many};
use pyo3::prelude::*;

use crate::failure::of_question;
use crate::rows::Batch;
use crate::work::{ProgressDisplay, budget, pool};

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
    pub display: ProgressDisplay,
    /// How many positions were done before this batch, if the total is unknown; `None` if the batch is the total.
    pub done: Option<usize>,
}

/// What is asked about each position.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    Value,
    Moves,
    /// All moves, but of those that are not best only that they are worse; see [`moves_of_many`].
    BestMoves,
}

/// Probes positions, or all their moves. Returns a value and plies for each position or for each column of
/// each position; a masked row and an illegal move have none. Ctrl-C stops the probe.
pub fn probe<L: Lookup<Error = DatabaseError> + Borrow<Database>>(
    py: Python<'_>,
    analyst: &Analyst<L>,
    Question { nodes, is_masked, display, done }: Question,
    batch: &Batch,
    asked: Asked,
) -> PyResult<(Vec<i8>, Vec<u8>)> {
    let is_of_moves = asked != Asked::Value;
    let width = if is_of_moves { batch.board.width() } else { 1 };
    let mut databases = analyst.databases.iter().map(Borrow::borrow);
    let may_search = analyst.may_search() || databases.any(|database| database.manifest.keep_plies.is_some());
    let may_fail = nodes.is_some() && !is_masked && may_search;
    let portion = if may_fail { PORTION_WITH_LIMIT } else { PORTION } / width;
    let positions = batch.positions.iter().flatten();
    let (unit, total) = if is_of_moves {
        ("moves", positions.map(|position| position.moves().count()).sum())
    } else {
        ("positions", positions.count())
    };
    let (before, total) = (done.unwrap_or_default() as u64, done.is_none().then_some(total));
    let fields = |monitor: &Monitor| Some((unit, before + monitor.answers(), total, monitor.nodes()));
    let found = display.run_interruptible(py, &*pool()?, fields, |monitor| {
        let budget = &budget(nodes, monitor);
        let cells = batch.positions.len() * width;
        let (mut values, mut plies) = (vec![NO_VALUE; cells], vec![NO_PLIES; cells]);
        let mut set = |cell: usize, outcome| (values[cell], plies[cell]) = numbers(outcome);
        for start in (0..batch.positions.len()).step_by(portion).take_while(|_| !monitor.is_cancelled()) {
            let portion = batch.positions.iter().enumerate().skip(start).take(portion);
            let (rows, positions): (Vec<usize>, Vec<Position>) =
                portion.filter_map(|(row, position)| Some((row, (*position)?))).unzip();
            let unknown = |number: usize, error| match Database::gap(&error) {
                Some(Gap::Budget) if is_masked => Ok(()),
                _ => Err((rows.get(number).copied().unwrap_or_default(), error)),
            };
            if is_of_moves {
                let moves = moves_of_many(analyst, &positions, budget, asked == Asked::Moves, unknown)?;
                for (row, moves) in rows.iter().zip(moves.chunks(width)) {
                    moves.iter().enumerate().for_each(|(column, outcome)| set(row * width + column, *outcome));
                }
            } else {
                for (number, outcome) in outcomes_of_many(analyst, &positions, budget).into_iter().enumerate() {
                    match outcome {
                        Ok(outcome) => set(rows[number], Some(outcome)),
                        Err(error) => unknown(number, *error)?,
                    }
                }
            }
        }
        Ok((values, plies))
    })?;
    found.map_err(|(row, error)| of_question(row, error))
}

/// Returns value and plies as numbers of arrays.
pub fn numbers(outcome: Option<Outcome>) -> (i8, u8) {
    let Some(Outcome { value, remoteness }) = outcome else { return (NO_VALUE, NO_PLIES) };
    (number(value), remoteness.and_then(|plies| u8::try_from(plies).ok()).unwrap_or(NO_PLIES))
}

/// Returns a value as a number.
pub fn number(value: Value) -> i8 {
    match value {
        Value::Win => 1,
        Value::Tie => 0,
        Value::Lose => -1,
    }
}
