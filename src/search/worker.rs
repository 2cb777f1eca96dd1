//! One thread of the search: its data, and the code that normal play and misère share.

use super::Oracle;
use super::budget::ThreadNodes;
use super::grid::{Grid, State};
use super::moves::CellMerits;
use super::score::{Scale, Score};
use super::table::{Entry, NO_COLUMN, Table};
use super::word::Word;
use crate::{Board, Outcome};

/// The search asks an oracle only about positions with at least this many empty cells; later positions are searched
/// faster than a database is read.
///
/// This was measured on the remotenesses of 60 random positions of 7x6 with 8 to 14 pieces. Without an oracle they took
/// 3.0 CPU seconds. The oracle was a database of 3.7 GB. Most of its answers decompressed a block, which takes 50
/// microseconds, the time of some hundred nodes. With this oracle, the positions took 2.9 seconds at a limit of 28 or
/// 30 empty cells, 3.4 at 24 and 5.7 at 22.
const LEAST_EMPTY_CELLS: u32 = 28;

/// One thread of the search.
pub(super) struct Worker<'a, W, const HEIGHT: u32, const COLUMNS: usize> {
    pub grid: &'a Grid<W, HEIGHT, COLUMNS>,
    pub scale: Scale,
    pub table: &'a Table,
    pub merits: &'a CellMerits,
    pub nodes: ThreadNodes<'a>,
    /// Whether a position and its mirror image get the same key. This is useful only if the search can meet both
    /// positions. It can't once a piece of one player is opposite a piece of the other player across the middle.
    pub fold: bool,
    /// The board, and the oracle for values of its positions.
    pub oracle: Option<(Board, &'a dyn Oracle)>,
}

impl<W: Word, const HEIGHT: u32, const COLUMNS: usize> Worker<'_, W, HEIGHT, COLUMNS> {
    /// Returns the key of a position. Mirror images have the same key if keys are folded.
    #[inline(always)]
    pub fn key(&self, state: &State<W>) -> W {
        let key = state.key();
        if self.fold { key.min(self.grid.mirror(key)) } else { key }
    }

    /// Stores the result of a search in the table, together with the bounds that were `known` before. The `score` is a
    /// lower bound if it is at least `beta`, else an upper bound.
    #[inline(always)]
    pub fn remember(&self, key: W, known: &Entry, beta: Score, score: Score, best: u32) {
        let entry = if score >= beta {
            Entry { lower: score.max(known.lower), best, ..*known }
        } else {
            Entry { upper: score.min(known.upper), ..*known }
        };
        self.table.put(key, entry);
    }

    /// Asks the oracle for the value of a position, and stores the answer in `known` and in the table. Does nothing if
    /// `known` has the value already or too few cells are empty. Marked as cold, because most searches have no oracle.
    #[cold]
    fn ask(&self, board: Board, oracle: &dyn Oracle, state: &State<W>, key: W, known: &mut Entry) {
        if known.has_value() || self.scale.cells - state.ply < LEAST_EMPTY_CELLS {
            return;
        }
        let position = self.grid.position(board, state.mine, state.all);
        if let Some(value) = position.and_then(|position| oracle.value(&position)) {
            let (lower, upper) = self.scale.scores(Outcome { value, remoteness: None }, state.ply);
            known.narrow(Entry { lower, upper, ..*known });
            self.table.put(key, *known);
        }
    }

    /// Returns what is known about a position with this `key` before its moves are tried. The bounds come from the
    /// earliest possible end of the game (a win on `win_ply` or a loss on `loss_ply`) and from the table. If they do
    /// not decide whether the score is at least `beta`, the oracle is asked; its answer also goes into the table.
    #[inline(always)]
    pub fn known(&self, state: &State<W>, key: W, (win_ply, loss_ply): (u32, u32), beta: Score) -> Entry {
        let (lower, upper) = (-self.scale.win_on(loss_ply), self.scale.win_on(win_ply));
        let mut known = Entry { lower, upper, best: NO_COLUMN };
        if let Some(entry) = self.table.get(key) {
            known.narrow(entry);
        }
        if let (None, Some((board, oracle))) = (known.decides(beta), self.oracle) {
            self.ask(board, oracle, state, key, &mut known);
        }
        known
    }
}
