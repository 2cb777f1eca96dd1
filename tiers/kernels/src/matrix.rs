//! Solving the rows of a matrix from its children: the loop that all the time goes into.
//!
//! A [`Band`] is a run of rows of one matrix together with where each drop leads. Three kinds of drops differ in how a
//! child's matrix lies to its parent's:
//!
//! * **left wing** ([`RowDrop`]): rows move as a whole, to the row of the colouring with one more bit;
//! * **right wing and spine** ([`ColumnDrop`]): rows stay (or drop out, for the spine); within a row the same bits of the
//!   child are gathered to a dense stream and deposited at the parent's columns;
//! * **right wing into a shape that is stored as its mirror image** ([`TurnedDrop`]): the child is the transpose, so the
//!   drop is a left-wing drop in the transposed layout, whose result is turned 64x64 bits at a time.
//!
//! A drop whose child is missing from the child's list completed a line inside wing and spine: such parents win at
//! once. Lines across both wings are found in the child itself when *it* is solved (`lines`).

use super::bits::{Bits, ColumnDrop, Lanes, Task};
use super::code::Code;
use super::rows;
use super::words::RowView;

/// No child row: the drop completes a line.
pub const NO_ROW: u32 = u32::MAX;

/// The most rows of a band: a cache line of the transposed layout.
pub const BAND_ROWS: usize = 512;

/// A drop into the left wing.
pub struct RowDrop<'a> {
    /// The child's matrix from row 0 of the row numbers on.
    pub child: RowView<'a>,
    /// For every row of the band the child's row, or [`NO_ROW`].
    pub rows: &'a [u32],
}

/// A drop into the right wing whose child is stored as its mirror image.
pub struct TurnedDrop<'a> {
    /// The child's matrix from row `first_row` on: all its columns or some.
    pub child: RowView<'a>,
    /// The first row of the child's matrix that `child` has.
    pub first_row: usize,
    /// How many words of each plane of a row `child` has.
    pub row_words: usize,
    /// The word that has the columns which are the band's first rows.
    pub first_word: usize,
    /// For every column of the parent the child's row, or [`NO_ROW`].
    pub rows: &'a [u32],
}

/// The lines across both wings that a matrix can hold.
#[derive(Default)]
pub struct ArmedLines {
    /// Each with its rows.
    pub lines: Vec<ArmedLine>,
    /// For every line the right colourings that hold their part, one mask after the other.
    pub masks: Vec<u64>,
}

impl ArmedLines {
    /// Removes all lines and keeps the memory.
    pub fn clear(&mut self) {
        self.lines.clear();
        self.masks.clear();
    }
}

/// A line across both wings: rows with these pieces have it in the columns of its mask.
pub struct ArmedLine {
    /// Bits of the left colouring on the line.
    pub left_mask: u32,
    /// What they are when the line is held.
    pub left_bits: u32,
    /// Where its mask begins.
    pub mask: usize,
}

/// The outcomes of a tier that need no child, as codes.
#[derive(Clone, Copy, Debug)]
pub struct Outcomes {
    /// The player to move completes a line.
    pub completed: u8,
    /// What every move is at least worth: under misère completing a line, else the worst code there is.
    pub floor: u8,
    /// The previous player has completed a line.
    pub over: u8,
    /// The board is full.
    pub tie: u8,
}

/// A run of rows of one matrix and all that its kernel needs.
pub struct Band<'a> {
    /// Colourings of the band's rows.
    pub left: &'a [u32],
    /// Number of columns.
    pub columns: usize,
    /// Moves in the left wing.
    pub row_drops: Vec<RowDrop<'a>>,
    /// Moves in the right wing and in the spine.
    pub column_drops: Vec<ColumnDrop<'a>>,
    /// Moves whose children lie transposed.
    pub turned_drops: Vec<TurnedDrop<'a>>,
    /// The lines across both wings.
    pub lines: &'a ArmedLines,
    /// What a finished game is worth.
    pub outcomes: Outcomes,
    /// Completing a line loses.
    pub misere: bool,
}

/// The lists of a band without their items, for another band.
#[derive(Default)]
pub struct Lists {
    /// Of [`Band::row_drops`].
    pub row_drops: Vec<RowDrop<'static>>,
    /// Of [`Band::column_drops`].
    pub column_drops: Vec<ColumnDrop<'static>>,
    /// Of [`Band::turned_drops`].
    pub turned_drops: Vec<TurnedDrop<'static>>,
}

/// Empties a list so that its memory can be used for items that borrow from something else.
fn emptied<T, U>(mut list: Vec<T>) -> Vec<U> {
    list.clear();
    // The standard library leaves such a list where it is.
    list.into_iter().map(|_| unreachable!("the list is empty")).collect()
}

/// Memory that a kernel reuses.
#[derive(Default)]
pub struct Buffers {
    start: Vec<u64>,
    stream: Vec<u64>,
    turn: Vec<u64>,
    over: Vec<u64>,
    lanes: Lanes,
}

/// Returns the row that a row of a band leads to, by a map of all rows, or counted from `first_row` where the map is empty.
#[inline(always)]
pub(super) fn mapped(map: &[u32], first_row: usize, row: usize) -> Option<usize> {
    match map.get(row) {
        Some(&NO_ROW) => None,
        Some(&mapped) => Some(mapped as usize),
        None => Some(first_row + row),
    }
}

