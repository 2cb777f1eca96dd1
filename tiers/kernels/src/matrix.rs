//! Solving the rows of a matrix from its children: the loop that takes most of a solve's time.
//!
//! A [`Band`] is a run of rows of one matrix, with the child of each drop. The three kinds of drops differ in how the
//! child's matrix relates to the parent's:
//!
//! * **left wing** ([`RowDrop`]): whole rows move, each to the row of the colouring with one more bit;
//! * **right wing and spine** ([`ColumnDrop`]): rows stay (spine: or have no child); in each row the same bits of the
//!   child move to the parent's columns. Most rows are short, so the moves from word to word are listed once a band;
//! * **right wing into a shape that is stored as its mirror image** ([`TurnedDrop`]): the child is transposed, so the
//!   drop is a left-wing drop in the transposed layout, and its result is turned 64x64 bits at a time.
//!
//! If a parent's drop has no child in the child's list, it completes a line inside wing and spine: the parent wins at
//! once. Lines across both wings are found when the child itself is solved (`lines`).

use super::bits::{Bits, Task, ones};
use super::code::Code;
use super::rows::{self, Move};
use super::words::RowView;

/// Marks a row without a child: the drop completes a line.
pub const NO_ROW: u32 = u32::MAX;

/// The most rows of a band: the bits of a cache line in the transposed layout.
pub const BAND_ROWS: usize = 512;

/// Rows that are worked on together, so that they stay in the processor's first cache. At most 64.
const CHUNK_ROWS: usize = 64;

/// Drops into the left wing that are taken together.
const MOST_DROPS: usize = 4;

/// A drop into the left wing.
pub struct RowDrop<'a> {
    /// The child's matrix, from its row 0 on.
    pub child: RowView<'a>,
    /// For every row of the band, the child's row or [`NO_ROW`].
    pub rows: &'a [u32],
}

/// A drop into the right wing or on the spine.
pub struct ColumnDrop<'a> {
    /// The child's matrix from row 0 of the row numbers on.
    pub child: RowView<'a>,
    /// Words of a plane of a row of the child.
    pub child_words: usize,
    /// The child's row of the band's first row where rows stay what they are.
    pub first_row: usize,
    /// For every row of the band the child's row, or [`NO_ROW`]; empty when rows stay what they are.
    pub rows: &'a [u32],
    /// The child's columns to gather, as a plane to be flipped or not; `None` when they are contiguous.
    pub gather: Option<(&'a [u64], u64)>,
    /// First column to take when they are contiguous.
    pub offset: usize,
    /// The parent's columns that have a child.
    pub keeps: &'a [u64],
}

/// A drop into the right wing whose child is stored as its mirror image.
pub struct TurnedDrop<'a> {
    /// The child's matrix from row `first_row` on, with all or some of its columns.
    pub child: RowView<'a>,
    /// The child's row that `child` begins with.
    pub first_row: usize,
    /// Words of one plane of a row in `child`.
    pub row_words: usize,
    /// The word of `child` that holds the band's first rows, as columns.
    pub first_word: usize,
    /// For every column of the parent, the child's row or [`NO_ROW`].
    pub rows: &'a [u32],
}

/// The lines across both wings that the positions of a matrix can have.
#[derive(Default)]
pub struct ArmedLines {
    /// The lines, each with the rows that can have it.
    pub lines: Vec<ArmedLine>,
    /// For every line, the mask of right colourings with the line's right part, one mask after the other.
    pub masks: Vec<u64>,
}

impl ArmedLines {
    /// Removes all lines and keeps the memory.
    pub fn clear(&mut self) {
        self.lines.clear();
        self.masks.clear();
    }
}

/// A line across both wings. Rows with these pieces have it, in the columns of its mask.
pub struct ArmedLine {
    /// The line's cells in the left wing, as bits of the colouring.
    pub left_mask: u32,
    /// The values of these bits in rows that have the line.
    pub left_bits: u32,
    /// Where the line's mask begins in [`ArmedLines::masks`].
    pub mask: usize,
}

