//! `POST api/v1/positions`: a request holds many positions, and its answer has a line for each. Every position waits for a thread
//! anew, so other clients' questions are answered between the positions of a batch.

use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::body::{Body, Bytes};
use axum::http::StatusCode;
use axum::response::Response;
use fourbase::analysis::json::{AnalysisJson, AnswerJson};
use fourbase::{Board, excerpt, notation};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde::Deserialize;
use tokio::sync::mpsc::Sender;
use tokio::time::{Instant, timeout, timeout_at};

use super::boards::BoardSource;
use super::connections::READ_TIME;
use super::failure::Failure;
use super::request::{self, Client, Fields};
use super::response::{NO_STORE, line, lines};
use super::service::{AnalysisRequest, MAX_BATCHES_OF_ADDRESS};
use crate::batch::blank;

/// The most positions of a request.
const MAX_POSITIONS: usize = 10_000;

/// The most bytes of a request.
const MAX_BYTES: usize = 1 << 20;

/// If a request is longer than [`MAX_BYTES`], the server reads at most this many further bytes before it refuses the request. It
/// reads them because a client reads the refusal only after it has sent its whole body.
const MAX_EXCESS_BYTES: usize = 15 << 20;

/// How long a client may take to send a request.
const REQUEST_TIME: Duration = Duration::from_secs(30);

/// How long a batch may take. Positions that have no answer by then get an error.
const BATCH_TIME: Duration = Duration::from_secs(600);

/// The most bytes of a line of the request that the answer repeats.
const INPUT_BYTES: usize = 512;

/// What is asked for.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct BatchQuery {
    /// Columns x rows, then cN for lines of N instead of 4, then m for misère.
    board: String,
    /// Add best play.
    #[serde(default)]
    line: bool,
    /// Explain the value of each position and of its moves, with proofs where there are any.
    #[serde(default)]
    why: bool,
}

/// Answers `POST api/v1/positions`. The body has a position in each line.
pub async fn post(
    Extension(client): Extension<Client>,
    Fields(query): Fields<BatchQuery>,
    body: Body,
) -> Result<Response, Failure> {
    let board: Board = query.board.parse()?;
    let of_address = format!("an address has at most {MAX_BATCHES_OF_ADDRESS} batches at a time");
    let permit = client.server.batches.try_acquire(client.address);
    let permit = permit.map_err(|limit| Failure::limited(limit, &of_address))?;
    let slow = |_| Failure::new(StatusCode::REQUEST_TIMEOUT, "the request did not come within 30 seconds");
    let body = timeout(REQUEST_TIME, read(body)).await.map_err(slow)??;
    let text = String::from_utf8(body.into()).map_err(|_| Failure::bad("the positions are no UTF-8"))?;
    let count = text.lines().count();
    if count > MAX_POSITIONS {
        let reason = format!("a batch has at most {MAX_POSITIONS} positions, not {count}");
        return Err(Failure::new(StatusCode::PAYLOAD_TOO_LARGE, reason));
    }
    let source = client.find(board).await?;
    let client = Client { is_batch: true, ..client };
    let (lines, response) = lines(NO_STORE);
    tokio::spawn(async move {
        let _permit = permit;
        let end = Instant::now() + BATCH_TIME;
        // Lines that are ready at the end are still sent; the client has `READ_TIME` to read them.
        let answers = timeout_at(end + READ_TIME, answer_all(&client, &source, &query, &text, &lines, end));
        tokio::select! {
            _ = answers => {}
            () = lines.closed() => {}
        }
    });
    Ok(response)
}

/// Reads the body of a request; refuses a body of more than [`MAX_BYTES`].
async fn read(mut body: Body) -> Result<Bytes, Failure> {
    let error = match Limited::new(&mut body, MAX_BYTES).collect().await {
        Ok(bytes) => return Ok(bytes.to_bytes()),
        Err(error) => error,
    };
    if !error.is::<LengthLimitError>() {
        return Err(Failure::bad(error));
    }
    let mut excess = Limited::new(body, MAX_EXCESS_BYTES);
    while let Some(Ok(_)) = excess.frame().await {}
    let reason = format!("a batch has at most {MAX_BYTES} bytes");
    Err(Failure::new(StatusCode::PAYLOAD_TOO_LARGE, reason))
}

/// Sends an answer for each line of `text` to `lines`. A position without an answer at `end` gets an error.
async fn answer_all(
    client: &Client,
    source: &Arc<BoardSource>,
    query: &BatchQuery,
    text: &str,
    lines: &Sender<Bytes>,
    end: Instant,
) {
    let board = source.analyst.board;
    for text in text.trim_start_matches('\u{feff}').lines() {
        let field = notation::Fields::of(text.as_bytes(), 1, board).map_err(Failure::bad);
        let field = field.map(|fields| str::from_utf8(fields.chosen).unwrap_or(text));
        let shown = *field.as_ref().unwrap_or(&text);
        let position = field.and_then(|field| match field {
            "" => Err(Failure::bad(blank(text.as_bytes()))),
            field => request::position(board, field),
        });
        let asked = position.as_ref().ok().copied();
        let answer = async {
            let (with_line, with_reasons) = (query.line, query.why);
            let request = AnalysisRequest { with_line, with_reasons, ..AnalysisRequest::of(position?) };
            let late =
                || Failure::bad(format!("not answered within {} seconds; ask for it again", BATCH_TIME.as_secs()));
            // `timeout_at` would still start a request whose time is over.
            if Instant::now() >= end {
                return Err(late());
            }
            timeout_at(end, client.answer(source, request)).await.unwrap_or_else(|_| Err(late()))
        };
        let answer = match answer.await {
            Ok(analysis) => client.server.query_json(&analysis, shown),
            Err(failure) => AnalysisJson::failed(board, asked.as_ref(), shown, failure.reason),
        };
        let input = if text.len() > INPUT_BYTES { excerpt(text, INPUT_BYTES) } else { text.to_owned() };
        if lines.send(line(AnswerJson { input: Some(input), ..answer })).await.is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::extract::Request;

    use super::*;
    use crate::server::routes::tests::{ask, server};

    /// Tokio's paused clock moves only when all tasks wait: it then jumps to the next timer.
    #[tokio::test(start_paused = true)]
    async fn a_batch_ends_in_time_whoever_reads_it_slowly() {
        let server = server(&[]);
        let request = Request::post("/api/v1/positions?board=4x4").body("-\n".repeat(1000).into()).unwrap();
        let (begin, mut body, mut count) = (Instant::now(), ask(&server, request).await.into_body(), 0);
        // The client reads slowly, but each line within `READ_TIME`.
        while let Some(Ok(_)) = body.frame().await {
            count += 1;
            tokio::time::sleep(READ_TIME / 2).await;
            assert!(begin.elapsed() < BATCH_TIME + 2 * READ_TIME || server.batches.taken() == 0);
        }
        assert!(count > 40 && count < 200, "{count}");
    }
}
