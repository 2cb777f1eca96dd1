//! Answers as JSON, and for how long they hold.

use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use super::failure::Failure;
use crate::json::SCHEMA;

/// The kind of media.
pub const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// An answer that is known to be whole holds for a day, and longer for a client that has its tag.
const WHOLE: HeaderValue = HeaderValue::from_static("public, max-age=86400");

/// Another question may find out more.
pub const PARTIAL: HeaderValue = HeaderValue::from_static("no-store");

/// A copy may be kept, if it is compared with the server's before it is used.
pub const CHANGING: HeaderValue = HeaderValue::from_static("no-cache");

/// Writes an answer, and says how long it holds.
///
/// # Errors
///
/// It cannot be written as JSON.
pub fn written(answer: &impl Serialize, holds: HeaderValue) -> Result<Response, Failure> {
    let body = serde_json::to_vec(answer).map_err(|error| Failure::broken(&error))?;
    Ok(([(header::CONTENT_TYPE, JSON), (header::CACHE_CONTROL, holds)], body).into_response())
}

/// Names what answers depend on, beside their address: the database, and the program that writes them.
pub fn tag(hash: &str) -> Option<HeaderValue> {
    let version = env!("CARGO_PKG_VERSION");
    // Weak: the nodes of a search may differ.
    HeaderValue::from_str(&format!("W/\"{}-{SCHEMA}-{version}\"", hash.get(..32)?)).ok()
}

/// Says how long an answer holds: one with a tag never changes, and one without becomes another when the board has a
/// database.
pub fn holds(tag: Option<HeaderValue>) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(header::CACHE_CONTROL, if tag.is_some() { WHOLE } else { CHANGING });
    headers.extend(tag.map(|tag| (header::ETAG, tag)));
    headers
}

/// Tells whether a client has the answer with this tag (RFC 9110, 13.1.2: a list, compared weakly, or a star).
pub fn has(headers: &HeaderMap, tag: &HeaderValue) -> bool {
    let plain = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    let tag = tag.to_str().map(plain).unwrap_or_default();
    let lists = headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|list| list.to_str().ok());
    lists.flat_map(|list| list.split(',')).any(|of| of.trim() == "*" || plain(of) == tag)
}
