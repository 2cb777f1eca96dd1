//! `GET api/v1/boards`: the boards that are looked up and not searched.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use fourbase::Board;
use fourbase_tiers::database::{self, Database, DatabaseError, Summary};
use fourbase_tiers::format::Manifest;
use fourbase_tiers::kernel::Values;
use serde::Serialize;

use super::failure::Failure;
use super::server::Server;
use super::written::{CHANGING, written};
use crate::json::{Envelope, OutcomeJson};
use crate::remedy;

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Listed {
    boards: Vec<BoardJson>,
}

/// A board with its best database.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct BoardJson {
    board: String,
    width: usize,
    height: usize,
    connect: usize,
    misere: bool,
    stores: String,
    /// The deepest ply in the database; null if it has all.
    keep_plies: Option<u32>,
    /// Whether the database is part of the program.
    embedded: bool,
    /// What the empty board is worth.
    #[serde(flatten)]
    outcome: OutcomeJson,
    entries: u64,
    bytes: u64,
    hash: Option<String>,
}

impl BoardJson {
    fn of(board: Board, manifest: &Manifest, embedded: bool) -> BoardJson {
        BoardJson {
            board: board.to_string(),
            width: board.width(),
            height: board.height(),
            connect: board.connect(),
            misere: board.is_misere(),
            stores: manifest.values().to_string(),
            keep_plies: manifest.keep_plies(),
            embedded,
            outcome: OutcomeJson::of(manifest.root()),
            entries: manifest.entries(),
            bytes: manifest.bytes(),
            hash: manifest.hash().map(|hash| hash.to_string()),
        }
    }
}

/// Answers `GET api/v1/boards`.
pub async fn get(State(server): State<Arc<Server>>) -> Result<Response, Failure> {
    let listed = listed(&server).await?;
    written(&Envelope::new("boards", listed), CHANGING)
}

/// Lists the boards that have a database, smallest first.
///
/// # Errors
///
/// A folder that cannot be read.
pub async fn boards(server: &Arc<Server>) -> Result<Vec<Board>, Failure> {
    Ok(listed(server).await?.boards.into_iter().filter_map(|listed| listed.board.parse().ok()).collect())
}

async fn listed(server: &Arc<Server>) -> Result<Listed, Failure> {
    let listing = Arc::clone(server);
    Ok(server.askers.look(move || list(&listing)).await??)
}

/// Lists the boards, smallest first.
fn list(server: &Server) -> Result<Listed, DatabaseError> {
    let mut boards: BTreeMap<(usize, usize, String), BoardJson> = BTreeMap::new();
    let key = |board: Board| (board.cells(), board.width(), board.to_string());
    for board in Database::embedded_boards() {
        if let Some(database) = Database::embedded(board)? {
            boards.insert(key(board), BoardJson::of(board, database.manifest(), true));
        }
    }
    let database::Listing { databases, faults } = database::list(server.boards.root())?;
    // Those with remoteness come last, and stay.
    for values in [Values::Wdl, Values::Remoteness] {
        for Summary { board, manifest } in &databases {
            if manifest.is_complete() && manifest.values() == values {
                boards.insert(key(*board), BoardJson::of(*board, manifest, false));
            }
        }
    }
    for fault in faults {
        // Folders of the server are for its log alone.
        tracing::warn!("{}", remedy::told(&fault));
    }
    Ok(Listed { boards: boards.into_values().collect() })
}
