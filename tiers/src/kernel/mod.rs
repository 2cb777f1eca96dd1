//! Kernels: the bit-plane loops, compiled for what the processor can do and chosen at run time.
//!
//! The loops are written once, in safe code (`matrix.rs`, `rows.rs`, `reach.rs`, `masks.rs`, `pack.rs`, `delta.rs`), over two bit movements
//! that differ (`bits.rs`). `fast.rs` compiles them again with BMI2 and AVX2 and holds all `unsafe` code of the
//! package. Without these, column drops take eight rows at a time (`lanes.rs`).
//!
//! `mistakes.rs` exists in test builds alone. A test of `verify` uses it to plant mistakes in the solver's functions; it is
//! in the lowest folder because functions of several folders ask it.

pub(crate) mod bits;
pub(crate) mod code;
mod delta;
mod fast;
mod lanes;
mod lent;
mod masks;
pub(crate) mod matrix;
#[cfg(test)]
pub(crate) mod mistakes;
mod pack;
pub(crate) mod reach;
mod rows;
pub(crate) mod tally;
mod task;
mod words;

pub use code::{Coding, MAX_PLANES, Values, ValuesError};

pub(crate) use delta::{Delta, DeltaBuffers, Stretch};
pub(crate) use lent::Lent;
pub(crate) use masks::{Counted, RowMasks};
pub(crate) use pack::Symbols;
pub(crate) use words::{MOST_SPARE, SPARE_PART, Words};

use std::ops::Range;

use bits::{Bits, Portable};
use code::{Code, Either, Greater, Ordered, Smaller, Wdl};
use matrix::{BAND_ROWS, Band, Buffers};
use reach::{Pull, Pulled};
use tally::CodeCounts;
use task::Task;

/// Which form of the kernels runs. All forms give the same bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kernel(Form);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    Portable,
    Avx2(fast::Avx2),
}

impl Kernel {
    /// Returns the portable kernels, plain safe code for any processor.
    pub fn portable() -> Kernel {
        Kernel(Form::Portable)
    }

    /// Returns the fastest kernels that this processor can run.
    pub fn detect() -> Kernel {
        fast::Avx2::detect().map_or_else(Kernel::portable, |avx2| Kernel(Form::Avx2(avx2)))
    }

    /// Returns all kernels that this processor can run, the portable ones first.
    pub fn all() -> Vec<Kernel> {
        let fast = fast::Avx2::detect().map(|avx2| Kernel(Form::Avx2(avx2)));
        std::iter::once(Kernel::portable()).chain(fast).collect()
    }

