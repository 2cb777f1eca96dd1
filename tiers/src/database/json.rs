//! A board and its database as JSON. `docs/reference/http.md` describes the fields.

use fourbase::Board;
use fourbase::analysis::json::OutcomeJson;
use serde::Serialize;

use crate::format::Manifest;

/// A board with its best database.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BoardJson {
    board: String,
    width: usize,
    height: usize,
    connect: usize,
    misere: bool,
    stores: String,
    /// The deepest ply in the database; null if it has all.
    keep_plies: Option<u32>,
    /// Whether the database is built in.
    embedded: bool,
    /// What the empty board is worth.
    #[serde(flatten)]
    outcome: OutcomeJson,
    entries: u64,
    bytes: u64,
    hash: Option<String>,
}

impl BoardJson {
    /// Makes the JSON of a manifest.
    #[must_use]
    pub fn of(board: Board, manifest: &Manifest, embedded: bool) -> BoardJson {
        BoardJson {
            board: board.to_string(),
            width: board.width(),
            height: board.height(),
            connect: board.connect(),
            misere: board.is_misere(),
            stores: manifest.values.to_string(),
            keep_plies: manifest.keep_plies,
            embedded,
            outcome: OutcomeJson::of(manifest.root()),
            entries: manifest.entries(),
            bytes: manifest.bytes(),
            hash: manifest.hash.map(|hash| hash.to_string()),
        }
    }
}
