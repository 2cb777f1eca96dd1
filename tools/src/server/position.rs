//! `GET api/v1/position`: what a position is worth, and its moves.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use fourbase::Board;
use fourbase_tiers::database::DatabaseError;
use serde::Deserialize;

use super::ask::About;
use super::failure::Failure;
use super::fields::{self, fields};
use super::server::Server;
use super::told::{json, streamed};
use super::written::{JSON, PARTIAL, has, holds, tag, written};

/// What is asked for.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Asked {
    /// Columns x rows, then cN for lines of N instead of 4, then m for misère.
    board: String,
    /// Moves, bit strings of columns, or a string of GamesmanUni.
    #[serde(default = "fields::empty_board")]
    position: String,
    /// Add best play.
    #[serde(default)]
    line: bool,
    /// Send a line with everything that is known whenever something is found out; the last line is the answer.
    #[serde(default)]
    stream: bool,
    /// never: 404 if the board has no database.
    #[serde(default)]
    search: Search,
}

/// When to search.
#[derive(Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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
    let tag = known.hash().and_then(tag);
    if tag.as_ref().is_some_and(|tag| has(&headers, tag)) {
        return Ok((StatusCode::NOT_MODIFIED, holds(tag)).into_response());
    }
    let question = known.hash().map(|hash| format!("{hash} {is_alone} {} {text}", asked.line));
    if let Some(body) = question.as_ref().and_then(|question| server.answers.get(question)) {
        server.metrics.cached.inc();
        return Ok((holds(tag), [(header::CONTENT_TYPE, JSON)], body).into_response());
    }
    server.metrics.not_cached.inc();
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
    if found.limit.is_some() {
        return written(&answer, PARTIAL);
    }
    let body = Bytes::from(serde_json::to_vec(&answer).map_err(|error| Failure::broken(&error))?);
    if let Some(question) = question {
        server.answers.keep(question, body.clone());
    }
    Ok((holds(tag), [(header::CONTENT_TYPE, JSON)], body).into_response())
}
