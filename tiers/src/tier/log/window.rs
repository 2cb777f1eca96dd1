//! The rows that are wanted of a shape, expanded.

use std::ops::Range;

use super::blocks::{Blocks, Expanded, ShapeView};
use crate::files::FileError;
use crate::tier::content::Content;
use crate::tier::store::PAD;

/// Consecutive words of one shape: a whole block, which is shared and not copied, or rows of several, which are joined.
///
/// The last block that was needed stays: rows are wanted in ascending order, so a walk through a shape gets each of its
/// blocks once.
#[derive(Debug, Default)]
pub(super) struct Window {
    /// The words that are held, counted from the shape's first.
    held: Range<usize>,
    /// The last block that was needed, and its number, counted from the shape's first.
    last: Option<(usize, Expanded)>,
    /// The words, where they are of several blocks; otherwise empty.
    joined: Vec<u64>,
    /// For a compressed block.
    bytes: Vec<u8>,
}

impl Window {
    /// Forgets what it holds; keeps the memory.
    pub fn clear(&mut self) {
        self.held = 0..0;
        self.last = None;
    }

    /// Makes sure that `wanted` words of the shape are held.
    pub fn load<C: Content>(
        &mut self,
        blocks: &Blocks<C>,
        view: &ShapeView,
        wanted: Range<usize>,
    ) -> Result<(), FileError> {
        if self.held.start <= wanted.start && wanted.end <= self.held.end {
            return Ok(());
        }
        let block_of = |word: usize| view.cuts.partition_point(|cut| cut.word <= word) - 1;
        let (first, last) = (block_of(wanted.start), block_of(wanted.end - 1));
        self.held = 0..0;
        self.joined.clear();
        if first == last {
            self.get(blocks, view, first)?;
            self.held = view.cuts[first].word..view.cuts[first + 1].word;
            return Ok(());
        }
        self.joined.reserve_exact(wanted.len() + PAD);
        for number in first..=last {
            let (start, end) = (view.cuts[number].word, view.cuts[number + 1].word);
            let block = self.get(blocks, view, number)?;
            self.joined.extend_from_slice(&block[wanted.start.max(start) - start..wanted.end.min(end) - start]);
        }
        self.joined.extend([0; PAD]);
        self.held = wanted;
        Ok(())
    }

    /// Returns a block, given by its number in the shape, and keeps it.
    fn get<C: Content>(&mut self, blocks: &Blocks<C>, view: &ShapeView, number: usize) -> Result<Expanded, FileError> {
        if let Some((_, block)) = self.last.as_ref().filter(|(last, _)| *last == number) {
            return Ok(Expanded::clone(block));
        }
        // Its memory may be that of the next one.
        self.last = None;
        let length = view.cuts[number + 1].word - view.cuts[number].word;
        let block = blocks.get(view.first_block + number, length, &mut self.bytes)?;
        self.last = Some((number, Expanded::clone(&block)));
        Ok(block)
    }

    /// Returns the words from word `first` of the shape on, which must be held.
    pub fn words(&self, first: usize) -> &[u64] {
        match &self.last {
            Some((_, block)) if self.joined.is_empty() => &block[first - self.held.start..],
            _ => &self.joined[first - self.held.start..],
        }
    }
}
