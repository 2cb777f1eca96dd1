//! Blocks: how a shape is cut into them, and what one is in memory.
//!
//! A block is a run of rows of about the same size. Cuts follow from the layout alone, so that every run of the program finds
//! the same ones. In memory a block is expanded, or it is its delta. Deltas have all lengths, and those of a tier are given
//! back by the thousand, so they lie in pages of one size: what one tier gives back fits the next. From the system's allocator
//! they took a tenth to a fifth of the time of 7x6, and a sixth more memory than was counted.

use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::files::FileError;
use crate::index::{Index, Matrix, Shape, ShapeLayout};
use crate::kernel::delta::UndoDelta;
use crate::kernel::{Kernel, SPARE_PART, Words};

/// About how many words a block has before compression: 256 KiB, so that a window on each child stays in a processor's
/// cache.
pub const BLOCK_WORDS: usize = 1 << 15;

/// Blocks that cut a matrix begin at a multiple of this many rows, as bands have to.
const ROWS: usize = 64;

/// Where a block begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Cut {
    /// Number of the matrix in its shape.
    pub matrix: usize,
    /// First row.
    pub row: usize,
    /// First word of the shape.
    pub word: usize,
}

/// Cuts the matrices of a shape, whose rows have `planes` planes, into blocks of about `block_words`: matrices
/// together where they are small, runs of rows where they are large. Calls `cut` where each block begins, in order, and
/// returns the end.
pub(super) fn cut(
    matrices: impl Iterator<Item = Matrix>,
    planes: usize,
    block_words: usize,
    mut cut: impl FnMut(Cut),
) -> Cut {
    let (mut word, mut number, mut open) = (0, 0, None);
    for matrix in matrices {
        let (row_words, rows) = (matrix.words() * planes, matrix.rows as usize);
        let words = row_words * rows;
        if words > block_words {
            let step = (block_words / row_words / ROWS).max(1) * ROWS;
            (0..rows).step_by(step).for_each(|row| cut(Cut { matrix: number, row, word: word + row * row_words }));
            open = None;
        } else if words > 0 {
            match open {
                Some(start) if word + words <= start + block_words => {}
                _ => {
                    cut(Cut { matrix: number, row: 0, word });
                    open = Some(word);
                }
            }
        }
        word += words;
        number += 1;
    }
    Cut { matrix: number, row: 0, word }
}

/// One shape of a tier: where its matrices and its blocks begin. It is laid out again for other shapes, which is quicker than
/// to look up a layout that is not in the processor's cache.
#[derive(Default, Debug)]
pub(super) struct ShapeBlocks {
    pub layout: ShapeLayout,
    /// Where its blocks begin; closed by the end.
    pub cuts: Vec<Cut>,
    /// The number of its first block in the tier.
    pub first_block: usize,
}

impl ShapeBlocks {
    /// Lays out a shape of the tier of `ply` pieces; its first block gets the number 0.
    pub fn lay_out(&mut self, index: &Index, ply: u32, shape: Shape, planes: usize, block_words: usize) {
        let ShapeBlocks { layout, cuts, first_block } = self;
        layout.lay_out(index, ply, shape);
        cuts.clear();
        let end = cut(layout.matrices.iter().copied(), planes, block_words, |cut| cuts.push(cut));
        cuts.push(end);
        *first_block = 0;
    }

    /// Returns the words of a block, given by its number in the tier, counted from the shape's first word.
    pub fn words(&self, block: usize) -> Range<usize> {
        let block = block - self.first_block;
        self.cuts[block].word..self.cuts[block + 1].word
    }

    /// Returns the number of the block with a word of the shape, both counted from the shape's first.
    pub fn block_of(&self, word: usize) -> usize {
        self.cuts.partition_point(|cut| cut.word <= word) - 1
    }

