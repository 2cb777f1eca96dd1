//! How many reached positions of a tier have each outcome, and which of them is the first.

use fourbase::{Board, Outcome, Position, notation};

use super::error::CountError;
use crate::crew::{Crew, CrewError};
use crate::files::FileError;
use crate::index::{Index, Matrix, Parts, Spine, WingShape, images};
use crate::kernel::Coding;
use crate::kernel::tally::{CODES, CodeCounts, first};
use crate::tier::{Reached, Rows, Store};

/// The legal positions without a line of one ply that have one outcome.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Tallied {
    pub outcome: Outcome,
    /// How many there are, mirror images apart.
    pub positions: u64,
    /// The first of them in the order of the index, as moves; `None` where no order of moves is found.
    pub example: Option<String>,
}

/// Counts the legal positions without a line of one ply by outcome, mirror images apart: each outcome once, in the order of
/// its code; outcomes that no position has are left out. `reached` and `values` are tiers of the same ply. Members of a crew, which
/// have the same tiers, count them together.
///
/// # Errors
/// Where a file cannot be read, and [`CountError::Code`] for a code that no outcome has.
pub(super) fn tally<R: Store<Content = Reached>, V: Store<Content = Coding>>(
    index: &Index,
    reached: &R,
    values: &V,
    crew: Option<&dyn Crew>,
) -> Result<Vec<Tallied>, CountError> {
    let mut codes = count_codes(index, reached, values)?;
    if let Some(crew) = crew {
        let all = crew.exchange(&codes.told());
        let others = all.iter().enumerate().filter(|(member, _)| *member != crew.number() as usize);
        for (member, told) in others {
            let heard = Codes::heard(told).ok_or(CrewError::Told { member: member as u32 })?;
            codes = codes.join(&heard);
        }
    }
    outcomes(index, values.content(), values.ply(), &codes)
}

/// The reached positions of each code.
struct Codes {
    counts: CodeCounts,
    /// The first of each.
    firsts: [Option<First>; CODES],
}

/// The place of an entry of a tier, in the order of the index: left wing, height of the spine, right wing, the spine's bits, the first
/// player's pieces of the left wing and of the right, row, column.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct First([u32; 8]);

impl First {
    fn of(matrix: &Matrix, row: usize, column: usize) -> First {
        let Matrix { left, spine, right, left_firsts, right_firsts, .. } = *matrix;
        First([left.0, spine.height, right.0, spine.bits, left_firsts, right_firsts, row as u32, column as u32])
    }

    /// Returns the position, as the smallest order of moves.
    fn moves(self, index: &Index) -> Option<String> {
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
        Codes { counts: [0; CODES], firsts: [None; CODES] }
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
            if self.firsts[code].is_some_and(|found| found < First::of(matrix, first_row, 0)) {
                continue;
            }
            let rows = bits.chunks_exact(words).zip(codes.chunks_exact(words * planes)).zip(first_row..);
            let mut found =
                rows.filter_map(|((bits, codes), row)| Some(First::of(matrix, row, first(bits, codes, planes, code)?)));
            self.firsts[code] = found.next().or(self.firsts[code]);
        }
    }

    /// Joins what two threads or processes have found.
    fn join(mut self, other: &Codes) -> Codes {
        self.counts.iter_mut().zip(&other.counts).for_each(|(sum, count)| *sum += count);
        for (first, other) in self.firsts.iter_mut().zip(other.firsts) {
            *first = [*first, other].into_iter().flatten().min();
        }
        self
    }

    /// Writes them down for other processes: of each code the count, whether there is a first, and it.
    fn told(&self) -> Vec<u8> {
        let mut told = Vec::with_capacity(CODES * CODE_BYTES);
        for (count, first) in self.counts.iter().zip(self.firsts) {
            told.extend_from_slice(&count.to_le_bytes());
            told.extend_from_slice(&u32::from(first.is_some()).to_le_bytes());
            first.unwrap_or(First([0; 8])).0.iter().for_each(|number| told.extend_from_slice(&number.to_le_bytes()));
        }
        told
    }

    /// Reads what another process has written down; `None` where it is something else.
    fn heard(told: &[u8]) -> Option<Codes> {
        let (of_codes, []) = told.as_chunks::<CODE_BYTES>() else { return None };
        let mut codes = Codes::new();
        if of_codes.len() != CODES {
            return None;
        }
        for ((of_code, count), first) in of_codes.iter().zip(&mut codes.counts).zip(&mut codes.firsts) {
            let (own, rest) = of_code.split_first_chunk()?;
            *count = u64::from_le_bytes(*own);
            let mut numbers = rest.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes));
            let has_first = numbers.next()? != 0;
            let mut place = [0; 8];
            place.iter_mut().zip(numbers).for_each(|(to, number)| *to = number);
            *first = has_first.then_some(First(place));
        }
        Some(codes)
    }
}

/// What is told of one code.
const CODE_BYTES: usize = 8 + 4 + 8 * 4;

/// Counts the codes of the reached positions, on all threads of rayon's current pool.
fn count_codes<R: Store<Content = Reached>, V: Store<Content = Coding>>(
    index: &Index,
    reached: &R,
    values: &V,
) -> Result<Codes, FileError> {
    let planes = values.content().planes();
    let begin = || (Rows::of(index, reached), Codes::new());
    let found = values.visit(index, begin, |(reached, found), matrix, rows, codes| {
        let (words, first_row) = (matrix.words(), rows.start);
        reached.seek(matrix);
        let bits = reached.get(rows)?;
        let mut here = [0; CODES];
        for (bits, codes) in bits.chunks_exact(words).zip(codes.chunks_exact(words * planes)) {
            index.kernel().tally(bits, codes, planes, &mut here);
        }
        found.add(matrix, first_row, planes, bits, codes, &here);
        Ok(())
    })?;
    Ok(found.iter().fold(Codes::new(), |sum, (_, found)| sum.join(found)))
}

/// Decodes codes.
fn outcomes(index: &Index, coding: &Coding, ply: u32, codes: &Codes) -> Result<Vec<Tallied>, CountError> {
    let board: Board = index.board();
    let counts = codes.counts.iter().zip(&codes.firsts).enumerate().filter(|(_, (count, _))| **count > 0);
    let tallied = counts.map(|(code, (&positions, first))| {
        let code = code as u8;
        let outcome = coding.decode(code).ok_or(CountError::Code { board, ply, code, positions })?;
        Ok(Tallied { outcome, positions, example: first.and_then(|first| first.moves(index)) })
    });
    tallied.collect()
}
