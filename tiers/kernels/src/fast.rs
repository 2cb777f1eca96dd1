//! The kernels compiled for BMI2 and AVX2. **All `unsafe` code of the package is in this file.**
//!
//! Nothing is written twice: the safe loops of the other files are inlined into one function that carries
//! `#[target_feature]`, where the compiler may use the wider vectors, and [`Bmi2`] replaces the portable bit moves by
//! one instruction each. A value of [`Avx2`] is proof that the processor has the features: only [`Avx2::detect`] makes
//! one, so a call that takes one is sound on whatever machine it runs.
//!
//! A form for AVX-512 was measured and left out: 3 % on 6x5 with remoteness, nothing without.

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

/// No other processor gives a proof, and the compiler leaves out what would need one.
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

/// Runs a task with the features that the proof stands for.
#[cfg(target_arch = "x86_64")]
pub(super) fn run<T: Task>(_proof: Avx2, task: T) -> T::Output {
    #[target_feature(enable = "bmi1,bmi2,popcnt,avx2")]
    fn inner<T: Task>(task: T) -> T::Output {
        task.run::<Bmi2>()
    }
    // SAFETY: `inner` is a safe function except for the features that it is compiled for, and the proof was made by
    // `detect`, which found them on this processor.
    unsafe { inner(task) }
}

/// Is never called.
#[cfg(not(target_arch = "x86_64"))]
pub(super) fn run<T: Task>(proof: Avx2, _task: T) -> T::Output {
    match proof.0 {}
}

/// `PEXT` and `PDEP`. Private: named only in [`run`], which holds the proof.
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
        // SAFETY: the type is private to this file and only named in a function reached with an `Avx2`, whose
        // existence proves that the processor has BMI2.
        unsafe { _pext_u64(word, mask) }
    }

    #[inline(always)]
    fn deposit(word: u64, mask: u64) -> u64 {
        // SAFETY: as for `extract`.
        unsafe { _pdep_u64(word, mask) }
    }
}