    /// Lists the rows of a block, given by its number in the tier, by matrix. Every matrix without words is in one
    /// block.
    pub fn rows(&self, block: usize) -> impl Iterator<Item = (&Matrix, Range<usize>)> {
        let block = block - self.first_block;
        let (from, to) = (self.cuts[block], self.cuts[block + 1]);
        let first = if block == 0 { 0 } else { from.matrix };
        let end = to.matrix + usize::from(to.row > 0);
        (first..end).map(move |number| {
            let matrix = &self.layout.matrices[number];
            let first = if number == from.matrix { from.row } else { 0 };
            (matrix, first..if number == to.matrix { to.row } else { matrix.rows as usize })
        })
    }
}

/// The words beyond the last row that a kernel may read (and never uses): a stream is read two words at a time.
pub(super) const PAD: usize = 2;

/// The words of a block, and [`PAD`] more. Threads share it.
pub(super) type Expanded = Arc<Words>;

/// Makes a block of `length` words and lets `fill` write them.
///
/// # Errors
/// Those of `fill`.
pub(super) fn expanded(
    length: usize,
    fill: impl FnOnce(&mut [u64]) -> Result<(), FileError>,
) -> Result<Expanded, FileError> {
    let mut words = Words::of_any_values(length + PAD);
    words.get_mut(..length).map_or(Ok(()), fill)?;
    Ok(Arc::new(words))
}

/// Returns what some blocks of so many words in all take together, expanded.
pub(super) fn expanded_bytes(blocks: usize, words: usize) -> u64 {
    let words = (words + blocks * PAD) as u64;
    64 * blocks as u64 + 8 * (words + words / SPARE_PART as u64)
}

/// A block that is not in the log yet.
#[derive(Clone, Debug)]
pub(super) enum DirtyBlock {
    Expanded(Expanded),
    Delta(Arc<DeltaBlock>),
}

/// A block in memory as its delta.
#[derive(Debug)]
pub(super) struct DeltaBlock {
    pub delta: Paged,
    pub planes: usize,
    /// Words of the block.
    pub length: usize,
}

impl DirtyBlock {
    /// Returns the words of the block; `buffer` is for those of a delta.
    pub fn expand(self, kernel: Kernel, buffer: &mut Vec<u8>) -> Result<Expanded, FileError> {
        match self {
            DirtyBlock::Expanded(words) => Ok(words),
            DirtyBlock::Delta(block) => expanded(block.length, |out| {
                kernel.undo_delta(UndoDelta { delta: block.delta.read(buffer), planes: block.planes, out });
                Ok(())
            }),
        }
    }
}

/// Returns what a delta of so many bytes takes in memory.
pub(super) fn delta_bytes(bytes: usize) -> u64 {
    Paged::taken_by(bytes) + 64
}

/// Bytes of a page.
const PAGE: usize = 1 << 12;

type Page = Box<[u8; PAGE]>;

/// Bytes in pages.
#[derive(Debug)]
pub(super) struct Paged {
    pages: Vec<Page>,
    pub length: usize,
}

/// Pages that are not used, until no more are needed. Threads and tiers share them.
#[derive(Debug)]
pub(super) struct Pages(Mutex<Option<Vec<Page>>>);

impl Default for Pages {
    fn default() -> Pages {
        Pages(Mutex::new(Some(Vec::new())))
    }
}

impl Pages {
    /// Copies bytes into pages. Keeps at most so many bytes of unused ones.
    pub fn put(&self, bytes: &[u8], most_spare_bytes: u64) -> Paged {
        let count = bytes.len().div_ceil(PAGE);
        let mut pages = Vec::with_capacity(count);
        if let Some(spare) = &mut *self.spare() {
            pages.extend(spare.drain(spare.len().saturating_sub(count)..));
            spare.truncate((most_spare_bytes / PAGE as u64) as usize);
        }
        pages.resize_with(count, || Box::new([0; PAGE]));
        for (page, bytes) in pages.iter_mut().zip(bytes.chunks(PAGE)) {
            if let Some(start) = page.get_mut(..bytes.len()) {
                start.copy_from_slice(bytes);
            }
        }
        Paged { pages, length: bytes.len() }
    }

