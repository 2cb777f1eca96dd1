//! Answers as JSON.

use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use super::failure::Failure;

/// The kind of media.
pub const JSON: HeaderValue = HeaderValue::from_static("application/json");

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
    let body = serde_json::to_vec(answer).map_err(|error| Failure::broken(error.to_string()))?;
    Ok(([(header::CONTENT_TYPE, JSON), (header::CACHE_CONTROL, holds)], body).into_response())
}
