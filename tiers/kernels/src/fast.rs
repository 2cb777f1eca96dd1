//! The kernels compiled for BMI2 and AVX2. **All `unsafe` code of the package is in this file.**
//!
//! No loop is written twice: the safe loops of the other files are inlined into one function with `#[target_feature]`,
//! where the compiler may use wider vectors, and [`Bmi2`] replaces each portable bit move by one instruction. A value
//! of [`Avx2`] proves that the processor has the features: only [`Avx2::detect`] makes one, so calls that take one are
//! sound on any machine.
//!
//! A form for AVX-512 was measured and left out: it saved 3 % of the time of 6x5 with remoteness, and nothing with
//! `wdl`.

#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
use super::bits::Bits;
use super::bits::Task;

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{_pdep_u64, _pext_u64};

/// Proof that the processor has BMI1, BMI2, POPCNT and AVX2.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Avx2(Proof);

#[cfg(target_arch = "x86_64")]
type Proof = ();

/// An empty type: on other processors no proof exists, and the compiler removes the code that needs one.
#[cfg(not(target_arch = "x86_64"))]
type Proof = std::convert::Infallible;

impl Avx2 {
    /// Returns the proof if the processor has the features.
    pub(super) fn detect() -> Option<Avx2> {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("popcnt")
            && is_x86_feature_detected!("avx2")
        {
            return Some(Avx2(()));
        }
        None
    }
}

/// Runs a task, compiled for the processor features that the proof guarantees.
#[cfg(target_arch = "x86_64")]
pub(super) fn run<T: Task>(_proof: Avx2, task: T) -> T::Output {
    #[target_feature(enable = "bmi1,bmi2,popcnt,avx2")]
    fn inner<T: Task>(task: T) -> T::Output {
        task.run::<Bmi2>()
    }
    // SAFETY: `inner` is unsafe to call only on a processor without the features it is compiled for. `detect` made the
    // proof after it found these features on this processor.
    unsafe { inner(task) }
}

/// Can't be called, since no proof exists.
#[cfg(not(target_arch = "x86_64"))]
pub(super) fn run<T: Task>(proof: Avx2, _task: T) -> T::Output {
    match proof.0 {}
}

/// `PEXT` and `PDEP`. Private to this file: only [`run`], which has the proof, names it.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
struct Bmi2;

#[cfg(target_arch = "x86_64")]
impl Bits for Bmi2 {
    const FAST: bool = true;

    type Mask = u64;

    #[inline(always)]
    fn mask(mask: u64) -> u64 {
        mask
    }

    #[inline(always)]
    fn extract(word: u64, mask: u64) -> u64 {
        // SAFETY: only `run` names this private type, and it is called with an `Avx2`, which proves that the processor
        // has BMI2.
        unsafe { _pext_u64(word, mask) }
    }

    #[inline(always)]
    fn deposit(word: u64, mask: u64) -> u64 {
        // SAFETY: as for `extract`.
        unsafe { _pdep_u64(word, mask) }
    }
}
