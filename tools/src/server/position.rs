//! `GET api/v1/position`: what a position is worth, and its moves.

use std::sync::Arc;

use axum::extract::{RawQuery, State};
use axum::http::HeaderMap;
use axum::response::Response;
use fourbase::Board;
use fourbase_tiers::database::DatabaseError;
use serde::Deserialize;

use super::ask::About;
use super::failure::Failure;
use super::fields::{self, fields};
use super::server::Server;
use super::told::{json, streamed};
use super::written::{PARTIAL, written};

/// What is asked for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    board: String,
    #[serde(default = "fields::empty_board")]
    position: String,
    /// Whether best play is wanted.
    #[serde(default)]
    line: bool,
    /// Whether what is known so far is wanted on the way.
    #[serde(default)]
    stream: bool,
    #[serde(default)]
    search: Search,
}

/// When to search.
#[derive(Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Search {
    Never,
    #[default]
    Auto,
}

/// Answers `GET api/v1/position`.
pub async fn get(
    State(server): State<Arc<Server>>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let asked: Asked = fields(query.as_deref())?;
    let board: Board = asked.board.parse()?;
    let text = asked.position.trim().to_owned();
    let position = fields::position(board, &text)?;
    let known = server.find(board).await?;
    let is_alone = asked.search == Search::Never;
    let answerer = if is_alone { known.alone() } else { Some(known.answerer()) };
    let Some(answerer) = answerer.filter(|_| !is_alone || !known.is_beyond(position.ply(), asked.line)) else {
        return Err(DatabaseError::Missing { board, root: server.boards.root().clone() }.into());
    };
    let question = format!("{is_alone} {} {text}", asked.line);
    if let Some(answer) = server.at_hand(&known, &question, &headers) {
        return Ok(answer);
    }
    let may_search = !is_alone && known.may_search(position.ply(), asked.line);
    let about = About { position, with_line: asked.line, listen: None };
    if asked.stream && may_search {
        // A server that has no thread for a search says so before the first line.
        let turn = server.askers.turn(may_search).await?;
        return Ok(streamed(server, turn, Arc::clone(answerer), about, text));
    }
    let turn = server.askers.turn(may_search).await?;
    let found = server.askers.find(turn, answerer, about).await?;
    let answer = json(&position, &text, &found);
    if found.limit.is_some() { written(&answer, PARTIAL) } else { server.whole(&known, &question, &answer) }
}
