//! The expanded blocks around the rows that are wanted.

use std::ops::Range;

use super::blocks::{Blocks, ShapeView};
use crate::files::FileError;
use crate::tier::content::Content;
use crate::tier::store::PAD;

/// Consecutive blocks of one shape, expanded, in memory as in a [`MemoryTier`](crate::tier::MemoryTier).
///
/// A request for later rows keeps the blocks that are needed again and expands only the others, so that a walk through a
/// shape expands each of its blocks once.
#[derive(Debug, Default)]
pub(super) struct Window {
    /// The blocks that are held, counted from the shape's first.
    held: Range<usize>,
    /// Their words, counted from the shape's first.
    words_held: Range<usize>,
    words: Vec<u64>,
    /// For a compressed block.
    bytes: Vec<u8>,
}

impl Window {
    /// Forgets the blocks; keeps the memory.
    pub fn clear(&mut self) {
        self.held = 0..0;
        self.words_held = 0..0;
    }

    /// Makes sure that `wanted` words of the shape are held.
    pub fn load<C: Content>(
        &mut self,
        blocks: &Blocks<C>,
        view: &ShapeView,
        wanted: Range<usize>,
    ) -> Result<(), FileError> {
        if self.words_held.start <= wanted.start && wanted.end <= self.words_held.end {
            return Ok(());
        }
        let block_of = |word: usize| view.cuts.partition_point(|cut| cut.word <= word) - 1;
        let wanted = block_of(wanted.start)..block_of(wanted.end - 1) + 1;
        let word = |block: usize| view.cuts[block].word;
        let first_word = word(wanted.start);
        let length = word(wanted.end) - first_word;
        let kept = self.held.start.max(wanted.start)..self.held.end.min(wanted.end);
        // The first word before the window moves.
        let old = self.words_held.start;
        let held = std::mem::take(&mut self.held);
        self.words_held = 0..0;
        self.words.resize((length + PAD).max(self.words.len()), 0);
        if !kept.is_empty() && !held.is_empty() {
            let from = word(kept.start) - old..word(kept.end) - old;
            self.words.copy_within(from, word(kept.start) - first_word);
        }
        for block in wanted.clone().filter(|block| !kept.contains(block)) {
            let place = word(block) - first_word..word(block + 1) - first_word;
            blocks.get(view.first_block + block, &mut self.words[place], &mut self.bytes)?;
        }
        self.words_held = first_word..first_word + length;
        self.held = wanted;
        Ok(())
    }

    /// Returns the words from word `first` of the shape on, which must be held.
    pub fn words(&self, first: usize) -> &[u64] {
        &self.words[first - self.words_held.start..]
    }
}
