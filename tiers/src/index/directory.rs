//! Ranks and unranks positions: from a position to its entry and back.
//!
//! A probe can't wait for a list of all matrices (the widest tier of 7x4 has 148,021). So a tier stores one number for
//! each shape. When a shape is first used, the first entry of each of its spines is computed and kept. From there, a
//! sum of a few products gives the first entry of a matrix.

#![allow(
    clippy::indexing_slicing,
    reason = "shapes and spines are numbered by the index; entries from a file are only added up"
)]

use std::sync::OnceLock;

use super::layout::{Matrix, Shape, matrices, shapes, unrank_among};
use super::split::{Parts, Spine, WingShape};
use super::tables::Index;

/// A matrix and its first entry in the tier.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Located {
    /// The matrix.
    pub matrix: Matrix,
    /// Its first entry.
    pub first_entry: u64,
}

/// The shapes of one tier and the first entry of each.
///
/// ```
/// use fourbase_tiers::index::{Index, TierDirectory};
/// use fourbase_tiers::kernel::Kernel;
///
/// let index = Index::new("4x4".parse()?, Kernel::detect())?;
/// let tier = TierDirectory::new(&index, 3);
/// let parts = tier.unrank(&index, 20).ok_or("beyond the tier")?;
/// assert_eq!(tier.rank(&index, &parts), Some(20));
/// assert_eq!(tier.unrank(&index, tier.entries()), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct TierDirectory {
    /// The ply of the tier.
    pub ply: u32,
    /// For every left wing, the number of its first shape; then the number of shapes.
    lefts: Vec<u32>,
    /// The shapes, in order.
    pub(crate) shapes: Vec<Shape>,
    /// The first entry of every shape; then the number of entries.
    first_entries: Vec<u64>,
    pub(crate) matrices: u64,
    /// The first entry of every spine, for every shape.
    spines: Vec<OnceLock<Box<[u64]>>>,
}

impl TierDirectory {
    /// Lists the shapes of the tier with `ply` pieces. Takes some nanoseconds per matrix of the tier, and makes the
    /// index compute the lengths of the tier's lists.
    pub fn new(index: &Index, ply: u32) -> TierDirectory {
        let shapes: Vec<Shape> = shapes(index, ply).collect();
        let mut count = 0;
        let entries = |shape: &Shape| shape.matrices(index, ply).inspect(|_| count += 1).map(|of| of.entries()).sum();
        let shape_entries: Vec<u64> = shapes.iter().map(entries).collect();
        TierDirectory::of_shapes(index, ply, shapes, &shape_entries, count)
    }

    /// Makes the directory of the tier with `ply` pieces from the number of entries of each shape. A sum that overflows
    /// is `u64::MAX`.
    pub(crate) fn of_shapes(
        index: &Index,
        ply: u32,
        shapes: Vec<Shape>,
        entries: &[u64],
        matrices: u64,
    ) -> TierDirectory {
        let (mut lefts, mut first_entries, mut end) = (Vec::new(), Vec::with_capacity(entries.len() + 1), 0);
        for (number, (shape, entries)) in shapes.iter().zip(entries).enumerate() {
            lefts.resize(lefts.len().max(shape.left.0 as usize + 1), number as u32);
            first_entries.push(end);
            end = u64::saturating_add(end, *entries);
        }
        first_entries.push(end);
        lefts.resize(index.split.wing_shapes() as usize + 1, shapes.len() as u32);
        let spines = shapes.iter().map(|_| OnceLock::new()).collect();
        TierDirectory { ply, lefts, shapes, first_entries, matrices, spines }
    }

    /// Returns the number of entries of every shape, in order.
    pub(crate) fn shape_entries(&self) -> Vec<u64> {
        self.first_entries.windows(2).map(|pair| pair[1] - pair[0]).collect()
    }

    /// Returns the number of entries of the tier.
    pub fn entries(&self) -> u64 {
        self.first_entries[self.shapes.len()]
    }

    /// Returns the rank of a position's parts, in `0..entries()`. Mirror images share an entry, except in a shape that
    /// is its own mirror image. Costs about 100 ns once the tables of the shape are made.
    ///
    /// Returns `None` for parts that have no entry: a line inside a wing and the spine, a wrong balance of pieces, or a
    /// position of another tier.
    pub fn rank(&self, index: &Index, parts: &Parts) -> Option<u64> {
        let parts = if parts.left < parts.right { parts.mirror() } else { *parts };
        let number = self.shape(parts.left, parts.right)?;
        let shape = self.shapes[number];
        if shape.spine_height != parts.spine.height {
            return None;
        }
        let first = self.spines(index, number)[parts.spine.bits as usize];
        let firsts = [parts.left_bits.count_ones(), parts.right_bits.count_ones()];
        let row = index.rank_beside(shape.left, parts.spine, firsts[0], parts.left_bits)?;
        let column = index.rank_beside(shape.right, parts.spine, firsts[1], parts.right_bits)?;
        let mut entry = first;
        for matrix in matrices(index, self.ply, shape, parts.spine) {
            if matrix.left_firsts == firsts[0] {
                let in_matrix = u64::from(row) * u64::from(matrix.columns) + u64::from(column);
                return (matrix.right_firsts == firsts[1]).then_some(entry + in_matrix);
            }
            entry += matrix.entries();
        }
        None
    }

