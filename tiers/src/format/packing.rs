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
    for (i, number) in (first..first + count).enumerate() {
        let code = match coding.values() {
            Values::Wdl => bytes[number / 4] >> (2 * (number % 4)),
            Values::Remoteness => bytes[number],
        };
        for plane in 0..coding.planes() {
            planes[plane * words + i / 64] |= u64::from(code >> plane & 1) << (i % 64);
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
            values in prop::sample::select(vec![Values::Wdl, Values::Remoteness]),
            first in 0..500usize,
            count in 0..500usize,
            skip in 0..100usize,
        ) {
            let coding = Coding::new("5x5".parse().unwrap(), values, 1);
            let mut symbols = Symbols::new(coding.planes());
            for word in &words {
                let rows = &word[..coding.planes()];
                let pack = Pack { rows, row_words: 1, words: 0..1, quiet: &[u64::MAX], symbols: &mut symbols };
                Kernel::portable().run(pack);
            }
            let first = first.min(symbols.len());
            let count = count.min(symbols.len() - first);
            let mut bytes = Vec::new();
            pack(&coding, &symbols, first, count, &mut bytes);
            prop_assert_eq!(bytes.len(), packed_bytes(&coding, count));
            let skip = skip.min(count);
            let planes = unpack(&coding, &bytes, skip, count - skip);
            let bit = |plane: &[u64], number: usize| plane[number / 64] >> (number % 64) & 1;
            let words = (count - skip).div_ceil(64);
            for (plane, i) in (0..coding.planes()).flat_map(|plane| (0..count - skip).map(move |i| (plane, i))) {
                prop_assert_eq!(bit(&planes[plane * words..], i), bit(symbols.plane(plane), first + skip + i));
            }
        }
    }
}
