//! Positions beyond the deepest tier that is kept: searched forward.
//!
//! `--keep-plies N` solves every tier and keeps the files of those with at most N pieces. What a later position is worth
//! the exact search finds ([`fourbase::search`]): its value alone in a `wdl` database, which is about a quarter of the
//! work, else its remoteness too. The answer is as exact as a stored one, and there is no limit to what it may cost:
//! `docs/results.md` says what it does cost.
//!
//! A search owns a table that helps the next question, so searches are kept. A probe takes an idle one, or makes one
//! where all are busy, and puts it back: there are as many as threads that probe at once. A table grows with what
//! it has seen and gets slower, so it is forgotten after some work: for 60 positions of 6x6 at plies 11 and 12 that took
//! the searches from 26 to 19 ms, and those of all their children from 63 to 45 ms. To forget it every time was as good
//! there, and a third slower at ply 19.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fourbase::search::{Monitor, Options, Search, SearchError};
use fourbase::{Board, Outcome, Position, Value};

use crate::kernel::Values;

/// The most that the table of one search takes. It starts with some kilobytes.
const TABLE_BYTES: usize = 64 << 20;

/// After how many nodes a search forgets what it has found: what it knows then still fits a processor's cache.
const NODES_TO_REMEMBER: u64 = 1 << 16;

/// After how many nodes of one question a search is dropped with its table, which has grown large and would be forgotten
/// by the next question. To make another one costs little beside so many nodes.
const NODES_TO_KEEP: u64 = 1 << 18;

/// What goes along with the probes of a thread: who may stop the searches beyond the plies that are kept, and what was done.
#[derive(Clone, Default, Debug)]
pub(crate) struct Effort {
    /// Where searches report their nodes, and look whether they are cancelled.
    pub monitor: Option<Arc<Monitor>>,
    /// Positions that were searched.
    pub positions: u64,
    /// Nodes of all searches.
    pub nodes: u64,
    /// The most that [`Effort::nodes`] may become; `None` for no limit.
    pub most_nodes: Option<u64>,
    /// Positions that were looked up in the files.
    pub lookups: u64,
}

/// What is known of a position before it is searched. An answer that is a bound itself may be beyond it.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Known {
    /// It is worth at least this, or nothing less counts.
    pub at_least: Option<Outcome>,
    /// It is worth at most this.
    pub at_most: Option<Outcome>,
}

impl Known {
    /// Returns what is known at the ply `later`, where play has led from `ply`: its player to move gets at least `outcome`, or
    /// nothing less counts. That of the later position may be the other player, who then gets at most as much.
    pub fn seen_at(ply: u32, later: u32, outcome: Outcome) -> Known {
        let plies = later - ply;
        let remoteness = match outcome.remoteness.map(|remoteness| remoteness.checked_sub(plies)) {
            // A loss before that is no bound.
            Some(None) => return Known::default(),
            remoteness => remoteness.flatten(),
        };
        if plies.is_multiple_of(2) {
            Known { at_least: Some(Outcome { remoteness, ..outcome }), at_most: None }
        } else {
            Known { at_least: None, at_most: Some(Outcome { value: outcome.value.flip(), remoteness }) }
        }
    }
}

/// The searches of a database.
pub(super) struct Beyond {
    board: Board,
    values: Values,
    idle: Mutex<Vec<Remembering>>,
    searched: AtomicU64,
}

/// A search, and how many nodes it had visited when it last forgot.
struct Remembering {
    search: Search,
    since: u64,
}

impl Beyond {
    /// Makes no search yet.
    pub fn new(board: Board, values: Values) -> Beyond {
        Beyond { board, values, idle: Mutex::default(), searched: AtomicU64::new(0) }
    }

    /// Searches a position to the end of the game, unless the monitor of `effort` is cancelled or its nodes are used up. What is
    /// known of the position is trusted.
    pub fn outcome(&self, position: &Position, known: Known, effort: &mut Effort) -> Result<Outcome, SearchError> {
        let nodes_left = effort.most_nodes.map(|most| most.saturating_sub(effort.nodes));
        if nodes_left == Some(0) {
            return Err(SearchError::NodeLimit { nodes: effort.nodes });
        }
        let idle = self.idle().pop();
        let options = Options { table_bytes: TABLE_BYTES, ..Options::default() };
        let new = || Remembering { search: Search::new(self.board, options), since: 0 };
        let Remembering { mut search, mut since } = idle.unwrap_or_else(new);
        if search.nodes() - since > NODES_TO_REMEMBER {
            search.clear();
            since = search.nodes();
        }
        let before = search.nodes();
        search.set_monitor(effort.monitor.clone());
        search.set_node_limit(nodes_left);
        // No end is later, so that only the value is asked for.
        let at_the_end = |value| Outcome { value, remoteness: Some((self.board.cells() - position.ply()) as u32) };
        let outcome = match self.values {
            Values::Wdl => {
                let worst = known.at_least.filter(|worst| worst.value != Value::Lose);
                let best = known.at_most.filter(|best| best.value != Value::Win);
                let worst = worst.unwrap_or(at_the_end(Value::Lose));
                let best = best.unwrap_or(at_the_end(Value::Win));
                let outcome = search.solve_between(position, Some(worst), Some(best));
                outcome.map(|outcome| Outcome { remoteness: None, ..outcome })
            }
            Values::Remoteness => search.solve_between(position, known.at_least, known.at_most),
        };
        search.set_monitor(None);
        let nodes = search.nodes() - before;
        effort.positions += 1;
        effort.nodes += nodes;
        self.searched.fetch_add(1, Ordering::Relaxed);
        if nodes <= NODES_TO_KEEP {
            self.idle().push(Remembering { search, since });
        }
        outcome
    }

    /// Returns how many positions were searched.
    pub fn searched(&self) -> u64 {
        self.searched.load(Ordering::Relaxed)
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Remembering>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