    /// Returns the kernels' name: `portable` or `avx2`.
    pub fn name(self) -> &'static str {
        match self.0 {
            Form::Portable => "portable",
            Form::Avx2(_) => "avx2",
        }
    }

    /// Returns the memory that a thread of a solve takes for masks made ready and for rows side by side; `row_words` is the most
    /// words that a row has in all its planes.
    pub(crate) fn lane_bytes(self, row_words: u128) -> u128 {
        match self.0 {
            Form::Portable => lanes::bytes(BAND_ROWS, row_words),
            Form::Avx2(_) => 0,
        }
    }

    fn run<T: Task>(self, task: T) -> T::Output {
        match self.0 {
            Form::Portable => task.run::<Portable>(),
            Form::Avx2(proof) => fast::run(proof, task),
        }
    }

    /// Gathers the bits of `bits` at the places of `mask` to the low end of `out`, whose further words become 0.
    /// `bits` and `mask` have equal lengths; `out` has room for the bits of the mask.
    pub(crate) fn compress(self, bits: &[u64], mask: &[u64], out: &mut [u64]) {
        self.run(Compress { bits, mask, out });
        #[cfg(test)]
        crate::kernel::mistakes::compressed(out, mask);
    }

    /// Writes the masks of `rows`, not empty and all in one run of 64 from a multiple of 64 on: of each the words `words`.
    pub(crate) fn mask_rows<M: RowMasks>(
        self,
        masks: &mut M,
        rows: Range<usize>,
        words: Range<usize>,
        out: &mut [u64],
    ) {
        self.run(masks::MaskRows { masks, rows, words, out });
    }

    /// Adds to `counts` how many bits masks of rows have in each chunk.
    pub(crate) fn count_by_chunk(self, rows: Counted, counts: &mut [u16]) {
        self.run(masks::Count { rows, counts });
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
        #[cfg(test)]
        crate::kernel::mistakes::unpacked(out);
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
        self.run(PullTask { band, out, buffers })
    }

    /// Counts the codes of the positions of a row that are under `mask`.
    pub(crate) fn tally(self, mask: &[u64], row: &[u64], planes: usize, counts: &mut CodeCounts) {
        self.run(TallyTask { mask, row, planes, counts });
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
        // The fast form knows the direction when it is compiled: that saves one instruction in nine.
        macro_rules! ordered {
            ($narrow:literal, $planes:literal) => {
                match (self.0, maximise) {
                    (Form::Portable, _) => {
                        let code = Ordered::<_, $narrow>(Either { maximise });
                        Solve::<_, $planes> { code, band, out, buffers }.run::<Portable>()
                    }
                    (Form::Avx2(proof), true) => {
                        let code = Ordered::<_, $narrow>(Greater);
                        fast::run(proof, Solve::<_, $planes> { code, band, out, buffers })
                    }
                    (Form::Avx2(proof), false) => {
                        let code = Ordered::<_, $narrow>(Smaller);
                        fast::run(proof, Solve::<_, $planes> { code, band, out, buffers })
                    }
                }
            };
        }
        match (coding.values(), coding.planes(), narrow) {
            (Values::Wdl, ..) if maximise => self.run(Solve::<_, 2> { code: Wdl::<true>, band, out, buffers }),
            (Values::Wdl, ..) => self.run(Solve::<_, 2> { code: Wdl::<false>, band, out, buffers }),
            (_, 2, _) => ordered!(false, 2),
            (_, 3, false) => ordered!(false, 3),
            (_, 3, true) => ordered!(true, 3),
            (_, 4, false) => ordered!(false, 4),
            (_, 4, true) => ordered!(true, 4),
            (_, 5, false) => ordered!(false, 5),
            (_, 5, true) => ordered!(true, 5),
            // Seven planes would serve 63 and 64 cells, but no index of so large a board can be made.
            (_, _, false) => ordered!(false, 6),
            (_, _, true) => ordered!(true, 6),
        }
        #[cfg(test)]
        crate::kernel::mistakes::solved(out);
    }
}

struct Solve<'a, 'b, C, const P: usize> {
    code: C,
    band: &'a Band<'b>,
    out: &'a mut [u64],
    buffers: &'a mut Buffers,
}

impl<C: Code<P>, const P: usize> Task for Solve<'_, '_, C, P> {
    type Output = ();

    #[inline(always)]
    fn run<B: Bits>(self) {
        matrix::solve::<C, B, P>(self.code, self.band, self.out, self.buffers);
    }
}

struct PullTask<'a, 'b> {
    band: &'a Pull<'b>,
    out: Option<&'a mut [u64]>,
    buffers: &'a mut reach::Buffers,
}

impl Task for PullTask<'_, '_> {
    type Output = Pulled;

    #[inline(always)]
    fn run<B: Bits>(self) -> Pulled {
        reach::pull::<B>(self.band, self.out, self.buffers)
    }
}

struct TallyTask<'a> {
    mask: &'a [u64],
    row: &'a [u64],
    planes: usize,
    counts: &'a mut CodeCounts,
}

impl Task for TallyTask<'_> {
    type Output = ();

    #[inline(always)]
    fn run<B: Bits>(self) {
        tally::tally(self.mask, self.row, self.planes, self.counts);
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
        let (mut held, mut fill, mut at) = (0u64, 0u32, 0usize);
        for (bits, &mask) in self.bits.iter().zip(self.mask) {
            let bits = B::extract(*bits, B::mask(mask));
            let count = mask.count_ones();
            held |= bits << fill;
            if fill + count >= 64 {
                self.out[at] = held;
                at += 1;
                held = bits >> 1 >> (63 - fill);
            }
            fill = (fill + count) & 63;
        }
        if fill > 0 {
            self.out[at] = held;
            at += 1;
        }
        self.out[at..].fill(0);
    }
}
