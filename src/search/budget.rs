//! The limit of a search: threads take nodes from a shared pool, a batch at a time.
//!
//! Between batches a thread checks whether it should stop. A batch is about a millisecond of search, so one check per
//! batch costs nothing measurable.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use web_time::Instant;

use super::{Monitor, Oracle, SearchOptions};

/// The number of nodes in a batch.
const BATCH_NODES: u64 = 8192;

/// The limits of one null-window search, which all its threads share.
pub(super) struct Limit<'a> {
    left: AtomicU64,
    is_done: AtomicBool,
    deadline: Option<Instant>,
    monitor: Option<&'a Monitor>,
    oracle: Option<&'a dyn Oracle>,
}

impl<'a> Limit<'a> {
    /// Allows `nodes` nodes for all threads together, until the deadline of `options` or until its monitor cancels.
    pub fn new(nodes: u64, options: &'a SearchOptions, oracle: Option<&'a dyn Oracle>) -> Limit<'a> {
        let SearchOptions { deadline, monitor, .. } = options;
        let (left, is_done) = (AtomicU64::new(nodes), AtomicBool::new(false));
        Limit { left, is_done, deadline: *deadline, monitor: monitor.as_deref(), oracle }
    }

    /// Returns whether the search must end without an answer.
    pub fn is_cancelled(&self) -> bool {
        self.monitor.is_some_and(Monitor::is_cancelled)
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
            || self.oracle.is_some_and(|oracle| oracle.has_failed())
    }

    /// Tells the other threads that the calling thread has found the answer.
    pub fn finish(&self) {
        self.is_done.store(true, Relaxed);
    }

    fn must_stop(&self) -> bool {
        self.is_done.load(Relaxed) || self.is_cancelled()
    }

    /// Takes a batch, or the remaining nodes if they are fewer, and returns how many nodes it has taken.
    fn take(&self) -> u64 {
        let taken = self.left.fetch_update(Relaxed, Relaxed, |left| Some(left.saturating_sub(BATCH_NODES)));
        taken.unwrap_or(0).min(BATCH_NODES)
    }
}

/// Counts the nodes of one thread.
pub(super) struct ThreadNodes<'a> {
    limit: &'a Limit<'a>,
    pub visited: u64,
    batch_end: u64,
    reported: u64,
}

impl<'a> ThreadNodes<'a> {
    pub fn new(limit: &'a Limit<'a>) -> ThreadNodes<'a> {
        ThreadNodes { limit, visited: 0, batch_end: 0, reported: 0 }
    }

    /// Counts a node. Returns `None` if the thread must stop and not visit the node.
    #[inline(always)]
    pub fn spend(&mut self) -> Option<()> {
        if self.visited == self.batch_end {
            self.next_batch()?;
        }
        self.visited += 1;
        Some(())
    }

    #[cold]
    fn next_batch(&mut self) -> Option<()> {
        self.report();
        let batch = if self.limit.must_stop() { 0 } else { self.limit.take() };
        self.batch_end += batch;
        (batch > 0).then_some(())
    }

    /// Reports to the monitor the nodes visited since the last report.
    pub fn report(&mut self) {
        if let Some(monitor) = self.limit.monitor {
            monitor.add(self.visited - self.reported);
            self.reported = self.visited;
        }
    }
}
