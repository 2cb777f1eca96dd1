//! The two bit movements that everything rests on, and the portable form of both.
//!
//! *Extract* gathers the bits of a word under a mask to the low end; *deposit* spreads low bits to the places of a
//! mask. Processors with BMI2 have an instruction for each (`PEXT`, `PDEP`); [`Portable`] does the same in safe code
//! and is what the fast form is tested against.

/// Moves bits under a mask. Both operations cost one instruction in the fast form, about 130 in the portable one.
pub trait Bits: Copy {
    /// Each operation is one instruction.
    const FAST: bool;

    /// Gathers the bits of `word` at the places of `mask` to the low end, in order.
    fn extract(word: u64, mask: u64) -> u64;

    /// Spreads the low bits of `word` to the places of `mask`, in order; other places become 0.
    fn deposit(word: u64, mask: u64) -> u64;
}

/// Extract and deposit in plain safe code: six rounds of moving bits by 1, 2, 4, 8, 16 and 32 places
/// (Warren, *Hacker's Delight*, 2nd edition, sections 7-4 and 7-5).
#[derive(Clone, Copy, Debug)]
pub struct Portable;

/// For each round, the bits that move in it: those with an odd count, in that binary digit, of gaps below them.
#[inline]
fn rounds(mask: u64) -> [u64; 6] {
    let (mut mask, mut gaps) = (mask, !mask << 1);
    let mut moves = [0; 6];
    for (round, moving) in moves.iter_mut().enumerate() {
        // Prefix parity: bit i says whether an odd number of gaps lie below it.
        let mut parity = gaps;
        for shift in [1, 2, 4, 8, 16, 32] {
            parity ^= parity << shift;
        }
        *moving = parity & mask;
        mask = (mask ^ *moving) | (*moving >> (1 << round));
        gaps &= !parity;
    }
    moves
}

impl Bits for Portable {
    const FAST: bool = false;

    #[inline]
    fn extract(word: u64, mask: u64) -> u64 {
        let mut word = word & mask;
        for (round, moving) in rounds(mask).into_iter().enumerate() {
            let moved = word & moving;
            word = (word ^ moved) | (moved >> (1 << round));
        }
        word
    }

    #[inline]
    fn deposit(word: u64, mask: u64) -> u64 {
        let mut word = word;
        for (round, moving) in rounds(mask).into_iter().enumerate().rev() {
            let shifted = word << (1 << round);
            word = (word & !moving) | (shifted & moving);
        }
        word & mask
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bit_by_bit(word: u64, mask: u64) -> (u64, u64) {
        let (mut extracted, mut deposited, mut next) = (0, 0, 0);
        for place in (0..64).filter(|place| mask >> place & 1 == 1) {
            extracted |= (word >> place & 1) << next;
            deposited |= (word >> next & 1) << place;
            next += 1;
        }
        (extracted, deposited)
    }

    proptest! {
        #[test]
        fn portable_moves_agree_with_moving_bit_by_bit(word: u64, mask: u64, sparse: u64) {
            for mask in [mask, mask & sparse, mask | sparse, 0, u64::MAX, mask << 63, mask >> 63] {
                let (extracted, deposited) = bit_by_bit(word, mask);
                prop_assert_eq!(Portable::extract(word, mask), extracted);
                prop_assert_eq!(Portable::deposit(word, mask), deposited);
            }
        }
    }
}
