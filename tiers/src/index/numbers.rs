//! Computes the rank of a colouring in its list without reading the list: two loads and a bit count.
//!
//! A probe ranks single positions anywhere in the index, and a binary search of a list waits for memory at every step.
//! So the colourings of a wing shape that have no line inside the wing are **numbered** once, in increasing order. For
//! each number of first-player pieces, the numbers begin at 0. Beside a given spine, some colourings have a line; a
//! mask over the numbers marks the remaining ones, and each word of the mask comes with the count of marks before it.
//! The mask takes a quarter of a byte per number; a list would take four bytes per colouring.

use super::split::low_bits;

/// A wing shape gets a table if the table has at most this many slots per numbered colouring, plus [`FEW_SLOTS`].
const SLOTS_OF_EACH: usize = 16;

/// A table of up to this many slots is always worth its memory.
const FEW_SLOTS: usize = 1 << 12;

pub(super) const NO_NUMBER: u32 = u32::MAX;

/// Numbers the colourings of a wing of `cells` cells. List `n` of `lists` has the colourings with `n` first-player
/// pieces.
///
/// Returns a table with the number of each colouring, or [`NO_NUMBER`] if it has none. Returns an empty table if nearly
/// all colourings have a line (a wing of 8x8c2 has four billion colourings).
pub(super) fn numbers<'a>(cells: u32, lists: impl Iterator<Item = &'a [u32]> + Clone) -> Vec<u32> {
    let slots = 1usize << cells;
    let count: usize = lists.clone().map(<[u32]>::len).sum();
    let mut table = Vec::new();
    if slots <= FEW_SLOTS + SLOTS_OF_EACH * count {
        table.resize(slots, NO_NUMBER);
        for list in lists {
            for (number, colouring) in list.iter().enumerate() {
                table[*colouring as usize] = number as u32;
            }
        }
    }
    table
}

/// The mask of the numbers that remain beside a spine. An item is a word of the mask and the count of marks before it.
#[derive(Debug)]
pub(super) struct Mask(Box<[(u64, u32)]>);

impl Mask {
    /// Makes the mask from one bit per number.
    pub fn new(members: &[u64]) -> Mask {
        let mut sum = 0;
        let count = |word: &u64| {
            let before = sum;
            sum += word.count_ones();
            (*word, before)
        };
        Mask(members.iter().map(count).collect())
    }

    /// Returns how many remaining numbers are less than `number`; `None` if `number` does not remain.
    pub fn rank(&self, number: u32) -> Option<u32> {
        let (word, before) = self.0.get(number as usize / 64)?;
        let is_left = word >> (number % 64) & 1 == 1;
        is_left.then(|| before + (word & low_bits(number % 64)).count_ones())
    }
}

#[cfg(test)]
mod tests {
    use crate::index::{Index, Spine, WingShape};
    use crate::kernel::Kernel;

    #[test]
    fn ranks_are_places_in_the_lists_and_counts_are_their_lengths() {
        // Most wings of 4x9c2 have too many colourings for a table of numbers; the spine of 3x8c2 has too many rows for
        // a table of counts.
        for name in ["4x4", "5x4", "3x6", "5x5", "4x9c2", "7x2c2", "3x3c1", "3x3c2m", "1x8", "3x8c2", "5x4c9", "9x2"] {
            let index = Index::new(name.parse().unwrap(), Kernel::detect()).unwrap();
            let mut ranked = 0;
            for shape in (0..index.split.wing_shapes()).map(WingShape) {
                let cells = index.split.cells(shape);
                for spine in (0..=index.split.spine_room()).flat_map(Spine::of_height) {
                    let list = |firsts| index.colourings(shape, spine, firsts);
                    let lengths: Vec<u32> = (0..=cells).map(|firsts| list(firsts).len() as u32).collect();
                    assert_eq!(index.counts(shape, spine), lengths, "{name} {shape:?} {spine:?}");
                    for colouring in (0..1u32 << cells).step_by(if cells > 12 { 101 } else { 1 }) {
                        let firsts = colouring.count_ones();
                        let place = list(firsts).binary_search(&colouring).ok().map(|place| place as u32);
                        let found = index.rank_beside(shape, spine, firsts, colouring);
                        assert_eq!(found, place, "{name} {shape:?} {spine:?} {colouring:b}");
                        ranked += usize::from(found.is_some());
                    }
                }
            }
            assert!(ranked > 0, "{name}");
        }
        // Making the index must not take a step for each of the 2^30 colourings of the column.
        let index = Index::new("2x30c2".parse().unwrap(), Kernel::detect()).unwrap();
        assert_eq!(index.colourings(WingShape(30), Spine { height: 0, bits: 0 }, 15), [0x1555_5555, 0x2aaa_aaaa]);
    }
}
