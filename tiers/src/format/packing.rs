//! How a block's symbols lie in bytes, before compression.
//!
//! What was measured on 5x5, blocks of about 16,384 symbols, bits per legal position (zstd level 12; 19):
//!
//! | values | packing | bits |
//! |---|---|---|
//! | wdl | **two bits a symbol, four to a byte** | 0.0553; 0.0549 |
//! | wdl | five symbols of base 3 to a byte | 0.0549; 0.0547 |
//! | wdl | a byte a symbol | 0.0580; 0.0529 |
//! | wdl | plane after plane | 0.0595; 0.0591 |
//! | remoteness | **a byte a symbol** | 0.0795; 0.0745 |
//! | remoteness | signs two bits each, then the numbers of those that are no tie | 0.105; 0.102 |
//! | remoteness | plane after plane | 0.120; 0.119 |
//!
//! Base 3 saves 0.6 % and would cost a division a symbol.

#![allow(
    clippy::indexing_slicing,
    reason = "a reader has compared the length with the symbols before, and the writer makes room"
)]

use crate::index::low_bits;
use crate::kernel::pack::Symbols;
use crate::kernel::{Coding, Values};

/// Returns the bytes that `count` symbols take.
pub(crate) fn packed_bytes(coding: &Coding, count: usize) -> usize {
    match coding.values() {
        Values::Wdl => count.div_ceil(4),
        Values::Remoteness => count,
    }
}

/// Tells whether bytes can be symbols: none has bits beyond the planes.
pub(crate) fn are_symbols(coding: &Coding, bytes: &[u8]) -> bool {
    coding.values() == Values::Wdl || bytes.iter().fold(0, |any, code| any | code) >> coding.planes() == 0
}

/// Appends `count` symbols from number `first` on.
pub(crate) fn pack(coding: &Coding, symbols: &Symbols, first: usize, count: usize, bytes: &mut Vec<u8>) {
    let end = bytes.len() + packed_bytes(coding, count);
    for at in (0..count).step_by(32) {
        let take = (count - at).min(32) as u32;
        let word = |plane: usize| (bits_at(symbols.plane(plane), first + at) & low_bits(take)) as u32;
        match coding.values() {
            Values::Wdl => bytes.extend((spread(word(0)) | spread(word(1)) << 1).to_le_bytes()),
            Values::Remoteness => {
                let mut codes = [0u8; 32];
                for plane in 0..coding.planes() {
                    let word = word(plane);
                    codes.iter_mut().enumerate().for_each(|(i, code)| *code |= ((word >> i & 1) as u8) << plane);
                }
                bytes.extend(codes);
            }
        }
    }
    bytes.truncate(end);
}

/// Takes `count` symbols from number `first` on apart again: the planes, one after the other, each of `⌈count / 64⌉`
/// words.
pub(crate) fn unpack(coding: &Coding, bytes: &[u8], first: usize, count: usize) -> Vec<u64> {
    let words = count.div_ceil(64);
    let mut planes = vec![0u64; words * coding.planes()];
    match coding.values() {
        Values::Wdl => {
            for at in (0..count).step_by(32) {
                let take = (count - at).min(32) as u32;
                let pairs = bits_of_bytes(bytes, 2 * (first + at));
                for plane in 0..2 {
                    let bits = u64::from(gather(pairs >> plane)) & low_bits(take);
                    planes[plane * words + at / 64] |= bits << (at % 64);
                }
            }
        }
        Values::Remoteness => {
            for (i, code) in bytes[first..first + count].iter().enumerate() {
                for plane in 0..coding.planes() {
                    planes[plane * words + i / 64] |= u64::from(code >> plane & 1) << (i % 64);
                }
            }
        }
    }
    planes
}

/// Returns 64 bits from bit `at` on; bits beyond the words are 0.
fn bits_at(words: &[u64], at: usize) -> u64 {
    let (word, shift) = (at / 64, at % 64);
    let next = words.get(word + 1).map_or(0, |next| next << 1 << (63 - shift));
    words[word] >> shift | next
}

/// Returns 64 bits from bit `at` on, an even number; bits beyond the bytes are 0.
fn bits_of_bytes(bytes: &[u8], at: usize) -> u64 {
    let byte = |i: usize| u64::from(bytes.get(at / 8 + i).copied().unwrap_or(0));
    let low = (0..8).fold(0, |word, i| word | byte(i) << (8 * i));
    let shift = at % 8;
    if shift == 0 { low } else { low >> shift | byte(8) << (64 - shift) }
}

/// Puts a 0 between the bits of a word (Warren, *Hacker's Delight*, section 7-2).
fn spread(word: u32) -> u64 {
    let mut word = u64::from(word);
    for (shift, mask) in [
        (16, 0x0000_FFFF_0000_FFFF),
        (8, 0x00FF_00FF_00FF_00FF),
        (4, 0x0F0F_0F0F_0F0F_0F0F),
        (2, 0x3333_3333_3333_3333),
        (1, 0x5555_5555_5555_5555),
    ] {
        word = (word | word << shift) & mask;
    }
    word
}

/// Takes the even bits of a word.
fn gather(word: u64) -> u32 {
    let mut word = word & 0x5555_5555_5555_5555;
    for (shift, mask) in [
        (1, 0x3333_3333_3333_3333),
        (2, 0x0F0F_0F0F_0F0F_0F0F),
        (4, 0x00FF_00FF_00FF_00FF),
        (8, 0x0000_FFFF_0000_FFFF),
        (16, 0x0000_0000_FFFF_FFFF),
    ] {
        word = (word | word >> shift) & mask;
    }
    word as u32
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::kernel::Kernel;
    use crate::kernel::pack::Pack;

    proptest! {
        #[test]
        fn unpacking_gives_back_any_run_of_symbols(
            words in prop::collection::vec(any::<[u64; 5]>(), 1..20),
            remoteness: bool,
            from in 0.0..1.0f64,
            to in 0.0..1.0f64,
        ) {
            let values = if remoteness { Values::Remoteness } else { Values::Wdl };
            let coding = Coding::new("5x5".parse().unwrap(), values, 1);
            let mut symbols = Symbols::new(coding.planes());
            for word in &words {
                let rows = &word[..coding.planes()];
                let pack = Pack { rows, row_words: 1, words: 0..1, quiet: &[u64::MAX], symbols: &mut symbols };
                Kernel::portable().run(pack);
            }
            let first = (from * symbols.len() as f64) as usize;
            let count = (to * (symbols.len() - first) as f64) as usize;
            let mut bytes = vec![7];
            pack(&coding, &symbols, first, count, &mut bytes);
            prop_assert_eq!(bytes.len(), 1 + packed_bytes(&coding, count));
            let skip = count / 3;
            let planes = unpack(&coding, &bytes[1..], skip, count - skip);
            let words = (count - skip).div_ceil(64);
            for plane in 0..coding.planes() {
                for i in 0..words * 64 {
                    let found = planes[plane * words + i / 64] >> (i % 64) & 1;
                    let at = first + skip + i;
                    let packed = if skip + i < count { symbols.plane(plane)[at / 64] >> (at % 64) & 1 } else { 0 };
                    prop_assert_eq!(found, packed);
                }
            }
        }
    }
}