/// The codes of a tier's outcomes that need no child.
#[derive(Clone, Copy, Debug)]
pub struct Outcomes {
    /// The player to move completes a line.
    pub completed: u8,
    /// The least that every move is worth: under misère a completed line, else the worst code.
    pub floor: u8,
    /// The previous player has completed a line.
    pub over: u8,
    /// The board is full.
    pub tie: u8,
}

/// A run of rows of one matrix, and all input of its kernel.
pub struct Band<'a> {
    /// Colourings of the band's rows.
    pub left: &'a [u32],
    /// Number of columns.
    pub columns: usize,
    /// Drops into the left wing.
    pub row_drops: Vec<RowDrop<'a>>,
    /// Drops into the right wing and on the spine.
    pub column_drops: Vec<ColumnDrop<'a>>,
    /// Drops whose children are stored transposed.
    pub turned_drops: Vec<TurnedDrop<'a>>,
    /// The lines across both wings.
    pub lines: &'a ArmedLines,
    /// The outcomes that need no child.
    pub outcomes: Outcomes,
    /// Whether a completed line loses.
    pub misere: bool,
}

/// The emptied lists of a band, whose memory another band reuses.
#[derive(Default)]
pub struct Lists {
    /// List for [`Band::row_drops`].
    pub row_drops: Vec<RowDrop<'static>>,
    /// List for [`Band::column_drops`].
    pub column_drops: Vec<ColumnDrop<'static>>,
    /// List for [`Band::turned_drops`].
    pub turned_drops: Vec<TurnedDrop<'static>>,
}

/// Empties a list, so that its memory can be reused for items with another lifetime.
fn emptied<T, U>(mut list: Vec<T>) -> Vec<U> {
    list.clear();
    // The standard library collects such a list in place.
    list.into_iter().map(|_| unreachable!("the list is empty")).collect()
}

/// Memory that a kernel reuses.
#[derive(Default)]
pub struct Buffers {
    start: Vec<u64>,
    turn: Vec<u64>,
    /// The moves of each drop into the right wing or on the spine.
    moves: Vec<Vec<Move>>,
}

/// Returns the bytes that the moves of a band with `drops` drops into the right wing and on the spine take at most. No row
/// of parent or child has more than `row_words` words in all its planes.
pub fn move_bytes(drops: usize, row_words: u128) -> u128 {
    // Each move takes the last bits of a word or fills a word, of one plane.
    drops as u128 * 2 * row_words * size_of::<Move>() as u128
}

/// Returns the child's row for a row of a band: from `map`, or counted from `first_row` if the map is empty.
#[inline(always)]
pub(super) fn mapped(map: &[u32], first_row: usize, row: usize) -> Option<usize> {
    match map.get(row) {
        Some(&NO_ROW) => None,
        Some(&mapped) => Some(mapped as usize),
        None => Some(first_row + row),
    }
}

impl Band<'_> {
    /// Returns the emptied lists, for another band.
    pub fn into_lists(self) -> Lists {
        Lists {
            row_drops: emptied(self.row_drops),
            column_drops: emptied(self.column_drops),
            turned_drops: emptied(self.turned_drops),
        }
    }

    fn words(&self) -> usize {
        self.columns.div_ceil(64)
    }

    /// Writes the outcomes of a row before its children are read: won where a drop into the right wing or on the
    /// spine completes a line, else the floor.
    fn start_row(&self, planes: usize, start: &mut Vec<u64>) {
        let words = self.words();
        start.clear();
        start.resize(planes * words, 0);
        if self.row_drops.is_empty() && self.column_drops.is_empty() && self.turned_drops.is_empty() {
            return rows::fill_outcome(start, words, self.outcomes.tie);
        }
        rows::fill_outcome(start, words, self.outcomes.floor);
        if self.misere {
            return;
        }
        for word in 0..words {
            let keeps = self.column_drops.iter().fold(u64::MAX, |keeps, drop| keeps & drop.keeps[word]);
            for plane in 0..planes {
                let at = &mut start[plane * words + word];
                *at = if self.outcomes.completed >> plane & 1 == 1 { *at | !keeps } else { *at & keeps };
            }
        }
    }
}

/// Solves a band; see [`super::Kernel::solve`].
pub(super) struct Solve<'a, 'b, C, const P: usize> {
    pub code: C,
    pub band: &'a Band<'b>,
    pub out: &'a mut [u64],
    pub buffers: &'a mut Buffers,
}

