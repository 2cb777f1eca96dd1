//! The codes of quiet entries in two forms: as one dense stream of bits per plane, and as the bytes that are
//! compressed.
//!
//! Ways to pack a block's symbols into bytes, measured on 5x5 with blocks of about 16,384 symbols, in bits per legal
//! position (with zstd at level 12; at level 19):
//!
//! | values | packing | bits |
//! |---|---|---|
//! | wdl | **two bits a symbol, four to a byte** | 0.0553; 0.0549 |
//! | wdl | five symbols of base 3 to a byte | 0.0549; 0.0547 |
//! | wdl | a byte a symbol | 0.0580; 0.0529 |
//! | wdl | plane after plane | 0.0595; 0.0591 |
//! | remoteness | **a byte a symbol** | 0.0795; 0.0745 |
//! | remoteness | signs of two bits each, then the numbers of all that are not ties | 0.105; 0.102 |
//! | remoteness | plane after plane | 0.120; 0.119 |
//!
//! Base 3 saves 0.6 % but costs a division per symbol.

use std::ops::Range;

use super::bits::{Bits, Task};
use super::{Coding, Values};

/// The codes of consecutive quiet entries: one stream of bits per plane, the first entry in the lowest bit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symbols {
    /// Each has `⌈len / 64⌉` words; bits beyond `len` are 0.
    planes: Vec<Vec<u64>>,
    /// The number of symbols.
    pub len: usize,
}

impl Symbols {
    /// Makes empty streams of `planes` planes.
    pub fn new(planes: usize) -> Symbols {
        Symbols { planes: vec![Vec::new(); planes], len: 0 }
    }

    /// Removes all symbols and keeps the memory.
    pub fn clear(&mut self) {
        self.planes.iter_mut().for_each(Vec::clear);
        self.len = 0;
    }

    /// Returns the stream of a plane.
    pub fn plane(&self, plane: usize) -> &[u64] {
        &self.planes[plane]
    }

    /// Makes room for `words` words and one more after the last bit of every plane.
    fn make_room(&mut self, words: usize) {
        let all = self.len.div_ceil(64) + words + 1;
        self.planes.iter_mut().for_each(|plane| plane.resize(all, 0));
    }

    /// Adds `count` appended bits to the length, and drops unused words.
    fn advance(&mut self, count: usize) {
        self.len += count;
        let words = self.len.div_ceil(64);
        self.planes.iter_mut().for_each(|plane| plane.truncate(words));
    }
}

/// Appends the symbols of all quiet entries in some rows.
pub struct Pack<'a> {
    /// The rows, each with all its planes.
    pub rows: &'a [u64],
    /// Words of one plane of a row.
    pub row_words: usize,
    /// The words of each plane that the masks cover.
    pub words: Range<usize>,
    /// The masks of the quiet entries, one per row.
    pub quiet: &'a [u64],
    /// The streams to append to.
    pub symbols: &'a mut Symbols,
}

impl Task for Pack<'_> {
    type Output = ();

    #[inline(always)]
    fn run<B: Bits>(self) {
        let Pack { rows, row_words, words, quiet, symbols } = self;
        symbols.make_room(quiet.len());
        let (len, planes) = (symbols.len, symbols.planes.len());
        let rows = Rows { rows, row_words, words, planes, quiet };
        let mut count = 0;
        // Each pass packs two planes. wdl has only two, so it takes one pass.
        for (pair, streams) in symbols.planes.chunks_mut(2).enumerate() {
            count = match streams {
                [first, second] => pack::<B, 2>(&rows, 2 * pair, [first, second], len),
                [only] => pack::<B, 1>(&rows, 2 * pair, [only], len),
                _ => count,
            };
        }
        symbols.advance(count);
    }
}

/// The rows to pack, each with all its planes, and the masks of their quiet entries.
struct Rows<'a> {
    rows: &'a [u64],
    row_words: usize,
    words: Range<usize>,
    planes: usize,
    quiet: &'a [u64],
}

