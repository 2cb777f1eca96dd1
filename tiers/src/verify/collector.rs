//! Faults as they are found by many threads: the first few are kept, all are counted. Files that cannot be read are kept
//! apart, each once.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use super::fault::{Fault, Rank};
use crate::files::FileError;

/// Where faults go. Which are kept does not depend on which thread was faster.
pub(super) struct Collector {
    most: usize,
    found: Mutex<Found>,
}

#[derive(Default)]
struct Found {
    kept: BTreeMap<(Rank, u64), Fault>,
    count: u64,
    unread: BTreeMap<PathBuf, FileError>,
}

/// What was found.
pub(super) struct Findings {
    /// The first faults, in order.
    pub faults: Vec<Fault>,
    /// How many there are in all.
    pub faults_in_all: u64,
    /// Files that cannot be read.
    pub unread: Vec<FileError>,
}

impl Collector {
    /// Keeps the first `most` faults.
    pub fn new(most: usize) -> Collector {
        Collector { most, found: Mutex::default() }
    }

    /// Returns how many faults are kept at most.
    pub fn most(&self) -> usize {
        self.most
    }

    /// Takes a fault.
    pub fn push(&self, fault: Fault) {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let fault = match fault.into_unread() {
            Ok(error) => {
                found.unread.entry(error.path().to_path_buf()).or_insert(error);
                return;
            }
            Err(fault) => fault,
        };
        let place = (fault.rank(), found.count);
        found.count += 1;
        found.kept.insert(place, fault);
        if found.kept.len() > self.most {
            found.kept.pop_last();
        }
    }

    /// Counts the faults and the files that cannot be read.
    pub fn count(&self) -> u64 {
        let found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        found.count + found.unread.len() as u64
    }

    /// Tells whether there are none, and everything could be read.
    pub fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// Returns the place of the first fault in a list: that of a file where one cannot be read; `None` without any.
    pub fn first(&self) -> Option<Rank> {
        let found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let of_file = found.unread.first_key_value().map(|_| Rank::OF_FILE);
        of_file.or_else(|| found.kept.first_key_value().map(|((rank, _), _)| *rank))
    }

    /// Takes all that another collector has found, which keeps as many.
    pub fn absorb(&self, other: Collector) {
        let Found { kept, count, unread } = other.found.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.add_unkept(count - kept.len() as u64);
        kept.into_values().for_each(|fault| self.push(fault));
        self.found.lock().unwrap_or_else(PoisonError::into_inner).unread.extend(unread);
    }

    /// Counts faults that are not kept.
    pub fn add_unkept(&self, count: u64) {
        self.found.lock().unwrap_or_else(PoisonError::into_inner).count += count;
    }

    /// Counts the files that cannot be read.
    pub fn unread(&self) -> u64 {
        self.found.lock().unwrap_or_else(PoisonError::into_inner).unread.len() as u64
    }

    /// Returns what was found.
    pub fn into_findings(self) -> Findings {
        let Found { kept, count, unread } = self.found.into_inner().unwrap_or_else(PoisonError::into_inner);
        Findings { faults: kept.into_values().collect(), faults_in_all: count, unread: unread.into_values().collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_by_place_are_kept_whatever_came_first() {
        let faults = Collector::new(3);
        for ply in [3, 9, 5, 1, 7] {
            faults.push(Fault::Entries { ply, found: 1, expected: 2 });
        }
        let found = faults.into_findings();
        let plies: Vec<u64> = found.faults.iter().map(|fault| fault.rank().0[1]).collect();
        assert_eq!((plies, found.faults_in_all), ([9, 7, 5].map(|ply| u64::from(u32::MAX - ply)).to_vec(), 5));
    }
}
