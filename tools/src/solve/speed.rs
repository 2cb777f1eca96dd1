//! How long a solve will take, from a short measurement.

use std::time::{Duration, Instant};

use fourbase_tiers::index::Index;
use fourbase_tiers::kernel::{Kernel, Values};
use fourbase_tiers::plan::Plan;
use fourbase_tiers::solve::{Tier, solve_tier};

/// Smaller boards are done before anybody has read how long they take.
const LEAST_ENTRIES: u128 = 1_000_000_000;

/// The board that is solved to see how fast the machine is.
const SAMPLE: &str = "5x5";

/// How often it is solved. The first time is slower, and other work on the machine may disturb any.
const SAMPLES: usize = 3;

/// Tells about how long a plan takes here, by solving a small board in memory: a large one takes about as long an entry,
/// since its longer rows pay for its files and its database. Measured: 5x5 1.0, whole solves of 6x5, 6x6 and 7x5 0.6, 0.6
/// and 1.1 ns an entry on the same two cores. `None` for boards that take no time, or more than can be told.
pub fn expected(plan: &Plan, kernel: Kernel) -> Option<Duration> {
    if plan.entries < LEAST_ENTRIES {
        return None;
    }
    let rate = (0..SAMPLES).filter_map(|_| {
        let start = Instant::now();
        let entries = solve_sample(plan.values, kernel)?;
        Some(start.elapsed().as_secs_f64() / entries as f64)
    });
    let seconds_each = rate.min_by(f64::total_cmp)?;
    Duration::try_from_secs_f64(seconds_each * plan.entries as f64).ok()
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
