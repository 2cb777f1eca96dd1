//! `GET api/v1/position`: what a position is worth, and its moves.

use std::sync::Arc;

use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use fourbase::Board;
use fourbase::analysis::Analysis;
use fourbase::analysis::json::{AnalysisJson, PositionJson};
use fourbase_tiers::database::DatabaseError;
use serde::Deserialize;

use super::ask::{About, Turn};
use super::boards::Known;
use super::failure::Failure;
use super::fields::{self, fields};
use super::state::Server;
use super::stream::{NDJSON, lines};
use super::written::{PARTIAL, written};
use crate::json::Envelope;

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
    let is_looked_up = asked.search == Search::Never;
    if is_looked_up && (known.database().is_none() || known.is_beyond(position.ply(), asked.line)) {
        return Err(DatabaseError::Missing { board, root: server.boards.root().clone() }.into());
    }
    let question = format!("{is_looked_up} {} {text}", asked.line);
    if let Some(answer) = server.at_hand(&known, &question, &headers) {
        return Ok(answer);
    }
    let may_search = !is_looked_up && known.may_search(position.ply(), asked.line);
    let about = About { position, with_line: asked.line, is_looked_up, listener: None };
    // A server that has no thread for a search says so before the first line of a stream.
    let turn = server.askers.turn(may_search).await?;
    if asked.stream && may_search {
        return Ok(streamed(server, turn, known, about, text));
    }
    let analysis = server.askers.analyse(turn, &known, about).await?;
    let answer = Envelope::new("query", server.askers.json(&analysis, &text));
    if analysis.limit.is_some() { written(&answer, PARTIAL) } else { server.whole(&known, &question, &answer) }
}

/// Sends what is known so far, again and again, and at last the whole answer.
fn streamed(server: Arc<Server>, turn: Turn, known: Arc<Known>, about: About, text: String) -> Response {
    let (lines, body) = lines();
    let position = about.position;
    tokio::spawn(async move {
        let (teller, sender, asked) = (Arc::clone(&server), lines.clone(), text.clone());
        let tell = move |analysis: &Analysis| {
            sender.write_now(&Envelope::new("query", teller.askers.json(analysis, &asked)));
        };
        tell(&Analysis::unknown(&position));
        let analysis = tokio::select! {
            analysis = server.askers.analyse(turn, &known, About { listener: Some(Box::new(tell)), ..about }) => analysis,
            () = lines.closed() => return,
        };
        let answer = analysis.map(|analysis| server.askers.json(&analysis, &text)).unwrap_or_else(|failure| {
            let typed = PositionJson::typed(&position, &text);
            AnalysisJson::of_error(position.board(), Some(typed), failure.into_reason())
        });
        lines.write(&Envelope::new("query", answer)).await;
    });
    ([(header::CONTENT_TYPE, HeaderValue::from_static(NDJSON)), (header::CACHE_CONTROL, PARTIAL)], body).into_response()
}
