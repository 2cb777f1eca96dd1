//! `GET api/v1/stats`: how many positions of a board are won, tied and lost, where that was counted.

use std::sync::Arc;

use axum::extract::{RawQuery, State};
use axum::response::Response;
use fourbase::Board;
use fourbase_tiers::counts::read_kept;
use fourbase_tiers::files::Disk;
use serde::Deserialize;

use super::failure::Failure;
use super::fields::fields;
use super::server::Server;
use super::written::{CHANGING, written};
use crate::json::Envelope;
use crate::stats::Stats;

#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Asked {
    /// Columns x rows, then cN for lines of N instead of 4, then m for misère.
    board: String,
}

/// Answers `GET api/v1/stats`.
pub async fn get(State(server): State<Arc<Server>>, RawQuery(query): RawQuery) -> Result<Response, Failure> {
    let asked: Asked = fields(query.as_deref())?;
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
