//! A question: all that is asked about one position, with its limits and the work that it took.

use std::ops::{AddAssign, Sub};
use std::sync::Arc;

use fourbase::Outcome;
use fourbase::search::Monitor;

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
/// [`Database::searched`](super::Database::searched) counts these for all questions together.
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

/// A legal move, and what it is worth if that is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KnownMove {
    /// Column, from 0.
    pub column: usize,
    /// What the move is worth to the player who makes it; the remoteness counts from the position before it.
    pub outcome: Option<Outcome>,
}

/// Something that was just found out about the position of a question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum News {
    /// What it is worth, or its value alone for the time being.
    Outcome(Outcome),
    /// What one of its moves is worth.
    Move(KnownMove),
}

/// All that is asked about one position. Its parts share the limits, and it adds their work up.
#[derive(Default)]
pub struct Question {
    limits: Limits,
    work: Work,
    listener: Option<Box<dyn Fn(News) + Send + Sync>>,
    /// Positions that were looked up in files.
    pub(crate) lookups: u64,
}

impl Question {
    /// Begins a question.
    #[must_use]
    pub fn new(limits: Limits) -> Question {
        Question { limits, ..Question::default() }
    }

    /// Calls `listener` with what [`Analysis`](crate::answer::Analysis) finds out, as soon as it is known.
    #[must_use]
    pub fn with_listener(self, listener: impl Fn(News) + Send + Sync + 'static) -> Question {
        Question { listener: Some(Box::new(listener)), ..self }
    }

    /// Tells whether there is a listener.
    pub(crate) fn has_listener(&self) -> bool {
        self.listener.is_some()
    }

    /// Calls the listener.
    pub(crate) fn report(&self, news: News) {
        if let Some(listener) = &self.listener {
            listener(news);
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

    /// Asks a part of the question with at most `nodes` nodes.
    pub(crate) fn part<T>(&mut self, nodes: Option<u64>, ask: impl FnOnce(&mut Question) -> T) -> T {
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
