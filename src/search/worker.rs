//! One thread of the search: its data, and the code that both kinds of rules share.

use super::budget::Budget;
use super::grid::Grid;
use super::moves::CellMerits;
use super::score::{Scale, Score};
use super::state::State;
use super::table::{Entry, NO_COLUMN, Table};
use super::word::Word;

/// One thread of the search.
pub(super) struct Worker<'a, W, const HEIGHT: u32, const COLUMNS: usize> {
    pub grid: &'a Grid<W, HEIGHT, COLUMNS>,
    pub scale: Scale,
    pub table: &'a Table,
    pub merits: &'a CellMerits,
    pub budget: Budget<'a>,
    /// Whether the search may meet two positions that are mirror images, so that keys must be folded. It cannot once a
    /// piece of one player is opposite a piece of the other across the middle.
    pub fold: bool,
}

/// The bounds of a score that are known before the moves are tried.
pub(super) struct Known {
    /// It is at least this.
    pub lower: Score,
    /// It is at most this.
    pub upper: Score,
    /// The column that was best in an earlier search.
    pub best: u32,
}

impl Known {
    /// Returns a bound that decides the question whether the score is at least `beta`.
    #[inline(always)]
    pub fn decides(&self, beta: Score) -> Option<Score> {
        if self.upper < beta {
            Some(self.upper)
        } else if self.lower >= beta {
            Some(self.lower)
        } else {
            None
        }
    }

    /// Narrows the bounds by those of an entry.
    #[inline(always)]
    pub fn narrow(&mut self, entry: Entry) {
        self.lower = self.lower.max(entry.lower);
        self.upper = self.upper.min(entry.upper);
        self.best = entry.best;
    }
}

impl<W: Word, const HEIGHT: u32, const COLUMNS: usize> Worker<'_, W, HEIGHT, COLUMNS> {
    /// Returns the key of a position. Mirror images have the same key if that matters.
    #[inline(always)]
    pub fn key(&self, state: &State<W>) -> W {
        let key = state.key();
        if self.fold { key.min(self.grid.mirror(key)) } else { key }
    }

    /// Stores the result of a search: a `score` that is a lower bound if it is at least `beta`, else an upper bound.
    #[inline(always)]
    pub fn remember(&self, key: W, known: &Known, beta: Score, score: Score, best: u32) {
        let entry = if score >= beta {
            Entry { lower: score.max(known.lower), upper: known.upper, best }
        } else {
            Entry { lower: known.lower, upper: score.min(known.upper), best: known.best }
        };
        self.table.put(key, entry);
    }

    /// Returns the bounds that follow from the earliest possible end of the game: a win on `win_ply` or a loss on
    /// `loss_ply`.
    #[inline(always)]
    pub fn earliest(&self, win_ply: u32, loss_ply: u32) -> Known {
        Known { lower: -self.scale.win_on(loss_ply), upper: self.scale.win_on(win_ply), best: NO_COLUMN }
    }
}