impl<C: Code<P>, const P: usize> Task for Solve<'_, '_, C, P> {
    type Output = ();

    #[inline(always)]
    fn run<B: Bits>(self) {
        let Solve { code, band, out, buffers } = self;
        let words = band.words();
        band.start_row(P, &mut buffers.start);
        if !band.turned_drops.is_empty() {
            turn(code, band, &buffers.start, out, &mut buffers.turn);
        }
        buffers.moves.resize_with(band.column_drops.len(), Vec::new);
        for (drop, moves) in band.column_drops.iter().zip(&mut buffers.moves) {
            let child = |word: usize| drop.gather.map_or(u64::MAX, |(plane, flip)| plane[word] ^ flip);
            let child = (0..drop.child_words).map(child);
            rows::list_moves::<B>(child, drop.offset, drop.keeps.iter().copied(), moves);
        }
        for (number, out) in out.chunks_mut(CHUNK_ROWS * P * words).enumerate() {
            let first = number * CHUNK_ROWS;
            for (row, best) in out.chunks_exact_mut(P * words).enumerate() {
                take_row_drops(code, band, first + row, best, &buffers.start);
            }
            for (drop, moves) in band.column_drops.iter().zip(&buffers.moves) {
                take_column_drop::<C, B, P>(code, band, drop, moves, first, out);
            }
            mark_over::<P>(band, first, out);
        }
    }
}

/// Writes the outcomes of a row of a band: the best of its start and of its drops into the left wing.
#[inline(always)]
fn take_row_drops<C: Code<P>, const P: usize>(code: C, band: &Band, row: usize, best: &mut [u64], start: &[u64]) {
    let words = band.words();
    // Turned drops have begun with the start.
    let mut start = band.turned_drops.is_empty().then_some(start);
    for drops in band.row_drops.chunks(MOST_DROPS) {
        let (mut children, mut count) = ([&[][..]; MOST_DROPS], 0);
        for drop in drops {
            match drop.rows[row] {
                NO_ROW if band.misere => (),
                NO_ROW => return rows::fill_outcome(best, words, band.outcomes.completed),
                child_row => {
                    children[count] = drop.child.row(child_row as usize, code.child_planes() * words);
                    count += 1;
                }
            }
        }
        rows::take_rows(code, best, start.take(), words, &children[..count], words);
    }
    if let Some(start) = start {
        best.copy_from_slice(start);
    }
}

/// Replaces the outcomes of rows, from row `first` of a band on, by those of a drop where these are better.
#[inline(always)]
fn take_column_drop<C: Code<P>, B: Bits, const P: usize>(
    code: C,
    band: &Band,
    drop: &ColumnDrop,
    moves: &[Move],
    first: usize,
    out: &mut [u64],
) {
    let words = band.words();
    let child_words = code.child_planes() * drop.child_words;
    let (mut rows, mut count) = ([(0, &[][..]); CHUNK_ROWS], 0);
    for (row, best) in out.chunks_exact_mut(P * words).enumerate() {
        match mapped(drop.rows, drop.first_row, first + row) {
            Some(child_row) => {
                rows[count] = (row * P * words, &drop.child.row(child_row, child_words)[..child_words]);
                count += 1;
            }
            None if band.misere => (),
            None => rows::fill_outcome(best, words, band.outcomes.completed),
        }
    }
    let rows = &rows[..count];
    for moves in moves.chunk_by(|one, other| one.to == other.to).flat_map(|moves| moves.chunks(3)) {
        match moves {
            [a] => rows::take_word::<C, B, P, 1>(code, out, words, rows, drop.child_words, [a]),
            [a, b] => rows::take_word::<C, B, P, 2>(code, out, words, rows, drop.child_words, [a, b]),
            [a, b, c] => rows::take_word::<C, B, P, 3>(code, out, words, rows, drop.child_words, [a, b, c]),
            _ => (),
        }
    }
}

