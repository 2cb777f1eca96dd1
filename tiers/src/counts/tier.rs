//! One tier of the forward sweep: which positions play reaches, one bit each.

use std::ops::Range;

use bitvec::prelude::*;
use rayon::prelude::*;

use super::finished::FinishedLists;
use super::parents::ShapeParents;
use crate::index::{Index, Matrix, ShapeLayout, TierLayout};
use crate::kernel::matrix::BAND_ROWS;
use crate::kernel::reach::Scratch;
use crate::solve::{Piece, pieces};

/// The positions of one ply that play reaches.
///
/// The plane holds those without a line, full boards included: the ones that have a value to look up. Positions that
/// the last move finished with a line are counted and left out.
#[derive(Debug)]
pub struct ReachTier {
    layout: TierLayout,
    without_line: u64,
    with_line: u64,
    words: Vec<u64>,
}

/// How many positions play reaches, mirror images counted apart.
#[derive(Clone, Copy, Default)]
struct Reached {
    without_line: u64,
    with_line: u64,
}

impl ReachTier {
    /// Returns the tier of the empty board.
    pub(super) fn start(index: &Index) -> ReachTier {
        let layout = TierLayout::new(index, 0);
        ReachTier { words: vec![1; layout.plane_words()], layout, without_line: 1, with_line: 0 }
    }

    /// Carries `parents` one ply on; `buffer` is an old one to reuse.
    pub(super) fn after(index: &Index, parents: &ReachTier, mut buffer: Vec<u64>) -> ReachTier {
        let layout = TierLayout::new(index, parents.layout.ply() + 1);
        buffer.resize(layout.plane_words(), 0);
        let finished = FinishedLists::new(index, Index::mover(parents.layout.ply()));
        let job = Job { index, parents, layout: &layout, finished: &finished };
        let mut rest = buffer.as_mut_slice();
        let mut pieces_with_rows = Vec::new();
        for piece in pieces(layout.matrices()) {
            let (rows, after) = std::mem::take(&mut rest).split_at_mut(piece.plane_words(layout.matrices()));
            rest = after;
            pieces_with_rows.push((piece, rows));
        }
        let reached = pieces_with_rows
            .into_par_iter()
            .map_init(Scratch::default, |scratch, (piece, rows)| job.pull_piece(&piece, rows, scratch))
            .reduce(Reached::default, |a, b| Reached {
                without_line: a.without_line + b.without_line,
                with_line: a.with_line + b.with_line,
            });
        ReachTier { layout, without_line: reached.without_line, with_line: reached.with_line, words: buffer }
    }

    /// Returns where the matrices begin (in a tier of one plane).
    pub fn layout(&self) -> &TierLayout {
        &self.layout
    }

    /// Returns the number of legal positions of the ply without a line, mirror images counted apart.
    pub fn without_line(&self) -> u64 {
        self.without_line
    }

    /// Returns the number of legal positions of the ply that a line finished, mirror images counted apart.
    pub fn with_line(&self) -> u64 {
        self.with_line
    }

    /// Returns the reached positions without a line in one row of a matrix, one bit a column.
    pub fn row(&self, matrix: usize, row: usize) -> &BitSlice<u64, Lsb0> {
        let columns = self.layout.matrices()[matrix].columns as usize;
        &self.row_words(matrix, row).view_bits::<Lsb0>()[..columns]
    }

    /// Returns the words of [`ReachTier::row`]; bits beyond the matrix' columns are 0.
    pub(crate) fn row_words(&self, matrix: usize, row: usize) -> &[u64] {
        let words = self.layout.matrices()[matrix].words();
        &self.matrix_words(matrix)[row * words..][..words]
    }

    /// Returns the plane from the first word of a matrix on (and beyond it).
    pub(super) fn matrix_words(&self, number: usize) -> &[u64] {
        &self.words[self.layout.first_word(number, 1)..]
    }

    /// Returns the words of the rows of a piece, one after the other.
    pub(super) fn piece_words(&self, piece: &Piece) -> &[u64] {
        let matrices = self.layout.matrices();
        let first = piece
            .rows(matrices)
            .next()
            .map_or(0, |(number, rows)| self.layout.first_word(number, 1) + rows.start * matrices[number].words());
        &self.words[first..][..piece.plane_words(matrices)]
    }

