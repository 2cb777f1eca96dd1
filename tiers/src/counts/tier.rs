//! One tier of the forward sweep: which positions play reaches, one bit each.

use bitvec::prelude::*;
use rayon::prelude::*;

use super::parents::ShapeParents;
use super::pull::{Positions, Puller};
use crate::index::{Index, TierLayout};
use crate::kernel::reach::Scratch;
use crate::solve::children::Whole;
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
        let job = Job { index, parents, layout: &layout, puller: Puller::new(index, layout.ply(), u64::MAX) };
        let mut rest = buffer.as_mut_slice();
        let mut pieces_with_rows = Vec::new();
        for piece in pieces(layout.matrices()) {
            let (rows, after) = std::mem::take(&mut rest).split_at_mut(piece.plane_words(layout.matrices()));
            rest = after;
            pieces_with_rows.push((piece, rows));
        }
        let Positions { without_line, with_line } = pieces_with_rows
            .into_par_iter()
            .map_init(Scratch::default, |scratch, (piece, rows)| job.pull_piece(&piece, rows, scratch))
            .reduce(Positions::default, |mut a, b| {
                a += b;
                a
            });
        ReachTier { layout, without_line, with_line, words: buffer }
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

/// What all pieces of a tier share.
struct Job<'a> {
    index: &'a Index,
    parents: &'a ReachTier,
    layout: &'a TierLayout,
    puller: Puller<'a>,
}

impl Job<'_> {
    /// Fills the rows of a piece and counts.
    fn pull_piece(&self, piece: &Piece, mut out: &mut [u64], scratch: &mut Scratch) -> Positions {
        let mut positions = Positions::default();
        let mut parents = Whole::new(Some((&self.parents.layout, 1, &self.parents.words)));
        let mut shape: Option<((_, _), ShapeParents)> = None;
        for (number, rows) in piece.rows(self.layout.matrices()) {
            let matrix = &self.layout.matrices()[number];
            let wings = (matrix.left, matrix.right);
            let (_, shape) = match shape.take() {
                Some(found) if found.0 == wings => shape.insert(found),
                _ => {
                    let found = ShapeParents::new(self.index, &mut parents, matrix.shape(), self.layout.ply());
                    shape.insert((wings, found))
                }
            };
            let (own, after) = out.split_at_mut(rows.len() * matrix.words());
            out = after;
            let Ok(here) = self.puller.pull(&mut parents, shape, matrix, rows, own, scratch);
            positions += here;
        }
        positions
    }
}
