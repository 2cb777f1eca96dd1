//! The solver: tiers from the full board down to the empty one, each from the one after it.
//!
//! Shapes of one tier never depend on each other, so a tier is cut into pieces of about half a million entries that any
//! thread can solve: whole matrices, or runs of rows where a matrix is large. Pieces lie one after the other in
//! memory, and each thread writes its own.

mod armed;
mod bounded;
pub(crate) mod children;
mod options;
mod prepare;
mod room;
mod run;
mod tier;

use std::ops::Range;

use fourbase::Player;
use rayon::prelude::*;

pub use crate::frontier::BLOCK_WORDS;
pub(crate) use armed::{FullLine, OpenLine, armed_lines};
pub(crate) use bounded::solve_frontier;
pub use options::{CHECKPOINT, Options, Progress, Report};
pub use run::{run, run_on};
pub use tier::Tier;

use crate::index::{Index, Matrix, WingShape};
use crate::kernel::matrix::{BAND_ROWS, Band, Outcomes, Scratch};
use children::Whole;
use prepare::ShapeMoves;

/// Entries of a piece of work: enough to hide the cost of handing it to a thread, few enough to share out a tier.
const PIECE_ENTRIES: u64 = 1 << 19;

/// Some of the rows of a tier, contiguous in memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Piece {
    /// All rows of consecutive matrices.
    Matrices(Range<usize>),
    /// Rows (from a multiple of [`BAND_ROWS`]) of one matrix.
    Rows(usize, Range<usize>),
}

impl Piece {
    /// Lists the piece's matrices, each with the rows of it that belong to the piece.
    pub(crate) fn rows(&self, matrices: &[Matrix]) -> impl Iterator<Item = (usize, Range<usize>)> {
        let numbers = match self {
            Piece::Matrices(range) => range.clone(),
            Piece::Rows(matrix, _) => *matrix..*matrix + 1,
        };
        numbers.map(move |number| match self {
            Piece::Matrices(_) => (number, 0..matrices[number].rows as usize),
            Piece::Rows(_, rows) => (number, rows.clone()),
        })
    }

    /// Counts the words of one plane of the piece.
    pub(crate) fn plane_words(&self, matrices: &[Matrix]) -> usize {
        self.rows(matrices).map(|(number, rows)| rows.len() * matrices[number].words()).sum()
    }
}

/// Cuts a tier into pieces, in order.
pub(crate) fn pieces(matrices: &[Matrix]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut first = 0;
    let mut entries = 0;
    for (number, matrix) in matrices.iter().enumerate() {
        if matrix.entries() > 2 * PIECE_ENTRIES && matrix.rows as usize > BAND_ROWS {
            pieces.push(Piece::Matrices(first..number));
            let bands = (PIECE_ENTRIES / u64::from(matrix.columns)) as usize / BAND_ROWS;
            let step = bands.max(1) * BAND_ROWS;
            let rows = matrix.rows as usize;
            pieces.extend((0..rows).step_by(step).map(|row| Piece::Rows(number, row..rows.min(row + step))));
            first = number + 1;
            entries = 0;
            continue;
        }
        entries += matrix.entries();
        if entries >= PIECE_ENTRIES {
            pieces.push(Piece::Matrices(first..number + 1));
            first = number + 1;
            entries = 0;
        }
    }
    pieces.push(Piece::Matrices(first..matrices.len()));
    pieces.retain(|piece| *piece != Piece::Matrices(0..0));
    pieces
}

/// Solves a tier from the tier after it (`None` for the last). Returns `false` where `progress` stopped it before the end:
/// then the tier's values mean nothing.
///
/// Work is shared out over rayon's current pool; the result is the same for every number of threads.
#[must_use]
pub fn solve_tier(index: &Index, tier: &mut Tier, child: Option<&Tier>, progress: &dyn Progress) -> bool {
    let ply = tier.layout.ply();
    let coding = tier.coding;
    let child_planes = child.map_or(coding.planes(), |child| child.coding.planes());
    let (layout, mut rest) = tier.parts_mut();
    let tier = Job {
        index,
        child,
        matrices: layout.matrices(),
        planes: coding.planes(),
        ply,
        outcomes: prepare::outcomes(index, &coding, ply),
    };
    let mut pieces_with_rows = Vec::new();
    for piece in pieces(tier.matrices) {
        let (rows, after) = std::mem::take(&mut rest).split_at_mut(tier.words(&piece));
        rest = after;
        pieces_with_rows.push((piece, rows));
    }
    let maximise = Index::mover(ply) == Player::First;
    let is_done = pieces_with_rows.into_par_iter().try_for_each_init(Scratch::default, |scratch, (piece, rows)| {
        (!progress.is_stopped()).then(|| {
            tier.solve_piece(&piece, rows, |band, rows| {
                index.kernel().solve(&coding, child_planes, maximise, band, rows, scratch);
                progress.solved(band.entries());
            });
        })
    });
    is_done.is_some()
}

/// What all pieces of a tier share.
struct Job<'a> {
    index: &'a Index,
    child: Option<&'a Tier>,
    matrices: &'a [Matrix],
    planes: usize,
    ply: u32,
    outcomes: Outcomes,
}

impl Job<'_> {
    /// Counts the words of a piece.
    fn words(&self, piece: &Piece) -> usize {
        piece.plane_words(self.matrices) * self.planes
    }

    /// Prepares the bands of a piece one after the other and hands each to `solve` with its rows.
    fn solve_piece(&self, piece: &Piece, mut rows: &mut [u64], mut solve: impl FnMut(&Band, &mut [u64])) {
        let mut children = Whole::new(self.child.map(Tier::words));
        let mut moves: Option<((WingShape, WingShape), ShapeMoves)> = None;
        for (number, matrix_rows) in piece.rows(self.matrices) {
            let matrix = &self.matrices[number];
            let wings = (matrix.left, matrix.right);
            if moves.as_ref().is_none_or(|(of, _)| *of != wings) && matrix.entries() > 0 {
                let new = ShapeMoves::new(self.index, &mut children, matrix.shape(), self.ply, self.outcomes);
                moves = Some((wings, new));
            }
            let Some((_, moves)) = moves.as_ref().filter(|_| matrix.entries() > 0) else { continue };
            for band_rows in bands(matrix_rows) {
                let (own, after) = rows.split_at_mut(band_rows.len() * matrix.words() * self.planes);
                let Ok(band) = moves.band(&mut children, matrix, band_rows);
                solve(&band, own);
                rows = after;
            }
        }
    }
}

/// Cuts rows into bands.
fn bands(rows: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let end = rows.end;
    rows.step_by(BAND_ROWS).map(move |row| row..end.min(row + BAND_ROWS))
}
