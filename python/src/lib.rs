//! The native module of the Python package `fourbase`: the game, the solver and the databases as Python sees them.
//!
//! - [`position`] and [`outcome`] are the classes `Position`, `Outcome` and `Move`.
//! - [`search`], [`solve`] and [`database`] ask the libraries. They release the GIL ([`wait`]), hear Ctrl-C and show how far they are
//!   ([`progress`]).
//! - [`rows`] reads and writes batches of positions as arrays, in the encodings of machine learning; [`probe`] finds their
//!   outcomes.
//! - [`positions`] lists and draws positions, [`export`] writes them to files; [`strategy`] checks a rule of play, and [`grade`]
//!   a player.
//! - [`failure`] turns every error into an exception of `fourbase.errors`.
//! - [`helpers`] holds what the Python code of the package passes in; this module imports none of that code.
//!
//! Columns count from 1, as in all text of fourbase; the libraries count from 0.

#![forbid(unsafe_code)]

mod arguments;
mod database;
mod export;
mod failure;
mod grade;
mod helpers;
mod outcome;
mod position;
mod positions;
mod probe;
mod progress;
mod rows;
mod search;
mod solve;
mod strategy;
mod wait;

/// The native module.
#[pyo3::pymodule]
mod _native {
    #[pymodule_export]
    use crate::{
        database::Database,
        grade::grade,
        helpers::set_helpers,
        outcome::{Move, Outcome},
        position::Position,
        rows::{decode, encode, rejected},
        search::search,
        solve::solve,
        strategy::strategy,
    };

    #[pymodule_export]
    #[allow(non_upper_case_globals, reason = "the name that Python gives to versions")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