impl Band<'_> {
    /// Gives the lists back.
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

    /// Returns whether a whole row wins because a drop into the left wing or on the spine completes a line.
    fn row_wins(&self, row: usize) -> bool {
        !self.misere
            && (self.row_drops.iter().any(|drop| drop.rows[row] == NO_ROW)
                || self.column_drops.iter().any(|stream| stream.rows.get(row) == Some(&NO_ROW)))
    }

    /// Writes what a row is before any child is looked at: won where a drop into the right wing or on the spine
    /// completes a line, else the floor.
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
            let streams = self.column_drops.iter().fold(u64::MAX, |keeps, stream| keeps & stream.keeps[word]);
            let mut wins = !streams;
            for turned in &self.turned_drops {
                let columns = &turned.rows[word * 64..turned.rows.len().min(word * 64 + 64)];
                let lost = columns.iter().enumerate().filter(|(_, row)| **row == NO_ROW);
                wins |= lost.fold(0, |mask, (column, _)| mask | 1 << column);
            }
            for plane in 0..planes {
                let at = &mut start[plane * words + word];
                *at = if self.outcomes.completed >> plane & 1 == 1 { *at | wins } else { *at & !wins };
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
            turn(code, band, out, &mut buffers.turn);
        }
        for (row, best) in out.chunks_exact_mut(P * words).enumerate() {
            if band.row_wins(row) {
                rows::fill_outcome(best, words, band.outcomes.completed);
            } else {
                if band.turned_drops.is_empty() {
                    best.copy_from_slice(&buffers.start);
                } else {
                    rows::take_own(code, best, words, &buffers.start);
                }
                for drop in band.row_drops.iter().filter(|drop| drop.rows[row] != NO_ROW) {
                    let child = drop.child.row(drop.rows[row] as usize, code.child_planes() * words);
                    rows::take_row(code, best, words, child, words);
                }
                if B::FAST {
                    for stream in &band.column_drops {
                        let Some(child_row) = mapped(stream.rows, stream.first_row, row) else { continue };
                        let child = stream.child.row(child_row, code.child_planes() * stream.child_words);
                        let (bits, bits_words, offset) = match stream.gather {
                            None => (child, stream.child_words, stream.offset),
                            Some((plane, flip)) => {
                                let stream_words = stream.child_words + 2;
                                if buffers.stream.len() < P * stream_words {
                                    buffers.stream.resize(P * stream_words, 0);
                                }
                                rows::gather::<C, B, P>(code, child, plane, flip, &mut buffers.stream, stream_words);
                                (buffers.stream.as_slice(), stream_words, 0)
                            }
                        };
                        rows::take_stream::<C, B, P>(code, best, stream.keeps, bits, bits_words, offset);
                    }
                }
            }
            if B::FAST {
                mark_over(band, row, best, &mut buffers.over);
            }
        }
        if !B::FAST {
            for drop in &band.column_drops {
                take_drop(code, band, drop, out, &mut buffers.lanes);
            }
            for (row, best) in out.chunks_exact_mut(P * words).enumerate() {
                mark_over(band, row, best, &mut buffers.over);
            }
        }
    }
}

/// Takes the better of a band's rows and what a drop brings, all rows of the drop together. Without an instruction for
/// the bit moves this is several times as fast as row by row.
fn take_drop<C: Code<P>, const P: usize>(code: C, band: &Band, drop: &ColumnDrop, out: &mut [u64], lanes: &mut Lanes) {
    lanes.rows.clear();
    for row in 0..band.left.len() {
        if let (false, Some(child_row)) = (band.row_wins(row), mapped(drop.rows, drop.first_row, row)) {
            lanes.rows.push((row, child_row));
        }
    }
    if !lanes.rows.is_empty() {
        lanes.take_rows(code, drop, out);
    }
}

/// Sets the positions of a row in which the previous player has a line across both wings.
#[inline(always)]
fn mark_over(band: &Band, row: usize, best: &mut [u64], over: &mut Vec<u64>) {
    if over_columns(band.lines, band.left[row], band.words(), over) {
        rows::set_outcome(best, over, band.outcomes.over);
    }
}

/// Writes to `over` the columns, of `words` words, in which the row of the colouring `left` holds one of the lines;
/// `false` if it arms none.
#[inline(always)]
pub fn over_columns(armed: &ArmedLines, left: u32, words: usize, over: &mut Vec<u64>) -> bool {
    let held = armed.lines.iter().filter(|line| left & line.left_mask == line.left_bits);
    let mut masks = held.map(|line| &armed.masks[line.mask..][..words]);
    let Some(first) = masks.next() else { return false };
    over.clear();
    over.extend_from_slice(first);
    for mask in masks {
        over.iter_mut().zip(mask).for_each(|(over, columns)| *over |= columns);
    }
    true
}

/// Fills `out` with the best of the turned drops: rows of the transposed layout for 64 columns at a time, then turned.
#[inline(always)]
fn turn<C: Code<P>, const P: usize>(code: C, band: &Band, out: &mut [u64], buffer: &mut Vec<u64>) {
    let (words, height) = (band.words(), band.left.len());
    let band_words = height.div_ceil(64);
    buffer.clear();
    buffer.resize(64 * P * band_words, code.worst());
    for word in 0..words {
        buffer.fill(code.worst());
        for (bit, best) in buffer.chunks_exact_mut(P * band_words).enumerate().take(band.columns - word * 64) {
            for turned in &band.turned_drops {
                let child_row = turned.rows[word * 64 + bit];
                if child_row != NO_ROW {
                    let child_row = child_row as usize - turned.first_row;
                    let child =
                        &turned.child.row(child_row, code.child_planes() * turned.row_words)[turned.first_word..];
                    rows::take_row(code, best, band_words, child, turned.row_words);
                }
            }
        }
        rows::turn::<P>(buffer, out, words, word);
    }
}
