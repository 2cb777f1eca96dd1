//! How long a solve will take, from a short measurement.

use std::time::Duration;

use anyhow::Context;
use fourbase_tiers::kernel::{Kernel, Values};
use fourbase_tiers::solve::{Plan, entries_per_second};
use rayon::ThreadPoolBuilder;

/// Boards with fewer entries are solved before a user has read the time.
const LEAST_ENTRIES: u128 = 1_000_000_000;

/// Measures how many entries this machine solves in a second, if a plan is long enough for its time to be of interest: solves
/// a small board in memory a few times, which takes some tenths of a second.
pub fn measure(plan: &Plan, kernel: Kernel) -> Option<f64> {
    if is_long(plan) { entries_per_second(plan.values, kernel) } else { None }
}

/// Measures how many entries one thread of this machine solves in a second, with a thread on each of its cores.
///
/// # Errors
///
/// The threads cannot be started, or nothing can be measured.
pub fn measure_thread(values: Values, kernel: Kernel) -> anyhow::Result<f64> {
    let pool = ThreadPoolBuilder::new().build().context("cannot start the threads; try again")?;
    let threads = pool.current_num_threads() as f64;
    let measured = pool.install(|| entries_per_second(values, kernel));
    Ok(measured.context("cannot measure how fast this machine solves")? / threads)
}

/// Returns how long a plan takes, about. A large board takes about as long for each entry as the small one, since its
/// longer rows make up for its files. Measured on the same two cores: 1.0 ns per entry for 5x5; 0.6, 0.6 and 1.1 ns
/// for whole solves of 6x5, 6x6 and 7x5. `None` for a board that takes no time, or longer than a [`Duration`] holds.
pub fn time_of(plan: &Plan, entries_per_second: f64) -> Option<Duration> {
    let seconds = plan.entries() as f64 / entries_per_second;
    if is_long(plan) { Duration::try_from_secs_f64(seconds).ok() } else { None }
}

fn is_long(plan: &Plan) -> bool {
    plan.entries() >= LEAST_ENTRIES
}
