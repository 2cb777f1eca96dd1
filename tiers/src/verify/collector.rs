//! Faults as they are found by many threads: the first few are kept, all are counted.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use super::fault::{Fault, Rank};

/// Where faults go. Which are kept does not depend on which thread was faster.
pub(super) struct Collector {
    most: usize,
    found: Mutex<Found>,
}

#[derive(Default)]
struct Found {
    kept: BTreeMap<(Rank, u64), Fault>,
    count: u64,
}

impl Collector {
    /// Keeps the first `most` faults.
    pub fn new(most: usize) -> Collector {
        Collector { most, found: Mutex::default() }
    }

    /// Takes a fault.
    pub fn push(&self, fault: Fault) {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let place = (fault.rank(), found.count);
        found.count += 1;
        found.kept.insert(place, fault);
        if found.kept.len() > self.most {
            found.kept.pop_last();
        }
    }

    /// Tells whether there are none.
    pub fn is_empty(&self) -> bool {
        self.found.lock().unwrap_or_else(PoisonError::into_inner).count == 0
    }

    /// Returns the first faults, in order, and how many there are in all.
    pub fn into_faults(self) -> (Vec<Fault>, u64) {
        let found = self.found.into_inner().unwrap_or_else(PoisonError::into_inner);
        (found.kept.into_values().collect(), found.count)
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
        let (kept, count) = faults.into_faults();
        let plies: Vec<u32> = kept.iter().map(|fault| fault.rank().plies_on).collect();
        assert_eq!((plies, count), (vec![u32::MAX - 9, u32::MAX - 7, u32::MAX - 5], 5));
    }
}
