//! The rows that are wanted of a shape: a list of expanded blocks, which are shared and never copied.

use std::ops::Range;

use super::blocks::Blocks;
use super::stock::Expanded;
use super::view::ShapeView;
use crate::files::FileError;
use crate::kernel::Lent;
use crate::tier::content::Content;

/// Consecutive blocks of one shape.
///
/// Blocks that were needed last stay: rows are wanted in ascending order, so a walk through a shape gets each of its blocks
/// once.
#[derive(Debug, Default)]
pub(super) struct Window {
    /// The number of the first block, counted from the shape's first.
    first: usize,
    blocks: Vec<Expanded>,
    /// For a compressed block.
    bytes: Vec<u8>,
}

impl Window {
    /// Forgets what it holds; keeps the memory.
    pub fn clear(&mut self) {
        self.blocks.clear();
    }

    /// Makes sure that the blocks with `wanted` words of the shape, at least one, are held, and no others. Returns the number
    /// of the first, counted from the shape's first.
    pub fn load<C: Content>(
        &mut self,
        blocks: &Blocks<C>,
        view: &ShapeView,
        wanted: &Range<usize>,
    ) -> Result<usize, FileError> {
        let first = view.block_of(wanted.start);
        let end = if wanted.end <= view.cuts[first + 1].word { first + 1 } else { view.block_of(wanted.end - 1) + 1 };
        // Where the walk goes on, the first blocks have had their time.
        let old = self.first..self.first + self.blocks.len();
        let kept = if old.contains(&first) { first - old.start } else { old.len() };
        self.blocks.drain(..kept);
        self.blocks.truncate(end - first);
        self.first = first;
        for number in first + self.blocks.len()..end {
            let length = view.cuts[number + 1].word - view.cuts[number].word;
            let block = blocks.get(view.first_block + number, length, &mut self.bytes)?;
            self.blocks.push(block);
        }
        Ok(first)
    }

    /// Returns the rows from the first block's word `word` on. Each block has `each` rows, unless there is only one.
    pub fn rows(&self, word: usize, each: usize) -> Lent<'_> {
        match &self.blocks[..] {
            [only] => Lent::Whole(&only[word..]),
            blocks => Lent::Blocks { blocks, each },
        }
    }
}
