//! One shape of a tier, laid out: which rows are in which block.

use std::ops::Range;

use super::cuts::Cut;
use crate::index::{Matrix, TierLayout};

/// One shape of a tier: where its matrices and its blocks begin.
#[derive(Debug)]
pub(super) struct ShapeView {
    /// The shape as if it were a tier of its own.
    pub layout: TierLayout,
    /// Where its blocks begin; closed by the end.
    pub cuts: Vec<Cut>,
    /// The number of its first block in the tier.
    pub first_block: usize,
}

impl ShapeView {
    /// Returns the words of a block, given by its number in the tier, counted from the shape's first word.
    pub fn words(&self, block: usize) -> Range<usize> {
        let block = block - self.first_block;
        self.cuts[block].word..self.cuts[block + 1].word
    }

    /// Returns the number of the block with a word of the shape, counted from the shape's first.
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
            let matrix = &self.layout.matrices()[number];
            let first = if number == from.matrix { from.row } else { 0 };
            (matrix, first..if number == to.matrix { to.row } else { matrix.rows as usize })
        })
    }
}
