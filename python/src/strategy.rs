//! The function `strategy`: a rule of play written in Python, against every reply.

use std::cell::RefCell;

use fourbase::strategy::{Check, Rule, check};
use fourbase::{Player, notation};
use fourbase_tiers::database::DatabaseError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arguments::{BoardArgument, memory_bytes};
use crate::database::Database;
use crate::failure::{exception, of_database};
use crate::position::Position;
use crate::wait::{briefly, pool};

/// A rule in Python. After its first error it is undefined everywhere, so that the check ends soon.
struct PythonRule<'a, 'py> {
    py: Python<'py>,
    reply: &'a Bound<'py, PyAny>,
    error: RefCell<Option<PyErr>>,
}

impl Rule for PythonRule<'_, '_> {
    fn name(&self) -> &'static str {
        "python"
    }

    fn reply(&self, position: &fourbase::Position, last: Option<usize>) -> Option<usize> {
        if self.error.borrow().is_some() {
            return None;
        }
        let asked = || -> PyResult<Option<usize>> {
            self.py.check_signals()?;
            let last = last.map(|column| column + 1);
            let column: Option<i64> = self.reply.call1((Position(*position), last))?.extract()?;
            let Some(column) = column else { return Ok(None) };
            // The library counts from 0; 0 and less would be silently undefined.
            match usize::try_from(column).ok().and_then(|column| column.checked_sub(1)) {
                Some(place) if place < position.board().width() => Ok(Some(place)),
                _ => {
                    let columns = position.board().width();
                    let message = format!("the rule plays column {column}; columns count from 1 to {columns}");
                    Err(exception("MoveError", message))
                }
            }
        };
        asked().unwrap_or_else(|error| {
            self.error.replace(Some(error));
            None
        })
    }
}

/// Plays every reply against a rule; `fourbase.strategy` makes a tuple of the result.
#[pyfunction]
#[pyo3(signature = (rule, board, player, database, memory))]
pub fn strategy<'py>(
    py: Python<'py>,
    rule: &Bound<'py, PyAny>,
    board: BoardArgument,
    player: &str,
    database: Option<&Bound<'py, Database>>,
    memory: Option<u64>,
) -> PyResult<Bound<'py, PyDict>> {
    let player = match player {
        "first" => Player::First,
        "second" => Player::Second,
        _ => {
            let shown = fourbase::excerpt(player, 40);
            let message = format!("player={shown:?} is unknown; write \"first\" or \"second\"");
            return Err(exception("OptionError", message));
        }
    };
    let memory = memory.unwrap_or_else(memory_bytes);
    let rule = PythonRule { py, reply: rule, error: RefCell::new(None) };
    let checked = check(&rule, board.0, player, memory);
    if let Some(error) = rule.error.take() {
        return Err(error);
    }
    let checked = checked.map_err(|error| exception("FourbaseError", error.to_string()))?;
    let result = told(py, &checked)?;
    if let Some(database) = database {
        let (database, threads) = (&database.get().0, pool()?);
        let values = |positions: &[fourbase::Position]| -> Result<Vec<fourbase::Value>, Failure> {
            py.check_signals()?;
            let outcomes = briefly(py, || threads.install(|| database.probe_many(positions)))?.into_iter();
            let value = |outcome: Result<fourbase::Outcome, DatabaseError>| -> Result<fourbase::Value, Failure> {
                Ok(outcome.map_err(of_database)?.value)
            };
            outcomes.map(value).collect()
        };
        let kept = checked.keep(&rule, memory, values).map_err(|failure| failure.0)?;
        if let Some(error) = rule.error.take() {
            return Err(error);
        }
        result.set_item("asked", kept.strategy_to_move)?;
        result.set_item("kept", kept.kept)?;
        result.set_item("secured", kept.secured)?;
    }
    Ok(result)
}

/// An error of the comparison with a database.
struct Failure(PyErr);

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Failure {
        Failure(error)
    }
}

impl From<fourbase::strategy::CheckError> for Failure {
    fn from(error: fourbase::strategy::CheckError) -> Failure {
        Failure(exception("FourbaseError", error.to_string()))
    }
}

fn told<'py>(py: Python<'py>, check: &Check) -> PyResult<Bound<'py, PyDict>> {
    let line = |line: &Option<Vec<usize>>| line.as_ref().map(|line| notation::columns_to_text(line.iter().copied()));
    let result = PyDict::new(py);
    result.set_item("verdict", check.verdict().to_string())?;
    result.set_item("refutation", line(&check.refutation))?;
    result.set_item("undefined", line(&check.undefined))?;
    result.set_item("positions", check.positions.all())?;
    result.set_item("lines", check.lines.all())?;
    result.set_item("first_wins", check.lines.first_wins)?;
    result.set_item("second_wins", check.lines.second_wins)?;
    result.set_item("ties", check.lines.ties)?;
    Ok(result)
}
