//! Counts the reached positions of a tier by outcome, and finds the first of each.

use fourbase::{Outcome, Position, notation};

use super::table::OutcomeCount;
use crate::files::FileError;
use crate::index::{Index, Matrix, Parts, Spine, WingShape, images};
use crate::kernel::tally::{CODES, CountCodes, first};
use crate::solve::SolveError;
use crate::tier::{Rows, Tier};

/// Returns the counts of a solved tier by outcome, given those of all ranks by code.
///
/// # Errors
/// [`SolveError::Code`] for an invalid code.
pub(super) fn outcomes(ranks: &[Codes], index: &Index, tier: &Tier) -> Result<Vec<OutcomeCount>, SolveError> {
    let (board, ply) = (index.board(), tier.ply());
    let found = (0..).zip(join(ranks)).filter(|(_, (legal, _))| *legal > 0);
    let outcome = |(code, (legal, first))| {
        let outcome = tier.coding.decode(code).ok_or(SolveError::Code { board, ply, code, positions: legal })?;
        let Outcome { value, remoteness } = outcome;
        Ok(OutcomeCount { ply, value, remoteness, legal, example: moves(first, index) })
    };
    found.map(outcome).collect()
}

/// The place of an entry of a tier, compared in the order of the index: left wing, height of the spine, right wing, the
/// spine's bits, the first player's pieces of the left wing and of the right, row, column.
pub(super) type Place = [u32; 8];

/// For each code, the number of reached positions and the first of them.
pub(super) type Codes = Vec<(u64, Place)>;

/// Returns the result for no positions. Its places are greater than all others.
fn no_codes() -> Codes {
    vec![(0, [u32::MAX; 8]); CODES]
}

/// Combines the results of threads or ranks.
fn join<'c>(parts: impl IntoIterator<Item = &'c Codes>) -> Codes {
    let mut all = no_codes();
    for part in parts {
        for ((sum, least), (count, first)) in all.iter_mut().zip(part) {
            *sum += count;
            *least = (*least).min(*first);
        }
    }
    all
}

fn place(matrix: &Matrix, row: usize, column: usize) -> Place {
    let Matrix { left, spine, right, left_firsts, right_firsts, .. } = *matrix;
    [left.0, spine.height, right.0, spine.bits, left_firsts, right_firsts, row as u32, column as u32]
}

/// Returns the position at a place as the smallest sequence of moves.
fn moves([left, height, right, bits, left_firsts, right_firsts, row, column]: Place, index: &Index) -> Option<String> {
    let (left, spine, right) = (WingShape(left), Spine { height, bits }, WingShape(right));
    let left_bits = *index.colourings(left, spine, left_firsts).get(row as usize)?;
    let right_bits = *index.colourings(right, spine, right_firsts).get(column as usize)?;
    let [first, second] = index.split.bitboards(&Parts { left, left_bits, spine, right, right_bits });
    notation::to_moves(&Position::from_bitboards(index.board(), first, second).ok()?).ok()
}

/// Counts by code the positions of a solved tier that are legal and have no line, on all threads of rayon's current
/// pool. A mirror image counts as a position of its own. `reached` has the bits of the sweep, which are read in order.
///
/// # Errors
/// If a file can't be read.
pub(super) fn count_codes(index: &Index, reached: &Tier, values: &Tier) -> Result<Codes, FileError> {
    let planes = values.coding.planes;
    let begin = || (Rows::of(index, reached), no_codes());
    let found = values.visit(index, begin, |(reached, found), matrix, rows, codes| {
        let (words, first_row) = (matrix.words(), rows.start);
        reached.seek(matrix);
        let bits = reached.get(rows)?;
        let rows = || bits.chunks_exact(words).zip(codes.chunks_exact(words * planes));
        let mut here = [0; CODES];
        rows().for_each(|(mask, row)| index.kernel.run(CountCodes { mask, row, planes, counts: &mut here }));
        let all = here.iter().zip(found).enumerate();
        for (code, (count, (sum, least))) in all.filter(|(_, (count, _))| **count > 0) {
            *sum += count * images(matrix);
            if place(matrix, first_row, 0) <= *least {
                let first = |((bits, codes), row)| Some(place(matrix, row, first(bits, codes, planes, code)?));
                *least = rows().zip(first_row..).find_map(first).unwrap_or(*least);
            }
        }
        Ok(())
    })?;
    Ok(join(found.iter().map(|(_, found)| found)))
}
