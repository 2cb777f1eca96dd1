//! Finding the positions that play reaches, one ply at a time: a kernel gathers the rows of a child's matrix from its
//! parents.
//!
//! Each tier has one plane: the bit of a position is set if play reaches it and has not ended there. A child's row is
//! the OR of its parents' rows, each moved by its drop. The moves are those of the solver ([`super::matrix`]),
//! reversed:
//!
//! * **left wing** ([`RowPull`]): whole rows, from the row of the colouring with one bit less;
//! * **right wing and spine** ([`ColumnPull`]): the bits of the parent's columns that may drop are gathered into a
//!   dense stream and deposited at the child's columns whose top piece is the mover's;
//! * **left wing of a parent that is stored as its mirror image** (`turned`): a right-wing drop in the transposed
//!   layout; the result is turned 64x64 bits at a time.
//!
//! Positions where the mover has a line across both wings are counted and then cleared.

use std::borrow::Cow;
use std::ops::Add;

use serde::{Deserialize, Serialize};

use super::bits::{Bits, Task};
use super::code::Wdl;
use super::matrix::{ArmedLines, NO_ROW, mapped};
use super::rows;
use super::words::RowView;

/// A drop into the left wing: whole rows move.
pub struct RowPull<'a> {
    /// The parent's matrix, from its first word on or from the first row needed.
    pub parent: RowView<'a>,
    /// For every row of the band, the parent's row or [`NO_ROW`].
    pub rows: Vec<u32>,
}

/// A drop into the right wing or on the spine.
pub struct ColumnPull<'a> {
    /// The parent's matrix, from its first word on or from the first row needed.
    pub parent: RowView<'a>,
    /// Words of a row of the parent.
    pub parent_words: usize,
    /// For every row of the band, the parent's row or [`NO_ROW`]. Empty if the rows are consecutive from `first_row`
    /// on.
    pub rows: Vec<u32>,
    /// The parent's row for the band's first row, if `rows` is empty.
    pub first_row: usize,
    /// First word of a parent's row to read.
    pub first_word: usize,
    /// Mask of the parent's columns to gather, from that word on.
    pub take: &'a [u64],
    /// The child's columns to write.
    pub put: Put<'a>,
}

/// The child's columns that receive a stream.
pub enum Put<'a> {
    /// Consecutive columns, from this one on.
    From(usize),
    /// The columns of a mask; the first `skip` bits of the stream are left out.
    Under {
        /// The columns.
        mask: Cow<'a, [u64]>,
        /// How many bits to leave out.
        skip: usize,
    },
}

/// A run of rows of a child's matrix, and the parents' rows that lead to it.
#[derive(Default)]
pub struct Pull<'a> {
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub columns: usize,
    /// Drops into the left wing.
    pub row_pulls: Vec<RowPull<'a>>,
    /// Drops into the right wing and on the spine.
    pub column_pulls: Vec<ColumnPull<'a>>,
    /// Drops in the transposed layout: their rows are the child's columns, and their columns are the band's rows.
    pub turned_pulls: Vec<ColumnPull<'a>>,
    /// Lines across both wings.
    pub lines: ArmedLines,
    /// The left colouring of each row, which decides the lines that the row can have. Unused if there is no line.
    pub left: &'a [u32],
}

impl Pull<'_> {
    /// Returns the words of a row.
    pub fn words(&self) -> usize {
        self.columns.div_ceil(64)
    }
}

/// How many positions of a band play reaches.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Pulled {
    /// Positions that stay in the rows.
    pub without_line: u64,
    /// Positions with a line across both wings, cleared from the rows.
    pub with_line: u64,
}

impl Add for Pulled {
    type Output = Pulled;

    fn add(self, other: Pulled) -> Pulled {
        Pulled { without_line: self.without_line + other.without_line, with_line: self.with_line + other.with_line }
    }
}

/// Memory that a kernel reuses.
#[derive(Default)]
pub struct Buffers {
    rows: Vec<u64>,
    stream: Vec<u64>,
    turn: Vec<u64>,
}

/// A code that combines the parents' single planes by OR: a bit is set if any parent has it.
type Any = Wdl<true>;

