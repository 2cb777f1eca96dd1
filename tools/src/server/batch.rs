//! `POST api/v1/positions`: many positions in one request, a line of answer for each.

use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use fourbase::analysis::Analysis;
use fourbase::analysis::json::{AnalysisJson, AnswerJson, Envelope, PositionJson};
use fourbase::{Board, Position, excerpt, notation};
use futures_util::StreamExt;
use serde::Deserialize;

use super::boards::BoardSource;
use super::failure::Failure;
use super::http::{self, Client, Fields, Lines, PARTIAL, lines};
use super::state::Server;
use crate::batch::blank;

/// The most batches, of an address and of all: each holds its positions.
const MOST_OF_ADDRESS: usize = 8;
const MOST_BATCHES: usize = 32;

/// The most positions of a request.
const MOST_POSITIONS: usize = 10_000;

/// The most bytes of a request.
const MOST_BYTES: usize = 1 << 20;

/// The most bytes that are read of a longer request. A client hears why it is refused only after it has sent all of it.
const MOST_READ_BYTES: usize = 16 << 20;

/// How long a client may take to send a request.
const PATIENCE: Duration = Duration::from_secs(30);

/// How long a batch may take.
const MOST_TIME: Duration = Duration::from_secs(600);

/// How many positions are looked up together.
const AT_ONCE: usize = 64;

/// How much of a line without a position the answer repeats.
const EXCERPT_BYTES: usize = 512;

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
}

/// The addresses of the batches that are being answered.
#[derive(Default)]
pub struct Places(Mutex<Vec<IpAddr>>);

/// A place among them. Dropped, another batch may have it.
struct Place(Arc<Places>, IpAddr);

impl Places {
    fn take(self: &Arc<Places>, address: IpAddr) -> Result<Place, Failure> {
        let mut taken = self.lock();
        if taken.iter().filter(|of| **of == address).count() >= MOST_OF_ADDRESS {
            let reason = format!("an address has at most {MOST_OF_ADDRESS} batches at a time");
            return Err(Failure::too_many(&reason));
        }
        if taken.len() >= MOST_BATCHES {
            return Err(Failure::busy());
        }
        taken.push(address);
        Ok(Place(Arc::clone(self), address))
    }

    fn lock(&self) -> MutexGuard<'_, Vec<IpAddr>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.0.lock();
        if let Some(place) = taken.iter().position(|of| *of == self.1) {
            taken.swap_remove(place);
        }
    }
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
    client: Client,
    Fields(query): Fields<BatchQuery>,
    body: Body,
) -> Result<Response, Failure> {
    let board: Board = query.board.parse()?;
    let place = server.batches.take(client.address)?;
    let slow = |_| Failure::new(StatusCode::REQUEST_TIMEOUT, "the request did not come within 30 seconds");
    let body = tokio::time::timeout(PATIENCE, read(body)).await.map_err(slow)??;
    let text = String::from_utf8(body).map_err(|_| Failure::bad("the positions are no UTF-8"))?;
    let count = text.lines().count();
    if count > MOST_POSITIONS {
        return Err(Failure::too_long(format!("a batch has at most {MOST_POSITIONS} positions, not {count}")));
    }
    let source = server.find(board).await?;
    let (writer, response) = lines(PARTIAL);
    tokio::spawn(async move {
        let _place = place;
        let batch = Batch { server, client, source, board, with_line: query.line, end: Instant::now() + MOST_TIME };
        tokio::select! {
            () = batch.answer(&text, &writer) => {}
            () = writer.closed() => {}
        }
    });
    Ok(response)
}

/// A batch that is being answered.
struct Batch {
    server: Arc<Server>,
    client: Client,
    source: Arc<BoardSource>,
    board: Board,
    with_line: bool,
    /// What is not answered by then has an error.
    end: Instant,
}

impl Batch {
    /// Writes a line for each line of a text, until the client is gone.
    async fn answer(&self, text: &str, writer: &Lines) {
        let lines: Vec<&str> = text.trim_start_matches('\u{feff}').lines().collect();
        for lines in lines.chunks(AT_ONCE) {
            let asked: Vec<Result<Position, Failure>> = lines.iter().map(|line| self.read(line)).collect();
            let of_database = asked.iter().flatten().filter(|position| !self.may_search(position)).copied();
            // Where the server fails, the client sees that the batch breaks off.
            let Ok(found) = self.look_up(of_database.collect()).await else { return };
            let mut found = found.into_iter();
            for (line, asked) in lines.iter().zip(asked) {
                let (position, found) = match asked {
                    Err(failure) => (None, Err(failure)),
                    Ok(position) if self.may_search(&position) => (Some(position), self.search(position).await),
                    Ok(position) => match found.next() {
                        Some(Ok(found)) if found.limit.is_some() => (Some(position), self.search(position).await),
                        found => (Some(position), found.unwrap_or_else(|| Err(self.over()))),
                    },
                };
                if !self.write(writer, line, position, found).await {
                    return;
                }
            }
        }
    }

    /// Reads the position of a line.
    fn read(&self, line: &str) -> Result<Position, Failure> {
        let field = self.field(line)?;
        if field.is_empty() { Err(Failure::bad(blank(line.as_bytes()))) } else { http::position(self.board, field) }
    }

    /// Returns the first field of a line.
    fn field<'l>(&self, line: &'l str) -> Result<&'l str, Failure> {
        let fields =
            notation::Fields::of(line.as_bytes(), 1, self.board).map_err(|error| Failure::bad(error.to_string()))?;
        Ok(std::str::from_utf8(fields.chosen).unwrap_or(line))
    }

    /// Tells whether a position may take a search; else the database knows it.
    fn may_search(&self, position: &Position) -> bool {
        self.source.may_search(position.ply(), self.with_line)
    }

    /// Looks positions up; none of them when the time is over.
    async fn look_up(&self, positions: Vec<Position>) -> Result<Vec<Result<Analysis, Failure>>, Failure> {
        if positions.is_empty() {
            return Ok(Vec::new());
        }
        let found = self.server.workers.look_up_in_batch(self.client, &self.source, positions, self.with_line);
        tokio::time::timeout(self.left(), found).await.unwrap_or_else(|_| Ok(Vec::new()))
    }

    /// Finds out about a position that may take a search.
    async fn search(&self, position: Position) -> Result<Analysis, Failure> {
        let analysis = self.server.workers.analyse_in_batch(self.client, &self.source, position, self.with_line);
        tokio::time::timeout(self.left(), analysis).await.map_err(|_| self.over())?
    }

    fn left(&self) -> Duration {
        self.end.saturating_duration_since(Instant::now())
    }

    fn over(&self) -> Failure {
        Failure::bad(format!("not answered within {} seconds; ask for it again", MOST_TIME.as_secs()))
    }

    /// Writes the answer about a line; `false` if the client is gone.
    async fn write(
        &self,
        writer: &Lines,
        line: &str,
        position: Option<Position>,
        found: Result<Analysis, Failure>,
    ) -> bool {
        let input = if line.len() > EXCERPT_BYTES { excerpt(line, EXCERPT_BYTES) } else { line.to_owned() };
        let field = self.field(line).unwrap_or(line);
        let answer = found.map(|found| self.server.workers.json(&found, field)).unwrap_or_else(|failure| {
            let position = position.map(|position| PositionJson::typed(&position, field));
            let error = Some(failure.into_reason());
            AnswerJson { error, ..AnswerJson::new(self.board, position, AnalysisJson::default()) }
        });
        writer.write(&Envelope::new("query", AnswerJson { input: Some(input), ..answer })).await
    }
}
