//! How many reached positions of a tier have each outcome.

use fourbase::Outcome;
use rayon::prelude::*;

use super::error::TallyError;
use super::tier::{ReachTier, images};
use crate::index::Index;
use crate::kernel::tally::{CODES, CodeCounts};
use crate::solve::{Tier, pieces};

/// Counts the legal positions without a line of one ply by outcome, mirror images counted apart.
///
/// Outcomes are for the player to move, each listed once, in the order of their codes; those that no position has are
/// left out. Positions that a line finished are not among them: see [`ReachTier::with_line`].
///
/// # Errors
/// Where `values` belongs to another board or ply than `reached`, or holds a code that no outcome has.
pub fn tally(index: &Index, reached: &ReachTier, values: &Tier) -> Result<Vec<(Outcome, u64)>, TallyError> {
    let (board, ply) = (index.board(), reached.layout().ply());
    let found = &values.layout;
    if found.ply() != ply || found.matrices() != reached.layout().matrices() {
        return Err(TallyError::OtherTier { board, ply, found_ply: found.ply() });
    }
    let counts = count_codes(index, reached, values);
    let mut outcomes = Vec::new();
    for (code, count) in counts.into_iter().enumerate().filter(|(_, count)| *count > 0) {
        let code = code as u8;
        let outcome = values.coding.decode(code).ok_or(TallyError::Code { board, ply, code, positions: count })?;
        outcomes.push((outcome, count));
    }
    Ok(outcomes)
}

fn count_codes(index: &Index, reached: &ReachTier, values: &Tier) -> CodeCounts {
    let (matrices, planes) = (reached.layout().matrices(), values.coding.planes());
    let zeros = || [0; CODES];
    pieces(matrices)
        .into_par_iter()
        .fold(zeros, |mut counts, piece| {
            for (number, rows) in piece.rows(matrices) {
                let words = matrices[number].words();
                let mut here = zeros();
                for row in rows {
                    let codes = &values.matrix_words(number)[row * planes * words..][..planes * words];
                    index.kernel().tally(reached.row_words(number, row), codes, planes, &mut here);
                }
                counts.iter_mut().zip(here).for_each(|(sum, count)| *sum += count * images(&matrices[number]));
            }
            counts
        })
        .reduce(zeros, |mut a, b| {
            a.iter_mut().zip(b).for_each(|(sum, count)| *sum += count);
            a
        })
}
