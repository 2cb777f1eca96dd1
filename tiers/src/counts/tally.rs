//! Counts the reached positions of a tier by outcome, and finds the first of each.

use fourbase::{Outcome, Position, notation};
use serde::{Deserialize, Serialize};

use super::journal::Journal;
use super::table::OutcomeCount;
use crate::communicator::gather;
use crate::files::FileError;
use crate::index::{Index, Matrix, Parts, Spine, WingShape, images};
use crate::kernel::tally::{CODES, CountCodes, first};
use crate::solve::SolveError;
use crate::tier::{Kind, Reached, Rows, Tier, TierFolder, segments};

/// Adds the legal positions without a line of a solved tier to the journal, by outcome. Mirror images count separately.
/// All ranks count together. `reached` has the bits of the sweep, which are read from front to back.
///
/// # Errors
/// If a file can't be read; [`SolveError::Code`] for an invalid code.
pub(super) fn tally(reached: &TierFolder, journal: &mut Journal, index: &Index, tier: &Tier) -> Result<(), SolveError> {
    let (board, ply, coding) = (index.board(), tier.ply(), tier.content);
    if journal.solved <= ply {
        return Ok(());
    }
    let TierFolder { storage, folder, all, .. } = *reached;
    let own = count_codes(index, &reached.open(index, Reached, ply)?, tier)?;
    let codes = gather(all, &own)?.iter().fold(Codes::new(), Codes::join);
    for (code, (legal, first)) in (0..).zip(codes.0).filter(|(_, (positions, _))| *positions > 0) {
        let outcome = coding.decode(code).ok_or(SolveError::Code { board, ply, code, positions: legal })?;
        let Outcome { value, remoteness } = outcome;
        journal.outcomes.push(OutcomeCount { ply, value, remoteness, legal, example: first.moves(index) });
    }
    journal.solved = ply;
    if all.is_root() {
        journal.write(storage, folder)?;
        segments::remove(storage, folder, Kind::Reached, |of| of >= ply)?;
    }
    Ok(())
}

/// For each code, the number of reached positions and the first of them.
#[derive(Serialize, Deserialize)]
struct Codes(Vec<(u64, First)>);

/// The place of an entry of a tier, compared in the order of the index: left wing, height of the spine, right wing, the
/// spine's bits, the first player's pieces of the left wing and of the right, row, column.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct First([u32; 8]);

impl First {
    /// Greater than all entries.
    const NONE: First = First([u32::MAX; 8]);

    fn of(matrix: &Matrix, row: usize, column: usize) -> First {
        let Matrix { left, spine, right, left_firsts, right_firsts, .. } = *matrix;
        First([left.0, spine.height, right.0, spine.bits, left_firsts, right_firsts, row as u32, column as u32])
    }

    /// Returns the position as the smallest sequence of moves.
    fn moves(self, index: &Index) -> Option<String> {
        if self == First::NONE {
            return None;
        }
        let [left, height, right, bits, left_firsts, right_firsts, row, column] = self.0;
        let (left, spine, right) = (WingShape(left), Spine { height, bits }, WingShape(right));
        let left_bits = *index.colourings(left, spine, left_firsts).get(row as usize)?;
        let right_bits = *index.colourings(right, spine, right_firsts).get(column as usize)?;
        let [first, second] = index.split.bitboards(&Parts { left, left_bits, spine, right, right_bits });
        notation::to_moves(&Position::from_bitboards(index.board(), first, second).ok()?).ok()
    }
}

impl Codes {
    fn new() -> Codes {
        Codes(vec![(0, First::NONE); CODES])
    }

    /// Combines the results of two threads or processes.
    fn join(mut self, other: &Codes) -> Codes {
        for ((sum, least), (count, first)) in self.0.iter_mut().zip(&other.0) {
            *sum += count;
            *least = (*least).min(*first);
        }
        self
    }
}

/// Counts the codes of the reached positions, on all threads of rayon's current pool.
fn count_codes(index: &Index, reached: &Tier<Reached>, values: &Tier) -> Result<Codes, FileError> {
    let planes = values.content.planes;
    let begin = || (Rows::of(index, reached), Codes::new());
    let found = values.visit(index, begin, |(reached, found), matrix, rows, codes| {
        let (words, first_row) = (matrix.words(), rows.start);
        reached.seek(matrix);
        let bits = reached.get(rows)?;
        let rows = || bits.chunks_exact(words).zip(codes.chunks_exact(words * planes));
        let mut here = [0; CODES];
        rows().for_each(|(mask, row)| index.kernel.run(CountCodes { mask, row, planes, counts: &mut here }));
        let all = here.iter().zip(&mut found.0).enumerate();
        for (code, (count, (sum, least))) in all.filter(|(_, (count, _))| **count > 0) {
            *sum += count * images(matrix);
            if First::of(matrix, first_row, 0) <= *least {
                let first = |((bits, codes), row)| Some(First::of(matrix, row, first(bits, codes, planes, code)?));
                *least = rows().zip(first_row..).find_map(first).unwrap_or(*least);
            }
        }
        Ok(())
    })?;
    Ok(found.iter().fold(Codes::new(), |sum, (_, found)| sum.join(found)))
}
