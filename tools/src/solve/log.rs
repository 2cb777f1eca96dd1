//! A line for every tier that is done: what a long solve leaves of itself.

use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use fourbase_tiers::database::TierRecord;
use fourbase_tiers::error::bytes;
use fourbase_tiers::plan::Plan;

use crate::{memory, size};

/// Writes the lines, with the time since it began.
pub struct Log {
    start: Instant,
    all: AtomicU64,
    /// Entries that an earlier solve has done.
    before: AtomicU64,
    done: AtomicU64,
}

impl Log {
    /// Begins to count the time.
    pub fn begin() -> Log {
        let zero = || AtomicU64::new(0);
        Log { start: Instant::now(), all: zero(), before: zero(), done: zero() }
    }

    /// Notes how much there is to do.
    pub fn planned(&self, plan: &Plan, entries_done: u64) {
        self.all.store(u64::try_from(plan.entries).unwrap_or(u64::MAX), Ordering::Relaxed);
        self.before.store(entries_done, Ordering::Relaxed);
        self.done.store(entries_done, Ordering::Relaxed);
    }

    /// Writes the line of a tier.
    pub fn tier_done(&self, tier: &TierRecord) {
        let done = self.done.fetch_add(tier.entries, Ordering::Relaxed) + tier.entries;
        let (all, before) = (self.all.load(Ordering::Relaxed), self.before.load(Ordering::Relaxed));
        let seconds = self.start.elapsed().as_secs_f64();
        let left = seconds * all.saturating_sub(done) as f64 / (done - before).max(1) as f64;
        // Whoever cannot be told still wants it to happen.
        let _ = writeln!(
            io::stderr(),
            "{seconds:9.1} s  ply {:2}  {:>19} entries  file {:>10}  {:5.1} % done, {left:.0} s left, at most {} of memory",
            tier.ply,
            size::grouped(tier.entries.into()),
            bytes(tier.bytes.into()),
            100.0 * done as f64 / all.max(1) as f64,
            memory::peak_bytes().map_or_else(|| "?".to_string(), |peak| bytes(peak.into())),
        );
    }
}
