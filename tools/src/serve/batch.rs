//! `POST api/v1/positions`: many positions in one request, a line of answer for each.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use fourbase::Board;
use futures_util::StreamExt;
use serde::Deserialize;

use super::failure::Failure;
use super::position::{self, fields, json};
use super::server::Server;
use super::stream::{NDJSON, lines};
use crate::json::Envelope;
use crate::query::answer::AnswerJson;

/// The most positions of a request.
const MOST_POSITIONS: usize = 10_000;

/// The most bytes of a request.
const MOST_BYTES: usize = 1 << 20;

/// The most bytes that are read of a longer request. A client hears why it is refused only after it has sent all of it.
const MOST_READ_BYTES: usize = 16 << 20;

/// How long a client may take to send a request.
const PATIENCE: Duration = Duration::from_secs(30);

/// What is asked for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    board: String,
    /// Whether best play is wanted.
    #[serde(default)]
    line: bool,
}

/// Reads the body of a request.
async fn read(body: Body) -> Result<Vec<u8>, Failure> {
    let (mut read, mut bytes, mut stream) = (0, Vec::new(), body.into_data_stream());
    while let Some(part) = stream.next().await {
        let part = part.map_err(|error| Failure::bad(error.to_string()))?;
        read += part.len();
        if read <= MOST_BYTES {
            bytes.extend_from_slice(&part);
        } else if read > MOST_READ_BYTES {
            break;
        }
    }
    if read > MOST_BYTES {
        return Err(Failure::too_long(format!("a batch has at most {MOST_BYTES} bytes")));
    }
    Ok(bytes)
}

/// Answers `POST api/v1/positions`. The body has a position in each line.
pub async fn post(
    State(server): State<Arc<Server>>,
    RawQuery(query): RawQuery,
    body: Body,
) -> Result<Response, Failure> {
    let asked: Asked = fields(query.as_deref())?;
    let board: Board = asked.board.parse()?;
    let body = tokio::time::timeout(PATIENCE, read(body)).await.map_err(|_| Failure::slow())??;
    let text = String::from_utf8(body).map_err(|_| Failure::bad("the positions are no UTF-8"))?;
    let count = text.lines().count();
    if count > MOST_POSITIONS {
        return Err(Failure::too_long(format!("a batch has at most {MOST_POSITIONS} positions, not {count}")));
    }
    let known = position::find(&server, board).await?;
    let (writer, body) = lines();
    tokio::spawn(async move {
        for text in text.lines() {
            let text = text.trim();
            let answer = match position::read(board, text) {
                Err(failure) => AnswerJson::of_error(board, None, failure.into_reason()),
                Ok(position) => {
                    let found = tokio::select! {
                        found = server.askers.find(&known, position, asked.line, None) => found,
                        () = writer.closed() => return,
                    };
                    match found {
                        Ok(found) => {
                            let answer = json(&position, text, &found).map(|answer| answer.with_input(text.to_owned()));
                            if !writer.write(&answer).await {
                                return;
                            }
                            continue;
                        }
                        Err(failure) => AnswerJson::of_error(board, None, failure.into_reason()),
                    }
                }
            };
            if !writer.write(&Envelope::new("query", answer.with_input(text.to_owned()))).await {
                return;
            }
        }
    });
    let media = HeaderValue::from_static(NDJSON);
    Ok(([(header::CONTENT_TYPE, media), (header::CACHE_CONTROL, HeaderValue::from_static("no-store"))], body)
        .into_response())
}
