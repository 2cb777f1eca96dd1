//! Measures the kernels alone: solves boards in memory and writes nothing.
//!
//! `cargo bench -p fourbase-tiers --bench kernels -- [BOARD:VALUES ...] [--kernel portable|avx2]`
//!
//! A rate is entries of the index per second of wall time, where entries are counted **before** mirror images are
//! merged, to compare with solvers that do not merge them. The number of entries really solved is printed too.

mod shared;

use std::time::Instant;

use fourbase::Outcome;
use fourbase_tiers::index::Index;
use fourbase_tiers::kernel::Kernel;
use fourbase_tiers::solve::in_memory;

fn main() {
    let mut arguments = shared::arguments(&["5x5:wdl", "5x5:remoteness", "6x5:wdl", "6x5:remoteness"]);
    let kernel = shared::take_kernel(&mut arguments);
    arguments.iter().for_each(|argument| run(argument, kernel));
}

fn run(argument: &str, kernel: Kernel) {
    let (board, values, _) = shared::board_and_values(argument);
    let start = Instant::now();
    let index = Index::new(board, kernel).expect("a board that fits");
    let mut solved = 0;
    let outcome = in_memory(&index, values, |tier| solved += tier.entries());
    let seconds = start.elapsed().as_secs_f64();
    let outcome = outcome.expect("a solve").expect("a code");
    let whole = shared::whole_entries(&index);
    let (kernel, rate, Outcome { value, remoteness }) = (kernel.name(), whole as f64 / seconds, outcome);
    print!("{board} {values} ({kernel}): {value:?} {remoteness:?}; {whole} entries, ");
    println!("{solved} after the mirror, {seconds:.3} s, {rate:.3e} entries/s");
}
