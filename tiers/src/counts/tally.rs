//! How many reached positions of a tier have each outcome.

use fourbase::{Board, Outcome};

use super::error::CountError;
use crate::files::FileError;
use crate::index::{Index, images};
use crate::kernel::Coding;
use crate::kernel::tally::{CODES, CodeCounts};
use crate::tier::{Reached, Rows, Store};

/// Counts the legal positions without a line of one ply by outcome, mirror images apart: each outcome once, in the order of
/// its code; outcomes that no position has are left out. `reached` and `values` are tiers of the same ply.
///
/// # Errors
/// Where a file cannot be read, and [`CountError::Code`] for a code that no outcome has.
pub(super) fn tally<R: Store<Content = Reached>, V: Store<Content = Coding>>(
    index: &Index,
    reached: &R,
    values: &V,
) -> Result<Vec<(Outcome, u64)>, CountError> {
    outcomes(index.board(), values.content(), values.ply(), &count_codes(index, reached, values)?)
}

/// Counts the codes of the reached positions, on all threads of rayon's current pool.
fn count_codes<R: Store<Content = Reached>, V: Store<Content = Coding>>(
    index: &Index,
    reached: &R,
    values: &V,
) -> Result<CodeCounts, FileError> {
    let planes = values.content().planes();
    let begin = || (Rows::of(index, reached), [0; CODES]);
    let tallies = values.visit(index, begin, |(reached, counts), matrix, rows, codes| {
        let words = matrix.words();
        reached.seek(matrix);
        let bits = reached.get(rows)?;
        let mut here = [0; CODES];
        for (bits, codes) in bits.chunks_exact(words).zip(codes.chunks_exact(words * planes)) {
            index.kernel().tally(bits, codes, planes, &mut here);
        }
        counts.iter_mut().zip(here).for_each(|(sum, count)| *sum += count * images(matrix));
        Ok(())
    })?;
    let mut sum = [0; CODES];
    tallies.iter().for_each(|(_, counts)| sum.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count));
    Ok(sum)
}

/// Decodes codes.
fn outcomes(board: Board, coding: &Coding, ply: u32, counts: &CodeCounts) -> Result<Vec<(Outcome, u64)>, CountError> {
    let mut outcomes = Vec::new();
    for (code, &positions) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        let code = code as u8;
        let outcome = coding.decode(code).ok_or(CountError::Code { board, ply, code, positions })?;
        outcomes.push((outcome, positions));
    }
    Ok(outcomes)
}
