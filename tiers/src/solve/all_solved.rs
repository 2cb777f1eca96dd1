//! The progress of all members of a crew, which member 0 shows.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::plan::Plan;
use super::progress::{Progress, Share};
use crate::crew::{Cost, Crew};

/// Passes progress on: at member 0 that of all members, elsewhere to member 0.
pub(crate) struct AllSolved<'a> {
    progress: &'a dyn Progress,
    crew: &'a dyn Crew,
    /// Entries of this run that were shown, and those of its tiers up to the current one. A block that an earlier run has left may
    /// be counted by several members.
    shown: AtomicU64,
    end: AtomicU64,
}

impl<'a> AllSolved<'a> {
    pub fn new(progress: &'a dyn Progress, crew: &'a dyn Crew) -> AllSolved<'a> {
        AllSolved { progress, crew, shown: AtomicU64::new(0), end: AtomicU64::new(0) }
    }

    /// Returns what is needed at the end of a tier that begins.
    pub fn begin(&self) -> (Instant, Cost) {
        (Instant::now(), self.crew.cost())
    }

    /// Ends a tier, when all members have. Waits for them.
    pub fn end(&self, ply: u32, (start, before): (Instant, Cost)) {
        let cost = self.crew.cost();
        let own = [
            cost.bytes - before.bytes,
            (cost.waited - before.waited).as_nanos() as u64,
            start.elapsed().as_nanos() as u64,
        ];
        let all = self.crew.exchange(&own.map(u64::to_le_bytes).concat());
        if self.crew.number() != 0 {
            return;
        }
        let shares: Vec<Share> = all.iter().filter_map(|bytes| share(bytes)).collect();
        self.show(self.end.load(Ordering::Relaxed));
        self.progress.tier_shared(ply, &shares);
    }

    fn show(&self, entries: u64) {
        let shown = self.shown.fetch_max(entries, Ordering::Relaxed);
        if entries > shown {
            self.progress.solved(entries - shown);
        }
    }
}

/// Reads what a member has told.
fn share(bytes: &[u8]) -> Option<Share> {
    let ([bytes, waited, took], []) = bytes.as_chunks::<8>() else { return None };
    let [bytes, waited, took] = [bytes, waited, took].map(|number| u64::from_le_bytes(*number));
    Some(Share { bytes, waited: Duration::from_nanos(waited), took: Duration::from_nanos(took) })
}

impl Progress for AllSolved<'_> {
    fn planned(&self, plan: &Plan, entries_done: u64) {
        self.progress.planned(plan, entries_done);
    }

    fn tier(&self, ply: u32, entries: u64) {
        self.end.fetch_add(entries, Ordering::Relaxed);
        self.progress.tier(ply, entries);
    }

    fn solved(&self, entries: u64) {
        self.crew.solved(entries);
        if self.crew.number() == 0 {
            self.show(self.crew.all_solved().min(self.end.load(Ordering::Relaxed)));
        }
    }

    fn is_stopped(&self) -> bool {
        self.progress.is_stopped()
    }
}
