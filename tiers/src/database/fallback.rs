//! Positions beyond the deepest tier that is kept: searched forward.
//!
//! `--keep-plies N` solves every tier and keeps the files of those with at most N pieces. The exact search
//! ([`fourbase::search`]) finds the outcome of a later position: its value alone in a `wdl` database, which is about a quarter
//! of the work, else its remoteness too. The answer is as exact as a stored one, and its cost has no limit: see
//! `docs/results.md`.
//!
//! A search owns a table that helps the next question, so searches are kept. A table grows with what it has seen and gets
//! slower, so it is dropped after some work: for 60 positions of 6x6 at plies 11 and 12 that took
//! the searches from 26 to 19 ms, and those of all their children from 63 to 45 ms. To forget it every time was as good
//! there, and a third slower at ply 19.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use fourbase::search::{Options, Search, SearchError};
use fourbase::{Board, Outcome, Position, Value};

use super::question::{Question, Work};
use crate::kernel::Values;

/// The most that the table of one search takes. It starts with some kilobytes.
const TABLE_BYTES: usize = 64 << 20;

/// After so many nodes a search forgets what it has found, which still fits a processor's cache then.
const NODES_TO_REMEMBER: u64 = 1 << 16;

/// Searches that wait for the next question, with what they have found: of one board, or of several that share the memory.
///
/// A question takes an idle search, or makes one where all are busy, and puts it back: there are as many as threads that ask
/// at once.
pub struct SearchPool {
    most: usize,
    /// A search that has visited so many nodes is dropped.
    most_nodes: u64,
    /// Those that were used last are at the end.
    searches: Mutex<VecDeque<Search>>,
}

impl SearchPool {
    /// Keeps at most `most` searches. Each owns a table of up to [`Options::table_bytes`].
    #[must_use]
    pub fn new(most: usize) -> SearchPool {
        SearchPool { most, most_nodes: u64::MAX, searches: Mutex::default() }
    }

    /// Asks the search of a board that was used last, or a new one, with what is left of the limits of a question. Adds
    /// `work` and the visited nodes to the question.
    pub(crate) fn ask<T>(
        &self,
        board: Board,
        options: &Options,
        question: &mut Question,
        work: Work,
        ask: impl FnOnce(&mut Search) -> Result<T, SearchError>,
    ) -> Result<T, SearchError> {
        let mut search = self.take(board).unwrap_or_else(|| Search::new(board, options.clone()));
        let before = search.nodes();
        search.set_node_limit(question.nodes_left());
        search.set_monitor(question.limits().monitor.clone());
        let answer = ask(&mut search);
        search.set_monitor(None);
        question.add(Work { nodes: search.nodes() - before, ..work });
        self.put(search);
        answer
    }

    pub(crate) fn take(&self, board: Board) -> Option<Search> {
        let mut searches = self.searches();
        let at = searches.iter().rposition(|search| search.board() == board)?;
        searches.remove(at)
    }

    /// Keeps a search, and drops the one that was used the longest ago if there are too many.
    pub(crate) fn put(&self, search: Search) {
        if search.nodes() < self.most_nodes {
            let mut searches = self.searches();
            searches.push_back(search);
            let dropped = if searches.len() > self.most { searches.pop_front() } else { None };
            // Its table is freed when others can take searches again.
            drop(searches);
            drop(dropped);
        }
    }

    fn searches(&self) -> MutexGuard<'_, VecDeque<Search>> {
        self.searches.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Bounds of a position's outcome that narrow its search. An answer that is a bound itself may be beyond it.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Bounds {
    /// It is worth at least this, or nothing less counts.
    pub at_least: Option<Outcome>,
    /// It is worth at most this.
    pub at_most: Option<Outcome>,
}

impl Bounds {
    /// Returns the bounds at the ply `later` of play from `ply`, whose player to move gets at least `outcome`, or where nothing
    /// less counts. The player to move of the later position may be the other one, who then gets at most as much.
    pub fn at_ply(ply: u32, later: u32, outcome: Outcome) -> Bounds {
        let plies = later - ply;
        let remoteness = match outcome.remoteness.map(|remoteness| remoteness.checked_sub(plies)) {
            // A loss before that is no bound.
            Some(None) => return Bounds::default(),
            remoteness => remoteness.flatten(),
        };
        if plies.is_multiple_of(2) {
            Bounds { at_least: Some(Outcome { remoteness, ..outcome }), at_most: None }
        } else {
            Bounds { at_least: None, at_most: Some(Outcome { value: outcome.value.flip(), remoteness }) }
        }
    }
}

/// The searches of a database.
pub(super) struct SearchFallback {
    board: Board,
    values: Values,
    pool: SearchPool,
    /// Positions that were searched.
    pub searched: AtomicU64,
}

impl SearchFallback {
    /// Makes no search yet.
    pub fn new(board: Board, values: Values) -> SearchFallback {
        let pool = SearchPool { most_nodes: NODES_TO_REMEMBER, ..SearchPool::new(usize::MAX) };
        SearchFallback { board, values, pool, searched: AtomicU64::new(0) }
    }

    /// Searches a position to the end of the game, within the limits of a question. The bounds are trusted.
    pub fn outcome(
        &self,
        position: &Position,
        bounds: Bounds,
        question: &mut Question,
    ) -> Result<Outcome, SearchError> {
        if question.nodes_left() == Some(0) {
            return Err(SearchError::NodeLimit { nodes: question.work().nodes });
        }
        // No end is later, so only the value is searched.
        let at_the_end = |value| Outcome { value, remoteness: Some((self.board.cells() - position.ply()) as u32) };
        let options = Options { table_bytes: TABLE_BYTES, ..Options::default() };
        let work = Work { positions: 1, ..Work::default() };
        self.searched.fetch_add(1, Ordering::Relaxed);
        self.pool.ask(self.board, &options, question, work, |search| match self.values {
            Values::Wdl => {
                let worst = bounds.at_least.filter(|worst| worst.value != Value::Lose);
                let best = bounds.at_most.filter(|best| best.value != Value::Win);
                let worst = worst.unwrap_or(at_the_end(Value::Lose));
                let best = best.unwrap_or(at_the_end(Value::Win));
                let outcome = search.solve_between(position, Some(worst), Some(best));
                outcome.map(|outcome| Outcome { remoteness: None, ..outcome })
            }
            Values::Remoteness => search.solve_between(position, bounds.at_least, bounds.at_most),
        })
    }
}
