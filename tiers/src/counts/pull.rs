//! Filling the rows of a tier's matrices from the tier before it, and counting what is not kept.

use std::iter::Sum;
use std::ops::{AddAssign, Range};

use fourbase::Player;

use super::finished::FinishedLists;
use super::parents::ShapeParents;
use crate::files::FileError;
use crate::index::{Index, Matrix, bands, images};
use crate::kernel::reach::{Buffers, PullBand};
use crate::tier::{Reached, TierReader};

/// How many positions play reaches, mirror images counted apart.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Positions {
    pub without_line: u64,
    pub with_line: u64,
}

impl AddAssign for Positions {
    fn add_assign(&mut self, other: Positions) {
        self.without_line += other.without_line;
        self.with_line += other.with_line;
    }
}

impl Sum for Positions {
    fn sum<I: Iterator<Item = Positions>>(all: I) -> Positions {
        all.fold(Positions::default(), |mut sum, positions| {
            sum += positions;
            sum
        })
    }
}

/// What all matrices of a tier share.
pub(super) struct Puller<'a> {
    index: &'a Index,
    finished: FinishedLists<'a>,
}

impl<'a> Puller<'a> {
    /// Prepares the tier of `ply` pieces, not the first; lists that are kept may take `list_bytes`.
    pub(super) fn new(index: &'a Index, ply: u32, list_bytes: u64) -> Puller<'a> {
        Puller { index, finished: FinishedLists::new(index, Player::to_move(ply).other(), list_bytes) }
    }

    /// Fills `rows` (from a multiple of 64) of a matrix in `out`, and counts the positions in them, those beside them and
    /// their share of those below them that a line inside a wing and the spine finished.
    ///
    /// # Errors
    /// Where a parent's rows cannot be read.
    pub(super) fn pull(
        &self,
        parents: &mut TierReader<Reached>,
        shape: &ShapeParents,
        matrix: &Matrix,
        rows: Range<usize>,
        mut out: &mut [u64],
        buffers: &mut Buffers,
    ) -> Result<Positions, FileError> {
        let kernel = self.index.kernel();
        let mut positions = Positions::default();
        let columns = self.finished.list(matrix.right, matrix.spine, matrix.right_firsts);
        for rows in bands(rows.clone()) {
            let band = shape.band(parents, matrix, rows.clone())?;
            let (own, after) = out.split_at_mut(rows.len() * band.words());
            out = after;
            if band.is_empty() {
                own.fill(0);
            } else {
                let pulled = kernel.run(PullBand { band: &band, out: Some(own), buffers });
                positions.without_line += pulled.without_line;
                positions.with_line += pulled.with_line;
            }
            let band = shape.beside_finished(parents, matrix, &columns, rows)?;
            if !band.is_empty() {
                positions.with_line += kernel.run(PullBand { band: &band, out: None, buffers }).without_line;
            }
        }
        let finished = self.finished.list(matrix.left, matrix.spine, matrix.left_firsts);
        for rows in bands(share(finished.len(), &rows, matrix.rows as usize)) {
            let band = shape.finished_band(parents, matrix, &finished, rows.clone())?;
            if !band.is_empty() {
                positions.with_line += kernel.run(PullBand { band: &band, out: None, buffers }).without_line;
            }
            let corner = shape.finished_corner(parents, matrix, &finished, rows)?;
            if !corner.is_empty() {
                positions.with_line += kernel.run(PullBand { band: &corner, out: None, buffers }).without_line;
            }
        }
        let images = images(matrix);
        Ok(Positions { without_line: positions.without_line * images, with_line: positions.with_line * images })
    }
}

/// Returns the finished rows, of `finished`, that go with `rows` of a matrix of `all` rows: shares of all pieces of a
/// matrix follow each other, begin at multiples of 64, and make the whole.
pub(super) fn share(finished: usize, rows: &Range<usize>, all: usize) -> Range<usize> {
    let place = |row: usize| if row == all { finished } else { finished * row / all / 64 * 64 };
    if rows.start == 0 && rows.end == all { 0..finished } else { place(rows.start)..place(rows.end) }
}
