//! Arguments, entries of an index and CPU time, for all benchmarks.
#![allow(dead_code, reason = "every benchmark uses a part")]

use fourbase::Board;
use fourbase_tiers::index::{Index, Located, TierDirectory};
use fourbase_tiers::kernel::{Kernel, Values};

/// Returns the arguments of a benchmark, or `default` if there are none.
pub fn arguments(default: &[&str]) -> Vec<String> {
    let given: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    if given.is_empty() { default.iter().map(|argument| (*argument).to_owned()).collect() } else { given }
}

/// Reads `BOARD:VALUES` or `BOARD:VALUES:NUMBER`.
pub fn board_and_values(argument: &str) -> (Board, Values, Option<u32>) {
    let mut parts = argument.split(':');
    let board = parts.next().unwrap_or_default().parse().expect("BOARD:VALUES");
    let values = parts.next().unwrap_or_default().parse().expect("wdl or remoteness");
    (board, values, parts.next().map(|number| number.parse().expect("a number")))
}

/// Removes `--kernel NAME`, which must come last, from the arguments, and returns that kernel. Without it, returns the
/// fastest kernel of this machine.
pub fn take_kernel(arguments: &mut Vec<String>) -> Kernel {
    let Some(at) = arguments.iter().position(|argument| argument == "--kernel") else { return Kernel::detect() };
    let name = arguments.drain(at..).nth(1).expect("--kernel NAME");
    *Kernel::all().iter().find(|kernel| kernel.name() == name).expect("a kernel of this machine")
}

/// Counts the entries of an index before mirror images are merged.
pub fn whole_entries(index: &Index) -> u64 {
    let tiers = (0..=index.board().cells() as u32).map(|ply| TierDirectory::new(index, ply));
    let whole = |Located { matrix, .. }| matrix.entries() * if matrix.left == matrix.right { 1 } else { 2 };
    tiers.map(|tier| tier.located_from(index, 0).map(whole).sum::<u64>()).sum()
}

/// Runs `work`. Returns its result, its seconds of wall time, and its CPU seconds.
#[cfg(unix)]
pub fn timed<T>(work: impl FnOnce() -> T) -> (T, f64, f64) {
    let (cpu, start) = (cpu_seconds(), std::time::Instant::now());
    let result = work();
    let wall = start.elapsed().as_secs_f64();
    (result, wall, cpu_seconds() - cpu)
}

/// Returns the CPU seconds of all threads of the process, and of the system on their behalf.
#[cfg(unix)]
fn cpu_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}
