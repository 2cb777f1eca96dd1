//! Kernels: the loops over bit planes. They are compiled for several sets of processor features, and one is chosen at
//! run time.
//!
//! The loops are written once, in safe code (`matrix.rs`, `rows.rs`, `reach.rs`, `tally.rs`, `pack.rs`, `delta.rs`), on
//! top of two bit moves (`bits.rs`), each of which has a portable and a fast form. Each loop is a `Task`; `Kernel::run`
//! runs it. `fast.rs` compiles the loops again with BMI2 and AVX2, and contains all `unsafe` code of the package.
//! Without these features, drops into the right wing and on the spine work on eight rows at a time.
//!
//! `fourbase-tiers` re-exports this package as `kernel`. It is a package of its own so that cargo compiles the two in
//! parallel.

mod bits;
mod code;
pub mod delta;
mod fast;
pub mod matrix;
pub mod pack;
pub mod reach;
mod rows;
pub mod tally;
mod words;

pub use code::{Coding, MAX_PLANES, Values, ValuesError};

pub use bits::{BandDrop, Bits, NO_ROW, Pairing, Task, ones};
pub use rows::transpose;
pub use words::{Pool, RowView, SPARE_PART, Words};

use bits::Portable;
use code::{Known, Ordered, Wdl};
use matrix::{BAND_ROWS, Band, Buffers, Solve};

/// Which form of the kernels runs. All forms compute the same bits.
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

    /// Returns how many bytes a thread of a solve needs for prepared masks, and for the rows that it works on together.
    /// `row_words` is the largest number of words of a row, all planes included.
    pub fn lane_bytes(self, row_words: u128) -> u128 {
        if self.0.is_some() { 0 } else { bits::lane_bytes(BAND_ROWS, row_words) }
    }

    /// Runs a loop, which is compiled in the crate that calls `run`.
    pub fn run<T: Task>(self, task: T) -> T::Output {
        match self.0 {
            None => task.run::<Portable>(),
            Some(proof) => fast::run(proof, task),
        }
    }

    /// Solves a band of a tier. `coding` is the tier's code; the tier of the children has `child_planes` planes. Takes
    /// the maximum of the children if `maximise` (the first player is to move), else the minimum.
    pub fn solve(
        self,
        coding: &Coding,
        child_planes: usize,
        maximise: bool,
        band: &Band,
        out: &mut [u64],
        buffers: &mut Buffers,
    ) {
        let narrow = child_planes < coding.planes;
        debug_assert!(!narrow || coding.planes > 2 && child_planes + 1 == coding.planes);
        match coding.values {
            Values::Wdl if maximise => self.run(Solve::<_, 2> { code: Wdl::<true>, band, out, buffers }),
            Values::Wdl => self.run(Solve::<_, 2> { code: Wdl::<false>, band, out, buffers }),
            Values::Remoteness => {
                let code = Ordered { maximise, narrow };
                // Most of a solve's time goes into tiers of three to five planes.
                match coding.planes {
                    2 => self.run(Solve::<_, 2> { code, band, out, buffers }),
                    3 => self.run_ordered(Solve::<_, 3> { code, band, out, buffers }),
                    4 => self.run_ordered(Solve::<_, 4> { code, band, out, buffers }),
                    5 => self.run_ordered(Solve::<_, 5> { code, band, out, buffers }),
                    // Seven planes would serve 63 and 64 cells, but no index of so large a board can be made.
                    _ => self.run(Solve::<_, 6> { code, band, out, buffers }),
                }
            }
        }
    }

    /// Runs a loop as [`Kernel::run`] does. If bit moves are fast and children have as many planes as the tier, there
    /// is one loop for maximum and one for minimum. A third loop serves all other cases: portable moves take most of
    /// its time anyway, and few tiers have children with fewer planes.
    fn run_ordered<const P: usize>(self, task: Solve<Ordered<bool, bool>, P>) {
        let Solve { code: Ordered { maximise, narrow }, band, out, buffers } = task;
        let wide = Known::<false>;
        match self.0 {
            Some(proof) if !narrow && maximise => {
                let code = Ordered { maximise: Known::<true>, narrow: wide };
                fast::run(proof, Solve::<_, P> { code, band, out, buffers });
            }
            Some(proof) if !narrow => {
                let code = Ordered { maximise: Known::<false>, narrow: wide };
                fast::run(proof, Solve::<_, P> { code, band, out, buffers });
            }
            _ => self.run(Solve::<_, P> { code: Ordered { maximise, narrow }, band, out, buffers }),
        }
    }
}
