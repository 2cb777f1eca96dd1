//! The options of a search, the monitor that watches and stops it, the oracle that it may ask, and its errors.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use thiserror::Error;
use web_time::Instant;

use crate::{OtherBoard, Position, Value};

/// The memory, threads and nodes that a [`Search`](super::Search) may use.
///
/// ```
/// use fourbase::search::SearchOptions;
///
/// let options = SearchOptions { node_limit: Some(1_000_000), ..SearchOptions::default() };
/// assert_eq!(options.threads, 1);
/// ```
#[derive(Clone, Debug)]
pub struct SearchOptions {
    /// The size limit of the transposition table in bytes, rounded down to a power of two. The smallest table
    /// takes 4 KiB, and up to 1 MiB on boards with many cells. The table starts small and grows with the search, so a
    /// large limit costs nothing in short searches. While the table grows, it briefly uses a quarter more memory.
    pub table_bytes: usize,
    /// The number of threads, at least 1. All but the first start only when a question turns out to be long.
    pub threads: usize,
    /// The node limit of one question; `None` for no limit.
    pub node_limit: Option<u64>,
    /// The search stops without an answer within about a millisecond of this time; `None` for no time limit.
    pub deadline: Option<Instant>,
    /// Receives the number of visited nodes, and can cancel the search.
    pub monitor: Option<Arc<Monitor>>,
}

impl Default for SearchOptions {
    /// Returns a table of 128 MiB, one thread, no limit, no monitor.
    fn default() -> SearchOptions {
        SearchOptions { table_bytes: 128 << 20, threads: 1, node_limit: None, deadline: None, monitor: None }
    }
}

/// Lets another thread see how many nodes a search has visited or how many positions of a batch are answered, and stop
/// the search or the batch.
///
/// A search looks at its monitor every 8,192 nodes, about once a millisecond.
///
/// ```
/// use std::sync::Arc;
/// use fourbase::search::{Monitor, SearchOptions, Search, SearchError};
/// use fourbase::{Board, Position};
///
/// let board: Board = "7x6".parse()?;
/// let monitor = Arc::new(Monitor::default());
/// let mut search = Search::new(board, SearchOptions { monitor: Some(Arc::clone(&monitor)), ..SearchOptions::default() });
/// monitor.cancel(); // usually from another thread
/// assert!(matches!(search.solve(&Position::start(board)), Err(SearchError::Cancelled { .. })));
/// # Ok::<(), fourbase::BoardError>(())
/// ```
#[derive(Debug, Default)]
pub struct Monitor {
    nodes: AtomicU64,
    answers: AtomicU64,
    cancelled: AtomicBool,
    poll: Option<fn(u64) -> bool>,
}

impl Monitor {
    /// Makes a monitor for a program with a single thread, where no other thread can watch. A search calls `poll` about
    /// every 8,192 nodes with the number of nodes visited so far. If `poll` returns true, the searches are cancelled.
    ///
    /// ```
    /// use fourbase::Position;
    /// use fourbase::search::{Monitor, SearchOptions, Search, SearchError};
    ///
    /// let monitor = Monitor::polling(|nodes| nodes > 20_000);
    /// let (board, options) = ("7x6".parse()?, SearchOptions { monitor: Some(monitor.into()), ..SearchOptions::default() });
    /// let answer = Search::new(board, options).solve(&Position::start(board));
    /// assert!(matches!(answer, Err(SearchError::Cancelled { nodes: 20_001..40_000 })));
    /// # Ok::<(), fourbase::BoardError>(())
    /// ```
    pub fn polling(poll: fn(u64) -> bool) -> Monitor {
        Monitor { poll: Some(poll), ..Monitor::default() }
    }

    /// Returns how many nodes the searches with this monitor have visited. The number may lag behind by some thousands.
    pub fn nodes(&self) -> u64 {
        self.nodes.load(Relaxed)
    }

    /// Returns how many positions have been answered in the batches with this monitor.
    pub fn answers(&self) -> u64 {
        self.answers.load(Relaxed)
    }

    /// Adds to the number of positions that have been answered in batches.
    pub fn add_answers(&self, positions: u64) {
        self.answers.fetch_add(positions, Relaxed);
    }

    /// Stops all searches with this monitor, running and later ones, until [`Monitor::resume`].
    pub fn cancel(&self) {
        self.cancelled.store(true, Relaxed);
    }

    /// Lets searches run again after [`Monitor::cancel`].
    pub fn resume(&self) {
        self.cancelled.store(false, Relaxed);
    }

    pub(super) fn add(&self, nodes: u64) {
        let before = self.nodes.fetch_add(nodes, Relaxed);
        if self.poll.is_some_and(|poll| poll(before + nodes)) {
            self.cancel();
        }
    }

    /// Returns whether searches are stopped.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Relaxed)
    }
}

/// A source of the values of positions (win, lose or tie), such as a database without remoteness.
///
/// With an oracle, a search for a remoteness need not prove these values itself. As soon as the oracle answers, the
/// search can reject a move that gives up a win or a tie, and it knows the exact score of a tie.
pub trait Oracle: Sync {
    /// Returns the value of an unfinished position for its player to move; `None` if the value is unknown. The search
    /// asks only about positions with at least 28 empty cells: it solves later positions faster than it could read a
    /// database.
    fn value(&self, position: &Position) -> Option<Value>;

    /// Returns whether the oracle can't answer any more, for example because a file can't be read. The search checks
    /// this about once a millisecond; if the oracle has failed, it ends with [`SearchError::Cancelled`].
    fn has_failed(&self) -> bool {
        false
    }
}

/// Says why a search gives no answer. The search never guesses: all its answers are proved.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum SearchError {
    /// The node limit was reached.
    #[error("not decided within {nodes} nodes; allow more nodes, or ask about a later position")]
    NodeLimit {
        /// The nodes that this question has used.
        nodes: u64,
    },
    /// [`Monitor::cancel`] was called, the deadline has passed, or the oracle of the search has failed.
    #[error("cancelled after {nodes} nodes; ask again to continue with what was found")]
    Cancelled {
        /// The nodes that this question has used.
        nodes: u64,
    },
    /// The position and the search are of different boards.
    #[error("{0}; start a search of {found}", found = .0.found)]
    OtherBoard(#[from] OtherBoard),
    /// The value that the caller gave is wrong.
    #[error("the position is not a {claimed}; search its value first")]
    OtherValue {
        /// The value that the caller gave.
        claimed: Value,
    },
}
