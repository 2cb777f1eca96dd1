//! One tier in memory: its layout, its code, and its planes.

use bitvec::prelude::*;

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

    /// Gives the buffer back for reuse.
    pub fn into_buffer(self) -> Vec<u64> {
        self.words
    }
}
