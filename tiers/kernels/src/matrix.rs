//! Solving the rows of a matrix from its children: the loop that takes most of a solve's time.
//!
//! A [`Band`] is a run of rows of one matrix, with the child of each drop. The three kinds of drops differ in how the
//! child's matrix relates to the parent's:
//!
//! * **left wing** ([`RowDrop`]): whole rows move, each to the row of the colouring with one more bit;
//! * **right wing and spine** ([`ColumnDrop`]): rows keep their numbers (on the spine, some have no child); in each row
//!   the same bits of the child are gathered into a dense stream and deposited at the parent's columns;
//! * **right wing into a shape that is stored as its mirror image** ([`TurnedDrop`]): the child is transposed, so the
//!   drop is a left-wing drop in the transposed layout, and its result is turned 64x64 bits at a time.
//!
//! If the child of a drop is not listed, the drop completes a line inside a wing and the spine and ends the game: the
//! player who drops wins, or loses under misère. Lines across both wings are found when the child itself is solved
//! (`lines`).

use std::ops::Range;

use super::bits::{Bits, ColumnDrop, Lanes, Task, ones};
use super::code::Code;
use super::rows;
use super::words::RowView;

/// Marks a row without a child: the drop completes a line.
pub const NO_ROW: u32 = u32::MAX;

/// The most rows of a band: the bits of a cache line in the transposed layout.
pub const BAND_ROWS: usize = 512;

/// A drop into the left wing.
pub struct RowDrop<'a> {
    /// The rows of the child's matrix that are loaded. The numbers in `rows` count from the first of them.
    pub child: RowView<'a>,
    /// For every row of the band, the child's row or [`NO_ROW`].
    pub rows: &'a [u32],
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

    /// Calls `visit` for every line and every row that has it, with the row's number and the words `words` of the line's
    /// mask. `left` has the colourings of the rows.
    #[inline(always)]
    pub fn each_row_with_line(&self, left: &[u32], words: Range<usize>, mut visit: impl FnMut(usize, &[u64])) {
        for line in &self.lines {
            let mask = &self.masks[line.mask..][words.clone()];
            for (run, left) in left.chunks(64).enumerate() {
                let has = |left: &u32| u64::from(left & line.left_mask == line.left_bits);
                let having = left.iter().enumerate().fold(0, |rows, (row, left)| rows | has(left) << row);
                ones(having).for_each(|row| visit(64 * run + row, mask));
            }
        }
    }
}

/// A line across both wings. A row with the line's left part has the line in the columns of its mask.
pub struct ArmedLine {
    /// The line's cells in the left wing, as bits of the colouring.
    pub left_mask: u32,
    /// The values of these bits in rows that have the line.
    pub left_bits: u32,
    /// Where the line's mask begins in [`ArmedLines::masks`].
    pub mask: usize,
}

/// The codes of the outcomes in a tier that do not depend on a child.
#[derive(Clone, Copy, Debug)]
pub struct Outcomes {
    /// The player to move completes a line.
    pub completed: u8,
    /// The code that a position has before its moves are read: under misère a completed line, else the worst code.
    pub floor: u8,
    /// The previous player has completed a line.
    pub over: u8,
    /// The board is full.
    pub tie: u8,
}

/// A run of rows of one matrix, and all that the kernel needs to solve them.
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
    /// The outcomes that do not depend on a child.
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
    // The standard library reuses the list's memory for the result.
    list.into_iter().map(|_| unreachable!("the list is empty")).collect()
}

/// Memory that a kernel reuses.
#[derive(Default)]
pub struct Buffers {
    start: Vec<u64>,
    wins: Vec<bool>,
    stream: Vec<u64>,
    turn: Vec<u64>,
    lanes: Lanes,
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
    /// Returns the band's lists, emptied, for another band.
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

