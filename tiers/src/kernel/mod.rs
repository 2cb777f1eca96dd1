//! Kernels: the bit-plane loops, compiled for what the processor can do and chosen at run time.
//!
//! The loops are written once, in safe code (`matrix.rs`, `rows.rs`, `reach.rs`, `tally.rs`, `pack.rs`, `delta.rs`), over
//! two bit movements that differ (`bits.rs`). Each is a `Task`, which `Kernel::run` runs. `fast.rs` compiles them again with
//! BMI2 and AVX2 and holds all `unsafe` code of the package. Without these, column drops take eight rows at a time.

mod bits;
mod code;
pub(crate) mod delta;
mod fast;
pub(crate) mod matrix;
pub(crate) mod pack;
pub(crate) mod reach;
mod rows;
pub(crate) mod tally;
mod words;

pub use code::{Coding, MAX_PLANES, Values, ValuesError};

pub(crate) use bits::{Bits, Task};
pub(crate) use rows::transpose;
pub(crate) use words::{MOST_SPARE, RowView, SPARE_PART, Words};

use bits::Portable;
use code::{AnyOrdered, Ordered, Wdl};
use matrix::{BAND_ROWS, Band, Buffers, Solve};

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
        if self.0.is_some() { 0 } else { bits::lane_bytes(BAND_ROWS, row_words) }
    }

    /// Runs a loop.
    pub(crate) fn run<T: Task>(self, task: T) -> T::Output {
        match self.0 {
            None => task.run::<Portable>(),
            Some(proof) => fast::run(proof, task),
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
        buffers: &mut Buffers,
    ) {
        let narrow = child_planes < coding.planes();
        match (coding.values(), coding.planes(), self.0, narrow) {
            (Values::Wdl, ..) if maximise => self.run(Solve::<_, 2> { code: Wdl::<true>, band, out, buffers }),
            (Values::Wdl, ..) => self.run(Solve::<_, 2> { code: Wdl::<false>, band, out, buffers }),
            (_, planes, None, _) => {
                let code = AnyOrdered { maximise, narrow };
                match planes {
                    2 => Solve::<_, 2> { code, band, out, buffers }.run::<Portable>(),
                    3 => Solve::<_, 3> { code, band, out, buffers }.run::<Portable>(),
                    4 => Solve::<_, 4> { code, band, out, buffers }.run::<Portable>(),
                    5 => Solve::<_, 5> { code, band, out, buffers }.run::<Portable>(),
                    _ => Solve::<_, 6> { code, band, out, buffers }.run::<Portable>(),
                }
            }
            (_, 2, Some(proof), _) => solve_ordered::<2, false>(proof, maximise, band, out, buffers),
            (_, 3, Some(proof), false) => solve_ordered::<3, false>(proof, maximise, band, out, buffers),
            (_, 3, Some(proof), true) => solve_ordered::<3, true>(proof, maximise, band, out, buffers),
            (_, 4, Some(proof), false) => solve_ordered::<4, false>(proof, maximise, band, out, buffers),
            (_, 4, Some(proof), true) => solve_ordered::<4, true>(proof, maximise, band, out, buffers),
            (_, 5, Some(proof), false) => solve_ordered::<5, false>(proof, maximise, band, out, buffers),
            (_, 5, Some(proof), true) => solve_ordered::<5, true>(proof, maximise, band, out, buffers),
            // Seven planes would serve 63 and 64 cells, but no index of so large a board can be made.
            (_, _, Some(proof), false) => solve_ordered::<6, false>(proof, maximise, band, out, buffers),
            (_, _, Some(proof), true) => solve_ordered::<6, true>(proof, maximise, band, out, buffers),
        }
    }
}

fn solve_ordered<const P: usize, const NARROW: bool>(
    proof: fast::Avx2,
    maximise: bool,
    band: &Band,
    out: &mut [u64],
    buffers: &mut Buffers,
) {
    if maximise {
        fast::run(proof, Solve::<_, P> { code: Ordered::<true, NARROW>, band, out, buffers });
    } else {
        fast::run(proof, Solve::<_, P> { code: Ordered::<false, NARROW>, band, out, buffers });
    }
}
