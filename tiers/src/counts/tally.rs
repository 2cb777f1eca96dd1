//! How many reached positions of a tier have each outcome, and which of them is the first.

use fourbase::{Board, Outcome, Position, notation};

use super::error::CountError;
use crate::files::FileError;
use crate::index::{Index, Matrix, Parts, images};
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
/// its code; outcomes that no position has are left out. `reached` and `values` are tiers of the same ply.
///
/// # Errors
/// Where a file cannot be read, and [`CountError::Code`] for a code that no outcome has.
pub(super) fn tally<R: Store<Content = Reached>, V: Store<Content = Coding>>(
    index: &Index,
    reached: &R,
    values: &V,
) -> Result<Vec<Tallied>, CountError> {
    outcomes(index, values.content(), values.ply(), &count_codes(index, reached, values)?)
}

/// The reached positions of each code.
struct Codes {
    counts: CodeCounts,
    /// The first of each.
    firsts: [Option<First>; CODES],
}

/// The place of an entry: the least is the first in the order of the index.
#[derive(Clone, Copy)]
struct First {
    matrix: Matrix,
    row: usize,
    column: usize,
}

impl First {
    /// Returns what the order of the index goes by, down to the row.
    fn key(matrix: &Matrix, row: usize) -> impl Ord + use<> {
        (matrix.left, matrix.spine.height, matrix.right, matrix.spine.bits, matrix.left_firsts, row)
    }

    /// Tells whether it comes before `row` of a matrix.
    fn is_before(&self, matrix: &Matrix, row: usize) -> bool {
        First::key(&self.matrix, self.row) < First::key(matrix, row)
    }

    /// Returns the position, as the smallest order of moves.
    fn moves(&self, index: &Index) -> Option<String> {
        let First { matrix, row, column } = *self;
        let left = index.colourings(matrix.left, matrix.spine, matrix.left_firsts);
        let right = index.colourings(matrix.right, matrix.spine, matrix.right_firsts);
        let (left_bits, right_bits) = (*left.get(row)?, *right.get(column)?);
        let parts = Parts { left: matrix.left, left_bits, spine: matrix.spine, right: matrix.right, right_bits };
        let [first, second] = index.split().bitboards(&parts);
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
            if self.firsts[code].is_some_and(|found| found.is_before(matrix, first_row)) {
                continue;
            }
            let rows = bits.chunks_exact(words).zip(codes.chunks_exact(words * planes)).zip(first_row..);
            let mut found = rows.filter_map(|((bits, codes), row)| {
                let column = first(bits, codes, planes, code)?;
                Some(First { matrix: *matrix, row, column })
            });
            self.firsts[code] = found.next().or(self.firsts[code]);
        }
    }

    /// Joins what two threads have found.
    fn join(mut self, other: &Codes) -> Codes {
        self.counts.iter_mut().zip(&other.counts).for_each(|(sum, count)| *sum += count);
        for (first, other) in self.firsts.iter_mut().zip(other.firsts) {
            let is_before = |other: &First| first.is_none_or(|first| other.is_before(&first.matrix, first.row));
            *first = other.filter(is_before).or(*first);
        }
        self
    }
}

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
