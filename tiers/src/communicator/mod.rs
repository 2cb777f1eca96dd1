//! Processes that work on one board together: what the solver needs of MPI, and no more.
//!
//! All ranks run the same driver. Jobs are split by a rule that every rank computes for itself ([`assign`]), so no message
//! is sent while a tier is solved. Values go through the shared file system; the communicator carries only small numbers:
//! where blocks are, counts, faults. A process that works alone is a communicator of size one ([`Alone`]), whose operations
//! cost nothing.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::files::{FileError, Lock, Storage, create_folder, io_error, shown, write_file};

/// The processes of a job, as one of them sees it. Its threads share it.
///
/// All ranks call the collective operations equally often and in the same order, each from one thread at a time. A transport
/// that fails ends the whole job, so nothing here returns an error.
pub trait Communicator: Sync + Debug {
    /// Returns the number of this process, from 0.
    fn rank(&self) -> u32;

    /// Returns the number of processes.
    fn size(&self) -> u32;

    /// Tells whether all processes run on one machine, where files that one has written are in the memory of all.
    fn is_on_one_machine(&self) -> bool;

    /// Gives the bytes of every rank to all, in the order of the ranks. Waits for all.
    fn all_gather(&self, own: &[u8]) -> Vec<Vec<u8>>;

    /// Combines the words of all ranks, which have equally many. Waits for all.
    fn all_reduce(&self, words: &mut [u64], operation: Reduction) {
        let all = self.all_gather(bytemuck::cast_slice(words));
        let combine = match operation {
            Reduction::Or => |one, other| one | other,
            Reduction::Sum => u64::wrapping_add,
        };
        words.fill(0);
        for other in all {
            let others = other.as_chunks().0.iter().map(|bytes| u64::from_ne_bytes(*bytes));
            words.iter_mut().zip(others).for_each(|(word, other)| *word = combine(*word, other));
        }
    }

    /// Waits for all ranks.
    fn barrier(&self) {
        self.all_gather(&[]);
    }

    /// Ends all processes with an exit code.
    fn abort(&self, code: u8) -> !;

    /// Returns what the other ranks have cost this one so far.
    fn traffic(&self) -> Traffic {
        Traffic::default()
    }

    /// Tells whether this rank does what one process does for all: rank 0.
    fn is_root(&self) -> bool {
        self.rank() == 0
    }

    /// Tells whether there are no other ranks.
    fn is_alone(&self) -> bool {
        self.size() == 1
    }
}

/// How [`Communicator::all_reduce`] combines words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reduction {
    /// The bits that any rank has.
    Or,
    /// The sum.
    Sum,
}

/// What messages cost a rank.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Traffic {
    /// Bytes that it has sent, without those that the transport adds.
    pub bytes: u64,
    /// How long it has waited in collective operations until all ranks were there.
    pub waited: Duration,
}

/// A process without others.
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

/// Assigns jobs to so many ranks by their estimated costs. Returns the rank of every job.
///
/// The costliest job that is left goes to the rank with the least cost so far (Graham 1969: the slowest rank takes at most
/// 4/3 of the best time). Jobs of equal cost go round in their order, so that every rank has some from all parts of a tier.
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

/// Gathers a record of every rank, in their order.
///
/// # Errors
/// [`CommunicatorError::Unreadable`] where a rank sends something else.
pub(crate) fn gather<T: Serialize + DeserializeOwned>(
    all: &dyn Communicator,
    own: &T,
) -> Result<Vec<T>, CommunicatorError> {
    let config = bincode::config::standard().with_fixed_int_encoding();
    // Numbers, texts and lists always encode.
    let own = bincode::serde::encode_to_vec(own, config).unwrap_or_default();
    let record = |(rank, bytes): (u32, Vec<u8>)| match bincode::serde::decode_from_slice(&bytes, config) {
        Ok((record, length)) if length == bytes.len() => Ok(record),
        _ => Err(CommunicatorError::Unreadable { rank }),
    };
    (0..).zip(all.all_gather(&own)).map(record).collect()
}

