//! Solves the rows of a matrix from its children. This loop takes most of a solve's time.
//!
//! A [`Band`] is a run of rows of one matrix. Each drop ([`BandDrop`]) connects it with a matrix of the neighbouring
//! tier: in a solve with a child, in the sweep of a count with a parent. Drops differ in how the neighbour's matrix
//! relates to the band's:
//!
//! * **left wing**: whole rows move, each to the row of the colouring with one more bit;
//! * **right wing and spine**: rows keep their order (for the spine, some have no child); in each row the same bits of
//!   the child are gathered into a dense stream and deposited at the parent's columns;
//! * **a neighbour that is stored as its mirror image** (*turned*): the same with rows and columns exchanged. The result
//!   is turned 64x64 bits at a time.
//!
//! A child that has a line inside a wing and the spine is not in the index. The drop that leads to it ends the game:
//! the player who drops wins, or loses under misère. A line across both wings is found when the child itself is solved
//! ([`Band::lines`]).

use std::ops::Range;

use super::bits::{BandDrop, Bits, Lanes, NO_ROW, Pairing, Task, ones};
use super::code::Code;
use super::rows;
/// The most rows of a band. In the transposed layout, this many rows are the bits of one cache line.
pub const BAND_ROWS: usize = 512;

/// The lines across both wings that the positions of a matrix can have.
#[derive(Default)]
pub struct ArmedLines {
    /// The lines, each with the rows that can have it.
    pub lines: Vec<ArmedLine>,
    /// For every line, a mask of the right colourings that have the line's cells. One mask follows the other.
    pub masks: Vec<u64>,
}

impl ArmedLines {
    /// Removes all lines and keeps the memory.
    pub fn clear(&mut self) {
        self.lines.clear();
        self.masks.clear();
    }

    /// For every line and every row that has the line's cells in the left wing, calls `visit` with the number of the
    /// row and those words of the line's mask that `words` selects. `left` has the colourings of the rows.
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

/// A line across both wings. A row that has the line's cells in the left wing has the whole line in the columns of the
/// line's mask.
pub struct ArmedLine {
    /// The line's cells in the left wing, as bits of the colouring.
    pub left_mask: u32,
    /// The values of the `left_mask` bits in a row that has the line's cells in the left wing.
    pub left_bits: u32,
    /// Where the line's mask begins in [`ArmedLines::masks`].
    pub mask: usize,
}

/// The codes of those outcomes of a tier that do not depend on a child.
#[derive(Clone, Copy, Debug, Default)]
pub struct Outcomes {
    /// The player to move completes a line. `None` if drops without a child are ignored.
    pub completed: Option<u8>,
    /// The code that a position has before its moves are read: under misère a completed line, else the worst code.
    pub floor: u8,
    /// The previous player has completed a line.
    pub over: u8,
    /// The board is full.
    pub tie: u8,
}

/// A run of rows of one matrix, and all that the kernel needs to solve them.
pub struct Band<'a> {
    /// The numbers of the band's rows in the matrix. The first is a multiple of 64.
    pub rows: Range<usize>,
    /// Number of columns.
    pub columns: usize,
    /// The drops: turned ones first, then those whose columns keep their numbers, then the others.
    pub drops: Vec<BandDrop<'a>>,
    /// How many drops are turned.
    pub turned: usize,
    /// Colourings of the band's rows, which decide the lines that a row can have. Unused if there is no line.
    pub left: &'a [u32],
    /// The lines across both wings.
    pub lines: &'a ArmedLines,
    /// The outcomes that do not depend on a child.
    pub outcomes: Outcomes,
}

/// Empties a list of drops, so that its memory can be reused for drops with another lifetime.
pub fn emptied<'a>(mut drops: Vec<BandDrop>) -> Vec<BandDrop<'a>> {
    drops.clear();
    // The standard library reuses the list's memory for the result.
    drops.into_iter().map(|_| unreachable!("the list is empty")).collect()
}

