//! What a process needs of the others.

use std::fmt::Debug;
use std::ops::Range;
use std::time::Duration;

/// A process among those that work together. Its threads share it.
///
/// All members call [`Crew::begin`], [`Crew::exchange`] and [`Crew::unite`] equally often and in the same order. A transport that fails ends the
/// whole job, so nothing here returns an error.
pub trait Crew: Sync + Debug {
    /// Returns the number of this member, from 0.
    fn number(&self) -> u32;

    /// Returns how many members there are.
    fn size(&self) -> u32;

    /// Tells whether all members run on one machine, so that what one has written is in the memory of all.
    fn is_on_one_machine(&self) -> bool;

    /// Begins the next pile, of so many jobs, and leaves the one before. Does not wait for the others.
    fn begin(&self, jobs: u64);

    /// Takes jobs of the pile that this member is at; `None` when all are taken.
    fn take(&self) -> Option<Range<u64>>;

    /// Gives what every member has to all, in the order of their numbers. Waits for all.
    fn exchange(&self, own: &[u8]) -> Vec<Vec<u8>>;

    /// Gives each bit that any member has to all. Waits for all, which give equally many words.
    fn unite(&self, words: &mut [u64]) {
        let own: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        for other in self.exchange(&own) {
            let others = other.as_chunks().0.iter().map(|bytes| u64::from_le_bytes(*bytes));
            words.iter_mut().zip(others).for_each(|(word, other)| *word |= other);
        }
    }

    /// Notes that this member has solved more entries. Member 0 hears of it when this member next asks for jobs.
    fn solved(&self, entries: u64);

    /// Returns how many entries this member and, at member 0, all others have solved, as far as is known.
    fn all_solved(&self) -> u64;

    /// Returns what the others have cost this member so far.
    fn cost(&self) -> Cost;
}

/// What the other members have cost a member.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Cost {
    /// The bytes that it has sent, without those that the transport adds.
    pub bytes: u64,
    /// How long it has waited in exchanges until all were there.
    pub waited: Duration,
}
