//! The rank of a colouring in its list, found without the list: two loads and a count of bits.
//!
//! A probe ranks single positions anywhere in the index, and a search through a list waits for memory at every step. So the
//! colourings of a wing shape that have no line inside the wing are **numbered** once, those with as many first-player pieces
//! in increasing order. Beside a spine some of them have a line; a mask over the numbers marks those that are left, and with each
//! of its words goes how many are left before it. That takes a quarter of a byte a number, and a list four bytes a colouring.

use super::split::low_bits;

/// The most slots that the table of a wing shape has for each colouring that has a number.
const SLOTS_OF_EACH: usize = 16;

/// However few colourings have a number, this many slots are not too many.
const FEW_SLOTS: usize = 1 << 12;

/// The numbers of the colourings of one wing shape.
#[derive(Debug)]
pub(super) struct Numbers {
    /// By colouring: its number, or [`NO_NUMBER`]. Empty where nearly all colourings have a line (a wing of 8x8c2 has four
    /// billion): there the lists are searched.
    table: Vec<u32>,
}

const NO_NUMBER: u32 = u32::MAX;

impl Numbers {
    /// Numbers the colourings of a wing of so many cells: each list has those with one more first-player piece.
    pub fn new<'a>(cells: u32, lists: impl Iterator<Item = &'a [u32]> + Clone) -> Numbers {
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
        Numbers { table }
    }

    /// Returns the number of a colouring, or `None` where it has a line. `list` has the colourings with as many first-player
    /// pieces.
    pub fn of<'a>(&self, colouring: u32, list: impl FnOnce() -> &'a [u32]) -> Option<u32> {
        if self.table.is_empty() {
            return list().binary_search(&colouring).ok().map(|number| number as u32);
        }
        self.table.get(colouring as usize).copied().filter(|number| *number != NO_NUMBER)
    }
}

/// Which numbers are left: one bit each, and for each word how many are left before it.
#[derive(Debug)]
pub(super) struct Mask(Box<[(u64, u32)]>);

impl Mask {
    /// Takes a bit for every number.
    pub fn new(members: &[u64]) -> Mask {
        let mut sum = 0;
        let count = |word: &u64| {
            let before = sum;
            sum += word.count_ones();
            (*word, before)
        };
        Mask(members.iter().map(count).collect())
    }

    /// Returns how many numbers are left before this one; `None` where it is not left itself.
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
        // Most wings of 4x9c2 have more colourings than a table has room for; the spine of 3x8c2 has too many rows for one.
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
        // Without a step for each of the 2^30 colourings of the column.
        let index = Index::new("2x30c2".parse().unwrap(), Kernel::detect()).unwrap();
        assert_eq!(index.colourings(WingShape(30), Spine { height: 0, bits: 0 }, 15), [0x1555_5555, 0x2aaa_aaaa]);
    }
}
