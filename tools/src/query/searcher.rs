//! Answers by looking forward, with no database or over one.

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::thread;

use anyhow::{Error, anyhow};
use fourbase::search::{Monitor, Options, SearchError};
use fourbase::{Board, Outcome, Position, Value};
use fourbase_tiers::database::{Database, RemotenessSearch};
use fourbase_tiers::error::RemotenessError;

use super::answerer::Answerer;
use crate::memory;
use crate::progress::Spinner;

/// How many positions of a batch are searched before their answers are written: few, as any may take seconds.
const AT_ONCE: usize = 16;

/// The most that the table of a search takes, however much memory is free.
const MOST_TABLE_BYTES: u64 = 1 << 30;

/// Returns how large the table may become: it starts small, and few questions need much of it.
fn table_bytes() -> usize {
    let half = memory::default_limit().map_or(Options::default().table_bytes as u64, |bytes| bytes / 2);
    usize::try_from(half.min(MOST_TABLE_BYTES)).unwrap_or(usize::MAX)
}

/// A search of one board, with a limit of nodes for all that is asked about one position.
pub struct Searcher {
    search: RefCell<RemotenessSearch>,
    monitor: Arc<Monitor>,
    limit: u64,
    /// How many nodes the search had visited when the question began.
    begun_at: Cell<u64>,
    /// Why there is a search.
    note: Option<String>,
    /// What the user may do but allow more nodes, if a search ends without an answer.
    way_out: String,
}

impl Searcher {
    /// Starts a search that visits at most `limit` nodes for one position.
    pub fn new(board: Board, limit: u64, threads: Option<u16>) -> Searcher {
        let monitor = Arc::new(Monitor::default());
        let threads = threads.map_or_else(|| thread::available_parallelism().map_or(1, usize::from), usize::from);
        let options =
            Options { table_bytes: table_bytes(), threads, monitor: Some(Arc::clone(&monitor)), ..Options::default() };
        Searcher {
            search: RefCell::new(RemotenessSearch::new(board, options)),
            monitor,
            limit,
            begun_at: Cell::new(0),
            note: None,
            way_out: "ask about a later position".to_owned(),
        }
    }

    /// Says why there is a search, with the answers.
    pub fn with_note(mut self, note: String) -> Searcher {
        self.note = Some(note);
        self
    }

    /// Says what the user may do instead, where there is no answer.
    pub fn with_way_out(mut self, way_out: String) -> Searcher {
        self.way_out = way_out;
        self
    }

    /// Returns the remoteness of a position whose value a database knows: over the database if that is complete, as the
    /// search has to ask it about other positions.
    ///
    /// # Errors
    ///
    /// The limit was reached, or the database cannot be read.
    pub fn remoteness(&self, database: &Database, position: &Position, value: Value) -> anyhow::Result<u32> {
        if database.is_complete() {
            self.ask(|search| search.remoteness(database, position, value))
        } else {
            self.ask(|search| Ok(search.search().remoteness(position, value)?))
        }
    }

    /// Asks the search with what is left of the limit.
    fn ask<T>(&self, question: impl FnOnce(&mut RemotenessSearch) -> Result<T, RemotenessError>) -> anyhow::Result<T> {
        let mut search = self.search.borrow_mut();
        let used = search.nodes() - self.begun_at.get();
        let rest = Some(self.limit.saturating_sub(used));
        search.set_node_limit(rest);
        search.search().set_node_limit(rest);
        let spinner = Spinner::begin(&self.monitor);
        let answer = question(&mut search);
        drop(spinner);
        answer.map_err(|error| self.explain(error))
    }

    fn explain(&self, error: RemotenessError) -> Error {
        let Searcher { limit, way_out, .. } = self;
        match error {
            RemotenessError::Search(SearchError::NodeLimit { .. }) => {
                anyhow!("not decided within {limit} nodes; allow more with --nodes, or {way_out}")
            }
            error => error.into(),
        }
    }
}

impl Answerer for Searcher {
    fn begin(&self) {
        self.begun_at.set(self.search.borrow().nodes());
    }

    fn outcome(&self, position: &Position) -> anyhow::Result<Outcome> {
        self.ask(|search| Ok(search.search().solve(position)?))
    }

    fn note(&self) -> Option<String> {
        self.note.clone()
    }

    fn at_once(&self) -> usize {
        AT_ONCE
    }
}
