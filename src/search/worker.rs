//! One thread of the search: its data, and the code that both kinds of rules share.

use super::Oracle;
use super::budget::Budget;
use super::grid::{Grid, State};
use super::moves::CellMerits;
use super::score::{Scale, Score};
use super::table::{Entry, NO_COLUMN, Table};
use super::word::Word;
use crate::{Board, Value};

/// From how many empty cells on a database is asked, by measurement. The remoteness of 60 random positions of 7x6 with 8
/// to 14 pieces took 3.0 CPU seconds without a database. With one of 3.7 GB, whose blocks had to be expanded for most
/// answers (50 microseconds, or some hundred nodes), it took 2.9 seconds for 28 or 30 cells, 3.4 for 24 and 5.7 for 22.
const LEAST_EMPTY_CELLS: u32 = 28;

/// One thread of the search.
pub(super) struct Worker<'a, W, const HEIGHT: u32, const COLUMNS: usize> {
    pub grid: &'a Grid<W, HEIGHT, COLUMNS>,
    pub scale: Scale,
    pub table: &'a Table,
    pub merits: &'a CellMerits,
    pub budget: Budget<'a>,
    /// Whether the search may meet two positions that are mirror images, so that keys must be folded. It can't meet
    /// them once a piece of one player is opposite a piece of the other across the middle.
    pub fold: bool,
    /// The board, and the oracle for values of its positions.
    pub oracle: Option<(Board, &'a dyn Oracle)>,
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

    /// Returns whether the value is known: win, lose or tie.
    fn has_value(&self) -> bool {
        self.lower > 0 || self.upper < 0 || self.lower == self.upper
    }

    /// Narrows the bounds to the scores of a value.
    fn narrow_to(&mut self, value: Value) {
        match value {
            Value::Win => self.lower = self.lower.max(1),
            Value::Tie => (self.lower, self.upper) = (0, 0),
            Value::Lose => self.upper = self.upper.min(-1),
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

    /// Narrows the bounds of a position with this `key` by its value, if there is an oracle that knows it. Stores the
    /// value in the table, so that the oracle is asked only once.
    #[inline(always)]
    pub fn ask_oracle(&self, state: &State<W>, key: W, known: &mut Known) {
        if let Some((board, oracle)) = self.oracle {
            self.ask(board, oracle, state, key, known);
        }
    }

    /// A function of its own and cold, because most searches have no oracle.
    #[cold]
    fn ask(&self, board: Board, oracle: &dyn Oracle, state: &State<W>, key: W, known: &mut Known) {
        if known.has_value() || self.scale.cells - state.ply < LEAST_EMPTY_CELLS {
            return;
        }
        let position = self.grid.position(board, state.mine, state.all);
        if let Some(value) = position.and_then(|position| oracle.value(&position)) {
            known.narrow_to(value);
            self.table.put(key, Entry { lower: known.lower, upper: known.upper, best: known.best });
        }
    }

    /// Returns the bounds that follow from the earliest possible end of the game: a win on `win_ply` or a loss on
    /// `loss_ply`.
    #[inline(always)]
    pub fn earliest(&self, win_ply: u32, loss_ply: u32) -> Known {
        Known { lower: -self.scale.win_on(loss_ply), upper: self.scale.win_on(win_ply), best: NO_COLUMN }
    }
}
