//! How a shape is cut into blocks: runs of rows of about the same size.
//!
//! Cuts follow from the layout alone, so that every run of the program finds the same ones.

use std::ops::Range;

use crate::index::{Index, Matrix, Shape, ShapeLayout};

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::shapes;
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
}
