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
use super::boards::{BoardSource, Boards};
use super::failure::Failure;
use super::http::{JSON, PARTIAL, has, holds, json_response, tag};
use super::metrics::Metrics;
use super::origins::Origins;
use super::searches::Searches;
use super::workers::Workers;

/// The most requests that are being answered, to the end of their bodies.
pub const MOST_REQUESTS: usize = 512;

/// The most batches: each holds its positions.
const MOST_BATCHES: usize = 32;

/// The most bytes of all answers that are kept.
const MOST_BYTES: u64 = 64 << 20;

/// About as many answers as that is.
const ANSWERS: usize = 20_000;

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
    /// Answers by their questions, in bounded memory. One about a position never changes while its database does not.
    answers: Cache<String, Bytes, ByBytes>,
    /// For requests that are being answered.
    pub requests: Arc<Semaphore>,
    /// For batches among them.
    pub batches: Arc<Semaphore>,
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
        let share = arguments.searches_per_client.map_or_else(|| searches.div_ceil(2), usize::from);
        let shared = Searches::new(searches, share, Arc::clone(&metrics));
        Arc::new(Server {
            base_path: arguments.base_path.clone(),
            trusts_proxy: arguments.trust_proxy,
            shows_metrics: arguments.metrics_address.is_none(),
            origins: Origins(arguments.allow_origin.clone()),
            boards: Boards::new(arguments.database.root.clone(), arguments.cache, searches),
            workers: Workers::new(arguments, shared, Arc::clone(&metrics)),
            answers: Cache::with_weighter(ANSWERS, MOST_BYTES, ByBytes),
            requests: Arc::new(Semaphore::new(MOST_REQUESTS)),
            batches: Arc::new(Semaphore::new(MOST_BATCHES)),
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

    /// Returns the answer to a question that a client has, by the tag that it sends, or that was given to another one.
    pub fn at_hand(&self, source: &BoardSource, question: &str, headers: &HeaderMap) -> Option<Response> {
        let tag = source.hash().and_then(tag);
        if tag.as_ref().is_some_and(|tag| has(headers, tag)) {
            return Some((StatusCode::NOT_MODIFIED, holds(tag)).into_response());
        }
        let body = source.hash().and_then(|hash| self.answers.get(&format!("{hash} {question}")));
        if body.is_some() { &self.metrics.cached } else { &self.metrics.not_cached }.inc();
        Some((holds(tag), [(header::CONTENT_TYPE, JSON)], body?).into_response())
    }

    /// Writes an answer, and keeps it if it is whole and comes from a database.
    ///
    /// # Errors
    ///
    /// It cannot be written as JSON.
    pub fn answer(
        &self,
        source: &BoardSource,
        question: &str,
        answer: &impl Serialize,
        is_whole: bool,
    ) -> Result<Response, Failure> {
        if !is_whole {
            return json_response(answer, PARTIAL);
        }
        let body = Bytes::from(serde_json::to_vec(answer).map_err(|error| Failure::broken(&error))?);
        if let Some(hash) = source.hash() {
            self.answers.insert(format!("{hash} {question}"), body.clone());
        }
        Ok((holds(source.hash().and_then(tag)), [(header::CONTENT_TYPE, JSON)], body).into_response())
    }
}
