//! Connects processes that work on one board together. This is the part of MPI that the solver needs.
//!
//! All processes (ranks) run the same driver. Every rank computes for itself how jobs are split ([`assign`]), so no
//! message is sent while a tier is solved. Values are exchanged through the shared file system; the communicator
//! carries only small numbers: block locations, counts, faults. A single process is a communicator of size one
//! ([`Alone`]), whose operations cost nothing.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt::Debug;
use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::files::{FileError, shown};

/// The processes of a job, as seen by one of them. All threads of that process share the communicator.
///
/// Some operations wait for all ranks. Every rank must call these operations in the same order, from one thread at a
/// time. A failing transport ends the whole job, so no operation returns an error.
pub trait Communicator: Sync + Debug {
    /// Returns the number of this process, counted from 0.
    fn rank(&self) -> u32;

    /// Returns the number of processes.
    fn size(&self) -> u32;

    /// Returns whether all processes run on one machine. If so, each process can read what another has written, even
    /// before the data are on disk.
    fn is_on_one_machine(&self) -> bool;

    /// Sends `own` to all ranks, and returns the bytes that each rank sent, in the order of the ranks. Waits for all
    /// ranks.
    fn all_gather(&self, own: &[u8]) -> Vec<Vec<u8>>;

    /// Sets `words` to the bitwise OR of the words of all ranks, item by item. All ranks must pass the same number of
    /// words. Waits for all ranks.
    fn all_or(&self, words: &mut [u64]) {
        for other in self.all_gather(bytemuck::cast_slice(words)) {
            let others = other.as_chunks().0.iter().map(|bytes| u64::from_ne_bytes(*bytes));
            words.iter_mut().zip(others).for_each(|(word, other)| *word |= other);
        }
    }

    /// Waits for all ranks.
    fn barrier(&self) {
        self.all_gather(&[]);
    }

    /// Ends all processes with the exit code `code`.
    fn abort(&self, code: u8) -> !;

    /// Returns what messages have cost this rank so far.
    fn traffic(&self) -> Traffic {
        Traffic::default()
    }

    /// Returns whether this is rank 0, which does the work that only one process may do.
    fn is_root(&self) -> bool {
        self.rank() == 0
    }

    /// Returns whether there are no other ranks.
    fn is_alone(&self) -> bool {
        self.size() == 1
    }
}

/// What messages cost a rank.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Traffic {
    /// Bytes sent, without the overhead of the transport.
    pub bytes: u64,
    /// Time spent waiting in collective operations for other ranks.
    pub waited: Duration,
}

/// A communicator of one process.
#[derive(Clone, Copy, Debug)]
pub struct Alone;

impl Communicator for Alone {
    fn rank(&self) -> u32 {
        0
    }

    fn size(&self) -> u32 {
        1
    }

    fn is_on_one_machine(&self) -> bool {
        true
    }

    fn all_gather(&self, own: &[u8]) -> Vec<Vec<u8>> {
        vec![own.to_vec()]
    }

    fn abort(&self, code: u8) -> ! {
        std::process::exit(code.into())
    }
}

/// Assigns jobs to `size` ranks by their estimated costs. Returns the rank of every job.
///
/// The costliest remaining job goes to the rank with the least cost so far (Graham 1969: the slowest rank takes at most
/// 4/3 of the best time). Jobs of equal cost go to the ranks in turn, so that every rank has jobs from all parts of a
/// tier.
///
/// ```
/// use fourbase_tiers::communicator::assign;
///
/// assert_eq!(assign(&[5, 5, 5, 5, 5], 2), [0, 1, 0, 1, 0]);
/// assert_eq!(assign(&[1, 2, 3, 6], 2), [1, 1, 1, 0]);
/// ```
pub fn assign(costs: &[u64], size: u32) -> Vec<u32> {
    let mut ranks = vec![0; costs.len()];
    if size > 1 {
        let mut order: Vec<usize> = (0..costs.len()).collect();
        order.sort_by_key(|job| Reverse(costs[*job]));
        let mut least: BinaryHeap<Reverse<(u64, u32)>> = (0..size).map(|rank| Reverse((0, rank))).collect();
        for job in order {
            if let Some(mut rank) = least.peek_mut() {
                ranks[job] = rank.0.1;
                rank.0.0 += costs[job].max(1);
            }
        }
    }
    ranks
}

/// Sends the record `own` to all ranks, and returns the records of all, in the order of the ranks.
///
/// # Errors
/// [`FileError::Message`] if a rank's message does not decode.
pub(crate) fn gather<T: Serialize + DeserializeOwned>(all: &dyn Communicator, own: &T) -> Result<Vec<T>, FileError> {
    let config = bincode::config::standard().with_fixed_int_encoding();
    // Records consist of numbers, texts and lists, whose encoding never fails.
    let own = bincode::serde::encode_to_vec(own, config).unwrap_or_default();
    let record = |(rank, bytes): (u32, Vec<u8>)| match bincode::serde::decode_from_slice(&bytes, config) {
        Ok((record, length)) if length == bytes.len() => Ok(record),
        _ => Err(FileError::Message { rank }),
    };
    (0..).zip(all.all_gather(&own)).map(record).collect()
}

/// Why the ranks can't work together. The whole job must end.
#[derive(Debug, thiserror::Error)]
pub enum CommunicatorError {
    /// A rank runs another job.
    #[error("process {rank} of the job does not fit: it is {found}, this one is {expected}")]
    OtherJob {
        /// The other rank.
        rank: u32,
        /// The job of this rank.
        expected: String,
        /// The job of the other rank.
        found: String,
    },
    /// The ranks see different folders.
    #[error("{}: process {rank} of the job sees another folder under this name", shown(folder))]
    NotShared {
        /// The folder.
        folder: PathBuf,
        /// A rank that sees another folder.
        rank: u32,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_rank_has_more_than_the_largest_job_above_the_least(
            costs in prop::collection::vec(0..1000u64, 0..500),
            size in 1..70u32,
        ) {
            let ranks = assign(&costs, size);
            let mut sums = vec![0; size as usize];
            ranks.iter().zip(&costs).for_each(|(rank, cost)| sums[*rank as usize] += (*cost).max(1));
            let most = costs.iter().copied().max().unwrap_or(0).max(1);
            prop_assert!(sums.iter().max().unwrap() - sums.iter().min().unwrap() <= most);
        }
    }
}
