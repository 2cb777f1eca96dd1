//! The classes `Outcome` and `Move`.

use std::cmp::Ordering;

use fourbase::Value;
use fourbase::reasons::Reason;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};

use crate::arguments::{ColumnNumber, Remoteness, named};
use crate::failure::exception;
use crate::position::Position;
use crate::probe;
use crate::work::without_gil;

/// What a position is worth to its player to move, if both play perfectly.
///
/// ``value`` is ``'win'``, ``'lose'`` or ``'tie'``. ``remoteness`` is the number of plies to the end if the winner plays for
/// speed and the loser delays; ``None`` in a database without remoteness.
///
/// >>> outcome = fourbase.search("5x4", "1234")
/// >>> outcome
/// Outcome(value='tie', remoteness=16)
/// >>> outcome == fourbase.Outcome("tie", 16)
/// True
/// >>> max(fourbase.Outcome("tie"), fourbase.Outcome("win", 7), fourbase.Outcome("win", 5))  # the greater, the better
/// Outcome(value='win', remoteness=5)
#[pyclass(frozen, eq, ord, hash, module = "fourbase")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Outcome(pub fourbase::Outcome);

/// The library orders the best outcome first; in Python the best outcome is the greatest.
impl PartialOrd for Outcome {
    fn partial_cmp(&self, other: &Outcome) -> Option<Ordering> {
        other.0.partial_cmp(&self.0)
    }
}

#[pymethods]
impl Outcome {
    #[classattr]
    fn __match_args__() -> (&'static str, &'static str) {
        ("value", "remoteness")
    }

    #[new]
    #[pyo3(signature = (value, remoteness=None))]
    fn new(value: &str, remoteness: Option<Remoteness>) -> PyResult<Outcome> {
        let value = named("value", value, &[Value::Win, Value::Lose, Value::Tie].map(|of| (of.name(), of)))?;
        let remoteness = remoteness.map(|plies| plies.0);
        Ok(Outcome(fourbase::Outcome { value, remoteness }))
    }

    /// The value: ``'win'``, ``'lose'`` or ``'tie'``.
    #[getter]
    fn value(&self) -> &'static str {
        self.0.value.name()
    }

    /// Plies to the end, 0 for a finished game; ``None`` if unknown.
    #[getter]
    fn remoteness(&self) -> Option<u32> {
        self.0.remoteness
    }

    /// Returns Pons' score of the position that has this outcome: 1 for a win with the last piece of the winner, 2 for one with
    /// the piece before it, and so on; less than 0 for a loss, 0 for a tie; ``None`` for a win or a loss without remoteness, and on
    /// misère boards.
    ///
    /// >>> fourbase.Outcome("win", 41).score(fourbase.Position("7x6"))
    /// 1
    fn score(&self, position: &Position) -> PyResult<Option<i64>> {
        let empty = position.0.board().cells() - position.0.ply();
        match self.0.remoteness {
            Some(remoteness) if remoteness as usize > empty => {
                let message = format!("no game of remoteness {remoteness} begins here, where {empty} cells are empty");
                Err(exception("OptionError", message))
            }
            _ => Ok(position.0.score(self.0)),
        }
    }

    /// Returns in one or two sentences why a position has this outcome: what is proved, or else that no simple reason was found.
    ///
    /// >>> position = fourbase.Position("7x6", "112233")
    /// >>> fourbase.Database("7x6").probe(position).why(position)
    /// 'X completes a line at column 4, row 1'
    fn why(&self, py: Python<'_>, position: &Position) -> PyResult<String> {
        without_gil(py, || Reason::with_value(&position.0, self.0.value, None).to_string())
    }

    /// Returns the fields by name, for JSON.
    #[expect(clippy::wrong_self_convention, reason = "the name that Python knows")]
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let fields = PyDict::new(py);
        fields.set_item("value", self.value())?;
        fields.set_item("remoteness", self.remoteness())?;
        Ok(fields)
    }

    /// Returns 1 for a win, 0 for a tie, -1 for a loss, as in arrays.
    fn __int__(&self) -> i8 {
        probe::numbers(Some(self.0)).0
    }

    fn __repr__(&self) -> String {
        format!("Outcome(value='{}', remoteness={})", self.value(), shown(self.remoteness()))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, (&'static str, Option<u32>)) {
        (py.get_type::<Outcome>(), (self.value(), self.remoteness()))
    }
}

/// A legal move, and what it is worth to the player who makes it.
///
/// ``column`` counts from 1 on the left. ``remoteness`` counts plies from the position before the move.
///
/// >>> fourbase.Database("5x4").moves("1234")[0]
/// Move(column=3, value='tie', remoteness=16)
#[pyclass(frozen, eq, hash, module = "fourbase")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Move {
    /// The column, from 1 on the left.
    #[pyo3(get)]
    column: usize,
    /// Value and remoteness as an `Outcome`. Moves have no order of their own: ``key=lambda move: move.outcome``.
    #[pyo3(get)]
    outcome: Outcome,
}

impl Move {
    /// Makes a move from a move of the library, whose columns count from 0.
    pub fn of((column, outcome): (usize, fourbase::Outcome)) -> Move {
        Move { column: column + 1, outcome: Outcome(outcome) }
    }
}

#[pymethods]
impl Move {
    #[classattr]
    fn __match_args__() -> (&'static str, &'static str, &'static str) {
        ("column", "value", "remoteness")
    }

    #[new]
    #[pyo3(signature = (column, value, remoteness=None))]
    fn new(column: ColumnNumber, value: &str, remoteness: Option<Remoteness>) -> PyResult<Move> {
        Ok(Move { column: column.0, outcome: Outcome::new(value, remoteness)? })
    }

    /// The value for the player who makes the move: ``'win'``, ``'lose'`` or ``'tie'``.
    #[getter]
    fn value(&self) -> &'static str {
        self.outcome.value()
    }

    /// Plies to the end, counted from before the move; ``None`` if unknown.
    #[getter]
    fn remoteness(&self) -> Option<u32> {
        self.outcome.remoteness()
    }

    /// Returns the fields by name, for JSON.
    #[expect(clippy::wrong_self_convention, reason = "the name that Python knows")]
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let fields = self.outcome.to_dict(py)?;
        fields.set_item("column", self.column)?;
        Ok(fields)
    }

    fn __repr__(&self) -> String {
        format!("Move(column={}, value='{}', remoteness={})", self.column, self.value(), shown(self.remoteness()))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, (usize, &'static str, Option<u32>)) {
        (py.get_type::<Move>(), (self.column, self.value(), self.remoteness()))
    }
}

fn shown(remoteness: Option<u32>) -> String {
    remoteness.map_or_else(|| "None".to_owned(), |plies| plies.to_string())
}
