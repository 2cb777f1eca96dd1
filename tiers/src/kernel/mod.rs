//! Kernels: the bit-plane loops, compiled for what the processor can do and chosen at run time.
//!
//! The loops are written once, in safe code (`matrix.rs`, `rows.rs`, `reach.rs`, `tally.rs`, `pack.rs`, `delta.rs`), over
//! two bit movements that differ (`bits.rs`). `fast.rs` compiles them again with BMI2 and AVX2 and holds all `unsafe` code
//! of the package. Without these, column drops take eight rows at a time (`lanes.rs`).

pub(crate) mod bits;
pub(crate) mod code;
mod delta;
mod fast;
mod lanes;
pub(crate) mod matrix;
mod pack;
pub(crate) mod reach;
mod rows;
pub(crate) mod tally;
mod words;

pub use code::{Coding, MAX_PLANES, Values, ValuesError};

pub(crate) use delta::{Delta, DeltaBuffers, Stretch};
pub(crate) use pack::Symbols;
pub(crate) use tally::Counted;
pub(crate) use words::{MOST_SPARE, RowView, SPARE_PART, Words};

use std::ops::Range;

use bits::{Bits, Portable, Task};
use code::{Ordered, Wdl};
use matrix::{BAND_ROWS, Band, Buffers, Solve};
use reach::{Pull, PullBand, Pulled};
use tally::{CodeCounts, Tally};

/// Which form of the kernels runs. All forms give the same bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kernel(Option<fast::Avx2>);

impl Kernel {
    /// Returns the portable kernels, plain safe code for any processor.
    pub fn portable() -> Kernel {
        Kernel(None)
    }

    /// Returns the fastest kernels that this processor can run.
    pub fn detect() -> Kernel {
        Kernel(fast::Avx2::detect())
    }

    /// Returns all kernels that this processor can run, the portable ones first.
    pub fn all() -> Vec<Kernel> {
        let mut kernels = vec![Kernel::portable(), Kernel::detect()];
        kernels.dedup();
        kernels
    }

