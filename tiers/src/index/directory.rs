//! Where the entries of a tier begin, for a probe: shapes only, the rest when it is asked for.
//!
//! A [`TierLayout`](super::TierLayout) lists every matrix, which a solver needs and a probe cannot wait for (the widest
//! tier of 7x4 has 148,021). Here a shape has one number; where its spines begin is computed when the shape is first
//! met, and kept; where a matrix begins inside its spine is a sum of a few products.

#![allow(
    clippy::indexing_slicing,
    reason = "shapes and spines are numbered by the index; what a file says of them is only added up"
)]

use std::sync::OnceLock;

use super::layout::{Located, Shape, entries_before, matrices, shapes};
use super::split::{Parts, Spine, WingShape};
use super::tables::Index;

/// The shapes of one tier, with the entry at which each begins.
#[derive(Debug)]
pub struct TierDirectory {
    ply: u32,
    /// For every left wing the number of its first shape; closed by the number of shapes.
    lefts: Vec<u32>,
    shapes: Vec<Shape>,
    /// The first entry of every shape; closed by the number of entries.
    first_entries: Vec<u64>,
    matrices: u64,
    /// The first entry of every spine of a shape.
    spines: Vec<OnceLock<Box<[u64]>>>,
}

impl TierDirectory {
    /// Lists the shapes of the tier of `ply` pieces. Takes some nanoseconds for every matrix of the tier, and the lengths
    /// of all lists of the index.
    pub fn new(index: &Index, ply: u32) -> TierDirectory {
        let shapes: Vec<Shape> = shapes(index, ply).collect();
        let (mut shape_entries, mut count) = (Vec::with_capacity(shapes.len()), 0);
        for &shape in &shapes {
            let all = Spine::of_height(shape.spine_height).flat_map(|spine| matrices(index, ply, shape, spine));
            shape_entries.push(all.inspect(|_| count += 1).map(|matrix| matrix.entries()).sum());
        }
        TierDirectory::of_shapes(index, ply, shapes, &shape_entries, count)
    }

    /// Takes all shapes of the tier of `ply` pieces with their numbers of entries; `None` if there are not as many
    /// numbers as shapes, or if the sum overflows.
    pub(crate) fn with_entries(
        index: &Index,
        ply: u32,
        shapes: Vec<Shape>,
        shape_entries: &[u64],
    ) -> Option<TierDirectory> {
        shape_entries.iter().try_fold(0u64, |sum, entries| sum.checked_add(*entries))?;
        let fits = shapes.len() == shape_entries.len();
        fits.then(|| TierDirectory::of_shapes(index, ply, shapes, shape_entries, 0))
    }

    fn of_shapes(index: &Index, ply: u32, shapes: Vec<Shape>, entries: &[u64], matrices: u64) -> TierDirectory {
        let (mut lefts, mut first_entries, mut end) = (Vec::new(), Vec::with_capacity(entries.len() + 1), 0);
        for (number, (shape, entries)) in shapes.iter().zip(entries).enumerate() {
            lefts.resize(lefts.len().max(shape.left.0 as usize + 1), number as u32);
            first_entries.push(end);
            end += entries;
        }
        first_entries.push(end);
        lefts.resize(index.split().wing_shapes() as usize + 1, shapes.len() as u32);
        let spines = shapes.iter().map(|_| OnceLock::new()).collect();
        TierDirectory { ply, lefts, shapes, first_entries, matrices, spines }
    }

    /// Returns the number of entries of every shape, in order.
    pub(crate) fn shape_entries(&self) -> Vec<u64> {
        self.first_entries.windows(2).map(|pair| pair[1] - pair[0]).collect()
    }

    /// Returns the ply of the tier.
    pub fn ply(&self) -> u32 {
        self.ply
    }

    /// Returns the number of entries of the tier.
    pub fn entries(&self) -> u64 {
        self.first_entries[self.shapes.len()]
    }

    /// Counts the matrices of the tier.
    pub(crate) fn matrices(&self) -> u64 {
        self.matrices
    }