/// Appends the bits of the quiet entries, in `P` planes from plane `first` on, to streams of `len` bits that have room
/// for them. Returns how many entries were appended.
#[inline(always)]
fn pack<B: Bits, const P: usize>(rows: &Rows, first: usize, streams: [&mut [u64]; P], len: usize) -> usize {
    let &Rows { rows, row_words, ref words, planes, quiet } = rows;
    let (start, mut at, mut fill) = (len, len / 64, (len % 64) as u32);
    let mut held = [0; P];
    for p in 0..P {
        held[p] = streams[p][at];
    }
    for (row, quiet) in rows.chunks_exact(planes * row_words).zip(quiet.chunks_exact(words.len())) {
        let row = &row[first * row_words + words.start..];
        for (word, &quiet) in quiet.iter().enumerate() {
            if !B::FAST && quiet == 0 {
                continue;
            }
            let count = quiet.count_ones();
            let full = fill + count >= 64;
            let mask = B::mask(quiet);
            for p in 0..P {
                let bits = B::extract(row[p * row_words + word], mask);
                // Writing an unfinished word too is cheaper than a branch.
                let joined = held[p] | bits << fill;
                streams[p][at] = joined;
                held[p] = if full { bits >> 1 >> (63 - fill) } else { joined };
            }
            fill = (fill + count) % 64;
            at += usize::from(full);
        }
    }
    for p in 0..P {
        streams[p][at] = held[p];
    }
    at * 64 + fill as usize - start
}

/// Undoes [`Pack`] for one plane: moves the bits of `stream`, in order, to the places of `quiet` in `out`, and clears
/// the other bits of `out`.
pub struct Unpack<'a> {
    /// One plane of the symbols.
    pub stream: &'a [u64],
    /// The masks of the quiet entries.
    pub quiet: &'a [u64],
    /// Receives the bits; as long as the masks.
    pub out: &'a mut [u64],
}

impl Task for Unpack<'_> {
    type Output = ();

    #[inline(always)]
    fn run<B: Bits>(self) {
        let mut at = 0;
        for (out, &quiet) in self.out.iter_mut().zip(self.quiet) {
            *out = B::deposit(bits_at(self.stream, at), B::mask(quiet));
            at += quiet.count_ones() as usize;
        }
    }
}

/// Returns 64 bits of a stream from bit `at` on; bits beyond its end are 0.
#[inline(always)]
fn bits_at(stream: &[u64], at: usize) -> u64 {
    let word_at = |word: usize| stream.get(word).copied().unwrap_or(0);
    let (word, shift) = (at / 64, at % 64);
    word_at(word) >> shift | word_at(word + 1) << 1 << (63 - shift)
}

/// Returns how many bytes `count` symbols take.
pub fn packed_bytes(coding: &Coding, count: usize) -> usize {
    match coding.values {
        Values::Wdl => count.div_ceil(4),
        Values::Remoteness => count,
    }
}

/// Returns whether `bytes` can be symbols: no byte has a bit beyond the planes.
pub fn are_symbols(coding: &Coding, bytes: &[u8]) -> bool {
    coding.values == Values::Wdl || bytes.iter().fold(0, |any, code| any | code) >> coding.planes == 0
}

/// Appends the bytes of `count` symbols, from symbol `first` on.
pub fn to_bytes(coding: &Coding, symbols: &Symbols, first: usize, count: usize, bytes: &mut Vec<u8>) {
    let end = bytes.len() + packed_bytes(coding, count);
    for at in (0..count).step_by(32) {
        let take = (count - at).min(32) as u32;
        let word = |plane: usize| (bits_at(symbols.plane(plane), first + at) & u64::MAX >> (64 - take)) as u32;
        match coding.values {
            Values::Wdl => bytes.extend((spread(word(0)) | spread(word(1)) << 1).to_le_bytes()),
            Values::Remoteness => {
                let mut codes = [0u8; 32];
                for plane in 0..coding.planes {
                    let word = word(plane);
                    codes.iter_mut().enumerate().for_each(|(i, code)| *code |= ((word >> i & 1) as u8) << plane);
                }
                bytes.extend(codes);
            }
        }
    }
    bytes.truncate(end);
}

