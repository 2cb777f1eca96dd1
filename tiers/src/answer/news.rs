//! What is found out about the position of a question, told as soon as it is known.

use std::fmt;
use std::sync::Arc;

use fourbase::Outcome;

/// A legal move, and what it is worth if that is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KnownMove {
    /// Column, from 0.
    pub column: usize,
    /// What the move is worth to the player who makes it; the remoteness counts from the position before it.
    pub outcome: Option<Outcome>,
}

/// What was just found out about the position of a question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum News {
    /// What it is worth, or its value alone for the time being.
    Outcome(Outcome),
    /// What one of its moves is worth.
    Move(KnownMove),
}

/// Hears the news of a question.
#[derive(Clone)]
pub(super) struct Listener(Arc<dyn Fn(News) + Send + Sync>);

impl Listener {
    pub fn new(listener: impl Fn(News) + Send + Sync + 'static) -> Listener {
        Listener(Arc::new(listener))
    }

    pub fn tell(&self, news: News) {
        self.0(news);
    }
}

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Listener")
    }
}
