//! The two bit movements that everything rests on, and the portable form of both.
//!
//! *Extract* gathers the bits of a word under a mask to the low end; *deposit* spreads low bits to the places of a
//! mask. Processors with BMI2 have an instruction for each (`PEXT`, `PDEP`); [`Portable`] does the same in safe code
//! and is what the fast form is tested against.
//!
//! The portable form moves bits through a [`Network`] of six rounds. To make one takes about 130 instructions, to send a
//! word through it about 25, so every loop that uses a mask more than once makes the network once.

/// Moves bits under a mask.
pub(crate) trait Bits: Copy {
    /// Each operation is one instruction, and a mask needs no preparation.
    const FAST: bool;

    /// A mask, made ready for many words.
    type Mask: Copy;

    /// Makes a mask ready.
    fn mask(mask: u64) -> Self::Mask;

    /// Gathers the bits of `word` at the places of `mask` to the low end, in order.
    fn extract(word: u64, mask: Self::Mask) -> u64;

    /// Spreads the low bits of `word` to the places of `mask`, in order; other places become 0.
    fn deposit(word: u64, mask: Self::Mask) -> u64;
}

/// A loop that is compiled for every form of the kernels. `run` must be inlined into its caller.
pub(crate) trait Task {
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

    #[inline]
    fn extract(word: u64, mask: Network) -> u64 {
        let [word] = mask.extract([word]);
        word
    }

    #[inline]
    fn deposit(word: u64, mask: Network) -> u64 {
        let [word] = mask.deposit([word]);
        word
    }
}

/// A mask as six rounds of moving bits by 1, 2, 4, 8, 16 and 32 places
/// (Warren, *Hacker's Delight*, 2nd edition, sections 7-4 and 7-5).
#[derive(Clone, Copy, Debug)]
pub(super) struct Network {
    pub mask: u64,
    /// For each round, the bits that move in it: those with an odd count, in that binary digit, of gaps below them.
    moves: [u64; 6],
}

impl Network {
    /// Finds which bits move in each round.
    pub fn new(mask: u64) -> Network {
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

    /// Gathers the bits of each of `words` at the places of the mask to the low end, in order.
    #[inline(always)]
    pub fn extract<const L: usize>(&self, mut words: [u64; L]) -> [u64; L] {
        for word in &mut words {
            *word &= self.mask;
        }
        for (round, moving) in self.moves.iter().enumerate() {
            for word in &mut words {
                let moved = *word & moving;
                *word = (*word ^ moved) | (moved >> (1 << round));
            }
        }
        words
    }

    /// Spreads the low bits of each of `words` to the places of the mask, in order; other places become 0.
    #[inline(always)]
    pub fn deposit<const L: usize>(&self, mut words: [u64; L]) -> [u64; L] {
        for (round, moving) in self.moves.iter().enumerate().rev() {
            for word in &mut words {
                let shifted = *word << (1 << round);
                *word ^= (*word ^ shifted) & moving;
            }
        }
        for word in &mut words {
            *word &= self.mask;
        }
        words
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
                prop_assert_eq!(Portable::extract(word, network), extracted);
                prop_assert_eq!(Portable::deposit(word, network), deposited);
            }
        }
    }
}
