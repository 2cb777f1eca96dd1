//! From a position to its entry and back.

#![allow(clippy::indexing_slicing, reason = "lists and places of the index's own tables")]

use super::layout::TierLayout;
use super::split::Parts;
use super::tables::Index;

/// An entry of a tier: a matrix, by number, a row and a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// Number of the matrix in its tier.
    pub matrix: usize,
    /// Rank of the left wing's colouring.
    pub row: usize,
    /// Rank of the right wing's colouring.
    pub column: usize,
}

impl Index {
    /// Finds the entry of a position's parts in the layout of its tier; a shape that is stored as its mirror image is
    /// mirrored first.
    ///
    /// Returns `None` for what the index leaves out: a line inside a wing and the spine, a wrong balance of pieces,
    /// or another tier's position.
    pub fn place(&self, layout: &TierLayout, parts: &Parts) -> Option<Place> {
        let parts = if parts.left < parts.right { parts.mirror() } else { *parts };
        let shape = layout.shape(parts.left, parts.right)?;
        if shape.spine_height != parts.spine.height {
            return None;
        }
        let number = layout.matrix(shape, parts.spine, parts.left_bits.count_ones())?;
        let matrix = &layout.matrices()[number];
        if matrix.right_firsts != parts.right_bits.count_ones() {
            return None;
        }
        let left = self.colourings(matrix.left, matrix.spine, matrix.left_firsts);
        let right = self.colourings(matrix.right, matrix.spine, matrix.right_firsts);
        let (row, column) = (left.binary_search(&parts.left_bits).ok()?, right.binary_search(&parts.right_bits).ok()?);
        Some(Place { matrix: number, row, column })
    }

    /// Returns the rank of a position in its tier, `0..layout.entries()`; `None` as for [`Index::place`].
    pub fn rank(&self, layout: &TierLayout, parts: &Parts) -> Option<u64> {
        let place = self.place(layout, parts)?;
        let columns = u64::from(layout.matrices()[place.matrix].columns);
        Some(layout.first_entry(place.matrix) + place.row as u64 * columns + place.column as u64)
    }

    /// Returns the position that has a rank, as parts; `None` beyond the tier's entries.
    ///
    /// Not every entry can be reached by play: the parts may hold lines of both players.
    pub fn unrank(&self, layout: &TierLayout, rank: u64) -> Option<Parts> {
        if rank >= layout.entries() {
            return None;
        }
        let number = layout.matrix_of_entry(rank);
        let matrix = &layout.matrices()[number];
        let inside = rank - layout.first_entry(number);
        let (row, column) = (inside / u64::from(matrix.columns), inside % u64::from(matrix.columns));
        Some(Parts {
            left: matrix.left,
            left_bits: self.colourings(matrix.left, matrix.spine, matrix.left_firsts)[row as usize],
            spine: matrix.spine,
            right: matrix.right,
            right_bits: self.colourings(matrix.right, matrix.spine, matrix.right_firsts)[column as usize],
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::OnceLock;

    use fourbase::{Board, Position};
    use proptest::prelude::*;

    use super::*;
    use crate::kernel::Kernel;
    use crate::long;

    fn index(board: &str) -> Index {
        Index::new(board.parse::<Board>().unwrap(), Kernel::detect()).unwrap()
    }

    #[test]
    fn rank_undoes_unrank_on_every_entry_of_small_boards() {
        for name in ["1x1", "2x2c2", "1x8", "8x2", "3x3c3", "4x4", "4x4c3", "5x3", "3x6", "4x4m"] {
            if name == "8x2" && long::skips("rank and unrank of 8x2") {
                continue;
            }
            let index = index(name);
            for ply in 0..=index.board().cells() as u32 {
                let layout = TierLayout::new(&index, ply);
                for rank in 0..layout.entries() {
                    let parts = index.unrank(&layout, rank).unwrap();
                    assert_eq!(index.rank(&layout, &parts), Some(rank), "{name} ply {ply}");
                    assert_eq!(index.rank(&layout, &parts.mirror()), mirror_rank(&index, &layout, &parts, rank));
                }
                assert_eq!(index.unrank(&layout, layout.entries()), None);
            }
        }
    }

    /// The mirror image shares the entry, except in shapes that are their own mirror: those are stored whole.
    fn mirror_rank(index: &Index, layout: &TierLayout, parts: &Parts, rank: u64) -> Option<u64> {
        if parts.left != parts.right { Some(rank) } else { index.rank(layout, &parts.mirror()) }
    }

    #[test]
    fn every_unfinished_position_of_a_small_board_has_an_entry_of_its_own() {
        for name in ["4x4", "5x3", "4x4c3"] {
            let index = index(name);
            let board = index.board();
            let mut tier: HashSet<Position> = HashSet::from([Position::start(board)]);
            for ply in 0..=board.cells() as u32 {
                let layout = TierLayout::new(&index, ply);
                let mut ranks = HashSet::new();
                for position in tier.iter().filter(|position| position.primitive().is_none()) {
                    let parts = index.split().parts(position);
                    assert_eq!(
                        index.split().bitboards(&parts),
                        [position.pieces(fourbase::Player::First), position.pieces(fourbase::Player::Second)]
                    );
                    let rank = index.rank(&layout, &parts).expect("an entry");
                    if parts.left >= parts.right {
                        assert!(ranks.insert(rank), "{name}: two positions share entry {rank}");
                    }
                }
                tier = tier
                    .iter()
                    .flat_map(|p| p.moves().map(|column| p.drop_piece(column)).collect::<Vec<_>>())
                    .collect();
            }
        }
    }

    #[test]
    fn the_index_has_the_entries_of_the_design() {
        // Entries before the mirror, computed for the design page: shapes that are their own mirror count once.
        for (name, entries) in [("4x4", 177_901), ("5x4", 4_658_609), ("5x5", 108_705_109)] {
            let index = index(name);
            let mut whole = 0;
            for ply in 0..=index.board().cells() as u32 {
                for matrix in TierLayout::new(&index, ply).matrices() {
                    whole += if matrix.left == matrix.right { matrix.entries() } else { 2 * matrix.entries() };
                }
            }
            assert_eq!(whole, entries, "{name}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn rank_undoes_unrank_on_large_boards(which in 0usize..5, ply in 0u32..=42, seed: u64) {
            // The tables of a large board take up to a second: they are made once.
            static INDEXES: [OnceLock<Index>; 5] = [const { OnceLock::new() }; 5];
            let index = INDEXES[which].get_or_init(|| index(["6x5", "7x5", "5x7", "9x3", "6x6"][which]));
            let layout = TierLayout::new(index, ply.min(index.board().cells() as u32));
            for step in 0..50u64 {
                let rank = seed.wrapping_mul(step * 2 + 1) % layout.entries();
                let parts = index.unrank(&layout, rank).unwrap();
                prop_assert_eq!(index.rank(&layout, &parts), Some(rank));
            }
        }
    }
}
