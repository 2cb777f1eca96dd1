//! One tier in memory: its layout, its code, and its planes.

use bitvec::prelude::*;

use rayon::prelude::*;

use super::children::Words;
use crate::database::DatabaseError;
use crate::frontier::{Codec, Frontier, ShapeView};
use crate::index::{Index, TierLayout};
use crate::kernel::{Coding, Values};

/// Words beyond the last row that kernels may read (never use): a stream is read two words at a time.
const PAD: usize = 2;

/// The values of all entries of one tier, as bit planes.
#[derive(Debug)]
pub struct Tier {
    /// Where the matrices begin.
    pub layout: TierLayout,
    /// How outcomes are written.
    pub coding: Coding,
    words: Vec<u64>,
}

impl Tier {
    /// Makes room for the tier of `ply` pieces; `buffer` is an old one to reuse. The values are whatever was there.
    pub fn new(index: &Index, values: Values, ply: u32, mut buffer: Vec<u64>) -> Tier {
        let layout = TierLayout::new(index, ply);
        let coding = Coding::new(index.board(), values, ply);
        buffer.resize(layout.plane_words() * coding.planes() + PAD, 0);
        Tier { layout, coding, words: buffer }
    }

    /// Returns the layout, and the rows of all matrices one after the other.
    pub(super) fn parts_mut(&mut self) -> (&TierLayout, &mut [u64]) {
        let end = self.words.len() - PAD;
        (&self.layout, &mut self.words[..end])
    }

    /// Returns the planes from the first word of a matrix on (and beyond it).
    pub(crate) fn matrix_words(&self, number: usize) -> &[u64] {
        &self.words[self.layout.first_word(number, self.coding.planes())..]
    }

    /// Returns the layout, the number of planes, and the words.
    pub(super) fn words(&self) -> Words<'_> {
        (&self.layout, self.coding.planes(), &self.words)
    }

    /// Returns one plane of one row of a matrix, one bit a column.
    pub fn plane(&self, matrix: usize, row: usize, plane: usize) -> &BitSlice<u64, Lsb0> {
        let columns = self.layout.matrices()[matrix].columns as usize;
        &self.row(matrix, row, plane).view_bits::<Lsb0>()[..columns]
    }

    /// Returns the words of one plane of one row; bits beyond the matrix' columns mean nothing.
    pub(crate) fn row(&self, matrix: usize, row: usize, plane: usize) -> &[u64] {
        let words = self.layout.matrices()[matrix].words();
        &self.matrix_words(matrix)[(row * self.coding.planes() + plane) * words..][..words]
    }

    /// As [`Tier::row`], to be written.
    pub(crate) fn row_mut(&mut self, matrix: usize, row: usize, plane: usize) -> &mut [u64] {
        let planes = self.coding.planes();
        let words = self.layout.matrices()[matrix].words();
        let start = self.layout.first_word(matrix, planes) + (row * planes + plane) * words;
        &mut self.words[start..start + words]
    }

    /// Returns the code of one entry.
    pub fn code(&self, matrix: usize, row: usize, column: usize) -> u8 {
        (0..self.coding.planes())
            .fold(0, |code, plane| code | u8::from(self.plane(matrix, row, plane)[column]) << plane)
    }

    /// Takes all values of a tier from a frontier that is complete.
    ///
    /// # Errors
    /// As for every file.
    pub(crate) fn load(index: &Index, values: Values, frontier: &Frontier) -> Result<Tier, DatabaseError> {
        let mut tier = Tier::new(index, values, frontier.directory().ply(), Vec::new());
        let (_, mut rest) = tier.parts_mut();
        let mut blocks = Vec::new();
        for view in views(index, frontier) {
            for cuts in view.cuts.windows(2) {
                let (words, after) = rest.split_at_mut(cuts[1].word - cuts[0].word);
                rest = after;
                blocks.push(words);
            }
        }
        if !Codec::with(|codec| frontier.get_all(&mut blocks, codec))? {
            return Err(DatabaseError::Damaged { file: "the frontier".into(), offset: 0, what: "a block is missing" });
        }
        Ok(tier)
    }

    /// Puts all values into a frontier, but for the blocks that it has.
    ///
    /// # Errors
    /// As for every file.
    pub(crate) fn store(&self, index: &Index, frontier: &Frontier) -> Result<(), DatabaseError> {
        let mut rest = &self.words[..];
        let mut shapes = Vec::new();
        for view in views(index, frontier) {
            let (words, after) = rest.split_at(view.words());
            rest = after;
            shapes.push((view, words));
        }
        shapes.into_par_iter().try_for_each(|(view, words)| {
            Codec::with(|codec| {
                let blocks = view.cuts.windows(2).enumerate().map(|(block, cuts)| (view.first_block + block, cuts));
                blocks
                    .filter(|(block, _)| !frontier.has(*block))
                    .try_for_each(|(block, cuts)| frontier.put(block, &words[cuts[0].word..cuts[1].word], codec))
            })
        })
    }

    /// Gives the buffer back for reuse.
    pub fn into_buffer(self) -> Vec<u64> {
        self.words
    }
}

/// Lays out all shapes of a frontier, in order.
fn views(index: &Index, frontier: &Frontier) -> impl Iterator<Item = ShapeView> {
    (0..frontier.directory().shapes().len()).map(move |shape| frontier.view(index, shape))
}
