//! How many reached positions of a tier have each outcome.

use fourbase::{Board, Outcome};

use super::error::CountError;
use crate::files::FileError;
use crate::index::{Index, Shape, images};
use crate::kernel::Coding;
use crate::kernel::tally::{CODES, CodeCounts};
use crate::tier::{Reached, Reader, Store};

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
    let begin = || Tally { reached: reached.reader(index), open: None, counts: [0; CODES] };
    let tallies = values.visit(index, begin, |tally, matrix, rows, codes| {
        let shape = match tally.open {
            Some((of, shape)) if of == matrix.shape() => shape,
            _ => {
                tally.reached.close();
                let shape = tally.reached.open(matrix.shape());
                tally.open.insert((matrix.shape(), shape)).1
            }
        };
        let number =
            shape.and_then(|shape| Some((shape, tally.reached.matrix(shape, matrix.spine, matrix.left_firsts)?)));
        let Some((shape, number)) = number else { return Ok(()) };
        let Some(loaded) = tally.reached.load(shape, number, &rows, &(0..0))? else { return Ok(()) };
        let words = matrix.words();
        let bits = &tally.reached.words(&loaded)[(rows.start - loaded.first) * words..];
        let mut here = [0; CODES];
        for (bits, codes) in bits.chunks_exact(words).zip(codes.chunks_exact(words * planes)) {
            index.kernel().tally(bits, codes, planes, &mut here);
        }
        tally.counts.iter_mut().zip(here).for_each(|(sum, count)| *sum += count * images(matrix));
        Ok(())
    })?;
    let mut sum = [0; CODES];
    tallies.iter().for_each(|tally| sum.iter_mut().zip(tally.counts).for_each(|(sum, count)| *sum += count));
    Ok(sum)
}

/// What one thread needs.
struct Tally<R> {
    reached: R,
    /// The open shape, and its number.
    open: Option<(Shape, Option<usize>)>,
    counts: CodeCounts,
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
