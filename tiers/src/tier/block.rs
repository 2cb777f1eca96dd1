//! Divides shapes into blocks.
//!
//! A block holds consecutive rows of one shape ([`crate::index`] explains shapes and matrices), about [`BLOCK_WORDS`]
//! words in all. A shape with fewer words is one block. If 64 rows of a matrix have more words, each block of the
//! matrix has 64 rows. The layout alone determines where blocks begin, so every run of the program divides a shape in
//! the same way.

use std::ops::Range;

use crate::index::{Matrix, ShapeLayout};

/// The approximate number of words in a block before compression. They take 256 KiB, so that a processor's cache can
/// hold a window (see [`crate::tier`]) on each child.
pub const BLOCK_WORDS: usize = 1 << 15;

/// If a matrix is divided, each of its blocks begins at a multiple of this many rows. Bands (the rows that a kernel
/// works on together) must begin at such multiples too.
const ROWS: usize = 64;

/// The start of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Cut {
    /// Number of the matrix in its shape.
    pub matrix: usize,
    /// First row, counted within the matrix.
    pub row: usize,
    /// First word, counted within the shape.
    pub word: usize,
}

/// Divides the matrices of a shape into blocks of about `block_words` words. A block holds several small matrices or
/// some rows of a large one. Each row has `planes` planes. Calls `cut` with the start of each block, in order, and
/// returns the end of the shape.
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

/// One shape of a tier: where its matrices and its blocks begin. Each use of a shape computes its layout again. That is
/// quicker than reading a stored layout from outside the processor's cache.
#[derive(Default, Debug)]
pub(super) struct ShapeBlocks {
    pub layout: ShapeLayout,
    /// The start of each block, followed by the end of the shape.
    pub cuts: Vec<Cut>,
    /// The number of the shape's first block in the tier.
    pub first_block: usize,
}

impl ShapeBlocks {
    /// Returns the range of a block's words, counted from the shape's first word. `block` is the block's number in the
    /// tier.
    pub fn words(&self, block: usize) -> Range<usize> {
        let block = block - self.first_block;
        self.cuts[block].word..self.cuts[block + 1].word
    }

    /// Returns the number of the block that holds a word. Blocks are counted from the shape's first block, words from
    /// the shape's first word.
    pub fn block_of(&self, word: usize) -> usize {
        self.cuts.partition_point(|cut| cut.word <= word) - 1
    }

    /// Lists the matrices of a block, each with its rows that are in the block. `block` is the block's number in the
    /// tier. A matrix without words belongs to exactly one block.
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

/// The number of spare words after the last row of a block. A kernel reads two words of a stream at a time, so it can
/// read past the last row; it does not use these words.
pub(super) const PAD: usize = 2;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::{Index, shapes};
    use crate::kernel::Kernel;

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
                    for (from, to) in cuts.iter().zip(&cuts[1..]) {
                        let row_words = 2 * layout.matrices[from.matrix].words();
                        assert_eq!(from.word, layout.first_word(from.matrix, 2) + from.row * row_words);
                        let words = to.word - from.word;
                        assert!(words > 0 && words <= block_words.max(ROWS * row_words), "{name} {words}");
                        assert!(from.row.is_multiple_of(ROWS));
                    }
                }
            }
        }
    }
}
