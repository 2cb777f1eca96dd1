//! How many reached positions of a tier have each outcome.

use std::convert::Infallible;
use std::io;

use fourbase::{Board, Outcome};
use rayon::prelude::*;

use super::error::{SolveAndCountError, TallyError};
use super::packed::{Expander, PackedReach};
use super::pull::images;
use super::tier::ReachTier;
use crate::index::{Index, Matrix};
use crate::kernel::Coding;
use crate::kernel::tally::{CODES, CodeCounts};
use crate::solve::{Piece, Tier, pieces};

/// Counts the legal positions without a line of one ply by outcome, mirror images counted apart.
///
/// Outcomes are for the player to move, each listed once, in the order of their codes; those that no position has are
/// left out. Positions that a line finished are not among them: see [`ReachTier::with_line`].
///
/// # Errors
/// Where `values` belongs to another board or ply than `reached`, or holds a code that no outcome has.
pub fn tally(index: &Index, reached: &ReachTier, values: &Tier) -> Result<Vec<(Outcome, u64)>, TallyError> {
    let found = &values.layout;
    if found.ply() != reached.layout().ply() || found.matrices() != reached.layout().matrices() {
        let (board, ply) = (index.board(), reached.layout().ply());
        return Err(TallyError::OtherTier { board, ply, found_ply: found.ply() });
    }
    let Ok(counts) = count_codes(index, reached, values);
    outcomes(index.board(), &values.coding, values.layout.ply(), counts)
}

/// As [`tally`], of the compressed positions of the same board and ply.
pub(super) fn tally_packed(
    index: &Index,
    reached: &PackedReach,
    values: &Tier,
) -> Result<Vec<(Outcome, u64)>, SolveAndCountError> {
    let (board, ply) = (index.board(), values.layout.ply());
    let counts = count_codes(index, reached, values);
    let counts = counts.map_err(|source| SolveAndCountError::Packed { board, ply, source })?;
    Ok(outcomes(board, &values.coding, ply, counts)?)
}

/// Decodes codes.
pub(super) fn outcomes(
    board: Board,
    coding: &Coding,
    ply: u32,
    counts: CodeCounts,
) -> Result<Vec<(Outcome, u64)>, TallyError> {
    let mut outcomes = Vec::new();
    for (code, count) in counts.into_iter().enumerate().filter(|(_, count)| *count > 0) {
        let code = code as u8;
        let outcome = coding.decode(code).ok_or(TallyError::Code { board, ply, code, positions: count })?;
        outcomes.push((outcome, count));
    }
    Ok(outcomes)
}

/// The reached positions of a tier, piece by piece.
trait Reached: Sync {
    type Error: Send;

    /// Returns the words of a piece's rows, one after the other.
    fn piece<'a>(
        &'a self,
        number: usize,
        piece: &Piece,
        matrices: &[Matrix],
        expander: &'a mut Expander,
    ) -> Result<&'a [u64], Self::Error>;
}

impl Reached for ReachTier {
    type Error = Infallible;

    fn piece<'a>(
        &'a self,
        _: usize,
        piece: &Piece,
        _: &[Matrix],
        _: &'a mut Expander,
    ) -> Result<&'a [u64], Infallible> {
        Ok(self.piece_words(piece))
    }
}

impl Reached for PackedReach {
    type Error = io::Error;

    fn piece<'a>(
        &'a self,
        number: usize,
        piece: &Piece,
        matrices: &[Matrix],
        expander: &'a mut Expander,
    ) -> io::Result<&'a [u64]> {
        self.expand(number, piece.plane_words(matrices), expander)
    }
}

fn count_codes<R: Reached>(index: &Index, reached: &R, values: &Tier) -> Result<CodeCounts, R::Error> {
    let (matrices, planes) = (values.layout.matrices(), values.coding.planes());
    let zeros = || [0; CODES];
    let count_piece = |expander: &mut Expander, (number, piece): (usize, Piece)| {
        let mut bits = reached.piece(number, &piece, matrices, expander)?;
        let mut counts = zeros();
        for (number, rows) in piece.rows(matrices) {
            let words = matrices[number].words();
            let mut here = zeros();
            for row in rows {
                let (row_bits, after) = bits.split_at(words);
                bits = after;
                let codes = &values.matrix_words(number)[row * planes * words..][..planes * words];
                index.kernel().tally(row_bits, codes, planes, &mut here);
            }
            counts.iter_mut().zip(here).for_each(|(sum, count)| *sum += count * images(&matrices[number]));
        }
        Ok(counts)
    };
    let counts = pieces(matrices).into_par_iter().enumerate().map_init(Expander::default, count_piece);
    counts.try_reduce(zeros, |mut a, b| {
        a.iter_mut().zip(b).for_each(|(sum, count)| *sum += count);
        Ok(a)
    })
}