    /// Gives the buffer back for reuse.
    pub(super) fn into_buffer(self) -> Vec<u64> {
        self.words
    }
}

/// Returns how many positions an entry of a matrix stands for: two mirror images, but one where a shape is its own
/// mirror image, whose matrices are stored whole.
pub(super) fn images(matrix: &Matrix) -> u64 {
    if matrix.left == matrix.right { 1 } else { 2 }
}

/// What all pieces of a tier share.
struct Job<'a> {
    index: &'a Index,
    parents: &'a ReachTier,
    layout: &'a TierLayout,
    finished: &'a FinishedLists<'a>,
}

impl<'a> Job<'a> {
    /// Fills the rows of a piece and counts.
    fn pull_piece(&self, piece: &Piece, mut out: &mut [u64], scratch: &mut Scratch) -> Reached {
        let mut reached = Reached::default();
        let mut parents: Option<((_, _), ShapeParents)> = None;
        for (number, rows) in piece.rows(self.layout.matrices()) {
            let matrix = &self.layout.matrices()[number];
            let wings = (matrix.left, matrix.right);
            let (_, parents) = match parents.take() {
                Some(found) if found.0 == wings => parents.insert(found),
                _ => parents.insert((wings, ShapeParents::new(self.index, self.parents, self.shape(matrix)))),
            };
            let (own, after) = out.split_at_mut(rows.len() * matrix.words());
            out = after;
            let here = self.pull_matrix(matrix, rows, parents, own, scratch);
            reached.without_line += here.without_line * images(matrix);
            reached.with_line += here.with_line * images(matrix);
        }
        reached
    }

    fn shape(&self, matrix: &Matrix) -> &ShapeLayout {
        let shapes = self.layout.shapes();
        &shapes[shapes.partition_point(|shape| (shape.left, shape.right) < (matrix.left, matrix.right))]
    }

    /// Fills `rows` of a matrix, and counts the positions beside them and their share of those below them that a line
    /// inside a wing and the spine finished.
    fn pull_matrix(
        &self,
        matrix: &Matrix,
        rows: Range<usize>,
        parents: &ShapeParents<'a>,
        mut out: &mut [u64],
        scratch: &mut Scratch,
    ) -> Reached {
        let kernel = self.index.kernel();
        let mut reached = Reached::default();
        let columns = self.finished.list(matrix.right, matrix.spine, matrix.right_firsts);
        for rows in bands(rows.clone()) {
            let band = parents.band(matrix, rows.clone());
            let (own, after) = out.split_at_mut(rows.len() * band.words());
            out = after;
            if band.is_empty() {
                own.fill(0);
            } else {
                let pulled = kernel.pull(&band, Some(own), scratch);
                reached.without_line += pulled.without_line;
                reached.with_line += pulled.with_line;
            }
            let band = parents.beside_finished(matrix, columns, rows);
            if !band.is_empty() {
                reached.with_line += kernel.pull(&band, None, scratch).without_line;
            }
        }
        let finished = self.finished.list(matrix.left, matrix.spine, matrix.left_firsts);
        for rows in bands(share(finished.len(), &rows, matrix.rows as usize)) {
            let band = parents.finished_band(matrix, finished, rows.clone());
            let corner = parents.finished_corner(matrix, finished, rows);
            for band in [band, corner].iter().filter(|band| !band.is_empty()) {
                reached.with_line += kernel.pull(band, None, scratch).without_line;
            }
        }
        reached
    }
}

/// Cuts rows into bands.
fn bands(rows: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let end = rows.end;
    rows.step_by(BAND_ROWS).map(move |row| row..end.min(row + BAND_ROWS))
}

/// Returns the finished rows, of `finished`, that go with `rows` of a matrix of `all` rows: shares of all pieces of a
/// matrix follow each other, begin at multiples of 64, and make the whole.
pub(super) fn share(finished: usize, rows: &Range<usize>, all: usize) -> Range<usize> {
    let place = |row: usize| if row == all { finished } else { finished * row / all / 64 * 64 };
    if rows.start == 0 && rows.end == all { 0..finished } else { place(rows.start)..place(rows.end) }
}