    /// Finds the rows that win as a whole, because a drop into the left wing or on the spine completes a line.
    #[inline(always)]
    fn winning_rows(&self, wins: &mut Vec<bool>) {
        wins.clear();
        wins.resize(self.left.len(), false);
        if self.misere {
            return;
        }
        let maps = self.row_drops.iter().map(|drop| drop.rows).chain(self.column_drops.iter().map(|drop| drop.rows));
        for map in maps {
            wins.iter_mut().zip(map).for_each(|(is_won, row)| *is_won |= *row == NO_ROW);
        }
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
        band.winning_rows(&mut buffers.wins);
        if !band.turned_drops.is_empty() {
            turn(code, band, out, &mut buffers.turn);
        }
        // Most rows of small boards have one word. For these the compiler unrolls all loops over words.
        match words {
            1 => solve_rows::<C, B, P>(code, band, 1, out, buffers),
            _ => solve_rows::<C, B, P>(code, band, words, out, buffers),
        }
        if !B::FAST {
            for drop in &band.column_drops {
                take_drop(code, &buffers.wins, drop, out, &mut buffers.lanes);
            }
        }
        // The previous player has a line.
        band.lines.each_row_with_line(band.left, 0..words, |row, columns| {
            rows::set_outcome(&mut out[row * P * words..][..P * words], columns, band.outcomes.over);
        });
    }
}

/// Solves the rows of a band. Each plane of a row has `words` words.
#[inline(always)]
fn solve_rows<C: Code<P>, B: Bits, const P: usize>(
    code: C,
    band: &Band,
    words: usize,
    out: &mut [u64],
    buffers: &mut Buffers,
) {
    for (row, best) in out.chunks_exact_mut(P * words).enumerate() {
        if buffers.wins[row] {
            rows::fill_outcome(best, words, band.outcomes.completed);
        } else {
            // The first drop reads the row's start directly, which saves a copy.
            let mut start = Some(&buffers.start[..P * words]);
            if !band.turned_drops.is_empty() {
                rows::take_own(code, best, words, &buffers.start);
                start = None;
            }
            for drop in band.row_drops.iter().filter(|drop| drop.rows[row] != NO_ROW) {
                let child = drop.child.row(drop.rows[row] as usize, code.child_planes() * words);
                rows::take_row(code, best, start.take(), words, child, words);
            }
            if let Some(start) = start {
                best.copy_from_slice(start);
            }
            if B::FAST {
                for stream in &band.column_drops {
                    let Some(child_row) = mapped(stream.rows, stream.first_row, row) else { continue };
                    let child = stream.child.row(child_row, code.child_planes() * stream.child_words);
                    if words == 1 && stream.child_words == 1 {
                        let from = stream
                            .gather
                            .map_or(u64::MAX.checked_shl(stream.offset as u32).unwrap_or(0), |(plane, flip)| {
                                plane[0] ^ flip
                            });
                        rows::take_word::<C, B, P>(code, best, child, from, stream.keeps[0]);
                        continue;
                    }
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
                    rows::take_stream::<C, B, P>(code, best, &stream.keeps[..words], bits, bits_words, offset);
                }
            }
        }
    }
}

/// Replaces the outcomes of a band's rows by those of a drop where these are better, for all rows together. With
/// portable bit moves this is several times as fast as row by row.
fn take_drop<C: Code<P>, const P: usize>(
    code: C,
    wins: &[bool],
    drop: &ColumnDrop,
    out: &mut [u64],
    lanes: &mut Lanes,
) {
    lanes.rows.clear();
    for (row, is_won) in wins.iter().enumerate() {
        if let (false, Some(child_row)) = (is_won, mapped(drop.rows, drop.first_row, row)) {
            lanes.rows.push((row, child_row));
        }
    }
    if !lanes.rows.is_empty() {
        lanes.take_rows(code, drop, out);
    }
}

/// Fills `out` with the best of the turned drops: 64 rows of the transposed layout at a time, then turned.
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
                    rows::take_row(code, best, None, band_words, child, turned.row_words);
                }
            }
        }
        rows::turn::<P>(buffer, out, words, word);
    }
}
