//! How many reached positions of a tier have each outcome, and which of them is the first.

use std::path::Path;

use fourbase::{Position, notation};

use super::journal::Journal;
use crate::communicator::{Communicator, CommunicatorError, gather_numbers};
use crate::files::{FileError, Storage};
use crate::index::{Index, Matrix, Parts, Spine, WingShape, images};
use crate::kernel::tally::{CODES, CodeCounts, CountCodes, first};
use crate::solve::SolveError;
use crate::tier::{Kind, MemoryBudget, Reached, Rows, Tier, TierFolder};

/// Tallies every tier that is solved.
pub(super) struct Tally<'a> {
    pub storage: &'a dyn Storage,
    /// The folder with the bits of the sweep.
    pub folder: &'a Path,
    pub all: &'a dyn Communicator,
    /// Memory to read reached bits from front to back: for no more than a block.
    pub budget: MemoryBudget,
    pub journal: Journal,
}

impl Tally<'_> {
    /// Counts the legal positions of a tier that have no line, by outcome, mirror images apart. Ranks count together.
    ///
    /// # Errors
    /// Where a file cannot be read, and [`SolveError::Code`] for a code without outcome.
    pub fn tally(&mut self, index: &Index, tier: &Tier) -> Result<(), SolveError> {
        let ply = tier.ply();
        if self.journal.has_counted(ply) {
            return Ok(());
        }
        let (storage, folder, all) = (self.storage, self.folder, self.all);
        let tiers = TierFolder { storage, folder, index, budget: self.budget, all };
        let own = count_codes(index, &tiers.open(Reached, ply)?, tier)?;
        let mut codes = Codes::new();
        for (rank, numbers) in gather_numbers(all, &own.numbers())?.iter().enumerate() {
            codes = codes.join(&Codes::of(numbers).ok_or(CommunicatorError::Unreadable { rank: rank as u32 })?);
        }
        let (board, coding) = (index.board(), tier.content());
        let counts = codes.counts.iter().zip(&codes.firsts).enumerate().filter(|(_, (count, _))| **count > 0);
        for (code, (&positions, first)) in counts {
            let code = code as u8;
            let outcome = coding.decode(code).ok_or(SolveError::Code { board, ply, code, positions })?;
            let example = first.moves(index);
            self.journal.add(ply, outcome, positions, example);
        }
        self.journal.solved = Some(ply);
        if all.is_root() {
            self.journal.write(storage, folder)?;
            tiers.remove(Kind::Reached, |of| of >= ply)?;
        }
        Ok(())
    }
}

/// The reached positions of each code.
struct Codes {
    counts: CodeCounts,
    /// The first of each.
    firsts: [First; CODES],
}

/// The place of an entry of a tier, in the order of the index: left wing, height of the spine, right wing, the spine's bits, the first
/// player's pieces of the left wing and of the right, row, column.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct First([u32; 8]);

impl First {
    /// Comes after all entries.
    const NONE: First = First([u32::MAX; 8]);

    fn of(matrix: &Matrix, row: usize, column: usize) -> First {
        let Matrix { left, spine, right, left_firsts, right_firsts, .. } = *matrix;
        First([left.0, spine.height, right.0, spine.bits, left_firsts, right_firsts, row as u32, column as u32])
    }

    /// Returns the position, as the smallest order of moves.
    fn moves(self, index: &Index) -> Option<String> {
        if self == First::NONE {
            return None;
        }
        let [left, height, right, bits, left_firsts, right_firsts, row, column] = self.0;
        let (left, spine, right) = (WingShape(left), Spine { height, bits }, WingShape(right));
        let left_bits = *index.colourings(left, spine, left_firsts).get(row as usize)?;
        let right_bits = *index.colourings(right, spine, right_firsts).get(column as usize)?;
        let [first, second] = index.split().bitboards(&Parts { left, left_bits, spine, right, right_bits });
        notation::to_moves(&Position::from_bitboards(index.board(), first, second).ok()?).ok()
    }
}

impl Codes {
    fn new() -> Codes {
        Codes { counts: [0; CODES], firsts: [First::NONE; CODES] }
    }

    /// Adds the entries of some rows of a matrix: how many have each code, each as many positions as it is the `images` of.
    fn add(
        &mut self,
        matrix: &Matrix,
        first_row: usize,
        planes: usize,
        bits: &[u64],
        codes: &[u64],
        here: &CodeCounts,
    ) {
        let words = matrix.words();
        for (code, count) in here.iter().enumerate().filter(|(_, count)| **count > 0) {
            self.counts[code] += count * images(matrix);
            if self.firsts[code] < First::of(matrix, first_row, 0) {
                continue;
            }
            let rows = bits.chunks_exact(words).zip(codes.chunks_exact(words * planes)).zip(first_row..);
            let mut found =
                rows.filter_map(|((bits, codes), row)| Some(First::of(matrix, row, first(bits, codes, planes, code)?)));
            self.firsts[code] = found.next().unwrap_or(self.firsts[code]);
        }
    }

    /// Joins what two threads or processes have found.
    fn join(mut self, other: &Codes) -> Codes {
        self.counts.iter_mut().zip(&other.counts).for_each(|(sum, count)| *sum += count);
        self.firsts.iter_mut().zip(&other.firsts).for_each(|(first, other)| *first = (*first).min(*other));
        self
    }

    /// Lists numbers for other ranks: for each code the count and the place of the first.
    fn numbers(&self) -> Vec<u64> {
        let of_code = |(count, first): (&u64, &First)| [*count].into_iter().chain(first.0.map(u64::from));
        self.counts.iter().zip(&self.firsts).flat_map(of_code).collect()
    }

    /// Reads the numbers of a rank; `None` where there are too few or too many.
    fn of(numbers: &[u64]) -> Option<Codes> {
        let (of_codes, []) = numbers.as_chunks::<9>() else { return None };
        let of_codes: &[_; CODES] = of_codes.try_into().ok()?;
        let mut codes = Codes::new();
        for (number, [count, place @ ..]) in of_codes.iter().enumerate() {
            codes.counts[number] = *count;
            codes.firsts[number] = First(place.map(|part| part as u32));
        }
        Some(codes)
    }
}

/// Counts the codes of the reached positions, on all threads of rayon's current pool.
fn count_codes(index: &Index, reached: &Tier<Reached>, values: &Tier) -> Result<Codes, FileError> {
    let planes = values.content().planes();
    let begin = || (Rows::of(index, reached), Codes::new());
    let found = values.visit(index, begin, |(reached, found), matrix, rows, codes| {
        let (words, first_row) = (matrix.words(), rows.start);
        reached.seek(matrix);
        let bits = reached.get(rows)?;
        let mut here = [0; CODES];
        for (bits, codes) in bits.chunks_exact(words).zip(codes.chunks_exact(words * planes)) {
            index.kernel().run(CountCodes { mask: bits, row: codes, planes, counts: &mut here });
        }
        found.add(matrix, first_row, planes, bits, codes, &here);
        Ok(())
    })?;
    Ok(found.iter().fold(Codes::new(), |sum, (_, found)| sum.join(found)))
}
