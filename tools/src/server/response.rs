//! What answers have in common: JSON, for how long a copy of them may be used, and bodies that grow line by line.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, IntoResponseParts, Response};
use fourbase::analysis::json::{AnalysisJson, AnswerJson, Envelope, SCHEMA};
use futures_util::stream::poll_fn;
use serde::Serialize;
use tokio::sync::mpsc::{Sender, channel};

use super::failure::Failure;

pub const JSON: &str = "application/json";

type CacheControl = [(HeaderName, &'static str); 1];

/// For an answer that never changes: a copy may be used for a day, and longer if its tag is the same.
const FOR_A_DAY: &str = "public, max-age=86400";

/// For an answer that may be better next time.
pub const NO_STORE: CacheControl = [(header::CACHE_CONTROL, "no-store")];

/// For lines that nobody on the way may hold back.
pub const NO_TRANSFORM: CacheControl = [(header::CACHE_CONTROL, "no-store, no-transform")];

/// For an answer that changes: a copy may be used after asking whether it is still the same.
pub const REVALIDATE: CacheControl = [(header::CACHE_CONTROL, "no-cache")];

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
pub fn tag(hash: &str) -> Option<HeaderValue> {
    let version = env!("CARGO_PKG_VERSION");
    // Weak: the nodes of a search may differ.
    HeaderValue::from_str(&format!("W/\"{}-{SCHEMA}-{version}\"", hash.get(..32).unwrap_or(hash))).ok()
}

/// Says for how long a copy may be used. A whole answer with a tag never changes; one without a tag changes when the board gets a
/// database.
pub fn caching(tag: &Option<HeaderValue>, is_whole: bool) -> HeaderMap {
    let [(name, value)] = match tag {
        _ if !is_whole => NO_STORE,
        Some(_) => [(header::CACHE_CONTROL, FOR_A_DAY)],
        None => REVALIDATE,
    };
    let mut headers = HeaderMap::from_iter([(name, HeaderValue::from_static(value))]);
    headers.extend(tag.clone().filter(|_| is_whole).map(|tag| (header::ETAG, tag)));
    headers
}

/// Leaves the body out if the client has it already, as the tags of its request say (RFC 9110, 13.1.2: a list, compared weakly, or
/// a star).
pub fn unless_known(known: &[HeaderValue], mut response: Response) -> Response {
    let plain = |tag: &HeaderValue| tag.to_str().unwrap_or_default().replace("W/", "");
    let tag = response.headers().get(header::ETAG).map(plain);
    let has = |tag: &String| known.iter().any(|list| plain(list).split(',').any(|of| [tag, "*"].contains(&of.trim())));
    if response.status() == StatusCode::OK && tag.as_ref().is_some_and(has) {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        *response.body_mut() = Body::empty();
        response.headers_mut().remove(header::CONTENT_TYPE);
        response.headers_mut().remove(header::CONTENT_LENGTH);
    }
    response
}

/// How many lines wait for a client.
const WAITING_LINES: usize = 64;

/// How long a client may take to read a line.
pub const LINE_TIME: Duration = Duration::from_secs(30);

/// Returns an answer, and the end into which its lines are sent. The answer ends when that is dropped.
pub fn lines(cache_control: CacheControl) -> (Sender<Bytes>, Response) {
    let (sender, mut receiver) = channel(WAITING_LINES);
    let stream = poll_fn(move |context| receiver.poll_recv(context).map(|line| line.map(Ok::<Bytes, Infallible>)));
    let media = [(header::CONTENT_TYPE, "application/x-ndjson")];
    (sender, (media, cache_control, Body::from_stream(stream)).into_response())
}

/// Writes a line of such an answer.
pub fn line(answer: AnswerJson<AnalysisJson>) -> Bytes {
    let mut line = Vec::new();
    Envelope::new("query", answer).push_to(&mut line);
    line.into()
}
