//! Runs of bits in words.

#![allow(clippy::indexing_slicing, reason = "as for packing, whose words these are")]

/// Returns 64 bits from bit `at` on; bits beyond the words are 0.
pub(crate) fn bits_at(words: &[u64], at: usize) -> u64 {
    let (word, shift) = (at / 64, at % 64);
    let next = words.get(word + 1).map_or(0, |next| next << 1 << (63 - shift));
    words[word] >> shift | next
}
