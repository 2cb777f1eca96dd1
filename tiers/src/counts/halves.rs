//! The positions of a matrix by halves.
//!
//! The bitboard of the first player is the OR of what its row, its column and its spine have, so a position costs a few
//! operations and no look at its cells. The cells of both players are the same in all of a shape.

use std::ops::Range;

use crate::index::{Index, Matrix, Split, WingShape, images, low_bits};

/// What rows, columns and the spine of a matrix have on the board, as it is or mirrored.
pub(super) struct Halves {
    occupied: u64,
    spine: u64,
    /// The first player's pieces.
    rows: Vec<u64>,
    columns: Vec<u64>,
}

impl Halves {
    /// Returns the halves of the positions that the entries of `rows` stand for: one position, or two mirror images.
    pub fn of(index: &Index, matrix: &Matrix, rows: &Range<usize>) -> Vec<Halves> {
        let split = index.split();
        let left = index.colourings(matrix.left, matrix.spine, matrix.left_firsts);
        let left = left.get(rows.clone()).unwrap_or_default();
        let right = index.colourings(matrix.right, matrix.spine, matrix.right_firsts);
        let wing = |shape, bits: &[u32], is_right| -> Vec<u64> {
            bits.iter().map(|bits| on_board(split, shape, u64::from(*bits), is_right)).collect()
        };
        let spine_cell = split.spine_cell() % 64;
        let image = |is_mirrored: bool| Halves {
            occupied: on_board(split, matrix.left, u64::MAX, is_mirrored)
                | on_board(split, matrix.right, u64::MAX, !is_mirrored)
                | low_bits(matrix.spine.height) << spine_cell,
            spine: u64::from(matrix.spine.bits) << spine_cell,
            rows: wing(matrix.left, left, is_mirrored),
            columns: wing(matrix.right, right, !is_mirrored),
        };
        (0..images(matrix)).map(|number| image(number == 1)).collect()
    }

    /// Returns the bitboards of both players, for a row from the first of those asked for, and a column.
    pub fn bitboards(&self, row: usize, column: usize) -> [u64; 2] {
        let first = self.spine | self.rows[row] | self.columns[column];
        [first, self.occupied ^ first]
    }
}

/// Puts the colouring of a wing on the board.
fn on_board(split: &Split, shape: WingShape, bits: u64, is_right: bool) -> u64 {
    let (mut on_board, mut bits) = (0, bits);
    for (pieces, cell) in split.columns(shape, is_right) {
        on_board |= (bits & low_bits(pieces)) << cell;
        bits >>= pieces;
    }
    on_board
}
