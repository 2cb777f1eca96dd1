//! Carrying reachability one ply on: the rows of a child's matrix are gathered from its parents.
//!
//! One plane a tier: the bit of a position is set if play reaches it and has not ended there. A child's row is the OR of
//! what its parents' rows become under a drop, the solver's movements ([`super::matrix`]) the other way round:
//!
//! * **left wing** ([`RowPull`]): whole rows, from the row of the colouring with one bit less;
//! * **right wing and spine** ([`ColumnPull`]): the parent's columns that may drop are taken as a dense stream and put at
//!   the child's columns whose top piece is the mover's;
//! * **left wing of a parent that is stored as its mirror image** (`turned`): a right-wing drop in the transposed
//!   layout, whose result is turned 64x64 bits at a time.
//!
//! Positions in which the mover has a line across both wings are counted and taken out again.

use std::borrow::Cow;
use std::ops::Add;

use super::bits::{Bits, Task};
use super::code::Wdl;
use super::matrix::{ArmedLines, NO_ROW, mapped, over_columns};
use super::rows;
use super::words::RowView;

/// A drop into the left wing: whole rows move.
pub struct RowPull<'a> {
    /// The parents' tier from the first word of the parent's matrix, or of its first row that is needed, on.
    pub parent: RowView<'a>,
    /// For every row of the band the parent's row, or [`NO_ROW`].
    pub rows: Vec<u32>,
}

/// A drop into the right wing or on the spine.
pub struct ColumnPull<'a> {
    /// The parents' tier from the first word of the parent's matrix, or of its first row that is needed, on.
    pub parent: RowView<'a>,
    /// Words of a row of the parent.
    pub parent_words: usize,
    /// For every row of the band the parent's row, or [`NO_ROW`]; empty when rows follow each other from `first_row` on.
    pub rows: Vec<u32>,
    /// The parent's row of the band's first where there is no map.
    pub first_row: usize,
    /// First word of a parent's row to read.
    pub first_word: usize,
    /// The parent's columns to take, from that word on.
    pub take: Cow<'a, [u64]>,
    /// Where they go.
    pub put: Put<'a>,
}

/// The child's columns that a stream goes to.
pub enum Put<'a> {
    /// Neighbouring columns, from this one on.
    From(usize),
    /// The columns of a mask, after leaving out the first bits of the stream.
    Under {
        /// The columns.
        mask: Cow<'a, [u64]>,
        /// How many bits to leave out.
        skip: usize,
    },
}

/// A run of rows of a child's matrix, and where they come from.
#[derive(Default)]
pub struct Pull<'a> {
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub columns: usize,
    /// Moves in the left wing.
    pub row_pulls: Vec<RowPull<'a>>,
    /// Moves in the right wing and in the spine.
    pub column_pulls: Vec<ColumnPull<'a>>,
    /// Streams in the transposed layout: their rows are the child's columns, their columns the rows of the band.
    pub turned_pulls: Vec<ColumnPull<'a>>,
    /// Lines across both wings.
    pub lines: ArmedLines,
    /// The left colourings of the rows, to arm the lines with; unused where there is no line.
    pub left: &'a [u32],
}

impl Pull<'_> {
    /// Returns the words of a row.
    pub fn words(&self) -> usize {
        self.columns.div_ceil(64)
    }

    /// Returns whether no parent leads here, or there is nowhere to lead to.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
            || self.columns == 0
            || self.row_pulls.len() + self.column_pulls.len() + self.turned_pulls.len() == 0
    }
}

/// How many positions of a band play reaches.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Pulled {
    /// Those that are in the rows now.
    pub without_line: u64,
    /// Those with a line across both wings, which were taken out.
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
    over: Vec<u64>,
}

/// The code of one plane: a bit is set where any parent has it.
type Any = Wdl<true>;

/// Gathers a band of a tier of reached positions from its parents into `out` and counts, or only counts.
pub struct PullBand<'a, 'b> {
    /// The band.
    pub band: &'a Pull<'b>,
    /// Its rows; without them, only the counts are made.
    pub out: Option<&'a mut [u64]>,
    /// Memory to work in.
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
                // Rows that are not kept share one row's place, unless they are turned together.
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
            if !band.lines.lines.is_empty() && over_columns(&band.lines, band.left[row], words, &mut buffers.over) {
                for (word, over) in reached.iter_mut().zip(&buffers.over) {
                    pulled.with_line += u64::from((*word & over).count_ones());
                    *word &= !over;
                }
            }
            // A loop, not a sum over `map`: its closure might be compiled apart, without the processor's bit count.
            for word in reached.iter() {
                pulled.without_line += u64::from(word.count_ones());
            }
        }
        buffers.rows = own;
        pulled
    }
}

/// Adds to a row what its parents' rows become.
#[inline(always)]
fn pull_row<B: Bits>(band: &Pull, row: usize, reached: &mut [u64], buffers: &mut Buffers) {
    let words = reached.len();
    for pull in band.row_pulls.iter().filter(|pull| pull.rows[row] != NO_ROW) {
        let parent = pull.parent.row(pull.rows[row] as usize, words);
        rows::take_row::<Any, 1>(Wdl, reached, words, parent, words);
    }
    for stream in &band.column_pulls {
        let Some(parent_row) = mapped(&stream.rows, stream.first_row, row) else { continue };
        add_stream::<B>(stream, parent_row, reached, &mut buffers.stream);
    }
}

/// Adds what one row of a parent becomes.
#[inline(always)]
fn add_stream<B: Bits>(stream: &ColumnPull, parent_row: usize, reached: &mut [u64], buffer: &mut Vec<u64>) {
    let parent = &stream.parent.row(parent_row, stream.parent_words)[stream.first_word..];
    match &stream.put {
        Put::From(column) => rows::add_dense::<B>(parent, &stream.take, *column, reached),
        Put::Under { mask, skip } => {
            let stream_words = stream.take.len() + 2;
            if buffer.len() < stream_words {
                buffer.resize(stream_words, 0);
            }
            rows::gather::<Any, B, 1>(Wdl, parent, &stream.take, 0, buffer, stream_words);
            rows::take_stream::<Any, B, 1>(Wdl, reached, mask, buffer, stream_words, *skip);
        }
    }
}

/// Fills `out` with what comes from parents that are stored as their mirror images.
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