/// Gathers a band of reached positions from its parents and counts them. Writes them to `out` if given.
pub struct PullBand<'a, 'b> {
    /// The band.
    pub band: &'a Pull<'b>,
    /// Receives the band's rows; `None` only counts.
    pub out: Option<&'a mut [u64]>,
    /// Buffers to reuse.
    pub buffers: &'a mut Buffers,
}

impl Task for PullBand<'_, '_> {
    type Output = Pulled;

    #[inline(always)]
    fn run<B: Bits>(self) -> Pulled {
        let PullBand { band, out, buffers } = self;
        let words = band.words();
        let mut pulled = Pulled::default();
        let mut own = std::mem::take(&mut buffers.rows);
        let (out, keep) = match out {
            Some(out) => (out, true),
            None => {
                // Rows that are not kept share the memory of one row, unless they are turned together.
                let keep = !band.turned_pulls.is_empty();
                own.clear();
                own.resize(if keep { band.rows * words } else { words }, 0);
                (own.as_mut_slice(), keep)
            }
        };
        if !band.turned_pulls.is_empty() {
            turn::<B>(band, out, buffers);
        }
        for row in 0..band.rows {
            let reached = &mut out[if keep { row * words } else { 0 }..][..words];
            if band.turned_pulls.is_empty() {
                reached.fill(0);
            }
            pull_row::<B>(band, row, reached, buffers);
            if let Some(left) = band.left.get(row) {
                band.lines.each_row_with_line(std::slice::from_ref(left), 0..words, |_, columns| {
                    for (word, columns) in reached.iter_mut().zip(columns) {
                        pulled.with_line += u64::from((*word & columns).count_ones());
                        *word &= !columns;
                    }
                });
            }
            // A loop instead of a sum over `map`, because the closure might be compiled without the processor's bit
            // count.
            for word in reached.iter() {
                pulled.without_line += u64::from(word.count_ones());
            }
        }
        buffers.rows = own;
        pulled
    }
}

/// Adds the parents' rows, moved by their drops, to a row.
#[inline(always)]
fn pull_row<B: Bits>(band: &Pull, row: usize, reached: &mut [u64], buffers: &mut Buffers) {
    let words = reached.len();
    for pull in band.row_pulls.iter().filter(|pull| pull.rows[row] != NO_ROW) {
        let parent = pull.parent.row(pull.rows[row] as usize, words);
        rows::take_row::<Any, 1>(Wdl, reached, None, words, parent, words);
    }
    for stream in &band.column_pulls {
        let Some(parent_row) = mapped(&stream.rows, stream.first_row, row) else { continue };
        add_stream::<B>(stream, parent_row, reached, &mut buffers.stream);
    }
}

/// Adds one row of a parent, moved by its drop.
#[inline(always)]
fn add_stream<B: Bits>(stream: &ColumnPull, parent_row: usize, reached: &mut [u64], buffer: &mut Vec<u64>) {
    let parent = &stream.parent.row(parent_row, stream.parent_words)[stream.first_word..];
    match &stream.put {
        Put::From(column) => rows::add_dense::<B>(parent, stream.take, *column, reached),
        Put::Under { mask, skip } => {
            let stream_words = stream.take.len() + 2;
            if buffer.len() < stream_words {
                buffer.resize(stream_words, 0);
            }
            rows::gather::<Any, B, 1>(Wdl, parent, stream.take, 0, buffer, stream_words);
            rows::take_stream::<Any, B, 1>(Wdl, reached, mask, buffer, stream_words, *skip);
        }
    }
}

/// Fills `out` with the positions from parents that are stored as their mirror images.
#[inline(always)]
fn turn<B: Bits>(band: &Pull, out: &mut [u64], buffers: &mut Buffers) {
    let words = band.words();
    let band_words = band.rows.div_ceil(64);
    buffers.turn.clear();
    buffers.turn.resize(64 * band_words, 0);
    for word in 0..words {
        buffers.turn.fill(0);
        let columns = word * 64..band.columns.min(word * 64 + 64);
        for (column, reached) in columns.zip(buffers.turn.chunks_exact_mut(band_words)) {
            for stream in &band.turned_pulls {
                add_stream::<B>(stream, column, reached, &mut buffers.stream);
            }
        }
        rows::turn::<1>(&buffers.turn, out, words, word);
    }
}