    /// Returns the parts of the position with this rank; `None` if the tier has no such entry.
    ///
    /// Play can't reach every entry: the parts may have lines of both players.
    pub fn unrank(&self, index: &Index, rank: u64) -> Option<Parts> {
        if rank >= self.entries() {
            return None;
        }
        let number = self.shape_of_entry(rank);
        let (shape, spines) = (self.shapes[number], self.spines(index, number));
        let bits = spines.partition_point(|first| *first <= rank) - 1;
        let spine = Spine { height: shape.spine_height, bits: bits as u32 };
        unrank_among(matrices(index, self.ply, shape, spine), index, rank - spines[bits])
    }

    /// Lists the matrices in order, starting with the one that holds `entry`.
    pub fn located_from(&self, index: &Index, entry: u64) -> impl Iterator<Item = Located> {
        let number = self.shape_of_entry(entry);
        let mut first_entry = self.first_entries[number];
        self.shapes[number..]
            .iter()
            .flat_map(move |shape| shape.matrices(index, self.ply))
            .map(move |matrix| {
                let located = Located { matrix, first_entry };
                first_entry += matrix.entries();
                located
            })
            .skip_while(move |located| located.first_entry + located.matrix.entries() <= entry)
    }

    /// Returns the number of the first shape whose left wing is at least `left`.
    pub(crate) fn first_of_left(&self, left: WingShape) -> usize {
        self.lefts.get(left.0 as usize).map_or(self.shapes.len(), |first| *first as usize)
    }

    /// Returns the number of the shape with these wings (left at least right), or `None` if the tier has no such shape.
    pub(crate) fn shape(&self, left: WingShape, right: WingShape) -> Option<usize> {
        let range = *self.lefts.get(left.0 as usize)? as usize..*self.lefts.get(left.0 as usize + 1)? as usize;
        let place = self.shapes[range.clone()].binary_search_by_key(&right, |shape| shape.right).ok()?;
        Some(range.start + place)
    }

    /// Returns the number of the shape that holds an entry; beyond the end, that of the last shape.
    fn shape_of_entry(&self, entry: u64) -> usize {
        self.first_entries.partition_point(|first| *first <= entry).min(self.shapes.len()) - 1
    }

    /// Returns the first entry of every spine of the shape with this number.
    fn spines(&self, index: &Index, number: usize) -> &[u64] {
        self.spines[number].get_or_init(|| {
            let shape = self.shapes[number];
            let mut entry = self.first_entries[number];
            let first = |spine| {
                let first = entry;
                entry += matrices(index, self.ply, shape, spine).map(|matrix| matrix.entries()).sum::<u64>();
                first
            };
            Spine::of_height(shape.spine_height).map(first).collect()
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use fourbase::Board;
    use proptest::prelude::*;

    use super::*;
    use crate::kernel::Kernel;
    use crate::testing::{boards, plies};

    fn index(board: &str) -> Index {
        Index::new(board.parse::<Board>().unwrap(), Kernel::detect()).unwrap()
    }

    #[test]
    fn rank_undoes_unrank_on_every_entry_of_small_boards() {
        for name in boards(&["1x1", "2x2c2", "1x8", "3x3c3", "4x4", "4x4c3", "5x3", "3x6", "4x4m"], &["8x2"]) {
            let index = index(name);
            for ply in 0..=index.board().cells() as u32 {
                let tier = TierDirectory::new(&index, ply);
                for rank in 0..tier.entries() {
                    let parts = tier.unrank(&index, rank).unwrap();
                    assert_eq!(tier.rank(&index, &parts), Some(rank), "{name} ply {ply}");
                    if parts.left != parts.right {
                        assert_eq!(tier.rank(&index, &parts.mirror()), Some(rank), "{name} ply {ply}");
                    }
                    if rank % 37 == 0 {
                        let Located { matrix, first_entry } = tier.located_from(&index, rank).next().unwrap();
                        assert!((first_entry..first_entry + matrix.entries()).contains(&rank), "{name} ply {ply}");
                        let firsts = [parts.left_bits, parts.right_bits].map(u32::count_ones);
                        assert_eq!((matrix.spine, [matrix.left_firsts, matrix.right_firsts]), (parts.spine, firsts));
                    }
                }
                assert_eq!(tier.unrank(&index, tier.entries()), None);
            }
        }
    }

    #[test]
    fn every_unfinished_position_of_a_small_board_has_an_entry_of_its_own() {
        for name in ["4x4", "5x3", "4x4c3"] {
            let index = index(name);
            let board = index.board();
            for (ply, positions) in (0..).zip(plies(board)) {
                let tier = TierDirectory::new(&index, ply);
                let mut ranks = HashSet::new();
                for position in positions.iter().filter(|position| position.primitive().is_none()) {
                    let parts = index.split.parts(position);
                    let bitboards = position.bitboards();
                    assert_eq!(index.split.bitboards(&parts), bitboards);
                    let rank = tier.rank(&index, &parts).expect("an entry");
                    if parts.left >= parts.right {
                        assert!(ranks.insert(rank), "{name}: two positions share entry {rank}");
                    }
                }
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn rank_undoes_unrank_on_large_boards(which in 0usize..5, ply in 0u32..=42, seed: u64) {
            // The tables of a large board take up to a second, so they are made once.
            static INDEXES: [OnceLock<Index>; 5] = [const { OnceLock::new() }; 5];
            let index = INDEXES[which].get_or_init(|| index(["6x5", "7x5", "5x7", "9x3", "6x6"][which]));
            let tier = TierDirectory::new(index, ply.min(index.board().cells() as u32));
            for step in 0..50u64 {
                let rank = seed.wrapping_mul(step * 2 + 1) % tier.entries();
                let parts = tier.unrank(index, rank).unwrap();
                prop_assert_eq!(tier.rank(index, &parts), Some(rank));
            }
        }
    }
}
