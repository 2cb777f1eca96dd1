//! What a network learns from many positions: the method `Database.targets`.

use fourbase::analysis::Budget;
use fourbase::{Outcome, Position, Value};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyBool;

use crate::call_python;
use crate::database::Database;
use crate::failure::{exception, of_question};
use crate::probe::{Asked, NO_PLIES, NO_VALUE, Question, numbers, probe};
use crate::rows::Batch;
use crate::work::without_gil;

/// The score where there is none.
const NO_SCORE: i8 = i8::MIN;

/// The argument ``policy``: which moves are likely.
#[derive(Clone, Copy)]
pub enum Policy {
    Optimal,
    Fastest,
    /// The temperature of a softmax of the scores.
    Softmax(f64),
}

impl<'a, 'py> FromPyObject<'a, 'py> for Policy {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Policy> {
        let temperature = if object.is_instance_of::<PyBool>() { None } else { object.extract::<f64>().ok() };
        match (object.extract::<&str>().ok(), temperature) {
            (Some("optimal"), _) => Ok(Policy::Optimal),
            (Some("fastest"), _) => Ok(Policy::Fastest),
            (_, Some(temperature)) if temperature > 0.0 && temperature.is_finite() => Ok(Policy::Softmax(temperature)),
            _ => {
                let found = object.repr()?.to_string();
                let found = fourbase::excerpt(&found, 40);
                let message =
                    format!("policy={found} is unknown; write \"optimal\", \"fastest\" or a temperature such as 1.0");
                Err(exception("OptionError", message))
            }
        }
    }
}

/// The arrays of `Targets`, row after row.
#[derive(Default)]
struct Arrays {
    values: Vec<i8>,
    plies: Vec<u8>,
    scores: Vec<i8>,
    legal: Vec<bool>,
    keeps: Vec<bool>,
    fastest: Vec<bool>,
    policy: Vec<f32>,
}

impl Arrays {
    /// Adds a position with the value and the plies of each of its moves; `end` is the outcome of a finished game. Returns whether the
    /// policy is known: a temperature needs the scores of all moves.
    fn push(&mut self, position: &Position, moves: &[(i8, u8)], end: (i8, u8), policy: Policy) -> bool {
        // Larger for better outcomes. Plies of ties do not matter.
        let order = |(value, plies): (i8, u8)| match value {
            NO_VALUE => i16::MIN,
            value => i16::from(value) * (1000 - i16::from(plies)),
        };
        let (best, outcome) = moves.iter().fold((i16::MIN, end), |so_far, of| {
            let order = order(*of);
            if order > so_far.0 { (order, *of) } else { so_far }
        });
        self.values.push(outcome.0);
        self.plies.push(outcome.1);
        self.scores.push(score(position, outcome));
        let first = self.policy.len();
        let (best_score, mut is_known) = (f64::from(score(position, outcome)), true);
        for of in moves {
            let is_legal = of.0 != NO_VALUE;
            let (keeps, fastest) = (is_legal && of.0 == outcome.0, is_legal && order(*of) == best);
            self.legal.push(is_legal);
            self.keeps.push(keeps);
            self.fastest.push(fastest);
            self.policy.push(match policy {
                Policy::Optimal => f32::from(u8::from(keeps)),
                Policy::Fastest => f32::from(u8::from(fastest)),
                Policy::Softmax(_) if !is_legal => 0.0,
                Policy::Softmax(temperature) => {
                    let score = score(position, *of);
                    is_known &= score != NO_SCORE;
                    ((f64::from(score) - best_score) / temperature).exp() as f32
                }
            });
        }
        let weights = self.policy.get_mut(first..).unwrap_or_default();
        let sum = weights.iter().sum::<f32>().max(f32::MIN_POSITIVE);
        weights.iter_mut().for_each(|weight| *weight /= sum);
        is_known
    }
}

/// Returns Pons' score of a position with this value and plies, or [`NO_SCORE`].
fn score(position: &Position, (value, plies): (i8, u8)) -> i8 {
    let value = match value {
        1 => Value::Win,
        0 => Value::Tie,
        _ => Value::Lose,
    };
    let remoteness = (plies != NO_PLIES).then_some(plies.into());
    position.score(Outcome { value, remoteness }).and_then(|score| i8::try_from(score).ok()).unwrap_or(NO_SCORE)
}

/// Makes the `Targets` of many positions.
pub fn targets<'py>(
    py: Python<'py>,
    database: &Database,
    question: Question,
    batch: &Batch,
    policy: Policy,
) -> PyResult<Bound<'py, PyAny>> {
    let (analyst, width) = (&database.analyst, batch.board.width());
    // A softmax needs the score of every move, the others only tell the best moves from the rest.
    let asked = if matches!(policy, Policy::Softmax(_)) { Asked::Moves } else { Asked::BestMoves };
    let (values, plies) = probe(py, analyst, question, batch, asked)?;
    let filled = without_gil(py, || {
        let moves = Vec::from_iter(values.into_iter().zip(plies));
        let (mut arrays, mut is_known) = (Arrays::default(), true);
        for (row, (position, moves)) in batch.positions.iter().zip(moves.chunks(width)).enumerate() {
            let Some(position) = position else { continue };
            let end = match position.primitive() {
                Some(_) => analyst.outcome(position, &mut Budget::default()).map(Some).map_err(|error| (row, error))?,
                None => None,
            };
            is_known &= arrays.push(position, moves, numbers(end), policy);
        }
        Ok((arrays, is_known))
    })?;
    let (arrays, is_known) = filled.map_err(|(row, error)| of_question(row, error))?;
    if !is_known {
        let message = "a temperature needs scores, which this database has none of; write policy=\"optimal\"";
        return Err(exception("OptionError", message.to_owned()));
    }
    let shape = [arrays.values.len(), width];
    let table = |cells| PyArray1::from_vec(py, cells).reshape(shape);
    let of_rows = (
        PyArray1::from_vec(py, arrays.values),
        PyArray1::from_vec(py, arrays.plies),
        PyArray1::from_vec(py, arrays.scores),
    );
    let (legal, keeps, fastest) = (table(arrays.legal)?, table(arrays.keeps)?, table(arrays.fastest)?);
    let policy = PyArray1::from_vec(py, arrays.policy).reshape(shape)?;
    call_python(py, "Targets", (of_rows.0, of_rows.1, of_rows.2, legal, keeps, fastest, policy))
}
