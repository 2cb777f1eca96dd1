//! The machine word of a bitboard: 64 bits if the board fits, else 128 bits.

use std::fmt::Debug;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, Not, Shl, Shr};

/// An unsigned word of 64 or 128 bits with the operations that bitboards need.
///
/// Additions, subtractions and products wrap. Shifts must be by less than the number of bits.
pub(super) trait Word:
    Copy
    + Eq
    + Ord
    + Debug
    + Send
    + Sync
    + BitAnd<Output = Self>
    + BitAndAssign
    + BitOr<Output = Self>
    + BitOrAssign
    + BitXor<Output = Self>
    + Not<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
{
    const BITS: u32;
    /// The word with no bit set.
    const ZERO: Self;
    /// The word with only the lowest bit set.
    const ONE: Self;
    /// An odd factor: multiplying by it spreads the low bits of a word over the high ones.
    const MULTIPLIER: Self;

    /// Adds, dropping the carry.
    fn plus(self, other: Self) -> Self;
    /// Subtracts, dropping the borrow.
    fn minus(self, other: Self) -> Self;
    /// Multiplies, dropping the high half.
    fn times(self, other: Self) -> Self;
    /// Counts the set bits.
    fn count(self) -> u32;
    /// Returns the index of the lowest set bit, or [`Word::BITS`] if no bit is set.
    fn first(self) -> u32;
    /// Returns the low 64 bits.
    fn low(self) -> u64;
    /// Returns the bits above the low 64.
    fn high(self) -> u64;
    /// Builds a word from its two 64-bit halves; a word of 64 bits ignores `high`.
    fn from_halves(high: u64, low: u64) -> Self;

    /// Returns a word in which only the lowest set bit of this word is set.
    #[inline(always)]
    fn lowest(self) -> Self {
        self & Self::ZERO.minus(self)
    }

    /// Lists the set bits from the lowest to the highest, each as a word in which only that bit is set.
    #[inline(always)]
    fn each(self) -> impl Iterator<Item = Self> {
        let mut rest = self;
        std::iter::from_fn(move || {
            let lowest = rest.lowest();
            rest &= !lowest;
            (lowest != Self::ZERO).then_some(lowest)
        })
    }

    /// Returns whether at least two bits are set.
    #[inline(always)]
    fn has_two(self) -> bool {
        self & self.minus(Self::ONE) != Self::ZERO && self != Self::ZERO
    }

    /// Returns a word with the lowest `count` bits set; with all bits set if `count` is at least [`Word::BITS`].
    #[inline(always)]
    fn low_bits(count: u32) -> Self {
        if count >= Self::BITS { !Self::ZERO } else { (Self::ONE << count).minus(Self::ONE) }
    }
}

macro_rules! word {
    ($word:ty, $multiplier:expr, $high:expr, $join:expr) => {
        impl Word for $word {
            const BITS: u32 = <$word>::BITS;
            const ZERO: $word = 0;
            const ONE: $word = 1;
            const MULTIPLIER: $word = $multiplier;

            #[inline(always)]
            fn plus(self, other: $word) -> $word {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn minus(self, other: $word) -> $word {
                self.wrapping_sub(other)
            }
            #[inline(always)]
            fn times(self, other: $word) -> $word {
                self.wrapping_mul(other)
            }
            #[inline(always)]
            fn count(self) -> u32 {
                self.count_ones()
            }
            #[inline(always)]
            fn first(self) -> u32 {
                self.trailing_zeros()
            }
            #[inline(always)]
            fn low(self) -> u64 {
                self as u64
            }
            #[inline(always)]
            fn high(self) -> u64 {
                $high(self)
            }
            #[inline(always)]
            fn from_halves(high: u64, low: u64) -> $word {
                $join(high, low)
            }
        }
    };
}

// The multipliers are 2^64 and 2^128 divided by the golden ratio, made odd.
word!(u64, 0x9e37_79b9_7f4a_7c15, |_| 0, |_, low| low);
word!(u128, 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835, |word| (word >> 64) as u64, |high, low| {
    u128::from(high) << 64 | u128::from(low)
});

#[cfg(test)]
mod tests {
    use super::Word;

    fn halves_lead_back<W: Word>(word: W) {
        assert_eq!(W::from_halves(word.high(), word.low()), word);
    }

    #[test]
    fn a_word_is_its_halves() {
        halves_lead_back(0x0123_4567_89ab_cdef_u64);
        halves_lead_back(0x0123_4567_89ab_cdef_0f1e_2d3c_4b5a_6978_u128);
    }

    #[test]
    fn low_bits_stop_at_the_end_of_the_word() {
        assert_eq!([0, 3, 63, 64, 90].map(u64::low_bits), [0, 7, u64::MAX >> 1, u64::MAX, u64::MAX]);
        assert_eq!(u128::low_bits(128), u128::MAX);
    }
}