/// Returns the planes of `count` symbols from symbol `first` on, one plane after the other, each of `⌈count / 64⌉`
/// words. `bytes` must be long enough to contain these symbols.
pub fn from_bytes(coding: &Coding, bytes: &[u8], first: usize, count: usize) -> Vec<u64> {
    let words = count.div_ceil(64);
    let mut planes = vec![0u64; words * coding.planes];
    for eight in 0..count.div_ceil(8) {
        let mut codes = [0; 8];
        for (code, number) in codes.iter_mut().zip(first + 8 * eight..first + count) {
            *code = match coding.values {
                Values::Wdl => bytes[number / 4] >> (2 * (number % 4)),
                Values::Remoteness => bytes[number],
            };
        }
        for (plane, bits) in transpose_eight(codes).into_iter().take(coding.planes).enumerate() {
            planes[plane * words + eight / 8] |= u64::from(bits) << (8 * (eight % 8));
        }
    }
    planes
}

/// Transposes 8x8 bits: byte `i` of the result has bit `i` of all eight bytes (Warren, *Hacker's Delight*, section
/// 7-3).
fn transpose_eight(bytes: [u8; 8]) -> [u8; 8] {
    let mut bits = u64::from_le_bytes(bytes);
    for (shift, mask) in [(7, 0x00AA_00AA_00AA_00AA), (14, 0x0000_CCCC_0000_CCCC), (28, 0x0000_0000_F0F0_F0F0)] {
        let swapped = (bits ^ bits >> shift) & mask;
        bits ^= swapped ^ swapped << shift;
    }
    bits.to_le_bytes()
}

/// Puts a 0 after every bit of a word (Warren, *Hacker's Delight*, section 7-2).
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
    use super::*;
    use crate::Kernel;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn unpacking_undoes_packing_with_every_kernel(
            rows in prop::collection::vec((prop::collection::vec(any::<u64>(), 6), any::<[u64; 3]>(), any::<[u64; 3]>()), 0..9),
        ) {
            let mut expected: Option<Symbols> = None;
            for kernel in Kernel::all() {
                let mut symbols = Symbols::new(2);
                let masks: Vec<[u64; 3]> =
                    rows.iter().map(|(_, quiet, sparse)| [quiet[0] & sparse[0], quiet[1], quiet[2] | sparse[2]]).collect();
                for ((row, ..), quiet) in rows.iter().zip(&masks) {
                    kernel.run(Pack { rows: row, row_words: 3, words: 0..3, quiet, symbols: &mut symbols });
                }
                for plane in 0..2 {
                    let mut out = vec![0; 3 * rows.len()];
                    kernel.run(Unpack { stream: symbols.plane(plane), quiet: masks.as_flattened(), out: &mut out });
                    let packed = rows.iter().zip(&masks).flat_map(|((row, ..), quiet)| {
                        (0..3).map(move |word| row[plane * 3 + word] & quiet[word])
                    });
                    prop_assert!(packed.eq(out));
                }
                prop_assert_eq!(expected.get_or_insert_with(|| symbols.clone()), &symbols);
            }
        }

        #[test]
        fn unpacking_gives_back_any_run_of_symbols(
            words in prop::collection::vec(any::<[u64; 5]>(), 1..20),
            values in prop::sample::select(vec![Values::Wdl, Values::Remoteness]),
            first in 0..500usize,
            count in 0..500usize,
            skip in 0..100usize,
        ) {
            let coding = Coding::new("5x5".parse().unwrap(), values, 1);
            let mut symbols = Symbols::new(coding.planes);
            for word in &words {
                let rows = &word[..coding.planes];
                let pack = Pack { rows, row_words: 1, words: 0..1, quiet: &[u64::MAX], symbols: &mut symbols };
                Kernel::portable().run(pack);
            }
            let first = first.min(symbols.len);
            let count = count.min(symbols.len - first);
            let mut bytes = Vec::new();
            to_bytes(&coding, &symbols, first, count, &mut bytes);
            prop_assert_eq!(bytes.len(), packed_bytes(&coding, count));
            let skip = skip.min(count);
            let planes = from_bytes(&coding, &bytes, skip, count - skip);
            let bit = |plane: &[u64], number: usize| plane[number / 64] >> (number % 64) & 1;
            let words = (count - skip).div_ceil(64);
            for (plane, i) in (0..coding.planes).flat_map(|plane| (0..count - skip).map(move |i| (plane, i))) {
                prop_assert_eq!(bit(&planes[plane * words..], i), bit(symbols.plane(plane), first + skip + i));
            }
        }
    }
}
