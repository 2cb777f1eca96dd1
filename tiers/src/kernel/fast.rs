//! The kernels compiled for BMI2 with AVX2 or AVX-512. **All `unsafe` code of the package is in this file.**
//!
//! Nothing is written twice: the safe loops of [`super::matrix`] are inlined into functions that carry
//! `#[target_feature]`, where the compiler may use the wider vectors, and [`Bmi2`] replaces the portable bit moves by
//! one instruction each. A value of [`Avx2`] or [`Avx512`] is proof that the processor has the features: only
//! `detect` makes one, so a call that takes one is sound on whatever machine it runs.

#![allow(unsafe_code)]

use super::bits::Bits;
use super::code::Code;
use super::matrix::{self, Band, Scratch};
use super::reach::{self, Pull, Pulled};
use super::tally::{self, CodeCounts};

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{_pdep_u64, _pext_u64};

/// Proof that the processor has BMI1, BMI2, POPCNT and AVX2.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Avx2(());

/// Proof that the processor has what [`Avx2`] says, and AVX-512 F, BW, DQ and VL.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Avx512(());

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

impl Avx512 {
    /// Returns the proof if the processor has the features.
    pub(super) fn detect() -> Option<Avx512> {
        #[cfg(target_arch = "x86_64")]
        if Avx2::detect().is_some()
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
        {
            return Some(Avx512(()));
        }
        None
    }
}

/// `PEXT` and `PDEP`. Private: used only inside the functions below, which hold the proof.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
struct Bmi2;

#[cfg(target_arch = "x86_64")]
impl Bits for Bmi2 {
    #[inline(always)]
    fn extract(word: u64, mask: u64) -> u64 {
        // SAFETY: the type is private to this file and only named in functions reached with an `Avx2` or `Avx512`
        // value, whose existence proves that the processor has BMI2.
        unsafe { _pext_u64(word, mask) }
    }

    #[inline(always)]
    fn deposit(word: u64, mask: u64) -> u64 {
        // SAFETY: as for `extract`.
        unsafe { _pdep_u64(word, mask) }
    }
}

/// Makes, for one proof and its features, the solve, compress, pull and tally functions.
macro_rules! compiled_for {
    ($proof:ident, $features:literal, $solve:ident, $compress:ident, $pull:ident, $tally:ident) => {
        /// Solves a band with the features that the proof stands for.
        pub(super) fn $solve<C: Code<P>, const P: usize, const MAX: bool>(
            _proof: $proof,
            band: &Band,
            out: &mut [u64],
            scratch: &mut Scratch,
        ) {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = $features)]
                fn inner<C: Code<P>, const P: usize, const MAX: bool>(
                    band: &Band,
                    out: &mut [u64],
                    scratch: &mut Scratch,
                ) {
                    matrix::solve::<C, Bmi2, P, MAX>(band, out, scratch)
                }
                // SAFETY: `inner` is a safe function but for the features that it is compiled for, and the proof
                // was made by `detect`, which found them on this processor.
                unsafe { inner::<C, P, MAX>(band, out, scratch) }
            }
            #[cfg(not(target_arch = "x86_64"))]
            matrix::solve::<C, super::Portable, P, MAX>(band, out, scratch)
        }

        /// Compresses bits with the features that the proof stands for.
        pub(super) fn $compress(_proof: $proof, bits: &[u64], mask: &[u64], out: &mut [u64]) {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = $features)]
                fn inner(bits: &[u64], mask: &[u64], out: &mut [u64]) {
                    super::compress::<Bmi2>(bits, mask, out)
                }
                // SAFETY: as above: the proof stands for the features, and `inner` needs nothing else.
                unsafe { inner(bits, mask, out) }
            }
            #[cfg(not(target_arch = "x86_64"))]
            super::compress::<super::Portable>(bits, mask, out)
        }

        /// Gathers a band of reached positions with the features that the proof stands for.
        pub(super) fn $pull(_proof: $proof, band: &Pull, out: Option<&mut [u64]>, scratch: &mut reach::Scratch) -> Pulled {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = $features)]
                fn inner(band: &Pull, out: Option<&mut [u64]>, scratch: &mut reach::Scratch) -> Pulled {
                    reach::pull::<Bmi2>(band, out, scratch)
                }
                // SAFETY: as above: the proof stands for the features, and `inner` needs nothing else.
                unsafe { inner(band, out, scratch) }
            }
            #[cfg(not(target_arch = "x86_64"))]
            reach::pull::<super::Portable>(band, out, scratch)
        }

        /// Counts codes with the features that the proof stands for.
        pub(super) fn $tally(_proof: $proof, mask: &[u64], row: &[u64], planes: usize, counts: &mut CodeCounts) {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = $features)]
                fn inner(mask: &[u64], row: &[u64], planes: usize, counts: &mut CodeCounts) {
                    tally::tally(mask, row, planes, counts)
                }
                // SAFETY: as above: the proof stands for the features, and `inner` needs nothing else.
                unsafe { inner(mask, row, planes, counts) }
            }
            #[cfg(not(target_arch = "x86_64"))]
            tally::tally(mask, row, planes, counts)
        }
    };
}

compiled_for!(Avx2, "bmi1,bmi2,popcnt,avx2", solve_avx2, compress_avx2, pull_avx2, tally_avx2);
compiled_for!(
    Avx512,
    "bmi1,bmi2,popcnt,avx2,avx512f,avx512bw,avx512dq,avx512vl",
    solve_avx512,
    compress_avx512,
    pull_avx512,
    tally_avx512
);
