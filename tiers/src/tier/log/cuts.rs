//! How a shape is cut into blocks: runs of rows of about the same size.
//!
//! Cuts follow from the layout alone, so that every run of the program finds the same ones.

use crate::index::Matrix;

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::{Index, TierLayout};
    use crate::kernel::Kernel;

    #[test]
    fn blocks_cover_every_row_once_and_are_as_large_as_asked_for() {
        for (name, block_words) in [("5x4", 64), ("5x4", 1 << 15), ("6x4", 700), ("3x6", 1)] {
            let index = Index::new(name.parse().unwrap(), Kernel::detect()).unwrap();
            for ply in 0..=index.board().cells() as u32 {
                for shape in TierLayout::new(&index, ply).shapes() {
                    let layout = TierLayout::of_shape(&index, ply, shape.shape());
                    let mut cuts = Vec::new();
                    let end = cut(layout.matrices().iter().copied(), 2, block_words, |cut| cuts.push(cut));
                    assert_eq!(end.word, layout.plane_words() * 2);
                    assert_eq!(end.matrix, layout.matrices().len());
                    cuts.push(end);
                    assert_eq!(cuts[0].word, 0);
                    for pair in cuts.windows(2) {
                        let matrix = layout.matrices()[pair[0].matrix];
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
