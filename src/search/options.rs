//! What a search may use, and how to watch and stop it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Instant;

/// The memory, threads and nodes that a [`Search`](super::Search) may use.
///
/// ```
/// use fourbase::search::Options;
///
/// let options = Options { node_limit: Some(1_000_000), ..Options::default() };
/// assert_eq!(options.threads, 1);
/// ```
#[derive(Clone, Debug)]
pub struct Options {
    /// The size limit of the transposition table, in bytes; rounded down to a power of two, and at least 4 KiB, or up
    /// to 1 MiB on boards with many cells. The table starts small and grows with the search, so a large limit costs
    /// easy questions nothing. While it grows, it briefly uses a quarter more.
    pub table_bytes: usize,
    /// The number of threads, at least 1. The others start only when a question turns out to be long.
    pub threads: usize,
    /// The node limit of one question; `None` for no limit.
    pub node_limit: Option<u64>,
    /// When the search ends without an answer, to about a millisecond; `None` for no limit of time.
    pub deadline: Option<Instant>,
    /// Receives the number of visited nodes, and can cancel the search.
    pub monitor: Option<Arc<Monitor>>,
}

impl Default for Options {
    /// Returns a table of 128 MiB, one thread, no limit, no monitor.
    fn default() -> Options {
        Options { table_bytes: 128 << 20, threads: 1, node_limit: None, deadline: None, monitor: None }
    }
}

/// Lets another thread see how many nodes a search has visited, and stop it.
///
/// The search checks it every 8,192 nodes, about a millisecond apart.
///
/// ```
/// use std::sync::Arc;
/// use fourbase::search::{Monitor, Options, Search, SearchError};
/// use fourbase::{Board, Position};
///
/// let board: Board = "7x6".parse()?;
/// let monitor = Arc::new(Monitor::default());
/// let mut search = Search::new(board, Options { monitor: Some(Arc::clone(&monitor)), ..Options::default() });
/// monitor.cancel(); // usually from another thread
/// assert!(matches!(search.solve(&Position::start(board)), Err(SearchError::Cancelled { .. })));
/// # Ok::<(), fourbase::BoardError>(())
/// ```
#[derive(Debug, Default)]
pub struct Monitor {
    nodes: AtomicU64,
    cancelled: AtomicBool,
}

impl Monitor {
    /// Returns the nodes visited by the searches with this monitor; the number may be some thousands behind.
    #[must_use]
    pub fn nodes(&self) -> u64 {
        self.nodes.load(Relaxed)
    }

    /// Stops all searches with this monitor, running and later ones, until [`Monitor::resume`].
    pub fn cancel(&self) {
        self.cancelled.store(true, Relaxed);
    }

    /// Lets searches run again.
    pub fn resume(&self) {
        self.cancelled.store(false, Relaxed);
    }

    pub(super) fn add(&self, nodes: u64) {
        self.nodes.fetch_add(nodes, Relaxed);
    }

    /// Returns whether searches are stopped.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Relaxed)
    }
}
