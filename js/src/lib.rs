//! The two modules of the npm package, which run in a worker. The engine knows positions, analyses, players and databases. With the
//! cargo feature `solver`, the other module solves and counts small boards: it is loaded when it is needed, and its memory is freed
//! afterwards.
//!
//! Answers are lines of JSON, those of `fourbase --json` and of the server. The worker is one thread, so long work asks a `host`
//! object of JavaScript whether to stop, and reports its progress to this object.

#![forbid(unsafe_code)]
// The solver reads no files, asks no hosts and searches nothing.
#![cfg_attr(feature = "solver", allow(dead_code))]

#[cfg(not(feature = "solver"))]
mod engine;
mod failure;
mod files;
mod host;
mod http;
#[cfg(feature = "solver")]
mod solver;

#[cfg(not(feature = "solver"))]
pub use engine::Engine;
#[cfg(feature = "solver")]
pub use solver::Solver;

use fourbase::{Board, BoardError};
use wasm_bindgen::prelude::*;

/// Returns the canonical name of a board, which a text may spell in several ways.
#[wasm_bindgen(js_name = boardName)]
pub fn board_name(text: &str) -> Result<String, JsValue> {
    text.parse()
        .map(|board: Board| board.to_string())
        .map_err(|unknown: BoardError| error("input", &unknown.to_string()))
}

/// Writes a line of JSON.
fn line(command: &'static str, body: impl serde::Serialize) -> String {
    // Serialising does not fail: all keys are names, and the text is written to memory.
    serde_json::to_string(&fourbase::analysis::json::Envelope::new(command, body)).unwrap_or_default()
}

/// Makes an error of JavaScript; its name is the code.
fn error(code: &str, message: &str) -> JsValue {
    let error = js_sys::Error::new(message);
    error.set_name(code);
    error.into()
}
