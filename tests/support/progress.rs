//! Those who listen to a solve and stop it.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use super::tiers::{FileError, Progress, Stage};

/// Stops a solve that resumes as soon as it reads the files of an earlier one.
#[derive(Debug, Default)]
pub struct StopAtFiles {
    /// The bytes of these files, and those that were read.
    pub all: AtomicU64,
    pub read: AtomicU64,
}

impl Progress for StopAtFiles {
    fn begin(&self, stage: Stage, bytes: u64, _: u64) {
        assert_eq!(stage, Stage::Resume, "it does not begin to solve");
        self.all.store(bytes, Ordering::Relaxed);
    }

    fn done(&self, _: Stage, bytes: u64) {
        self.read.fetch_add(bytes, Ordering::Relaxed);
    }

    fn is_stopped(&self) -> bool {
        self.read.load(Ordering::Relaxed) > 0
    }
}

/// Stops a solve after so many tiers, or after so many entries that are solved or passed over; notes what was done. Damage is a
/// failure.
#[derive(Debug, Default)]
pub struct StopAfter {
    most_tiers: usize,
    most_entries: u64,
    /// Entries that are solved or passed over.
    pub solved: AtomicU64,
    /// Entries that an earlier solve had done.
    pub before: AtomicU64,
    /// Tiers that are done, and their entries.
    pub done_tiers: AtomicUsize,
    pub done_entries: AtomicU64,
}

impl StopAfter {
    pub fn tiers(most_tiers: usize) -> StopAfter {
        StopAfter { most_tiers, most_entries: u64::MAX, ..StopAfter::default() }
    }

    pub fn entries(most_entries: u64) -> StopAfter {
        StopAfter { most_entries, ..StopAfter::never() }
    }

    pub fn never() -> StopAfter {
        StopAfter::tiers(usize::MAX)
    }
}

impl Progress for StopAfter {
    fn begin(&self, stage: Stage, _: u64, done: u64) {
        if stage == Stage::Solve {
            self.before.store(done, Ordering::Relaxed);
        }
    }

    fn done(&self, stage: Stage, entries: u64) {
        if stage == Stage::Solve {
            self.solved.fetch_add(entries, Ordering::Relaxed);
        }
    }

    fn tier_done(&self, _: Stage, _: u32, entries: u64, _: u64) {
        self.done_tiers.fetch_add(1, Ordering::Relaxed);
        self.done_entries.fetch_add(entries, Ordering::Relaxed);
    }

    fn starts_over(&self, why: &FileError) {
        panic!("started over: {why}");
    }

    fn is_stopped(&self) -> bool {
        self.solved.load(Ordering::Relaxed) >= self.most_entries
            || self.done_tiers.load(Ordering::Relaxed) >= self.most_tiers
    }
}

/// Notes why a solve starts over.
#[derive(Debug, Default)]
pub struct Listener(Mutex<Vec<String>>);

impl Listener {
    /// What was told.
    pub fn told(self) -> Vec<String> {
        self.0.into_inner().expect("a lock")
    }
}

impl Progress for Listener {
    fn starts_over(&self, why: &FileError) {
        self.0.lock().expect("a lock").push(why.to_string());
    }
}
