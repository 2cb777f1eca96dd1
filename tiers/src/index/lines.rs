//! The lines of a board as the index sees them: inside one wing and the spine, or across both wings.
//!
//! A line that lies inside a wing and the spine is tested once per *list* of colourings (it is left out of the list);
//! a line that has cells in both wings can only be tested per matrix row. The two kinds live apart here.

use fourbase::Board;

use super::split::{Part, Split};

/// A cell of a wing: column counted from the outside, row from the bottom.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct WingCell {
    /// Wing column, 0 is the outermost.
    pub column: usize,
    /// Row, 0 is the bottom.
    pub row: u32,
}

/// A line inside one wing and the spine (by mirror symmetry the same set serves both wings).
#[derive(Clone, Debug)]
pub(super) struct WingLine {
    /// Its cells in the wing; empty for a line that is all in the spine.
    pub cells: Vec<WingCell>,
    /// Its rows in the spine, one bit each.
    pub spine_rows: u64,
}

/// A line with cells in both wings (and, on odd boards, in the spine).
#[derive(Clone, Debug)]
pub(super) struct CrossLine {
    /// All its cells, as a bitboard.
    pub cells: u64,
    /// Its cells in the left wing.
    pub left: Vec<WingCell>,
    /// Its rows in the spine, one bit each.
    pub spine_rows: u64,
    /// Its cells in the right wing.
    pub right: Vec<WingCell>,
}

/// All lines of a board, by kind.
#[derive(Clone, Debug)]
pub(super) struct Lines {
    /// Lines inside a wing and the spine.
    pub wing: Vec<WingLine>,
    /// Lines across both wings.
    pub cross: Vec<CrossLine>,
}

impl Lines {
    /// Sorts the lines of `board` by kind.
    pub fn new(board: Board) -> Lines {
        let split = Split::new(board);
        let mut lines = Lines { wing: Vec::new(), cross: Vec::new() };
        for mask in fourbase::lines(board) {
            let (mut left, mut spine_rows, mut right) = (Vec::new(), 0u64, Vec::new());
            for column in 0..board.width() {
                for row in 0..board.height() {
                    if mask >> board.cell(column, row) & 1 == 0 {
                        continue;
                    }
                    let row = row as u32;
                    match split.part(column) {
                        Part::Left(column) => left.push(WingCell { column, row }),
                        Part::Spine => spine_rows |= 1 << row,
                        Part::Right(column) => right.push(WingCell { column, row }),
                    }
                }
            }
            match (left.is_empty(), right.is_empty()) {
                (false, false) => lines.cross.push(CrossLine { cells: mask, left, spine_rows, right }),
                // A line of the right wing alone is the mirror of one of the left wing, which is listed.
                (true, false) => {}
                (_, true) => lines.wing.push(WingLine { cells: left, spine_rows }),
            }
        }
        lines
    }
}