    /// Returns the rank of a position like [`Index::rank`], without a layout.
    pub fn rank(&self, index: &Index, parts: &Parts) -> Option<u64> {
        let parts = if parts.left < parts.right { parts.mirror() } else { *parts };
        let number = self.shape(parts.left, parts.right)?;
        let shape = self.shapes[number];
        if shape.spine_height != parts.spine.height {
            return None;
        }
        let spines = self.spines[number].get_or_init(|| self.spine_starts(index, number));
        let firsts = [parts.left_bits.count_ones(), parts.right_bits.count_ones()];
        let (row, rows) = index.rank_beside(shape.left, parts.spine, firsts[0], parts.left_bits)?;
        let (column, columns) = index.rank_beside(shape.right, parts.spine, firsts[1], parts.right_bits)?;
        let before = entries_before(self.ply, parts.spine, firsts, rows, columns)?;
        let columns = columns[firsts[1] as usize];
        Some(spines[parts.spine.bits as usize] + before + u64::from(row) * u64::from(columns) + u64::from(column))
    }

    /// Lists the matrices from the one that holds `entry` on; they have no numbers.
    pub(crate) fn located_from(&self, index: &Index, entry: u64) -> impl Iterator<Item = Located> {
        let number = self.first_entries.partition_point(|first| *first <= entry).min(self.shapes.len()) - 1;
        let mut first_entry = self.first_entries[number];
        self.shapes[number..]
            .iter()
            .flat_map(move |&shape| {
                Spine::of_height(shape.spine_height).flat_map(move |spine| matrices(index, self.ply, shape, spine))
            })
            .map(move |matrix| {
                let located = Located { matrix, number: 0, first_entry };
                first_entry += matrix.entries();
                located
            })
            .skip_while(move |located| located.first_entry + located.matrix.entries() <= entry)
    }

    /// Returns the shapes, in order.
    pub(crate) fn shapes(&self) -> &[Shape] {
        &self.shapes
    }

    /// Returns the number of the first shape whose left wing is not less than `left`.
    pub(crate) fn first_of_left(&self, left: WingShape) -> usize {
        self.lefts.get(left.0 as usize).map_or(self.shapes.len(), |first| *first as usize)
    }

    /// Returns the number of the shape of two wings (left at least right), or `None` where the tier has no such shape.
    pub(crate) fn shape(&self, left: WingShape, right: WingShape) -> Option<usize> {
        let range = *self.lefts.get(left.0 as usize)? as usize..*self.lefts.get(left.0 as usize + 1)? as usize;
        let place = self.shapes[range.clone()].binary_search_by_key(&right, |shape| shape.right).ok()?;
        Some(range.start + place)
    }

    fn spine_starts(&self, index: &Index, number: usize) -> Box<[u64]> {
        let shape = self.shapes[number];
        let mut entry = self.first_entries[number];
        Spine::of_height(shape.spine_height)
            .map(|spine| {
                let first = entry;
                entry += matrices(index, self.ply, shape, spine).map(|matrix| matrix.entries()).sum::<u64>();
                first
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::TierLayout;
    use crate::kernel::Kernel;
    use crate::long;

    #[test]
    fn a_directory_ranks_every_entry_as_the_layout_does() {
        for name in ["4x4", "5x3", "3x6", "1x8", "8x2", "4x4c3", "1x1"] {
            if name == "8x2" && long::skips("the directories of 8x2") {
                continue;
            }
            let index = Index::new(name.parse().unwrap(), Kernel::detect()).unwrap();
            for ply in 0..=index.board().cells() as u32 {
                let (layout, directory) = (TierLayout::new(&index, ply), TierDirectory::new(&index, ply));
                assert_eq!(directory.entries(), layout.entries());
                for entry in 0..layout.entries() {
                    let parts = index.unrank(&layout, entry).unwrap();
                    assert_eq!(directory.rank(&index, &parts), Some(entry), "{name} ply {ply}");
                    if entry % 37 == 0 {
                        let located = directory.located_from(&index, entry).next().unwrap();
                        assert_eq!(
                            Some(Located { number: 0, ..layout.located_from(entry).next().unwrap() }),
                            Some(located)
                        );
                    }
                }
            }
        }
    }
}
