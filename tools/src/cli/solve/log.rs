//! A line for each finished tier: the record of a long solve.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use fourbase_tiers::files::bytes;
use fourbase_tiers::format::TierRecord;
use fourbase_tiers::solve::{Plan, Share};

use crate::number::grouped;
use crate::{failure, memory};

/// Writes the lines, with the time since the start.
pub struct Log {
    start: Instant,
    all: AtomicU64,
    /// Entries that an earlier run has solved.
    before: AtomicU64,
    done: AtomicU64,
}

impl Log {
    /// Starts the clock.
    pub fn begin() -> Log {
        let zero = || AtomicU64::new(0);
        Log { start: Instant::now(), all: zero(), before: zero(), done: zero() }
    }

    /// Notes how many entries there are and how many of them are solved.
    pub fn planned(&self, plan: &Plan, entries_done: u64) {
        self.all.store(u64::try_from(plan.entries()).unwrap_or(u64::MAX), Ordering::Relaxed);
        self.before.store(entries_done, Ordering::Relaxed);
        self.done.store(entries_done, Ordering::Relaxed);
    }

    /// Writes what it took several processes to solve a tier.
    pub fn tier_shared(&self, shares: &[Share]) {
        let sum = |of: fn(&Share) -> Duration| shares.iter().map(of).sum::<Duration>().as_secs_f64();
        let waited = 100.0 * sum(|share| share.waited) / sum(|share| share.took).max(f64::MIN_POSITIVE);
        let messages: u64 = shares.iter().map(|share| share.bytes).sum();
        let written: u64 = shares.iter().map(|share| share.written).sum();
        let count = shares.len();
        failure::print_note(&format!(
            "{:22}{count} processes waited {waited:.1} % of their time, {} of messages, {} written",
            "",
            bytes(messages.into()),
            bytes(written.into())
        ));
    }

    /// Writes the line of a tier.
    pub fn tier_done(&self, tier: &TierRecord) {
        let done = self.done.fetch_add(tier.entries, Ordering::Relaxed) + tier.entries;
        let (all, before) = (self.all.load(Ordering::Relaxed), self.before.load(Ordering::Relaxed));
        let seconds = self.start.elapsed().as_secs_f64();
        let left = seconds * all.saturating_sub(done) as f64 / (done - before).max(1) as f64;
        failure::print_note(&format!(
            "{seconds:9.1} s  ply {:2}  {:>19} entries  file {:>10}  {:5.1} % done, {left:.0} s left, peak memory {}",
            tier.ply,
            grouped(tier.entries.into()),
            bytes(tier.bytes.into()),
            100.0 * done as f64 / all.max(1) as f64,
            memory::peak_bytes().map_or_else(|| "?".to_string(), |peak| bytes(peak.into())),
        ));
    }
}