/// Ranks that do not fit together. The job has to end.
#[derive(Debug, thiserror::Error)]
pub enum CommunicatorError {
    /// A rank runs another job.
    #[error("process {rank} of the job does not fit: it is {found}, this one is {expected}")]
    OtherJob {
        /// The other rank.
        rank: u32,
        /// The job of this rank.
        expected: String,
        /// The job of the other one.
        found: String,
    },
    /// The ranks see different folders.
    #[error("{}: process {rank} of the job sees another folder under this name", shown(folder))]
    NotShared {
        /// The folder.
        folder: PathBuf,
        /// A rank that sees another one.
        rank: u32,
    },
    /// A rank has sent bytes that do not decode.
    #[error("process {rank} of the job sent a message that does not decode")]
    Unreadable {
        /// The rank.
        rank: u32,
    },
}

impl CommunicatorError {
    /// Returns the rank that does not fit.
    pub(crate) fn rank(&self) -> u32 {
        match self {
            CommunicatorError::OtherJob { rank, .. }
            | CommunicatorError::NotShared { rank, .. }
            | CommunicatorError::Unreadable { rank } => *rank,
        }
    }
}

/// The file by which ranks find out that they see the same folders.
const TOKEN: &str = "job.new";

/// Compares the job of all ranks: its description, the version of the program and the byte order.
pub(crate) fn check_same_job(all: &dyn Communicator, description: &str) -> Result<(), CommunicatorError> {
    let byte_order = if cfg!(target_endian = "big") { "big" } else { "little" };
    let expected = format!("fourbase {}, {byte_order}-endian: {description}", env!("CARGO_PKG_VERSION"));
    for (rank, found) in (0..).zip(all.all_gather(expected.as_bytes())) {
        if found != expected.as_bytes() {
            let found = String::from_utf8_lossy(&found).into_owned();
            return Err(CommunicatorError::OtherJob { rank, expected, found });
        }
    }
    Ok(())
}

/// At rank 0 makes folders, which are added to `made` (but never `existing`), and takes a lock, or finds the name of its
/// holder.
pub(crate) fn lock_output(
    all: &dyn Communicator,
    storage: &dyn Storage,
    existing: Option<&Path>,
    folders: &[&Path],
    lock: &Path,
    made: &mut Vec<PathBuf>,
) -> Result<Result<Option<Lock>, String>, FileError> {
    if !all.is_root() {
        return Ok(Ok(None));
    }
    folders.iter().try_for_each(|folder| create_folder(storage, existing, folder, made))?;
    Ok(storage.lock(lock).map_err(io_error(lock, "lock"))?.map(Some))
}

/// Makes sure that all ranks see one folder: rank 0 writes a file there, and the others find it.
pub(crate) fn check_shared_folder<E: From<FileError> + From<CommunicatorError>>(
    all: &dyn Communicator,
    storage: &dyn Storage,
    folder: &Path,
) -> Result<(), E> {
    if all.is_alone() {
        return Ok(());
    }
    let token = format!("{:?} {}", std::time::SystemTime::now(), std::process::id());
    if all.is_root() {
        write_file(storage, folder, TOKEN, token.as_bytes())?;
    }
    let expected = all.all_gather(token.as_bytes()).swap_remove(0);
    let path = folder.join(TOKEN);
    let mut found = vec![0; expected.len()];
    let is_read = storage.open(&path).and_then(|file| file.read_exact_at(&mut found, 0)).is_ok();
    let is_seen = all.all_gather(&[u8::from(is_read && found == expected)]);
    if all.is_root() {
        storage.remove(&path).map_err(io_error(&path, "remove"))?;
    }
    let blind = is_seen.iter().position(|seen| seen != &[1]).map(|rank| rank as u32);
    blind.map_or(Ok(()), |rank| Err(CommunicatorError::NotShared { folder: folder.to_path_buf(), rank }.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Threads;
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

    #[test]
    fn a_reduction_combines_the_words_of_all_ranks() {
        let (reduced, _) = Threads::run(3, 1, |all| {
            let mut words = [1 << all.rank(), 5];
            all.all_reduce(&mut words, Reduction::Or);
            let mut sums = [u64::from(all.rank()), 1];
            all.all_reduce(&mut sums, Reduction::Sum);
            (words, sums)
        });
        assert!(reduced.iter().all(|found| *found == ([7, 5], [3, 3])), "{reduced:?}");
    }
}
