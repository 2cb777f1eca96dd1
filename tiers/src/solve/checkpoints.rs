//! When a checkpoint is due: a tier that is durable, so that a later solve can go on from there. It takes time, because a whole tier is
//! compressed, or is written to the disk.

use std::time::{Duration, Instant};

/// The least time between two, if the user gives none.
pub const CHECKPOINT: Duration = Duration::from_secs(120);

/// The checkpoints of a solve. They may take a tenth of the time.
pub(super) struct Checkpoints {
    /// The least time between two.
    least: Duration,
    /// When the last one was made, and how long that took.
    last: Instant,
    took: Duration,
}

/// A checkpoint is due after so many times what the last one took.
const TIMES_THE_LAST: u32 = 10;

impl Checkpoints {
    pub fn new(least: Duration) -> Checkpoints {
        Checkpoints { least, last: Instant::now(), took: Duration::ZERO }
    }

    /// If the least time is zero, one is due after every tier.
    pub fn is_due(&self) -> bool {
        let times = if self.least.is_zero() { 0 } else { TIMES_THE_LAST };
        self.last.elapsed() >= self.least.max(times * self.took)
    }

    /// Notes that one was begun, and is made now.
    pub fn made(&mut self, begun: Instant) {
        (self.last, self.took) = (Instant::now(), begun.elapsed());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checkpoint_is_due_ten_times_as_long_after_the_last_one_as_that_took() {
        let hour = Duration::from_secs(3600);
        let ago = |minutes: u64| Instant::now().checked_sub(Duration::from_secs(60 * minutes));
        let is_due =
            |least, last: Option<Instant>, took| last.is_none_or(|last| Checkpoints { least, last, took }.is_due());
        assert!(Checkpoints::new(Duration::ZERO).is_due() && !Checkpoints::new(hour).is_due());
        assert!(is_due(Duration::from_secs(60), ago(2), Duration::ZERO));
        assert!(is_due(Duration::ZERO, ago(0), hour));
        assert!(!Checkpoints { least: Duration::from_nanos(1), last: Instant::now(), took: hour }.is_due());
    }
}
