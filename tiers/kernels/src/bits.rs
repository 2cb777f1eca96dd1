//! The two bit moves that all kernels are built from, and their portable form.
//!
//! *Extract* gathers the bits of a word under a mask at the low end; *deposit* spreads the low bits over the places of
//! a mask. Processors with BMI2 have an instruction for each (`PEXT`, `PDEP`); [`Portable`] does the same in safe code,
//! and tests compare the two.
//!
//! The portable form moves bits through a [`Network`] of six rounds. Making a network takes about 130 instructions,
//! sending a word through it about 25, so every loop that uses a mask more than once makes the network once. All rows
//! of a band move their bits under the same masks, so portable drops work on eight rows together, which the compiler turns
//! into vectors of any processor.

/// Lists the places of the set bits, lowest first.
#[inline(always)]
pub fn ones(mut mask: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = mask.trailing_zeros() as usize;
        (mask != 0).then(|| {
            mask &= mask - 1;
            place
        })
    })
}

/// Moves bits under a mask.
pub trait Bits: Copy {
    /// Whether each operation is one instruction and a mask needs no preparation.
    const FAST: bool;

    /// A mask, prepared for many words.
    type Mask: Copy;

    /// Prepares a mask.
    fn mask(mask: u64) -> Self::Mask;

    /// Gathers the bits of each of `words` at the places of `mask` at the low end, in order.
    fn extract<const L: usize>(words: [u64; L], mask: Self::Mask) -> [u64; L];

    /// Spreads the low bits of each of `words` over the places of `mask`, in order; other places become 0.
    fn deposit<const L: usize>(words: [u64; L], mask: Self::Mask) -> [u64; L];
}

/// A loop that is compiled for every form of the kernels. `run` must be inlined into its caller.
pub trait Task {
    /// The result of the loop.
    type Output;

    /// Runs the loop with one form of the bit moves.
    fn run<B: Bits>(self) -> Self::Output;
}

/// Extract and deposit in plain safe code, through a [`Network`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Portable;

impl Bits for Portable {
    const FAST: bool = false;

    type Mask = Network;

    #[inline]
    fn mask(mask: u64) -> Network {
        Network::new(mask)
    }

    #[inline(always)]
    fn extract<const L: usize>(mut words: [u64; L], mask: Network) -> [u64; L] {
        for word in &mut words {
            *word &= mask.mask;
        }
        // Contiguous bits skip half of the rounds.
        for (round, moving) in mask.moves.iter().enumerate().filter(|(_, moving)| **moving != 0) {
            for word in &mut words {
                let moved = *word & moving;
                *word = (*word ^ moved) | (moved >> (1 << round));
            }
        }
        words
    }

    #[inline(always)]
    fn deposit<const L: usize>(mut words: [u64; L], mask: Network) -> [u64; L] {
        for (round, moving) in mask.moves.iter().enumerate().rev().filter(|(_, moving)| **moving != 0) {
            for word in &mut words {
                let shifted = *word << (1 << round);
                *word ^= (*word ^ shifted) & moving;
            }
        }
        for word in &mut words {
            *word &= mask.mask;
        }
        words
    }
}

/// A mask as six rounds of moving bits by 1, 2, 4, 8, 16 and 32 places
/// (Warren, *Hacker's Delight*, 2nd edition, sections 7-4 and 7-5).
#[derive(Clone, Copy, Debug)]
pub(super) struct Network {
    mask: u64,
    /// For each round, the bits that move in it: those whose number of gaps below has a 1 in that binary
    /// digit.
    moves: [u64; 6],
}

impl Network {
    /// Finds which bits move in each round.
    fn new(mask: u64) -> Network {
        let (mut places, mut gaps) = (mask, !mask << 1);
        let mut moves = [0; 6];
        for (round, moving) in moves.iter_mut().enumerate() {
            // Prefix parity: bit i is set if an odd number of gaps lie below it.
            let mut parity = gaps;
            for shift in [1, 2, 4, 8, 16, 32] {
                parity ^= parity << shift;
            }
            *moving = parity & places;
            places = (places ^ *moving) | (*moving >> (1 << round));
            gaps &= !parity;
        }
        Network { mask, moves }
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
                let network = Portable::mask(mask);
                prop_assert_eq!(network.mask, mask);
                prop_assert_eq!(Portable::extract([word, word], network), [extracted; 2]);
                prop_assert_eq!(Portable::deposit([word, word], network), [deposited; 2]);
            }
        }
    }
}
