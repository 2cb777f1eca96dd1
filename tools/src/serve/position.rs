//! `GET api/v1/position`: what a position is worth, and its moves; and its picture.

use std::sync::{Arc, Mutex, PoisonError};

use axum::body::Bytes;
use axum::extract::{Query, RawQuery, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use fourbase::{Board, Outcome, Position, notation};
use fourbase_tiers::answer::{Answerer, KnownMove, News};
use fourbase_tiers::database::DatabaseError;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::ask::{About, Listener, Turn};
use super::boards::Known;
use super::failure::Failure;
use super::picture;
use super::server::Server;
use super::stream::{Lines, NDJSON, lines};
use super::written::{CHANGING, JSON, PARTIAL, has, holds, tag, written};
use crate::json::{Envelope, PositionJson, SourceJson, SourceKind};
use crate::query::answer::AnswerJson;
use crate::query::found::Found;

/// The longest text of a position: three times the bits of the largest board.
const MOST_CHARACTERS: usize = 512;

/// What is asked for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    board: String,
    #[serde(default = "empty")]
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

/// The empty board, which is asked about where an address names no position.
pub fn empty() -> String {
    "-".to_owned()
}

/// When to search.
#[derive(Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Search {
    Never,
    #[default]
    Auto,
}

/// Reads the fields of an address.
///
/// # Errors
///
/// Fields that are missing, unknown, or of another kind.
pub fn fields<T: DeserializeOwned>(query: Option<&str>) -> Result<T, Failure> {
    let uri = format!("/?{}", query.unwrap_or_default()).parse().map_err(|_| Failure::bad("this is no address"))?;
    let fields = Query::try_from_uri(&uri).map_err(|error| {
        let text = error.body_text();
        let reason = text.rsplit_once("query string: ").map_or(text.as_str(), |(_, reason)| reason);
        Failure::bad(format!("this address is no question: {reason}"))
    })?;
    Ok(fields.0)
}

/// Reads a position of a board.
///
/// # Errors
///
/// The first mistake in the text.
pub fn read(board: Board, text: &str) -> Result<Position, Failure> {
    if text.len() > MOST_CHARACTERS {
        return Err(Failure::bad(format!("a position has at most {MOST_CHARACTERS} characters, not {}", text.len())));
    }
    Ok(notation::parse(board, text)?)
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
    let position = read(board, &text)?;
    let known = find(&server, board).await?;
    let is_alone = asked.search == Search::Never;
    let answerer = if is_alone { known.alone() } else { Some(known.answerer()) };
    let Some(answerer) = answerer.filter(|_| !is_alone || !known.is_beyond(position.ply(), asked.line)) else {
        return Err(DatabaseError::Missing { board, root: server.boards.root().clone() }.into());
    };
    let tag = known.hash().and_then(tag);
    if tag.as_ref().is_some_and(|tag| has(&headers, tag)) {
        return Ok((StatusCode::NOT_MODIFIED, holds(tag)).into_response());
    }
    let may_search = !is_alone && known.may_search(position.ply(), asked.line);
    let about = About { position, with_line: asked.line, listen: None };
    if asked.stream {
        // A server that has no thread for a search says so before the first line.
        let turn = server.askers.turn(may_search).await?;
        return Ok(streamed(server, turn, Arc::clone(answerer), about, text));
    }
    let question = known.hash().map(|hash| format!("{hash} {is_alone} {} {text}", asked.line));
    if let Some(body) = question.as_ref().and_then(|question| server.answers.get(question)) {
        server.metrics.cached.inc();
        return Ok((holds(tag), [(header::CONTENT_TYPE, JSON)], body).into_response());
    }
    server.metrics.not_cached.inc();
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

/// Finds who answers for a board, on a thread that may read files.
///
/// # Errors
///
/// A database that cannot be read.
pub async fn find(server: &Arc<Server>, board: Board) -> Result<Arc<Known>, Failure> {
    if let Some(known) = server.boards.at_hand(board) {
        return Ok(known);
    }
    let looking = Arc::clone(server);
    Ok(server.askers.look(move || looking.boards.find(board)).await??)
}

/// Writes an answer as `fourbase query --json` does, without the folder of the database.
pub fn json(position: &Position, text: &str, found: &Found<String>) -> Envelope<AnswerJson> {
    Envelope::new("query", AnswerJson::of(position, text, found).without_folder())
}

/// Sends what is known so far, again and again, and at last the whole answer.
fn streamed(server: Arc<Server>, turn: Turn, answerer: Arc<dyn Answerer>, about: About, text: String) -> Response {
    let (lines, body) = lines();
    let position = about.position;
    tokio::spawn(async move {
        let known = Mutex::new(unknown(&position));
        lines.write_now(&part(&position, &text, &known));
        let listen = Some(listener(position, text.clone(), known, lines.clone()));
        let found = tokio::select! {
            found = server.askers.find(turn, &answerer, About { listen, ..about }) => found,
            () = lines.closed() => return,
        };
        match found {
            Ok(found) => lines.write(&json(&position, &text, &found)).await,
            Err(failure) => {
                let position_json = Some(PositionJson::typed(&position, &text));
                let error = AnswerJson::of_error(position.board(), position_json, failure.into_reason());
                lines.write(&Envelope::new("query", error)).await
            }
        };
    });
    ([(header::CONTENT_TYPE, HeaderValue::from_static(NDJSON)), (header::CACHE_CONTROL, PARTIAL)], body).into_response()
}

/// What is known of a position so far.
type KnownSoFar = (Option<Outcome>, Vec<KnownMove>);

/// Nothing but its moves.
fn unknown(position: &Position) -> KnownSoFar {
    let moves = if position.primitive().is_some() { Vec::new() } else { position.moves().collect() };
    (None, moves.into_iter().map(|column| KnownMove { column, outcome: None }).collect())
}

/// Writes an answer with what is known so far.
fn part(position: &Position, text: &str, known: &Mutex<KnownSoFar>) -> Envelope<AnswerJson> {
    let (outcome, moves) = known.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let source = SourceJson::new(SourceKind::Search, None, 0);
    json(position, text, &Found { outcome, moves, line: None, source, limit: None })
}

/// Writes a line with everything that is known, whenever something is found out.
fn listener(position: Position, text: String, known: Mutex<KnownSoFar>, lines: Lines) -> Listener {
    Box::new(move |news| {
        {
            let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
            match news {
                News::Outcome(outcome) => known.0 = Some(outcome),
                News::Move(found) => {
                    if let Some(known) = known.1.iter_mut().find(|of| of.column == found.column) {
                        known.outcome = found.outcome;
                    }
                }
            }
        }
        lines.write_now(&part(&position, &text, &known));
    })
}

/// Answers `GET api/v1/position.svg`.
pub async fn svg(RawQuery(query): RawQuery) -> Result<Response, Failure> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Asked {
        board: String,
        #[serde(default = "empty")]
        position: String,
    }
    let asked: Asked = fields(query.as_deref())?;
    let position = read(asked.board.parse()?, &asked.position)?;
    let media = HeaderValue::from_static("image/svg+xml");
    Ok(([(header::CONTENT_TYPE, media), (header::CACHE_CONTROL, CHANGING)], picture::svg(&position)).into_response())
}
