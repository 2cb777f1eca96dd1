//! Answers that were given, in bounded memory. An answer about a position never changes while its database does not.

use axum::body::Bytes;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use serde::Serialize;

use super::boards::Known;
use super::failure::Failure;
use super::server::Server;
use super::written::{JSON, PARTIAL, has, holds, tag, written};

/// The most bytes of all answers.
const MOST_BYTES: u64 = 64 << 20;

/// About as many answers as that is.
const ANSWERS: usize = 20_000;

/// The answers, by the text of their questions.
pub struct Answers(Cache<String, Bytes, ByBytes>);

#[derive(Clone)]
struct ByBytes;

impl Weighter<String, Bytes> for ByBytes {
    fn weight(&self, question: &String, answer: &Bytes) -> u64 {
        (64 + question.len() + answer.len()) as u64
    }
}

impl Answers {
    pub fn new() -> Answers {
        Answers(Cache::with_weighter(ANSWERS, MOST_BYTES, ByBytes))
    }
}

/// Returns the answer to a question if the client has it, or if it was given before and kept.
pub fn at_hand(server: &Server, known: &Known, question: &str, headers: &HeaderMap) -> Option<Response> {
    let tag = known.hash().and_then(tag);
    if tag.as_ref().is_some_and(|tag| has(headers, tag)) {
        return Some((StatusCode::NOT_MODIFIED, holds(tag)).into_response());
    }
    let body = key(known, question).and_then(|key| server.answers.0.get(&key));
    if body.is_some() { &server.metrics.cached } else { &server.metrics.not_cached }.inc();
    body.map(|body| (holds(tag), [(header::CONTENT_TYPE, JSON)], body).into_response())
}

/// Writes the answer to a question, and keeps it for a while if it is whole.
///
/// # Errors
///
/// It cannot be written as JSON.
pub fn answered(
    server: &Server,
    known: &Known,
    question: &str,
    answer: &impl Serialize,
    is_whole: bool,
) -> Result<Response, Failure> {
    if !is_whole {
        return written(answer, PARTIAL);
    }
    let body = Bytes::from(serde_json::to_vec(answer).map_err(|error| Failure::broken(&error))?);
    if let Some(key) = key(known, question) {
        server.answers.0.insert(key, body.clone());
    }
    Ok((holds(known.hash().and_then(tag)), [(header::CONTENT_TYPE, JSON)], body).into_response())
}

/// An answer belongs to the database with a hash; without one, nothing is kept.
fn key(known: &Known, question: &str) -> Option<String> {
    Some(format!("{} {question}", known.hash()?))
}
