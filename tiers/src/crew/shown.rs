//! How far all members of a crew have come, for member 0 to show.

use std::sync::atomic::{AtomicU64, Ordering};

use super::member::Crew;

/// Counts the steps of all members. A step that an earlier run has done may be counted by several of them.
#[derive(Debug)]
pub(crate) struct Shown<'c> {
    crew: &'c dyn Crew,
    /// The steps that were shown, and all that have begun. Both grow from what the crew had done before.
    shown: AtomicU64,
    end: AtomicU64,
}

impl<'c> Shown<'c> {
    pub fn new(crew: &'c dyn Crew) -> Shown<'c> {
        let before = crew.all_solved();
        Shown { crew, shown: AtomicU64::new(before), end: AtomicU64::new(before) }
    }

    /// Begins steps that all members do together.
    pub fn begin(&self, steps: u64) {
        self.end.fetch_add(steps, Ordering::Relaxed);
    }

    /// Notes that this member has done steps. Returns how many more are to be shown: none except at member 0.
    pub fn done(&self, steps: u64) -> u64 {
        self.crew.solved(steps);
        if self.crew.number() == 0 { self.show(self.crew.all_solved()) } else { 0 }
    }

    /// Ends all steps that were begun. Returns how many more are to be shown: none except at member 0.
    pub fn end(&self) -> u64 {
        if self.crew.number() == 0 { self.show(u64::MAX) } else { 0 }
    }

    fn show(&self, steps: u64) -> u64 {
        let steps = steps.min(self.end.load(Ordering::Relaxed));
        steps.saturating_sub(self.shown.fetch_max(steps, Ordering::Relaxed))
    }
}
