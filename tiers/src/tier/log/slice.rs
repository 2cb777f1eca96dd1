//! Some columns of a matrix, expanded.
//!
//! A shape that is stored as its mirror image is read across: a band of rows needs the same number of columns of all
//! rows. A matrix that fits into the thread's room is expanded whole, once. Of a larger one as many columns are expanded
//! as fit, from the first that is wanted on. Every slice costs the expansion of all blocks of the matrix.

use std::ops::Range;

use super::blocks::Blocks;
use super::view::ShapeView;
use crate::files::FileError;
use crate::tier::content::Content;
use crate::tier::store::PAD;

/// A part of a matrix: consecutive rows, and of each plane of them consecutive words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Across {
    /// Number of the matrix in its shape.
    pub matrix: usize,
    pub rows: Range<usize>,
    pub words: Range<usize>,
}

impl Across {
    fn holds(&self, other: &Across) -> bool {
        let holds = |all: &Range<usize>, some: &Range<usize>| all.start <= some.start && some.end <= all.end;
        self.matrix == other.matrix && holds(&self.rows, &other.rows) && holds(&self.words, &other.words)
    }
}

/// The part of a matrix that is held.
#[derive(Debug, Default)]
pub(super) struct Slice {
    held: Option<Across>,
    words: Vec<u64>,
    /// For a compressed block.
    bytes: Vec<u8>,
}

impl Slice {
    /// Forgets what it holds; keeps the memory.
    pub fn clear(&mut self) {
        self.held = None;
    }

    /// Makes sure that `wanted` is held, and with it as many further words of each row as the tier's room for slices
    /// allows. Returns the words of each plane of a row that are held.
    pub fn load<C: Content>(
        &mut self,
        blocks: &Blocks<C>,
        view: &ShapeView,
        wanted: &Across,
    ) -> Result<Range<usize>, FileError> {
        if let Some(held) = self.held.as_ref().filter(|held| held.holds(wanted)) {
            return Ok(held.words.clone());
        }
        self.held = None;
        let (planes, all) = (blocks.content.planes(), view.layout.matrices()[wanted.matrix].words());
        let Across { matrix, rows, words } = wanted.clone();
        let room = blocks.room.slice_words / (rows.len() * planes).max(1);
        let words = words.start..all.min(words.start + room).max(words.end);
        let width = words.len();
        self.words.resize((rows.len() * planes * width + PAD).max(self.words.len()), 0);
        let start = view.layout.first_word(matrix, planes);
        // A row after the other, a plane after the other: each of `all` words.
        let plane_rows = rows.start * planes..rows.end * planes;
        let word_of = |plane_row: usize| start + plane_row * all;
        let first = view.block_of(word_of(plane_rows.start));
        for (number, cut) in view.cuts.windows(2).enumerate().skip(first) {
            let [from, to] = [cut[0].word, cut[1].word];
            if from >= word_of(plane_rows.end) {
                break;
            }
            let block = blocks.get(view.first_block + number, to - from, &mut self.bytes)?;
            // Blocks hold whole rows, of this matrix or of small ones beside it.
            let inside = from.saturating_sub(start) / all..(to - start).div_ceil(all);
            for plane_row in inside.start.max(plane_rows.start)..inside.end.min(plane_rows.end) {
                let row = &block[word_of(plane_row) - from..][..all];
                let place = (plane_row - plane_rows.start) * width;
                self.words[place..place + width].copy_from_slice(&row[words.clone()]);
            }
        }
        self.held = Some(Across { matrix, rows, words: words.clone() });
        Ok(words)
    }

    /// Returns the words from row `row` on, of this many planes; the row must be held.
    pub fn words(&self, row: usize, planes: usize) -> &[u64] {
        let Some(held) = &self.held else { return &[] };
        &self.words[(row - held.rows.start) * planes * held.words.len()..]
    }
}
