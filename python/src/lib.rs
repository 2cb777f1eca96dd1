//! The native module of the Python package `fourbase`: the game, the solver and the databases as Python sees them.
//!
//! - [`position`] and [`outcome`] are the classes `Position`, `Outcome` and `Move`.
//! - [`search`], [`solve`] and [`database`] ask the libraries. They release the GIL, hear Ctrl-C and show how far they are
//!   ([`work`]).
//! - [`rows`] reads and writes batches of positions as arrays, in the encodings of machine learning; [`probe`] finds their
//!   outcomes.
//! - [`positions`] lists and draws positions, [`export`] writes them to files, [`stats`] counts them, and [`verify`] checks the values; [`strategy`] checks a
//!   rule of play, [`graded`] draws the positions in which `evaluate` asks a player, and [`matches`] plays two of them against
//!   each other.
//! - [`failure`] turns every error into an exception of `fourbase.errors`.
//! - [`call_python`] calls the Python code of the package, which the package passes in; this module imports none of it.
//!
//! Columns count from 1, as in all text of fourbase; the libraries count from 0.

#![forbid(unsafe_code)]

mod arguments;
mod database;
mod export;
mod failure;
mod graded;
mod matches;
mod outcome;
mod position;
mod positions;
mod probe;
mod rows;
mod search;
mod solve;
mod stats;
mod strategy;
mod verify;
mod work;

use pyo3::call::PyCallArgs;
use pyo3::exceptions::PyImportError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;

/// The native module.
#[pyo3::pymodule]
mod _native {
    #[pymodule_export]
    use crate::{
        database::Database,
        graded::graded,
        matches::play_match,
        outcome::{Move, Outcome},
        position::Position,
        positions::Chunks,
        rows::{canonical, decode, encode, mirror, rejected},
        search::search,
        set_helpers,
        solve::solve,
        strategy::strategy,
    };

    #[pymodule_export]
    #[allow(non_upper_case_globals, reason = "the name that Python gives to versions")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}

/// Named tuples and functions in Python, by name.
static HELPERS: PyOnceLock<Py<PyDict>> = PyOnceLock::new();

/// Takes the named tuples and functions that native code calls, by name.
#[pyfunction]
fn set_helpers(py: Python<'_>, helpers: Py<PyDict>) {
    HELPERS.get_or_init(py, || helpers);
}

/// Calls a named tuple or a function of [`set_helpers`].
fn call_python<'py>(py: Python<'py>, name: &str, arguments: impl PyCallArgs<'py>) -> PyResult<Bound<'py, PyAny>> {
    let helpers = HELPERS.get(py).ok_or_else(|| PyImportError::new_err("import fourbase, not its native module"))?;
    helpers.bind(py).as_any().get_item(name)?.call1(arguments)
}
