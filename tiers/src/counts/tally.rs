//! Counts the reached positions of a solved tier by outcome, and finds the first position of each outcome as its
//! example.

use fourbase::{Outcome, Position, notation};

use super::table::OutcomeCount;
use crate::files::FileError;
use crate::index::{Index, Matrix, Parts, Spine, WingShape, images};
use crate::kernel::tally::{CODES, CountCodes, first};
use crate::tier::{Rows, Tier};

/// Converts counts by code into counts by outcome. `ranks` has the counts of every rank for a solved tier. A code is
/// the number that stands for an outcome in the planes of the tier.
///
/// # Errors
/// [`FileError::Damaged`] if positions have a code that stands for no outcome.
pub(super) fn outcomes(ranks: &[Codes], index: &Index, tier: &Tier) -> Result<Vec<OutcomeCount>, FileError> {
    let ply = tier.ply();
    let damaged = || FileError::damaged(tier.log.tiers.folder, 0, "the code of a legal position stands for no outcome");
    let found = (0..).zip(join(ranks)).filter(|(_, (legal, _))| *legal > 0);
    let outcome = |(code, (legal, first))| {
        let Outcome { value, remoteness } = tier.coding.decode(code).ok_or_else(damaged)?;
        Ok(OutcomeCount { ply, value, remoteness, legal, example: moves(first, index) })
    };
    found.map(outcome).collect()
}

/// The place of an entry in a tier, as numbers. Places compare in the order of the index: by left wing, height of the
/// spine, right wing, bits of the spine, first-player pieces of the left wing, first-player pieces of the right wing,
/// row, column.
pub(super) type Place = [u32; 8];

/// For each code, how many reached positions have this code, and the place of the first such position.
pub(super) type Codes = Vec<(u64, Place)>;

/// Returns the counts of no positions. Their places are greater than the place of any entry, so every entry replaces
/// them.
fn no_codes() -> Codes {
    vec![(0, [u32::MAX; 8]); CODES]
}

/// Adds up the counts of several threads or ranks, and keeps the smallest place of each code.
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

/// Returns the smallest sequence of moves to the position at a place; `None` if the place has no position that play can
/// reach.
fn moves([left, height, right, bits, left_firsts, right_firsts, row, column]: Place, index: &Index) -> Option<String> {
    let (left, spine, right) = (WingShape(left), Spine { height, bits }, WingShape(right));
    let left_bits = *index.colourings(left, spine, left_firsts).get(row as usize)?;
    let right_bits = *index.colourings(right, spine, right_firsts).get(column as usize)?;
    let [first, second] = index.split.bitboards(&Parts { left, left_bits, spine, right, right_bits });
    notation::to_moves(&Position::from_bitboards(index.board(), first, second).ok()?).ok()
}

/// Counts the legal positions without a line of a solved tier, by code. Runs on all threads of rayon's current pool. A
/// mirror image counts as a position of its own. `reached` holds the bits of the sweep, and every thread reads them in
/// order.
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