/// Sets the outcome of the positions of rows, from row `first` of a band on, where the previous player has a line across
/// both wings.
#[inline(always)]
fn mark_over<const P: usize>(band: &Band, first: usize, out: &mut [u64]) {
    let words = band.words();
    for line in &band.lines.lines {
        let mask = &band.lines.masks[line.mask..][..words];
        let mut held = 0u64;
        for (row, left) in band.left[first..].iter().take(CHUNK_ROWS).enumerate() {
            held |= u64::from(left & line.left_mask == line.left_bits) << row;
        }
        for row in ones(held) {
            rows::set_outcome(&mut out[row * P * words..][..P * words], mask, band.outcomes.over);
        }
    }
}

/// Fills `out` with the best of the start and of the turned drops: 64 rows of the transposed layout at a time, then turned.
#[inline(always)]
fn turn<C: Code<P>, const P: usize>(code: C, band: &Band, start: &[u64], out: &mut [u64], buffer: &mut Vec<u64>) {
    let words = band.words();
    let band_words = band.left.len().div_ceil(64);
    buffer.clear();
    buffer.resize(64 * P * band_words, 0);
    for word in 0..words {
        for (bit, best) in buffer.chunks_exact_mut(P * band_words).enumerate().take(band.columns - word * 64) {
            let outcome = (0..P).fold(0, |code, p| code | ((start[p * words + word] >> bit & 1) as u8) << p);
            rows::fill_outcome(best, band_words, outcome);
            for drop in &band.turned_drops {
                match drop.rows[word * 64 + bit] {
                    NO_ROW if band.misere => (),
                    NO_ROW => rows::fill_outcome(best, band_words, band.outcomes.completed),
                    row => {
                        let row_words = code.child_planes() * drop.row_words;
                        let child = &drop.child.row(row as usize - drop.first_row, row_words)[drop.first_word..];
                        rows::take_rows(code, best, None, band_words, &[child], drop.row_words);
                    }
                }
            }
        }
        rows::turn::<P>(buffer, out, words, word);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Coding, Kernel, Values, ones};
    use fourbase::Board;
    use proptest::prelude::*;

    /// A band with a drop into each wing and a line across both, all random.
    #[derive(Clone, Debug)]
    struct Case {
        /// The child's columns that the drop into the right wing takes.
        plane: Vec<u64>,
        /// The first column where they are contiguous.
        from: Option<usize>,
        keeps: Vec<u64>,
        rows: Vec<u32>,
        /// Repeated to fill the rows.
        noise: Vec<u64>,
    }

    /// Returns the outcome's number at a column of a row.
    fn code(row: &[u64], words: usize, planes: usize, column: usize) -> u8 {
        (0..planes).fold(0, |code, p| code | ((row[p * words + column / 64] >> (column % 64) & 1) as u8) << p)
    }

    fn places(words: &[u64]) -> impl Iterator<Item = usize> {
        words.iter().enumerate().flat_map(|(word, &bits)| ones(bits).map(move |bit| 64 * word + bit))
    }

    impl Case {
        /// Returns 40 rows of a child.
        fn child(&self, wdl: bool, planes: usize, words: usize) -> Vec<u64> {
            let mut child: Vec<u64> = self.noise.iter().copied().cycle().take(40 * planes * words).collect();
            for row in child.chunks_exact_mut(planes * words).filter(|_| wdl) {
                // A player who wins does not lose.
                (0..words).for_each(|word| row[words + word] &= row[word]);
            }
            child
        }

        /// Compares with working position by position.
        fn check(&self, values: Values, ply: u32, misere: bool) {
            let board: Board = "7x6".parse().unwrap();
            let [coding, narrow] = [ply, ply + 1].map(|ply| Coding::new(board, values, ply));
            let (planes, own, maximise) = (coding.planes, narrow.planes, ply.is_multiple_of(2));
            let (words, child_words) = (self.keeps.len(), self.plane.len());
            let [worst, best] = [!maximise, maximise].map(|high| if high { u8::MAX >> (8 - planes) } else { 0 });
            let outcomes = Outcomes { completed: best, floor: worst, over: 1, tie: 0 };
            let [left, right] = [words, child_words].map(|words| self.child(values == Values::Wdl, own, words));
            let (keeps, rows, child) = (&self.keeps[..], &self.rows[..], RowView::Whole(&right));
            let (gather, offset) = (self.from.is_none().then_some((&self.plane[..], 0)), self.from.unwrap_or(0));
            let numbers: Vec<u32> = (0..).take(rows.len()).collect();
            let line = ArmedLine { left_mask: 3, left_bits: 2, mask: 0 };
            let band = Band {
                left: &numbers,
                columns: 64 * words,
                row_drops: vec![RowDrop { child: RowView::Whole(&left), rows }],
                column_drops: vec![ColumnDrop { child, child_words, first_row: 0, rows, gather, offset, keeps }],
                turned_drops: Vec::new(),
                lines: &ArmedLines { lines: vec![line], masks: self.keeps.clone() },
                outcomes,
                misere,
            };
            let all = vec![u64::MAX; child_words];
            let taken: Vec<usize> = places(gather.map_or(&all, |(plane, _)| plane)).skip(offset).collect();
            let expected = |row: usize, column: usize| {
                let kept = places(&self.keeps).position(|place| place == column);
                if row % 4 == 2 && kept.is_some() {
                    return outcomes.over;
                }
                let (child_row, is_won) = (rows[row] as usize, !misere && (rows[row] == NO_ROW || kept.is_none()));
                if is_won || rows[row] == NO_ROW {
                    return if is_won { best } else { worst };
                }
                let code_at = |child: &[u64], words, column| {
                    let code = code(&child[child_row * own * words..], words, own, column);
                    if own < planes { code + (1 << (own - 1)) } else { code }
                };
                let one = code_at(&left, words, column);
                let other = kept.map_or(worst, |bit| code_at(&right, child_words, taken[bit]));
                if maximise { one.max(other) } else { one.min(other) }
            };
            let mut buffers = Buffers::default();
            for kernel in Kernel::all() {
                // A second run, with used buffers, must change nothing.
                for _ in 0..2 {
                    let mut out = vec![self.noise[0]; rows.len() * planes * words];
                    kernel.solve(&coding, own, maximise, &band, &mut out, &mut buffers);
                    for (row, found) in out.chunks_exact(planes * words).enumerate() {
                        for column in 0..64 * words {
                            assert_eq!(code(found, words, planes, column), expected(row, column), "{row} {column}");
                        }
                    }
                }
            }
            let moves: usize = buffers.moves.iter().map(|moves| size_of_val(moves.as_slice())).sum();
            assert!(moves as u128 <= move_bytes(1, (2 * words.max(child_words)) as u128));
        }
    }

    /// A word with runs of equal bits, as masks have them, or without.
    fn word() -> impl Strategy<Value = u64> {
        prop_oneof![
            any::<u64>(),
            Just(0),
            Just(u64::MAX),
            (any::<u64>(), any::<u64>()).prop_map(|(a, b)| a & b),
            (any::<u64>(), 0u32..64).prop_map(|(word, shift)| word | u64::MAX << shift),
            (0u32..64, 0u32..64).prop_map(|(low, high)| u64::MAX << low & u64::MAX >> high),
        ]
    }

    fn case() -> impl Strategy<Value = Case> {
        let words = || prop::collection::vec(word(), 1..6);
        let rows = prop::collection::vec(prop_oneof![9 => 0u32..40, 1 => Just(NO_ROW)], 1..70);
        let noise = prop::collection::vec(any::<u64>(), 1..67);
        (words(), words(), prop::option::of(0usize..=320), rows, noise).prop_map(
            |(plane, mut keeps, from, rows, noise)| {
                let from = from.map(|from| from % (64 * plane.len()));
                // A drop puts no more columns than it takes.
                let most = from.map_or(places(&plane).count(), |from| 64 * plane.len() - from);
                while places(&keeps).count() > most {
                    let last = keeps.iter_mut().rev().find(|word| **word != 0).unwrap();
                    *last &= *last - 1;
                }
                Case { plane, from, keeps, rows, noise }
            },
        )
    }

    proptest! {
        #[test]
        fn bands_are_solved_as_position_by_position(case in case(), ply in 0u32..42, misere: bool) {
            case.check(Values::Wdl, ply, misere);
            case.check(Values::Remoteness, ply, misere);
        }
    }
}