    /// Returns the kernels' name: `portable` or `avx2`.
    pub fn name(self) -> &'static str {
        if self.0.is_some() { "avx2" } else { "portable" }
    }

    /// Returns the memory that a thread of a solve takes for masks made ready and for rows side by side; `row_words` is the
    /// most words of a row in all its planes.
    pub(crate) fn lane_bytes(self, row_words: u128) -> u128 {
        if self.0.is_some() { 0 } else { lanes::bytes(BAND_ROWS, row_words) }
    }

    fn run<T: Task>(self, task: T) -> T::Output {
        match self.0 {
            None => task.run::<Portable>(),
            Some(proof) => fast::run(proof, task),
        }
    }

    /// Gathers the bits of `bits` at the places of `mask` to the low end of `out`, whose further words become 0.
    /// `bits` and `mask` have equal lengths; `out` has room for the bits of the mask.
    pub(crate) fn compress(self, bits: &[u64], mask: &[u64], out: &mut [u64]) {
        self.run(Compress { bits, mask, out });
    }

    /// Writes the masks of `rows`, not empty and all in one run of 64 from a multiple of 64 on: of each the words `words`.
    pub(crate) fn mask_rows<M: RowMasks>(
        self,
        masks: &mut M,
        rows: Range<usize>,
        words: Range<usize>,
        out: &mut [u64],
    ) {
        self.run(MaskRows { masks, rows, words, out });
    }

    /// Adds to `counts` how many bits masks of rows have in each chunk.
    pub(crate) fn count_by_chunk(self, rows: Counted, counts: &mut [u16]) {
        self.run(tally::CountByChunk { rows, counts });
    }

    /// Appends the symbols of the quiet entries of some rows: `rows` has all planes of a row one after the other, each of
    /// `row_words` words; `quiet` has their masks, of each row the words `words`.
    pub(crate) fn pack(
        self,
        rows: &[u64],
        row_words: usize,
        words: Range<usize>,
        quiet: &[u64],
        symbols: &mut Symbols,
    ) {
        self.run(pack::Pack { rows, row_words, words, quiet, symbols });
    }

    /// Puts one plane of symbols back: the bits of `stream` go, in order, to the places of `quiet` in `out`, whose other
    /// bits become 0.
    pub(crate) fn unpack(self, stream: &[u64], quiet: &[u64], out: &mut [u64]) {
        self.run(pack::Unpack { stream, quiet, out });
    }

    /// Turns a block of rows of `planes` planes, whose words are the stretches one after the other, into differences from its
    /// own earlier rows: bytes, and what they mean.
    pub(crate) fn delta<'b>(
        self,
        words: &'b [u64],
        planes: usize,
        stretches: &'b [Stretch],
        buffers: &'b mut DeltaBuffers,
    ) -> (Delta, &'b [u8]) {
        self.run(delta::MakeDelta { words, planes, stretches, buffers })
    }

    /// Writes the words of a block that was turned into differences.
    pub(crate) fn undo_delta(self, delta: &Delta, bytes: &[u8], out: &mut [u64]) {
        self.run(delta::UndoDelta { delta, bytes, out });
    }

    /// Gathers a band of a tier of reached positions from its parents into `out` and counts, or only counts.
    pub(crate) fn pull(self, band: &Pull, out: Option<&mut [u64]>, buffers: &mut reach::Buffers) -> Pulled {
        self.run(PullBand { band, out, buffers })
    }

    /// Counts the codes of the positions of a row that are under `mask`.
    pub(crate) fn tally(self, mask: &[u64], row: &[u64], planes: usize, counts: &mut CodeCounts) {
        self.run(Tally { mask, row, planes, counts });
    }

    /// Solves a band of a tier whose code is `coding` and whose children have `child_planes` planes.
    pub(crate) fn solve(
        self,
        coding: &Coding,
        child_planes: usize,
        maximise: bool,
        band: &Band,
        out: &mut [u64],
        buffers: &mut Buffers,
    ) {
        let narrow = child_planes < coding.planes();
        match (coding.values(), coding.planes(), narrow) {
            (Values::Wdl, ..) if maximise => self.run(Solve::<_, 2> { code: Wdl::<true>, band, out, buffers }),
            (Values::Wdl, ..) => self.run(Solve::<_, 2> { code: Wdl::<false>, band, out, buffers }),
            (_, 2, _) => self.solve_ordered::<2, false>(maximise, band, out, buffers),
            (_, 3, false) => self.solve_ordered::<3, false>(maximise, band, out, buffers),
            (_, 3, true) => self.solve_ordered::<3, true>(maximise, band, out, buffers),
            (_, 4, false) => self.solve_ordered::<4, false>(maximise, band, out, buffers),
            (_, 4, true) => self.solve_ordered::<4, true>(maximise, band, out, buffers),
            (_, 5, false) => self.solve_ordered::<5, false>(maximise, band, out, buffers),
            (_, 5, true) => self.solve_ordered::<5, true>(maximise, band, out, buffers),
            // Seven planes would serve 63 and 64 cells, but no index of so large a board can be made.
            (_, _, false) => self.solve_ordered::<6, false>(maximise, band, out, buffers),
            (_, _, true) => self.solve_ordered::<6, true>(maximise, band, out, buffers),
        }
    }

    fn solve_ordered<const P: usize, const NARROW: bool>(
        self,
        maximise: bool,
        band: &Band,
        out: &mut [u64],
        buffers: &mut Buffers,
    ) {
        if maximise {
            self.run(Solve::<_, P> { code: Ordered::<true, NARROW>, band, out, buffers });
        } else {
            self.run(Solve::<_, P> { code: Ordered::<false, NARROW>, band, out, buffers });
        }
    }
}

struct Compress<'a> {
    bits: &'a [u64],
    mask: &'a [u64],
    out: &'a mut [u64],
}

impl Task for Compress<'_> {
    type Output = ();

    #[inline(always)]
    fn run<B: Bits>(self) {
        self.out.fill(0);
        rows::add_dense::<B>(self.bits, self.mask, 0, self.out);
    }
}

/// Which entries of a matrix's rows have some property.
pub(crate) trait RowMasks {
    /// Writes the masks of `rows`, which are not empty and all in one run of 64 from a multiple of 64 on: of each the words
    /// `words`, row after row. Must be inlined, so that it is compiled for the processor.
    fn rows(&mut self, rows: Range<usize>, words: Range<usize>, out: &mut [u64]);
}

struct MaskRows<'a, M> {
    masks: &'a mut M,
    rows: Range<usize>,
    words: Range<usize>,
    out: &'a mut [u64],
}

impl<M: RowMasks> Task for MaskRows<'_, M> {
    type Output = ();

    #[inline(always)]
    fn run<B: Bits>(self) {
        self.masks.rows(self.rows, self.words, self.out);
    }
}
