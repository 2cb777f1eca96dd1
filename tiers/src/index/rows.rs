//! Computes what a drop (a move that adds a piece) does to the rows of a matrix (see [the index](super)): which row of
//! the child each row leads to, and which lines across both wings the drop completes.
//!
//! A drop inserts a bit at a fixed place and so keeps numeric order. Every map from a wing's list before the drop to
//! its list after the drop is therefore monotone, and is computed by reading two masks side by side, without ranking.
//!
//! A line across both wings is *full* in a shape that occupies all of its cells. It is *armed* in a matrix if a player
//! has its cells on the spine and at least one right colouring has its cells in the right wing. If the left colouring
//! of a row also has its cells in the left wing, the positions of the row in the columns of those right colourings have
//! the line.

use std::ops::Range;

use fourbase::Player;

use super::layout::Shape;
use super::split::{Part, Parts, Spine, Split, low_bits};
use super::tables::Index;
use super::wing::{WingList, spine_is};
use crate::kernel::matrix::{ArmedLine, ArmedLines};
use crate::kernel::{NO_ROW, Pairing, ones};

/// A line across both wings whose cells are all occupied in a shape.
pub(crate) struct FullLine {
    left_mask: u32,
    spine_rows: u64,
    right_mask: u32,
}

impl FullLine {
    pub(crate) fn of_shape(index: &Index, shape: Shape) -> Vec<FullLine> {
        let occupied = occupied(&index.split, shape);
        let full = index.cross_lines.iter().filter(|line| **line & !occupied == 0);
        full.map(|line| FullLine::new(&index.split, *line, shape)).collect()
    }

    /// Makes the line from its cells that are occupied in `shape`.
    fn new(split: &Split, line: u64, shape: Shape) -> FullLine {
        FullLine {
            left_mask: split.colouring(shape.left, false, line),
            spine_rows: split.spine_rows(line) & low_bits(shape.spine_height),
            right_mask: split.colouring(shape.right, true, line),
        }
    }
}

/// A line across both wings with one empty cell, which the next piece in its column fills.
pub(crate) struct OpenLine {
    /// The column of the empty cell.
    pub drop: Part,
    /// The other cells.
    pub line: FullLine,
}

impl OpenLine {
    /// Lists the lines that one drop into `shape` can complete.
    pub(crate) fn of_shape(index: &Index, shape: Shape) -> Vec<OpenLine> {
        let (board, split) = (index.board(), &index.split);
        let occupied = occupied(split, shape);
        // The cell above a full column is the bottom cell of the next column.
        let open = (occupied << 1 | board.bottom_cells()) & !occupied;
        let open_line = |line: &u64| {
            let missing = line & !occupied;
            let is_open = missing & open != 0 && missing.is_power_of_two();
            is_open.then(|| OpenLine {
                drop: split.part(missing.trailing_zeros() as usize / board.height()),
                line: FullLine::new(split, *line, shape),
            })
        };
        index.cross_lines.iter().filter_map(open_line).collect()
    }
}

/// Returns the cells that are occupied in a shape, as a bitboard.
pub(crate) fn occupied(split: &Split, shape: Shape) -> u64 {
    let spine = Spine { height: shape.spine_height, bits: u32::MAX };
    split.bitboards(&Parts { left: shape.left, left_bits: u32::MAX, spine, right: shape.right, right_bits: u32::MAX })
        [0]
}

impl FullLine {
    /// Adds the line to `armed` if `holder` has its cells on the spine and at least one right colouring has its cells
    /// in the right wing.
    pub(crate) fn arm(&self, spine: Spine, right: &WingList, holder: Player, armed: &mut ArmedLines) {
        if !spine_is(spine, self.spine_rows, holder) {
            return;
        }
        let (left_bits, flip) = if holder == Player::First { (self.left_mask, 0) } else { (0, u64::MAX) };
        let mask = armed.masks.len();
        let masks = &mut armed.masks;
        masks.extend_from_slice(right.all());
        for bit in ones(self.right_mask.into()) {
            let plane = right.cell(bit as u32);
            masks[mask..].iter_mut().zip(plane).for_each(|(columns, plane)| *columns &= plane ^ flip);
        }
        if masks[mask..].iter().all(|word| *word == 0) {
            masks.truncate(mask);
        } else {
            armed.lines.push(ArmedLine { left_mask: self.left_mask, left_bits, mask });
        }
    }
}

