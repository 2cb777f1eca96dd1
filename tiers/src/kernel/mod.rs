//! Kernels: the bit-plane loops, compiled for what the processor can do and chosen at run time.
//!
//! The loops are written once, in safe code ([`matrix`], [`rows`]), over two operations that differ ([`bits`]).
//! [`fast`] compiles them again with BMI2 and AVX2 or AVX-512 and holds all `unsafe` code of the package.

pub(crate) mod bits;
pub(crate) mod code;
mod fast;
pub(crate) mod matrix;
pub(crate) mod reach;
mod rows;
pub(crate) mod tally;

pub use code::{Coding, MAX_PLANES, Values};

use bits::{Bits, Portable};
use code::{Code, Ordered, Wdl};
use matrix::{Band, Scratch};
use reach::{Pull, Pulled};
use tally::CodeCounts;

/// Which form of the kernels runs. All forms give the same bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kernel(Form);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    Portable,
    Avx2(fast::Avx2),
    Avx512(fast::Avx512),
}

impl Kernel {
    /// Returns the portable kernels, plain safe code for any processor.
    pub fn portable() -> Kernel {
        Kernel(Form::Portable)
    }

    /// Returns the fastest kernels that this processor can run.
    pub fn detect() -> Kernel {
        if let Some(avx512) = fast::Avx512::detect() {
            Kernel(Form::Avx512(avx512))
        } else if let Some(avx2) = fast::Avx2::detect() {
            Kernel(Form::Avx2(avx2))
        } else {
            Kernel::portable()
        }
    }

    /// Returns all kernels that this processor can run, the portable ones first.
    pub fn all() -> Vec<Kernel> {
        let fast = [fast::Avx2::detect().map(Form::Avx2), fast::Avx512::detect().map(Form::Avx512)];
        std::iter::once(Kernel::portable()).chain(fast.into_iter().flatten().map(Kernel)).collect()
    }

    /// Returns the kernels' name: `portable`, `avx2` or `avx512`.
    pub fn name(self) -> &'static str {
        match self.0 {
            Form::Portable => "portable",
            Form::Avx2(_) => "avx2",
            Form::Avx512(_) => "avx512",
        }
    }

    /// Gathers the bits of `bits` at the places of `mask` to the low end of `out`, whose further words become 0.
    /// `bits` and `mask` have equal lengths; `out` has room for the bits of the mask.
    pub(crate) fn compress(self, bits: &[u64], mask: &[u64], out: &mut [u64]) {
        match self.0 {
            Form::Portable => compress::<Portable>(bits, mask, out),
            Form::Avx2(token) => fast::compress_avx2(token, bits, mask, out),
            Form::Avx512(token) => fast::compress_avx512(token, bits, mask, out),
        }
    }

    /// Gathers a band of a tier of reached positions from its parents into `out` and counts, or only counts.
    pub(crate) fn pull(self, band: &Pull, out: Option<&mut [u64]>, scratch: &mut reach::Scratch) -> Pulled {
        match self.0 {
            Form::Portable => reach::pull::<Portable>(band, out, scratch),
            Form::Avx2(token) => fast::pull_avx2(token, band, out, scratch),
            Form::Avx512(token) => fast::pull_avx512(token, band, out, scratch),
        }
    }

    /// Counts the codes of the positions of a row that are under `mask`.
    pub(crate) fn tally(self, mask: &[u64], row: &[u64], planes: usize, counts: &mut CodeCounts) {
        match self.0 {
            Form::Portable => tally::tally(mask, row, planes, counts),
            Form::Avx2(token) => fast::tally_avx2(token, mask, row, planes, counts),
            Form::Avx512(token) => fast::tally_avx512(token, mask, row, planes, counts),
        }
    }

    /// Solves a band of a tier whose code is `coding` and whose children have `child_planes` planes.
    pub(crate) fn solve(
        self,
        coding: &Coding,
        child_planes: usize,
        maximise: bool,
        band: &Band,
        out: &mut [u64],
        scratch: &mut Scratch,
    ) {
        let call = Call { band, out, scratch };
        let narrow = child_planes < coding.planes();
        match (coding.values(), coding.planes(), narrow) {
            (Values::Wdl, ..) => self.run::<Wdl, 2>(maximise, call),
            (_, 2, _) => self.run::<Ordered<false>, 2>(maximise, call),
            (_, 3, false) => self.run::<Ordered<false>, 3>(maximise, call),
            (_, 3, true) => self.run::<Ordered<true>, 3>(maximise, call),
            (_, 4, false) => self.run::<Ordered<false>, 4>(maximise, call),
            (_, 4, true) => self.run::<Ordered<true>, 4>(maximise, call),
            (_, 5, false) => self.run::<Ordered<false>, 5>(maximise, call),
            (_, 5, true) => self.run::<Ordered<true>, 5>(maximise, call),
            (_, 6, false) => self.run::<Ordered<false>, 6>(maximise, call),
            (_, 6, true) => self.run::<Ordered<true>, 6>(maximise, call),
            (_, _, false) => self.run::<Ordered<false>, 7>(maximise, call),
            (_, _, true) => self.run::<Ordered<true>, 7>(maximise, call),
        }
    }

    fn run<C: Code<P>, const P: usize>(self, maximise: bool, call: Call) {
        let Call { band, out, scratch } = call;
        match (self.0, maximise) {
            (Form::Portable, true) => matrix::solve::<C, Portable, P, true>(band, out, scratch),
            (Form::Portable, false) => matrix::solve::<C, Portable, P, false>(band, out, scratch),
            (Form::Avx2(token), true) => fast::solve_avx2::<C, P, true>(token, band, out, scratch),
            (Form::Avx2(token), false) => fast::solve_avx2::<C, P, false>(token, band, out, scratch),
            (Form::Avx512(token), true) => fast::solve_avx512::<C, P, true>(token, band, out, scratch),
            (Form::Avx512(token), false) => fast::solve_avx512::<C, P, false>(token, band, out, scratch),
        }
    }
}

struct Call<'a, 'b> {
    band: &'a Band<'b>,
    out: &'a mut [u64],
    scratch: &'a mut Scratch,
}

/// The loop of [`Kernel::compress`].
#[inline(always)]
fn compress<B: Bits>(bits: &[u64], mask: &[u64], out: &mut [u64]) {
    let (mut held, mut fill, mut at) = (0u64, 0u32, 0usize);
    for (bits, &mask) in bits.iter().zip(mask) {
        let bits = B::extract(*bits, mask);
        let count = mask.count_ones();
        held |= bits << fill;
        if fill + count >= 64 {
            out[at] = held;
            at += 1;
            held = bits >> 1 >> (63 - fill);
        }
        fill = (fill + count) & 63;
    }
    if fill > 0 {
        out[at] = held;
        at += 1;
    }
    out[at..].fill(0);
}