/// Memory that a kernel reuses.
#[derive(Default)]
pub struct Buffers {
    start: Vec<u64>,
    wins: Vec<bool>,
    stream: Vec<u64>,
    turn: Vec<u64>,
    lanes: Lanes,
    /// Receives the rows of a band that are counted and not kept.
    pub(super) counted: Vec<u64>,
}

impl<'a> Band<'a> {
    pub(super) fn words(&self) -> usize {
        self.columns.div_ceil(64)
    }

    /// Returns the turned drops and the others.
    fn split_drops(&self) -> (&[BandDrop<'a>], &[BandDrop<'a>]) {
        self.drops.split_at(self.turned)
    }

    /// Finds the rows whose positions are all won, because a drop into the left wing or on the spine completes a line.
    #[inline(always)]
    fn winning_rows(&self, wins: &mut Vec<bool>) {
        wins.clear();
        wins.resize(self.rows.len(), false);
        if self.outcomes.completed.is_none() {
            return;
        }
        for drop in self.split_drops().1 {
            wins.iter_mut().zip(drop.rows).for_each(|(is_won, row)| *is_won |= *row == NO_ROW);
        }
    }

    /// Writes the outcomes that every row begins with, before its children are read: won where a drop into the right
    /// wing or on the spine completes a line, else the floor.
    fn start_row(&self, planes: usize, start: &mut Vec<u64>) {
        let words = self.words();
        start.clear();
        start.resize(planes * words, 0);
        if self.drops.is_empty() {
            return rows::fill_outcome(start, words, self.outcomes.tie);
        }
        rows::fill_outcome(start, words, self.outcomes.floor);
        let Some(completed) = self.outcomes.completed else { return };
        let (turned, straight) = self.split_drops();
        for word in 0..words {
            let columns = straight.iter().filter_map(|drop| drop.columns);
            let mut wins = !columns.fold(u64::MAX, |keeps, columns| keeps & columns.own[word]);
            for drop in turned {
                let columns = &drop.rows[word * 64..drop.rows.len().min(word * 64 + 64)];
                let lost = columns.iter().enumerate().filter(|(_, row)| **row == NO_ROW);
                wins |= lost.fold(0, |mask, (column, _)| mask | 1 << column);
            }
            for plane in 0..planes {
                let at = &mut start[plane * words + word];
                *at = if completed >> plane & 1 == 1 { *at | wins } else { *at & !wins };
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
        take_drops::<C, B, P>(code, band, out, buffers);
        // The previous player has a line.
        band.lines.each_row_with_line(band.left, 0..words, |row, columns| {
            rows::set_outcome(&mut out[row * P * words..][..P * words], columns, band.outcomes.over);
        });
    }
}

/// Writes, for the rows of a band, the best outcomes that the drops give. The caller handles lines across both wings.
#[inline(always)]
pub(super) fn take_drops<C: Code<P>, B: Bits, const P: usize>(
    code: C,
    band: &Band,
    out: &mut [u64],
    buffers: &mut Buffers,
) {
    let words = band.words();
    band.start_row(P, &mut buffers.start);
    band.winning_rows(&mut buffers.wins);
    if band.turned > 0 {
        turn::<C, B, P>(code, band, out, buffers);
    }
    // Most rows of small boards have one word per plane. Given the constant 1, the compiler unrolls all loops over
    // words.
    match words {
        1 => solve_rows::<C, B, P>(code, band, 1, out, buffers),
        _ => solve_rows::<C, B, P>(code, band, words, out, buffers),
    }
    if !B::FAST {
        // With portable bit moves, all rows of a band together are several times as fast as row by row.
        let (drops, Buffers { wins, lanes, .. }) = (band.split_drops().1, buffers);
        for (drop, columns) in drops.iter().filter_map(|drop| Some((drop, drop.columns.as_ref()?))) {
            lanes.rows.clear();
            for (row, _) in wins.iter().enumerate().filter(|(_, is_won)| !**is_won) {
                lanes.rows.extend(drop.row(row).map(|child_row| (row, child_row)));
            }
            if !lanes.rows.is_empty() {
                lanes.take_rows(code, drop, columns, out);
            }
        }
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
    let (_, drops) = band.split_drops();
    let (row_drops, column_drops) = drops.split_at(drops.partition_point(|drop| drop.columns.is_none()));
    for (row, best) in out.chunks_exact_mut(P * words).enumerate() {
        if let (true, Some(completed)) = (buffers.wins[row], band.outcomes.completed) {
            rows::fill_outcome(best, words, completed);
            continue;
        }
        // The first drop reads the row's start directly, which saves a copy.
        let mut start = Some(&buffers.start[..P * words]);
        if band.turned > 0 {
            rows::take_own(code, best, words, &buffers.start);
            start = None;
        }
        for drop in row_drops {
            if let Some(child_row) = drop.row(row) {
                let child = drop.source.row(child_row, code.child_planes() * words);
                rows::take_row(code, best, start.take(), words, child, words);
            }
        }
        if let Some(start) = start {
            best.copy_from_slice(start);
        }
        for drop in column_drops.iter().filter(|_| B::FAST) {
            if let (Some(child_row), Some(columns)) = (drop.row(row), &drop.columns) {
                take_columns::<C, B, P>(code, best, words, drop, columns, child_row, &mut buffers.stream);
            }
        }
    }
}

/// Improves a row, whose planes have `words` words: where the drop gives a better outcome, it replaces the outcome
/// there.
#[inline(always)]
fn take_columns<C: Code<P>, B: Bits, const P: usize>(
    code: C,
    best: &mut [u64],
    words: usize,
    drop: &BandDrop,
    columns: &Pairing,
    child_row: usize,
    stream: &mut Vec<u64>,
) {
    let child = drop.source.row(child_row, code.child_planes() * drop.source_words);
    let Pairing { own, other, skip } = *columns;
    if words == 1 && drop.source_words == 1 {
        let from = other.map_or(u64::MAX, |(mask, flip)| mask[0] ^ flip);
        return rows::take_word::<C, B, P>(code, best, child, from, skip, own[0]);
    }
    let (bits, bits_words) = match other {
        None => (child, drop.source_words),
        Some((mask, flip)) => {
            let stream_words = mask.len() + 2;
            if stream.len() < P * stream_words {
                stream.resize(P * stream_words, 0);
            }
            rows::gather::<C, B, P>(code, child, mask, flip, stream, stream_words);
            (stream.as_slice(), stream_words)
        }
    };
    rows::take_stream::<C, B, P>(code, best, &own[..words], bits, bits_words, skip);
}

/// Fills `out` with the best outcomes that the turned drops give: finds them for 64 rows of the transposed layout at a
/// time, and turns these.
#[inline(always)]
fn turn<C: Code<P>, B: Bits, const P: usize>(code: C, band: &Band, out: &mut [u64], buffers: &mut Buffers) {
    let (words, band_words) = (band.words(), band.rows.len().div_ceil(64));
    let Buffers { turn, stream, .. } = buffers;
    turn.clear();
    turn.resize(64 * P * band_words, code.worst());
    for word in 0..words {
        turn.fill(code.worst());
        for (bit, best) in turn.chunks_exact_mut(P * band_words).enumerate().take(band.columns - word * 64) {
            for drop in band.split_drops().0 {
                let Some(child_row) = drop.row(word * 64 + bit) else { continue };
                if let Some(columns) = &drop.columns {
                    take_columns::<C, B, P>(code, best, band_words, drop, columns, child_row, stream);
                } else {
                    let child = drop.source.row(child_row, code.child_planes() * drop.source_words);
                    rows::take_row(code, best, None, band_words, &child[drop.first_word..], drop.source_words);
                }
            }
        }
        rows::turn::<P>(turn, out, words, word);
    }
}
