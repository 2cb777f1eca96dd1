//! What answers have in common: JSON, for how long a copy of them may be used, and bodies that grow line by line.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, IntoResponseParts, Response};
use fourbase::analysis::json::SCHEMA;
use futures_util::stream::poll_fn;
use serde::Serialize;
use tokio::sync::mpsc::{Sender, channel};

use super::failure::Failure;

pub const JSON: &str = "application/json";

type CacheControl = [(HeaderName, &'static str); 1];

/// For an answer that never changes: a copy may be used for a day, and longer if its tag is the same.
const WHOLE: &str = "public, max-age=86400";

/// For an answer that may be better next time.
pub const PARTIAL: CacheControl = [(header::CACHE_CONTROL, "no-store")];

/// For lines that nobody on the way may hold back.
pub const AS_IT_IS: CacheControl = [(header::CACHE_CONTROL, "no-store, no-transform")];

/// For an answer that changes: a copy may be used after asking whether it is still the same.
pub const CHANGING: CacheControl = [(header::CACHE_CONTROL, "no-cache")];

/// Writes an answer, and headers such as those of [`caching`].
///
/// # Errors
///
/// It cannot be written as JSON.
pub fn json_response(answer: &impl Serialize, headers: impl IntoResponseParts) -> Result<Response, Failure> {
    let body = serde_json::to_vec(answer).map_err(|error| Failure::broken(&error))?;
    Ok(([(header::CONTENT_TYPE, JSON)], headers, body).into_response())
}

/// Names what answers depend on apart from their address: the database, given by its hash, and the program that writes them.
pub fn tag(hash: Option<&str>) -> Option<HeaderValue> {
    let (hash, version) = (hash?, env!("CARGO_PKG_VERSION"));
    // Weak: the nodes of a search may differ.
    HeaderValue::from_str(&format!("W/\"{}-{SCHEMA}-{version}\"", hash.get(..32).unwrap_or(hash))).ok()
}

/// Says for how long a copy may be used. A whole answer with a tag never changes; one without a tag changes when the board gets a
/// database.
pub fn caching(tag: Option<HeaderValue>, is_whole: bool) -> HeaderMap {
    let [(name, value)] = match &tag {
        _ if !is_whole => PARTIAL,
        Some(_) => [(header::CACHE_CONTROL, WHOLE)],
        None => CHANGING,
    };
    let mut headers = HeaderMap::from_iter([(name, HeaderValue::from_static(value))]);
    headers.extend(tag.filter(|_| is_whole).map(|tag| (header::ETAG, tag)));
    headers
}

/// Tells a client that its copy is still right.
pub fn not_modified(tag: Option<HeaderValue>) -> Response {
    (StatusCode::NOT_MODIFIED, caching(tag, true)).into_response()
}

/// How many lines wait for a client.
const WAITING_LINES: usize = 64;

/// How long a client may take to read one.
const LINE_TIME: Duration = Duration::from_secs(30);

/// The end of a body into which lines of JSON are written.
#[derive(Clone)]
pub struct Lines(Sender<Bytes>);

/// Returns an answer, and the end into which its lines are written. The answer ends when that is dropped.
pub fn lines(cache_control: CacheControl) -> (Lines, Response) {
    let (sender, mut receiver) = channel(WAITING_LINES);
    let stream = poll_fn(move |context| receiver.poll_recv(context).map(|line| line.map(Ok::<Bytes, Infallible>)));
    let media = [(header::CONTENT_TYPE, "application/x-ndjson")];
    (Lines(sender), (media, cache_control, Body::from_stream(stream)).into_response())
}

impl Lines {
    /// Writes a line, and waits until there is room for it; `false` if the client is gone or too slow.
    pub async fn write(&self, value: &impl Serialize) -> bool {
        self.0.send_timeout(line(value), LINE_TIME).await.is_ok()
    }

    /// Writes a line if there is room for it.
    pub fn write_now(&self, value: &impl Serialize) {
        let _ = self.0.try_send(line(value));
    }

    /// Waits until the client is gone.
    pub async fn closed(&self) {
        self.0.closed().await;
    }
}

fn line(value: &impl Serialize) -> Bytes {
    // These values have texts as keys, and nothing else can fail.
    let mut line = serde_json::to_vec(value).unwrap_or_default();
    line.push(b'\n');
    Bytes::from(line)
}
