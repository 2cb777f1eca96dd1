//! The classes `Outcome` and `Move`.

use fourbase::Value;
use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::arguments::named;

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
#[pyclass(frozen, eq, hash, get_all, module = "fourbase")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Outcome {
    /// The value: ``'win'``, ``'lose'`` or ``'tie'``.
    value: &'static str,
    /// Plies to the end, 0 for a finished game; ``None`` if unknown.
    remoteness: Option<u32>,
}

impl From<fourbase::Outcome> for Outcome {
    fn from(outcome: fourbase::Outcome) -> Outcome {
        Outcome { value: outcome.value.name(), remoteness: outcome.remoteness }
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
    fn new(value: &str, remoteness: Option<u32>) -> PyResult<Outcome> {
        let value = named("value", value, &[Value::Win, Value::Lose, Value::Tie].map(|of| (of.name(), of.name())))?;
        Ok(Outcome { value, remoteness })
    }

    fn __repr__(&self) -> String {
        format!("Outcome(value='{}', remoteness={})", self.value, shown(self.remoteness))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, (&'static str, Option<u32>)) {
        (py.get_type::<Outcome>(), (self.value, self.remoteness))
    }
}

/// A legal move, and what it is worth to the player who makes it.
///
/// ``column`` counts from 1 on the left. ``remoteness`` counts plies from the position before the move.
///
/// >>> fourbase.Database("5x4").moves("1234")[0]
/// Move(column=3, value='tie', remoteness=16)
#[pyclass(frozen, eq, hash, get_all, module = "fourbase")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Move {
    /// The column, from 1 on the left.
    column: usize,
    /// The value for the player who makes the move: ``'win'``, ``'lose'`` or ``'tie'``.
    value: &'static str,
    /// Plies to the end, counted from before the move; ``None`` if unknown.
    remoteness: Option<u32>,
}

impl Move {
    /// Takes a move of the library, whose columns count from 0.
    pub fn of((column, outcome): (usize, fourbase::Outcome)) -> Move {
        let Outcome { value, remoteness } = outcome.into();
        Move { column: column + 1, value, remoteness }
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
        let Outcome { value, remoteness } = Outcome::new(value, remoteness)?;
        Ok(Move { column, value, remoteness })
    }

    /// Value and remoteness as an `Outcome`.
    #[getter]
    fn outcome(&self) -> Outcome {
        Outcome { value: self.value, remoteness: self.remoteness }
    }

    fn __repr__(&self) -> String {
        format!("Move(column={}, value='{}', remoteness={})", self.column, self.value, shown(self.remoteness))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, (usize, &'static str, Option<u32>)) {
        (py.get_type::<Move>(), (self.column, self.value, self.remoteness))
    }
}

fn shown(remoteness: Option<u32>) -> String {
    remoteness.map_or_else(|| "None".to_owned(), |plies| plies.to_string())
}