    /// Takes the pages of bytes that are no longer needed, until [`Pages::close`].
    pub fn take_back(&self, bytes: Paged) {
        if let Some(spare) = &mut *self.spare() {
            spare.extend(bytes.pages);
        }
    }

    /// Returns what the pages take that are not used.
    #[cfg(test)]
    pub fn spare_bytes(&self) -> u64 {
        (self.spare().as_ref().map_or(0, Vec::len) * PAGE) as u64
    }

    /// Gives all pages that are not used back to the system, now and later.
    pub fn close(&self) {
        *self.spare() = None;
    }

    fn spare(&self) -> MutexGuard<'_, Option<Vec<Page>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Paged {
    /// Returns what so many bytes take in pages.
    pub fn taken_by(length: usize) -> u64 {
        let count = length.div_ceil(PAGE);
        // The allocator keeps a length beside each page.
        (count * (PAGE + size_of::<Page>() + 16)) as u64
    }

    /// Copies the bytes into `buffer`, which only grows.
    pub fn read<'b>(&self, buffer: &'b mut Vec<u8>) -> &'b [u8] {
        buffer.resize(buffer.len().max(self.pages.len() * PAGE), 0);
        for (to, page) in buffer.as_chunks_mut::<PAGE>().0.iter_mut().zip(&self.pages) {
            *to = **page;
        }
        buffer.get(..self.length).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::shapes;
    use crate::kernel::Kernel;
    use proptest::prelude::*;

    #[test]
    fn blocks_cover_every_row_once_and_are_as_large_as_asked_for() {
        for (name, block_words) in [("5x4", 64), ("5x4", 1 << 15), ("6x4", 700), ("3x6", 1)] {
            let index = Index::new(name.parse().unwrap(), Kernel::detect()).unwrap();
            for ply in 0..=index.board().cells() as u32 {
                for shape in shapes(&index, ply) {
                    let mut layout = ShapeLayout::default();
                    layout.lay_out(&index, ply, shape);
                    let mut cuts = Vec::new();
                    let end = cut(layout.matrices.iter().copied(), 2, block_words, |cut| cuts.push(cut));
                    assert_eq!(end.word, layout.first_word(layout.matrices.len(), 2));
                    assert_eq!(end.matrix, layout.matrices.len());
                    cuts.push(end);
                    assert_eq!(cuts[0].word, 0);
                    for pair in cuts.windows(2) {
                        let matrix = layout.matrices[pair[0].matrix];
                        assert_eq!(
                            pair[0].word,
                            layout.first_word(pair[0].matrix, 2) + pair[0].row * 2 * matrix.words()
                        );
                        assert!(pair[0].row.is_multiple_of(ROWS));
                        let words = pair[1].word - pair[0].word;
                        assert!(words > 0 && words <= block_words.max(ROWS * 2 * matrix.words()), "{name} {words}");
                    }
                }
            }
        }
    }

    proptest! {
        #[test]
        fn bytes_come_back_from_pages_that_were_used_before(
            first in prop::collection::vec(any::<u8>(), 0..3 * PAGE),
            second in prop::collection::vec(any::<u8>(), 0..3 * PAGE),
            most in 0..4usize,
        ) {
            let (pages, mut buffer) = (Pages::default(), Vec::new());
            let paged = pages.put(&first, 0);
            prop_assert_eq!(paged.read(&mut buffer), &first);
            pages.take_back(paged);
            let paged = pages.put(&second, (most * PAGE) as u64);
            prop_assert_eq!(paged.read(&mut buffer), &second);
            let count = |bytes: &Vec<u8>| bytes.len().div_ceil(PAGE);
            let spare = count(&first).saturating_sub(count(&second)).min(most);
            prop_assert_eq!(pages.spare_bytes(), (spare * PAGE) as u64);
            pages.close();
            pages.take_back(paged);
            prop_assert_eq!(pages.spare_bytes(), 0);
        }
    }
}
