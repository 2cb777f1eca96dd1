//! Positions beyond the deepest tier that is kept: searched forward.
//!
//! `--keep-plies N` solves every tier and keeps the files of those with at most N pieces. What a later position is worth
//! the exact search finds ([`fourbase::search`]): its value alone in a `wdl` database, which is about a quarter of the
//! work, else its remoteness too. The answer is as exact as a stored one, and there is no limit to what it may cost:
//! `docs/results.md` says what it does cost.
//!
//! A search owns a table that grows with its work and helps the next question, so searches are kept. A probe takes
//! an idle one, or makes one where all are busy, and puts it back: there are as many as threads that probe at once.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use fourbase::search::{Options, Search, SearchError};
use fourbase::{Board, Outcome, Position};

use crate::kernel::Values;

/// The most that the table of one search takes. It starts with some kilobytes.
const TABLE_BYTES: usize = 64 << 20;

/// The searches of a database.
pub(super) struct Beyond {
    board: Board,
    values: Values,
    idle: Mutex<Vec<Search>>,
    searched: AtomicU64,
}

impl Beyond {
    /// Makes no search yet.
    pub fn new(board: Board, values: Values) -> Beyond {
        Beyond { board, values, idle: Mutex::default(), searched: AtomicU64::new(0) }
    }

    /// Searches a position to the end of the game.
    pub fn outcome(&self, position: &Position) -> Result<Outcome, SearchError> {
        let idle = self.idle().pop();
        let options = Options { table_bytes: TABLE_BYTES, ..Options::default() };
        let mut search = idle.unwrap_or_else(|| Search::new(self.board, options));
        let outcome = match self.values {
            Values::Wdl => search.value(position).map(|value| Outcome { value, remoteness: None }),
            Values::Remoteness => search.solve(position),
        };
        self.searched.fetch_add(1, Ordering::Relaxed);
        self.idle().push(search);
        outcome
    }

    /// Returns how many positions were searched.
    pub fn searched(&self) -> u64 {
        self.searched.load(Ordering::Relaxed)
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Search>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
