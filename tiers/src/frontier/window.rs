//! The expanded blocks around the rows that are wanted.

use std::ops::Range;

use super::{Codec, Content, Frontier, ShapeView};
use crate::database::DatabaseError;

/// Words beyond the last row that kernels may read (never use).
pub(super) const PAD: usize = 2;

/// Consecutive blocks of one shape, expanded, in memory as in a [`Tier`](crate::solve::Tier).
///
/// Asked for the next rows it keeps the blocks that it has and expands the others, so that a walk through a shape
/// expands each of its blocks once.
#[derive(Debug, Default)]
pub(crate) struct Window {
    /// The blocks that are held, counted from the shape's first.
    held: Range<usize>,
    /// Their words, counted from the shape's first.
    words_held: Range<usize>,
    words: Vec<u64>,
}

impl Window {
    /// Forgets everything but the memory.
    pub fn clear(&mut self) {
        self.held = 0..0;
        self.words_held = 0..0;
    }

    /// Makes sure that `wanted` words of the shape are held.
    pub fn load<C: Content>(
        &mut self,
        frontier: &Frontier<C>,
        view: &ShapeView,
        wanted: Range<usize>,
        codec: &mut Codec,
    ) -> Result<(), DatabaseError> {
        if self.words_held.start <= wanted.start && wanted.end <= self.words_held.end {
            return Ok(());
        }
        let block_of = |word: usize| view.cuts.partition_point(|cut| cut.word <= word) - 1;
        let wanted = block_of(wanted.start)..block_of(wanted.end - 1) + 1;
        let word = |block: usize| view.cuts[block].word;
        let first_word = word(wanted.start);
        let length = word(wanted.end) - first_word;
        let kept = self.held.start.max(wanted.start)..self.held.end.min(wanted.end);
        // Where the blocks lie that are kept, before and after.
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
            frontier.get(view.first_block + block, &mut self.words[place], codec)?;
        }
        self.words_held = first_word..first_word + length;
        self.held = wanted;
        Ok(())
    }

    /// Returns the words from word `first` of the shape on; they were loaded.
    pub fn words(&self, first: usize) -> &[u64] {
        &self.words[first - self.words_held.start..]
    }
}
