//! Random numbers that are the same on every machine.

use std::convert::Infallible;

use rand::SeedableRng;
use rand::rand_core::TryRng;
use rand_pcg::Pcg64;

/// Spreads the numbers of streams over the seeds: 2^64 over the golden ratio, as usual.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// A source of random numbers: Melissa O'Neill's PCG XSL RR 128/64, whose sequence is fixed by its definition.
///
/// ```
/// use fourbase::players::Source;
/// use rand::Rng;
///
/// let numbers = |seed, stream| {
///     let mut source = Source::new(seed, stream);
///     [source.next_u64(), source.next_u64()]
/// };
/// assert_eq!(numbers(1, 0), numbers(1, 0));
/// assert_ne!(numbers(1, 0), numbers(1, 1));
/// ```
#[derive(Clone, Debug)]
pub struct Source(Pcg64);

impl Source {
    /// Starts a stream of a seed. Give each game its own stream, and the result does not depend on which game is played
    /// first.
    #[must_use]
    pub fn new(seed: u64, stream: u64) -> Source {
        Source(Pcg64::seed_from_u64(seed ^ stream.wrapping_mul(GOLDEN)))
    }
}

impl TryRng for Source {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        self.0.try_next_u32()
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.0.try_next_u64()
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.0.try_fill_bytes(bytes)
    }
}
