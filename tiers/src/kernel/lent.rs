//! Rows of a neighbouring tier, as a band borrows them.

use std::ops::Range;
use std::sync::Arc;

use super::words::Words;

/// The rows of a matrix, as far as a band needs them: in one piece, or in blocks that follow each other and are shared.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Lent<'a> {
    /// All rows, one after the other.
    Whole(&'a [u64]),
    /// As many rows in each block; the last may have fewer.
    Blocks {
        /// What each begins with.
        blocks: &'a [Arc<Words>],
        /// Rows of a block.
        each: usize,
    },
}

impl<'a> Lent<'a> {
    /// Returns the words of a row of `row_words` words, all planes together, and whatever follows them.
    #[inline(always)]
    pub fn row(&self, row: usize, row_words: usize) -> &'a [u64] {
        match *self {
            Lent::Whole(words) => &words[row * row_words..],
            Lent::Blocks { blocks, each } => &blocks[row / each][row % each * row_words..],
        }
    }

    /// Returns rows like [`Lent::row`]; `None` where they are not in one piece.
    pub fn piece(&self, rows: &Range<usize>, row_words: usize) -> Option<&'a [u64]> {
        let in_one = match *self {
            Lent::Whole(_) => true,
            Lent::Blocks { each, .. } => rows.is_empty() || rows.start / each == (rows.end - 1) / each,
        };
        in_one.then(|| self.row(rows.start, row_words))
    }
}