/// Replaces `armed` by the lines that `holder` can have in the matrices with this spine and this list of right
/// colourings.
pub(crate) fn arm_lines(lines: &[FullLine], spine: Spine, right: &WingList, holder: Player, armed: &mut ArmedLines) {
    armed.clear();
    lines.iter().for_each(|line| line.arm(spine, right, holder, armed));
}

/// Maps each of `rows`, which start at a multiple of 64, to the row of the neighbour that `pairing` pairs with it, or
/// to [`NO_ROW`]. Appends the map to `maps` and returns it.
pub(crate) fn push_row_map<'m>(pairing: &Pairing, rows: &Range<usize>, maps: &'m mut Vec<u32>) -> &'m [u32] {
    let Pairing { own, other, skip } = *pairing;
    let (before, own) = own.split_at(rows.start / 64);
    let mut skip = skip as u32 + before.iter().map(|word| word.count_ones()).sum::<u32>();
    let start = maps.len();
    maps.resize(start + rows.len(), NO_ROW);
    let map = &mut maps[start..];
    let Some((mask, flip)) = other else {
        each_paired(own, map, || {
            skip += 1;
            skip - 1
        });
        return map;
    };
    let mut word = 0;
    let mut bits = mask.first().map_or(0, |mask| mask ^ flip);
    while skip > 0 {
        let here = bits.count_ones();
        if here <= skip {
            skip -= here;
            word += 1;
            bits = mask.get(word).map_or(0, |mask| mask ^ flip);
        } else {
            bits &= bits - 1;
            skip -= 1;
        }
    }
    each_paired(own, map, || {
        while bits == 0 {
            word += 1;
            bits = mask[word] ^ flip;
        }
        let place = word as u32 * 64 + bits.trailing_zeros();
        bits &= bits - 1;
        place
    });
    map
}

/// Fills each place of `map` whose bit is set in `own` with the next result of `next`.
#[inline]
fn each_paired(own: &[u64], map: &mut [u32], mut next: impl FnMut() -> u32) {
    for (map, own) in map.chunks_mut(64).zip(own) {
        ones(own & low_bits(map.len() as u32)).for_each(|row| map[row] = next());
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_maps_of_bands_are_parts_of_the_map_of_all_rows(
            words in prop::collection::vec((any::<u64>(), any::<u64>()), 1..8),
            first in 0..8usize,
        ) {
            // At least as many colourings have the new bit as rows stay free of lines.
            let plane: Vec<u64> = words.iter().map(|(one, other)| one | other).collect();
            let keeps: Vec<u64> = words.iter().map(|(one, _)| *one).collect();
            let pairing = Pairing { own: &keeps, other: Some((&plane, 0)), skip: 0 };
            let row_map = |rows: &Range<usize>| push_row_map(&pairing, rows, &mut Vec::new()).to_vec();
            let all = row_map(&(0..64 * words.len()));
            let kept = (0..all.len()).filter(|row| keeps[row / 64] >> (row % 64) & 1 == 1);
            let children = (0..all.len()).filter(|row| plane[row / 64] >> (row % 64) & 1 == 1);
            let expected: Vec<(usize, u32)> = kept.zip(children.map(|child| child as u32)).collect();
            let found = (0..all.len()).zip(all.iter().copied()).filter(|(_, child)| *child != NO_ROW);
            prop_assert!(found.eq(expected.iter().copied()));

            let start = 64 * (first % words.len());
            for end in [start + 1, start + 63, 64 * words.len()] {
                let rows = start..end;
                prop_assert_eq!(row_map(&rows), &all[rows.clone()]);
                let (consecutive, mut map) = (Pairing { other: None, skip: first, ..pairing }, Vec::new());
                let rank = |row: usize| expected.iter().position(|(kept, _)| *kept == row).map_or(NO_ROW, |rank| (first + rank) as u32);
                prop_assert!(push_row_map(&consecutive, &rows, &mut map).iter().copied().eq(rows.map(rank)));
            }
        }
    }
}
