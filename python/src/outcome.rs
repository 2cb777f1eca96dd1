//! The classes `Outcome` and `Move`.

use fourbase::Value;
use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::failure::exception;

/// What a position is worth to its player to move, if both play perfectly.
///
/// ``value`` is ``'win'``, ``'lose'`` or ``'tie'``. ``remoteness`` is the number of plies to the end if the winner plays for
/// speed and the loser delays; ``None`` in a database of values alone.
///
/// >>> outcome = fourbase.search("5x4", "1234")
/// >>> outcome
/// Outcome(value='tie', remoteness=16)
/// >>> outcome == fourbase.Outcome("tie", 16)
/// True
#[pyclass(frozen, eq, hash, module = "fourbase")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Outcome(pub fourbase::Outcome);

#[pymethods]
impl Outcome {
    #[classattr]
    fn __match_args__() -> (&'static str, &'static str) {
        ("value", "remoteness")
    }

    #[new]
    #[pyo3(signature = (value, remoteness=None))]
    fn new(value: &str, remoteness: Option<u32>) -> PyResult<Outcome> {
        Ok(Outcome(fourbase::Outcome { value: read_value(value)?, remoteness }))
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

    fn __repr__(&self) -> String {
        format!("Outcome(value='{}', remoteness={})", self.value(), shown(self.0.remoteness))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, (&'static str, Option<u32>)) {
        (py.get_type::<Outcome>(), (self.value(), self.0.remoteness))
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
    column: usize,
    outcome: Outcome,
}

impl Move {
    /// Takes a move of the library, whose columns count from 0.
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
    fn new(column: usize, value: &str, remoteness: Option<u32>) -> PyResult<Move> {
        Ok(Move { column, outcome: Outcome::new(value, remoteness)? })
    }

    /// The column, from 1 on the left.
    #[getter]
    fn column(&self) -> usize {
        self.column
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

    /// Value and remoteness as an `Outcome`.
    #[getter]
    fn outcome(&self) -> Outcome {
        self.outcome
    }

    fn __repr__(&self) -> String {
        let remoteness = shown(self.remoteness());
        format!("Move(column={}, value='{}', remoteness={remoteness})", self.column, self.value())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, (usize, &'static str, Option<u32>)) {
        (py.get_type::<Move>(), (self.column, self.value(), self.remoteness()))
    }
}

fn read_value(name: &str) -> PyResult<Value> {
    match name {
        "win" => Ok(Value::Win),
        "lose" => Ok(Value::Lose),
        "tie" => Ok(Value::Tie),
        _ => {
            let shown = fourbase::excerpt(name, 40);
            Err(exception("OptionError", format!("value={shown:?} is unknown; write \"win\", \"lose\" or \"tie\"")))
        }
    }
}

fn shown(remoteness: Option<u32>) -> String {
    remoteness.map_or_else(|| "None".to_owned(), |plies| plies.to_string())
}
