//! Some columns of a matrix, expanded.
//!
//! A shape that is stored as its mirror image is read across: a band of rows needs the same number of columns of all
//! rows. A matrix that fits into the thread's memory is expanded whole, once. Of a larger one as many columns are expanded
//! as fit, from the first that is needed on. Every slice costs the expansion of all blocks of the matrix.

use std::ops::Range;

use super::block::PAD;
use super::content::Content;
use super::reader::RowRequest;
use super::shape::ShapeBlocks;
use super::tier::Tier;
use crate::files::FileError;

/// The part of a matrix that is in memory.
#[derive(Debug, Default)]
pub(super) struct Slice {
    loaded: Option<RowRequest>,
    words: Vec<u64>,
}

impl Slice {
    /// Drops the part; keeps the buffer.
    pub fn clear(&mut self) {
        self.loaded = None;
    }

    /// Loads `wanted`, some words of rows of the matrix number `matrix`, and with it as many further words of each row as the tier's budget for slices allows. Returns the words
    /// of each plane of a row that are loaded; `bytes` is for a compressed block.
    pub fn load<C: Content>(
        &mut self,
        tier: &Tier<C>,
        shape: &ShapeBlocks,
        matrix: usize,
        wanted: &RowRequest,
        bytes: &mut Vec<u8>,
    ) -> Result<Range<usize>, FileError> {
        if let Some(loaded) = self.loaded.as_ref().filter(|loaded| loaded.contains(wanted)) {
            return Ok(loaded.words.clone());
        }
        self.loaded = None;
        let (planes, all) = (tier.planes, shape.layout.matrices[matrix].words());
        let RowRequest { origin, rows, words } = wanted.clone();
        let most = tier.budget.slice_words / (rows.len() * planes).max(1);
        let words = words.start..all.min(words.start + most).max(words.end);
        let width = words.len();
        self.words.resize((rows.len() * planes * width + PAD).max(self.words.len()), 0);
        let start = shape.layout.first_word(matrix, planes);
        // A row after the other, a plane after the other: each of `all` words.
        let plane_rows = rows.start * planes..rows.end * planes;
        let word_of = |plane_row: usize| start + plane_row * all;
        let first = shape.block_of(word_of(plane_rows.start));
        for (number, cut) in shape.cuts.windows(2).enumerate().skip(first) {
            let [from, to] = [cut[0].word, cut[1].word];
            if from >= word_of(plane_rows.end) {
                break;
            }
            let block = tier.block(shape.first_block + number, to - from, bytes)?;
            // Blocks hold whole rows, of this matrix or of small ones beside it.
            let inside = from.saturating_sub(start) / all..(to - start).div_ceil(all);
            for plane_row in inside.start.max(plane_rows.start)..inside.end.min(plane_rows.end) {
                let row = &block[word_of(plane_row) - from..][..all];
                let place = (plane_row - plane_rows.start) * width;
                self.words[place..place + width].copy_from_slice(&row[words.clone()]);
            }
        }
        self.loaded = Some(RowRequest { origin, rows, words: words.clone() });
        Ok(words)
    }

    /// Returns the words from row `row` on, of this many planes; the row must be loaded.
    pub fn words(&self, row: usize, planes: usize) -> &[u64] {
        let Some(loaded) = &self.loaded else { return &[] };
        &self.words[(row - loaded.rows.start) * planes * loaded.words.len()..]
    }
}
