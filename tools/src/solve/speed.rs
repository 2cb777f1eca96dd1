//! How long a solve will take, from a short measurement.

use std::time::{Duration, Instant};

use fourbase_tiers::index::Index;
use fourbase_tiers::kernel::{Kernel, Values};
use fourbase_tiers::plan::Plan;
use fourbase_tiers::solve::{Tier, solve_tier};

/// Boards with fewer entries are solved before a user has read the time.
const LEAST_ENTRIES: u128 = 1_000_000_000;

/// The board that is solved to measure the speed.
const SAMPLE: &str = "5x5";

/// How often it is solved. The first run is slower, and other work on the machine may slow down any.
const SAMPLES: usize = 3;

/// Returns whether a plan is long enough for its time to be of interest.
pub fn is_long(plan: &Plan) -> bool {
    plan.entries >= LEAST_ENTRIES
}

/// How fast this machine solves.
#[derive(Clone, Copy, Debug)]
pub struct Speed {
    seconds_per_entry: f64,
}

impl Speed {
    /// Solves a small board in memory a few times, which takes some tenths of a second. `None` where it cannot be solved.
    pub fn measure(values: Values, kernel: Kernel) -> Option<Speed> {
        let seconds = (0..SAMPLES).filter_map(|_| {
            let start = Instant::now();
            let entries = solve_sample(values, kernel)?;
            Some(start.elapsed().as_secs_f64() / entries as f64)
        });
        seconds.min_by(f64::total_cmp).map(|seconds_per_entry| Speed { seconds_per_entry })
    }

    /// Returns how long a plan takes, about. A large board takes about as long for each entry as the small one, since its
    /// longer rows make up for its files. Measured on the same two cores: 1.0 ns per entry for 5x5; 0.6, 0.6 and 1.1 ns
    /// for whole solves of 6x5, 6x6 and 7x5. `None` for a board that takes no time, or longer than a [`Duration`] holds.
    pub fn time_of(self, plan: &Plan) -> Option<Duration> {
        let seconds = self.seconds_per_entry * plan.entries as f64;
        if is_long(plan) { Duration::try_from_secs_f64(seconds).ok() } else { None }
    }
}

/// Solves the small board and returns its entries.
fn solve_sample(values: Values, kernel: Kernel) -> Option<u64> {
    let index = Index::new(SAMPLE.parse().ok()?, kernel).ok()?;
    let (mut entries, mut child) = (0, None);
    for ply in (0..=index.board().cells() as u32).rev() {
        let mut tier = Tier::new(&index, values, ply, Vec::new());
        solve_tier(&index, &mut tier, child.as_ref(), &()).then_some(())?;
        entries += tier.layout.entries();
        child = Some(tier);
    }
    Some(entries)
}
