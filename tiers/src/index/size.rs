//! The sizes of a tier, summed over its matrices without laying them out.

use rayon::prelude::*;

use super::layout::{Shape, matrices, shapes};
use super::split::Spine;
use super::tables::Index;
use crate::kernel::matrix::BAND_ROWS;

/// The sizes of one tier.
#[derive(Default)]
pub(crate) struct TierSize {
    /// Entries, after the mirror.
    pub entries: u128,
    /// Words of all planes.
    pub words: u128,
    pub matrices: u128,
    pub shapes: u128,
    /// Words of all planes of the largest matrix.
    pub matrix_words: u128,
    /// Words of all planes of the longest row.
    pub row_words: u128,
    /// Words of all planes of as many columns of the longest matrix as a band has rows.
    pub slice_words: u128,
}

impl TierSize {
    /// Sums the sizes of the tier of `ply` pieces with so many planes, on all threads of rayon's current pool.
    pub fn of(index: &Index, planes: usize, ply: u32) -> TierSize {
        let planes = planes as u128;
        let shapes: Vec<_> = shapes(index, ply).collect();
        let of_shape = |&shape: &Shape| {
            let mut size = TierSize { shapes: 1, ..TierSize::default() };
            for spine in Spine::of_height(shape.spine_height) {
                for matrix in matrices(index, ply, shape, spine) {
                    let words = matrix.plane_words() as u128 * planes;
                    size.entries += u128::from(matrix.entries());
                    size.words += words;
                    size.matrices += 1;
                    size.matrix_words = size.matrix_words.max(words);
                    size.row_words = size.row_words.max(matrix.words() as u128 * planes);
                    let columns = matrix.words().min(BAND_ROWS / 64) as u128;
                    size.slice_words = size.slice_words.max(u128::from(matrix.rows) * columns * planes);
                }
            }
            size
        };
        shapes.par_iter().map(of_shape).reduce(TierSize::default, |a, b| TierSize {
            entries: a.entries + b.entries,
            words: a.words + b.words,
            matrices: a.matrices + b.matrices,
            shapes: a.shapes + b.shapes,
            matrix_words: a.matrix_words.max(b.matrix_words),
            row_words: a.row_words.max(b.row_words),
            slice_words: a.slice_words.max(b.slice_words),
        })
    }
}
