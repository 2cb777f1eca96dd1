//! Writes answers: JSON, headers that say how long a copy may be used, and bodies that are sent line by line.

use std::convert::Infallible;

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, IntoResponseParts, Response};
use fourbase::analysis::json::{AnalysisJson, AnswerJson, Envelope, SCHEMA};
use futures_util::stream::poll_fn;
use serde::Serialize;
use tokio::sync::mpsc::{Sender, channel};

use super::failure::Failure;

pub const JSON: &str = "application/json";

type CacheControl = [(HeaderName, HeaderValue); 1];

const fn cache_control(value: &'static str) -> CacheControl {
    [(header::CACHE_CONTROL, HeaderValue::from_static(value))]
}

/// For an answer that never changes as long as its tag stays the same: a copy may be used for a day, and after that once the server
/// confirms the tag.
const FOR_A_DAY: CacheControl = cache_control("public, max-age=86400");

/// For an answer that is not complete and may be better next time.
pub const NO_STORE: CacheControl = cache_control("no-store");

/// For an answer that is sent line by line: `no-transform` keeps proxies from holding lines back.
pub const NO_TRANSFORM: CacheControl = cache_control("no-store, no-transform");

/// For an answer that may change: a client may use its copy once the server confirms that the answer is still the same.
pub const REVALIDATE: CacheControl = cache_control("no-cache");

/// Makes a JSON response with the given headers, such as those of [`caching`].
///
/// # Errors
///
/// The answer cannot be written as JSON.
pub fn json_response(answer: &impl Serialize, headers: impl IntoResponseParts) -> Result<Response, Failure> {
    let body = serde_json::to_vec(answer).map_err(|error| Failure::broken(&error))?;
    Ok(([(header::CONTENT_TYPE, JSON)], headers, body).into_response())
}

/// Returns the ETag of answers: it names the databases by their hashes, and the program by its version. An answer depends on
/// nothing else but its address.
pub fn tag(hashes: &str) -> Option<HeaderValue> {
    let version = env!("CARGO_PKG_VERSION");
    // The tag is weak because an answer contains the nodes of its search, which may differ.
    HeaderValue::from_str(&format!("W/\"{hashes}-{SCHEMA}-{version}\"")).ok()
}

/// Returns the headers that say how long a copy of an answer may be used. A whole answer with a tag never changes. An answer
/// without a tag changes when the board gets a database.
pub fn caching(tag: &Option<HeaderValue>, is_whole: bool) -> HeaderMap {
    let tag = tag.as_ref().filter(|_| is_whole);
    let cache_control = match tag {
        _ if !is_whole => NO_STORE,
        Some(_) => FOR_A_DAY,
        None => REVALIDATE,
    };
    cache_control.into_iter().chain(tag.map(|tag| (header::ETAG, tag.clone()))).collect()
}

/// How many lines may wait for a client to read them.
const WAITING_LINES: usize = 64;

/// Returns a sender, and a response whose body is the lines sent to it. The body ends when the sender is dropped.
pub fn lines(cache_control: CacheControl) -> (Sender<Bytes>, Response) {
    let (sender, mut receiver) = channel(WAITING_LINES);
    let stream = poll_fn(move |context| receiver.poll_recv(context).map(|line| line.map(Ok::<Bytes, Infallible>)));
    let media = [(header::CONTENT_TYPE, "application/x-ndjson")];
    (sender, (media, cache_control, Body::from_stream(stream)).into_response())
}

/// Writes one line of the body of [`lines`].
pub fn line(answer: AnswerJson<AnalysisJson>) -> Bytes {
    let mut line = Vec::new();
    Envelope::new("query", answer).push_to(&mut line);
    line.into()
}
