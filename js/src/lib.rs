//! The two modules of the npm package, which run in a worker. The engine knows positions, analyses, players and databases. With the
//! cargo feature `solver`, the other module solves and counts small boards: it is loaded when it is needed, and its memory is freed
//! afterwards.
//!
//! Answers are lines of JSON, those of `fourbase --json` and of the server. The worker is one thread, so a [`host`] that JavaScript
//! supplies is asked during long work whether to stop, and is told how far it is.

#![forbid(unsafe_code)]

mod host;

#[cfg(not(feature = "solver"))]
mod engine;
#[cfg(not(feature = "solver"))]
mod failure;
#[cfg(not(feature = "solver"))]
mod files;
#[cfg(not(feature = "solver"))]
mod http;
#[cfg(feature = "solver")]
mod solver;

#[cfg(not(feature = "solver"))]
pub use engine::Engine;
#[cfg(feature = "solver")]
pub use solver::Solver;

/// Writes a line of JSON.
fn line(command: &'static str, body: impl serde::Serialize) -> String {
    // Names as keys, and writing to memory, do not fail.
    serde_json::to_string(&fourbase::analysis::json::Envelope::new(command, body)).unwrap_or_default()
}

/// Makes an error of JavaScript; its name is the code.
fn error(code: &str, message: &str) -> wasm_bindgen::JsValue {
    let error = js_sys::Error::new(message);
    error.set_name(code);
    error.into()
}
