//! The moves of a position: the list, and the order in which they are tried.
//!
//! The sooner the best move is tried, the less is searched. In normal play a move's merit is the number of *spots* that
//! the mover has after the move: empty cells, playable or not, that complete a line of the mover. Of two equal moves,
//! the one nearer to the centre comes first. The best move of an earlier search of the position comes before all
//! others. In 86 % of the positions where some move decides the question, the first move tried does so (measured on
//! Test_L2_R2, a set of positions that `tests/data/README.md` describes).

use super::grid::{Grid, State};
use super::table::{Entry, Table};
use super::word::Word;

/// The position that a move leads to.
#[derive(Clone, Copy)]
pub(super) struct Child<W> {
    /// The column of the move.
    pub column: u32,
    /// The priority of the move: the search tries moves of higher merit first. At most [`BEST_MERIT`].
    pub merit: u32,
    /// The position after the move and the forced replies that follow it, if any.
    pub state: State<W>,
    /// The key of that position.
    pub key: W,
}

/// The merit of the best move of an earlier search, higher than that of any other move.
pub(super) const BEST_MERIT: u32 = u32::MAX >> PLACE_BITS;

/// The moves of a position; at most `COLUMNS`.
pub(super) struct Moves<W, const COLUMNS: usize> {
    children: [Child<W>; COLUMNS],
    count: usize,
    /// The ranked moves, most promising first. The high bits hold a move's merit. The low bits hold a number that is
    /// larger for children with a lower index, so that the earlier of two equal moves comes first.
    order: [u32; COLUMNS],
    ranked: usize,
}

/// The number of bits for the index of a child; there are at most 32 children.
const PLACE_BITS: u32 = 5;
const LAST_PLACE: u32 = (1 << PLACE_BITS) - 1;

impl<W: Word, const COLUMNS: usize> Moves<W, COLUMNS> {
    /// Returns an empty list.
    #[inline(always)]
    pub fn new() -> Self {
        let state = State { mine: W::ZERO, all: W::ZERO, my_spots: W::ZERO, their_spots: W::ZERO, ply: 0 };
        let nothing = Child { column: 0, merit: 0, state, key: W::ZERO };
        Moves { children: [nothing; COLUMNS], count: 0, order: [0; COLUMNS], ranked: 0 }
    }

    /// Adds a move. The search tries it only if [`Moves::rank`] ranks it.
    #[inline(always)]
    pub fn push(&mut self, child: Child<W>) {
        if let Some(place) = self.children.get_mut(self.count) {
            *place = child;
            self.count += 1;
        }
    }

    /// Lists the moves in the order in which they were added.
    #[inline(always)]
    pub fn children(&self) -> &[Child<W>] {
        self.children.get(..self.count).unwrap_or_default()
    }

    /// Returns the table's entry for each child. All look-ups come before any result is used, so the processor waits
    /// for memory once instead of once per child. This halves the search time if the table is larger than the cache.
    #[inline(always)]
    pub fn known(&self, table: &Table) -> [Option<Entry>; COLUMNS] {
        let mut entries = [None; COLUMNS];
        for (entry, child) in entries.iter_mut().zip(self.children()) {
            *entry = table.get(child.key);
        }
        entries
    }

    /// Inserts the move with the index `place` in [`Moves::children`] into the ranked moves, which are sorted by merit.
    /// Insertion sort is enough for a few moves.
    #[inline(always)]
    pub fn rank(&mut self, place: usize) {
        let entry = self.children[place].merit << PLACE_BITS | (LAST_PLACE - place as u32);
        let mut rank = self.ranked.min(COLUMNS - 1);
        while rank > 0 && self.order[rank - 1] < entry {
            self.order[rank] = self.order[rank - 1];
            rank -= 1;
        }
        self.order[rank] = entry;
        self.ranked += 1;
    }

    /// Lists the moves that were ranked, most promising first.
    #[inline(always)]
    pub fn ranked(&self) -> impl Iterator<Item = &Child<W>> + '_ {
        let place = |entry: &u32| (LAST_PLACE - (entry & LAST_PLACE)) as usize;
        self.order.iter().take(self.ranked).filter_map(move |entry| self.children.get(place(entry)))
    }
}

/// The merit of each cell. The index is the number of the cell's bit in the grid.
pub(super) type CellMerits = [u8; 128];

/// Each spot that the mover has after a move adds this to the move's merit. It is more than the merit of any cell, so
/// the number of spots decides first.
pub(super) const SPOT_MERIT: u32 = 256;

/// Returns a merit for each cell of `grid`, higher for columns nearer to the centre. Most threads other than 0 add some
/// noise, so that the threads do not all search the same positions in the same order.
pub(super) fn cell_merits<W: Word, const HEIGHT: u32, const COLUMNS: usize>(
    grid: &Grid<W, HEIGHT, COLUMNS>,
    thread: usize,
) -> CellMerits {
    std::array::from_fn(|cell| {
        let column = cell as u32 / grid.stride();
        let from_edge = column.min((grid.width - 1).saturating_sub(column));
        let noise = (cell * 37 + 11) * (thread % 7) % 7;
        4 * from_edge as u8 + noise as u8
    })
}

#[cfg(test)]
mod tests {
    use super::{BEST_MERIT, Child, Moves};
    use crate::search::grid::State;

    #[test]
    fn moves_come_by_merit_and_equal_ones_as_they_came() {
        let state = State { mine: 0_u64, all: 0, my_spots: 0, their_spots: 0, ply: 0 };
        let mut moves = Moves::<u64, 8>::new();
        for (column, merit) in [7, 300, 7, BEST_MERIT, 0, 300].into_iter().enumerate() {
            moves.push(Child { column: column as u32, merit, state, key: 0 });
        }
        for place in [0, 1, 2, 3, 5] {
            moves.rank(place);
        }
        assert_eq!(moves.ranked().map(|child| child.column).collect::<Vec<_>>(), [3, 1, 5, 0, 2]);
        assert_eq!(moves.children().len(), 6);
    }
}
