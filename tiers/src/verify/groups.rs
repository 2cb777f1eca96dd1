//! Groups of cells that tell what is quiet: a line, or all of a line but the cell where a column's next piece lands.
//!
//! All positions of a shape have the same heights, so the same groups. A player who has all cells of a line has finished the
//! game. One who has all of a line but one cell, on which the next piece of a column lands, completes it there. No other group
//! tells anything: a line with two empty cells takes two pieces, and on a cell above an empty one no piece lands.
//!
//! [`super::sight`] says the same of one position, column by column, and [`super::walk`] is compared with it.

use fourbase::Board;

/// The marks of a complete line: those of all columns, so that no position with one is quiet.
const LINE: u32 = u32::MAX;

/// Cells of which it matters that one player has all of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    pub cells: u64,
    /// The column in which the player who has them completes a line, as a bit; all bits for cells that are a line.
    pub marks: u32,
    /// Whether it matters also where it is the other player, who is not to move, that has them.
    pub of_both: bool,
}

/// What makes a position of one shape quiet.
#[derive(Debug)]
pub(super) struct Groups {
    all: Vec<Group>,
    /// Columns that are not full, a bit each.
    open: u32,
    is_misere: bool,
}

impl Groups {
    /// Lists the groups of the positions whose pieces lie in the cells `occupied`, of which none hangs in the air.
    pub fn new(board: Board, occupied: u64) -> Groups {
        let landing = |column: usize| {
            let free = board.column_cells(column) & !occupied;
            (free != 0).then_some((free & free.wrapping_neg(), 1 << column))
        };
        let landings: Vec<(u64, u32)> = (0..board.width()).filter_map(landing).collect();
        let group = |line: u64| {
            let missing = line & !occupied;
            if missing == 0 {
                return Some(Group { cells: line, marks: LINE, of_both: true });
            }
            let (_, marks) = landings.iter().find(|(cell, _)| *cell == missing)?;
            // Who completes a line under misère loses, so the other player's lines force nothing.
            Some(Group { cells: line & !missing, marks: *marks, of_both: !board.is_misere() })
        };
        // Room at once: growing took a tenth of the time of a sampled verification.
        let mut all = Vec::with_capacity(64);
        all.extend(fourbase::lines(board).filter_map(group));
        Groups { all, open: landings.iter().map(|(_, column)| column).sum(), is_misere: board.is_misere() }
    }

    /// Lists the groups.
    pub fn iter(&self) -> impl Iterator<Item = &Group> {
        self.all.iter()
    }

    /// Tells whether a position is quiet in which the groups that one player has whole have these marks.
    pub fn is_quiet(&self, marks: u32) -> bool {
        if self.is_misere { (self.open & !marks).count_ones() >= 2 } else { marks == 0 && self.open.count_ones() >= 2 }
    }
}
