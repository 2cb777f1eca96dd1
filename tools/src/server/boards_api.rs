//! `GET api/v1/boards`: the boards that are looked up and not searched; `GET api/v1/stats`: how many of their positions are won,
//! tied and lost, where that was counted.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{RawQuery, State};
use axum::response::Response;
use fourbase::Board;
use fourbase_tiers::counts::read_kept;
use fourbase_tiers::database::{self, Database, DatabaseError, Summary};
use fourbase_tiers::files::Disk;
use fourbase_tiers::format::Manifest;
use fourbase_tiers::kernel::Values;
use serde::{Deserialize, Serialize};

use super::failure::Failure;
use super::fields::fields;
use super::state::Server;
use super::written::{CHANGING, written};
use crate::json::{Envelope, OutcomeJson};
use crate::remedy;
use crate::stats::Stats;

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Listed {
    boards: Vec<BoardJson>,
}

/// A board with its best database.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct BoardJson {
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
pub async fn boards(State(server): State<Arc<Server>>) -> Result<Response, Failure> {
    let boards = listed(&server).await?.into_values().collect();
    written(&Envelope::new("boards", Listed { boards }), CHANGING)
}

/// The boards that have a database, smallest first.
type Boards = BTreeMap<(usize, usize, String), BoardJson>;

/// Lists the boards that have a database.
///
/// # Errors
///
/// A folder that cannot be read.
pub async fn listed(server: &Arc<Server>) -> Result<Boards, Failure> {
    let listing = Arc::clone(server);
    Ok(server.askers.look(move || list(&listing)).await??)
}

fn list(server: &Server) -> Result<Boards, DatabaseError> {
    let mut boards = Boards::new();
    let mut add = |board: Board, manifest: &Manifest, embedded| {
        let key = (board.cells(), board.width(), board.to_string());
        boards.insert(key, BoardJson::of(board, manifest, embedded));
    };
    for board in Database::embedded_boards() {
        if let Some(database) = Database::embedded(board)? {
            add(board, database.manifest(), true);
        }
    }
    let database::Listing { databases, faults } = database::list(server.boards.root())?;
    // Those with remoteness come last, and stay.
    for values in [Values::Wdl, Values::Remoteness] {
        for Summary { board, manifest } in &databases {
            if manifest.is_complete() && manifest.values() == values {
                add(*board, manifest, false);
            }
        }
    }
    for fault in faults {
        // Folders of the server are for its log alone.
        tracing::warn!("{}", remedy::told(&fault));
    }
    Ok(boards)
}

/// Which board.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AskedStats {
    /// Columns x rows, then cN for lines of N instead of 4, then m for misère.
    board: String,
}

/// Answers `GET api/v1/stats`.
pub async fn stats(State(server): State<Arc<Server>>, RawQuery(query): RawQuery) -> Result<Response, Failure> {
    let asked: AskedStats = fields(query.as_deref())?;
    let board: Board = asked.board.parse()?;
    let known = server.find(board).await?;
    let stats = server.askers.look(move || {
        let Some(database) = known.database().filter(|database| !database.is_embedded()) else { return Ok(None) };
        let counts = read_kept(&Disk, database.folder(), board, database.manifest())?;
        Ok::<_, Failure>(counts.map(|counts| Stats::of(&counts, Some(database)).without_folder()))
    });
    let Some(stats) = stats.await?? else {
        return Err(Failure::missing(format!(
            "the positions of {board} are not counted on this server; fourbase stats {board} counts them"
        )));
    };
    written(&Envelope::new("stats", stats), CHANGING)
}
