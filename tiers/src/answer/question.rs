//! A question: all that is asked about one position, with its limits and the work that it took.

use std::ops::{AddAssign, Sub};
use std::sync::Arc;

use fourbase::Board;
use fourbase::search::Monitor;

use super::AnswerError;
use super::news::{Listener, News};

/// How far the searches of one question may go.
///
/// A limit of time is a thread that cancels the monitor when the time is over.
///
/// ```
/// use fourbase_tiers::answer::{Limits, Question};
///
/// let question = Question::new(Limits { nodes: Some(1_000_000), ..Limits::default() });
/// assert_eq!(question.nodes_left(), Some(1_000_000));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// The most nodes that all searches of the question may visit together; `None` for no limit.
    pub nodes: Option<u64>,
    /// Where searches report their nodes, and look every few thousand nodes whether they are cancelled.
    pub monitor: Option<Arc<Monitor>>,
}

/// What was searched forward for an answer. All zero: nothing was, everything comes out of a database.
///
/// Searches that a database makes by itself, because it does not keep the tier, are in it.
/// [`Database::searched`](crate::database::Database::searched) counts these for all questions together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Work {
    /// Positions of which a database did not know even the value.
    pub positions: u64,
    /// Positions of which a database knew the value, and the remoteness was searched.
    pub remotenesses: u64,
    /// Nodes of all searches.
    pub nodes: u64,
}

impl Work {
    /// Returns whether anything was searched.
    #[must_use]
    pub fn has_searched(&self) -> bool {
        self.positions > 0 || self.remotenesses > 0
    }
}

impl AddAssign for Work {
    fn add_assign(&mut self, other: Work) {
        self.positions += other.positions;
        self.remotenesses += other.remotenesses;
        self.nodes += other.nodes;
    }
}

impl Sub for Work {
    type Output = Work;

    /// Returns the work since an earlier time.
    fn sub(self, before: Work) -> Work {
        Work {
            positions: self.positions.saturating_sub(before.positions),
            remotenesses: self.remotenesses.saturating_sub(before.remotenesses),
            nodes: self.nodes.saturating_sub(before.nodes),
        }
    }
}

/// All that is asked about one position. Its parts share the limits, and it adds their work up.
#[derive(Clone, Debug, Default)]
pub struct Question {
    limits: Limits,
    work: Work,
    listener: Option<Listener>,
}

impl Question {
    /// Begins a question.
    #[must_use]
    pub fn new(limits: Limits) -> Question {
        Question { limits, work: Work::default(), listener: None }
    }

    /// Calls `listener` with what [`Partial`](super::Partial) finds out, as soon as it is known.
    #[must_use]
    pub fn with_listener(self, listener: impl Fn(News) + Send + Sync + 'static) -> Question {
        Question { listener: Some(Listener::new(listener)), ..self }
    }

    /// Tells whether anybody listens.
    pub(super) fn has_listener(&self) -> bool {
        self.listener.is_some()
    }

    /// Tells the listener.
    pub(super) fn tell(&self, news: News) {
        if let Some(listener) = &self.listener {
            listener.tell(news);
        }
    }

    /// Returns the limits that it began with.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Returns how many nodes may still be visited; `None` for no limit.
    pub fn nodes_left(&self) -> Option<u64> {
        self.limits.nodes.map(|nodes| nodes.saturating_sub(self.work.nodes))
    }

    /// Returns what was searched so far, answered or not.
    pub fn work(&self) -> Work {
        self.work
    }

    /// Makes the error of a question that has reached its limit: it was cancelled, or else it is out of nodes.
    #[must_use]
    pub fn limit_error(&self, board: Board) -> AnswerError {
        let nodes = self.work.nodes;
        let is_cancelled = self.limits.monitor.as_ref().is_some_and(|monitor| monitor.is_cancelled());
        match self.limits.nodes {
            Some(limit) if !is_cancelled => AnswerError::NodeLimit { board, nodes: limit },
            _ => AnswerError::Cancelled { board, nodes },
        }
    }

    /// Asks a part of the question with at most `nodes` nodes.
    pub(super) fn part<T>(&mut self, nodes: Option<u64>, ask: impl FnOnce(&mut Question) -> T) -> T {
        let mut part = Question::new(Limits { nodes, monitor: self.limits().monitor.clone() });
        let answer = ask(&mut part);
        self.add(part.work());
        answer
    }

    /// Adds work that was done for it. For answerers.
    pub fn add(&mut self, work: Work) {
        self.work += work;
    }
}
