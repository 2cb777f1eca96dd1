//! Answers that were given, in bounded memory. An answer about a position never changes while its database does not.

use axum::body::Bytes;
use quick_cache::Weighter;
use quick_cache::sync::Cache;

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

    /// Returns the answer to a question, if it was given and kept.
    pub fn get(&self, question: &str) -> Option<Bytes> {
        self.0.get(question)
    }

    /// Keeps an answer for a while.
    pub fn keep(&self, question: String, answer: Bytes) {
        self.0.insert(question, answer);
    }
}
