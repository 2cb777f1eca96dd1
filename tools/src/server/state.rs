//! What all requests share, and the answers that were given already.

use std::sync::Arc;

use axum::body::Bytes;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use fourbase::Board;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use serde::Serialize;
use tokio::sync::Semaphore;

use super::Arguments;
use super::batch::Places;
use super::boards::{BoardSource, Boards};
use super::failure::Failure;
use super::http::{JSON, PARTIAL, has, holds, json_response, tag};
use super::metrics::Metrics;
use super::origins::Origins;
use super::workers::Workers;

/// The most requests that are being answered, to the end of their bodies.
pub const MOST_REQUESTS: usize = 512;

/// The most bytes of all answers that are kept.
const MOST_BYTES: u64 = 64 << 20;

/// About as many answers as that is.
const ANSWERS: usize = 20_000;

/// What was found out for a question.
pub enum Found<T> {
    /// An answer; if it is whole, it never changes while its database does not.
    Answer(T, bool),
    /// Lines that are still to come.
    Stream(Response),
}

/// What all requests share.
pub struct Server {
    /// Begins every address.
    pub base_path: String,
    /// Whether requests come from a proxy, which names the addresses of clients.
    pub trusts_proxy: bool,
    pub origins: Origins,
    /// Whether its counts have no address of their own.
    pub shows_metrics: bool,
    pub boards: Boards,
    pub workers: Workers,
    /// Whole answers by their questions, in bounded memory.
    answers: Cache<String, Bytes, ByBytes>,
    /// For requests that are being answered.
    pub requests: Arc<Semaphore>,
    /// For batches among them.
    pub batches: Arc<Places>,
    pub metrics: Arc<Metrics>,
}

#[derive(Clone)]
struct ByBytes;

impl Weighter<String, Bytes> for ByBytes {
    fn weight(&self, question: &String, answer: &Bytes) -> u64 {
        (64 + question.len() + answer.len()) as u64
    }
}

impl Server {
    pub fn new(arguments: &Arguments) -> Arc<Server> {
        let metrics = Arc::new(Metrics::new());
        let searches = arguments.searches();
        Arc::new(Server {
            base_path: arguments.base_path.clone(),
            trusts_proxy: arguments.trust_proxy,
            shows_metrics: arguments.metrics_address.is_none(),
            origins: Origins(arguments.allow_origin.clone()),
            boards: Boards::new(arguments.database.root.clone(), arguments.cache, searches),
            workers: Workers::new(arguments, Arc::clone(&metrics)),
            answers: Cache::with_weighter(ANSWERS, MOST_BYTES, ByBytes),
            requests: Arc::new(Semaphore::new(MOST_REQUESTS)),
            batches: Arc::default(),
            metrics,
        })
    }

    /// Finds who answers for a board, on a thread that may read files.
    ///
    /// # Errors
    ///
    /// A database that cannot be read.
    pub async fn find(self: &Arc<Server>, board: Board) -> Result<Arc<BoardSource>, Failure> {
        if let Some(source) = self.boards.at_hand(board) {
            return Ok(source);
        }
        let looking = Arc::clone(self);
        Ok(self.workers.look(move || looking.boards.find(board)).await??)
    }

    /// Answers a question: the client has the answer with the tag that it sends, or another one was given it, or it is found. A
    /// whole answer is kept if `hash` names what it depends on: the database.
    ///
    /// # Errors
    ///
    /// That of `find`; the answer cannot be written as JSON.
    pub async fn answer<T: Serialize>(
        &self,
        hash: Option<&str>,
        question: &str,
        headers: &HeaderMap,
        find: impl Future<Output = Result<Found<T>, Failure>>,
    ) -> Result<Response, Failure> {
        let tag = hash.and_then(tag);
        if tag.as_ref().is_some_and(|tag| has(headers, tag)) {
            return Ok((StatusCode::NOT_MODIFIED, holds(tag)).into_response());
        }
        let key = hash.map(|hash| format!("{hash} {question}"));
        let known = key.as_ref().and_then(|key| self.answers.get(key));
        if known.is_some() { &self.metrics.cached } else { &self.metrics.not_cached }.inc();
        let body = match known {
            Some(body) => body,
            None => match find.await? {
                Found::Stream(response) => return Ok(response),
                Found::Answer(answer, false) => return json_response(&answer, PARTIAL),
                Found::Answer(answer, true) => {
                    let body = Bytes::from(serde_json::to_vec(&answer).map_err(|error| Failure::broken(&error))?);
                    if let Some(key) = key {
                        self.answers.insert(key, body.clone());
                    }
                    body
                }
            },
        };
        Ok((holds(tag), [(header::CONTENT_TYPE, JSON)], body).into_response())
    }
}
