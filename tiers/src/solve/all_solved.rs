//! The progress of all members of a crew, which member 0 shows.

use std::time::{Duration, Instant};

use super::plan::Plan;
use super::progress::{Progress, Share};
use crate::crew::{Cost, Crew, Shown};

/// Passes progress on: at member 0 that of all members, elsewhere to member 0.
pub(crate) struct AllSolved<'a> {
    progress: &'a dyn Progress,
    crew: &'a dyn Crew,
    shown: Shown<'a>,
}

impl<'a> AllSolved<'a> {
    pub fn new(progress: &'a dyn Progress, crew: &'a dyn Crew) -> AllSolved<'a> {
        AllSolved { progress, crew, shown: Shown::new(crew) }
    }

    /// Returns what is needed at the end of a tier that begins.
    pub fn begin(&self) -> (Instant, Cost) {
        (Instant::now(), self.crew.cost())
    }

    /// Ends a tier, of which this member has written so many bytes, when all members have. Waits for them.
    pub fn end(&self, ply: u32, written: u64, (start, before): (Instant, Cost)) {
        let cost = self.crew.cost();
        let own = [
            cost.bytes - before.bytes,
            written,
            (cost.waited - before.waited).as_nanos() as u64,
            start.elapsed().as_nanos() as u64,
        ];
        let all = self.crew.exchange(&own.map(u64::to_le_bytes).concat());
        if self.crew.number() != 0 {
            return;
        }
        let shares: Vec<Share> = all.iter().filter_map(|bytes| share(bytes)).collect();
        self.progress.solved(self.shown.end());
        self.progress.tier_shared(ply, &shares);
    }
}

/// Reads what a member has told.
fn share(bytes: &[u8]) -> Option<Share> {
    let ([bytes, written, waited, took], []) = bytes.as_chunks::<8>() else { return None };
    let [bytes, written, waited, took] = [bytes, written, waited, took].map(|number| u64::from_le_bytes(*number));
    Some(Share { bytes, written, waited: Duration::from_nanos(waited), took: Duration::from_nanos(took) })
}

impl Progress for AllSolved<'_> {
    fn planned(&self, plan: &Plan, entries_done: u64) {
        self.progress.planned(plan, entries_done);
    }

    fn tier(&self, ply: u32, entries: u64) {
        self.shown.begin(entries);
        self.progress.tier(ply, entries);
    }

    fn solved(&self, entries: u64) {
        let entries = self.shown.done(entries);
        if entries > 0 {
            self.progress.solved(entries);
        }
    }

    fn is_stopped(&self) -> bool {
        self.progress.is_stopped()
    }
}
