//! Measures the kernels alone: solves boards in memory, or counts their legal positions, and writes nothing.
//!
//! `cargo bench -p fourbase-tiers --bench kernels -- [BOARD[:VALUES] ...] [--kernel portable|avx2]`
//!
//! BOARD:VALUES is solved. Of a BOARD alone the legal positions are counted, which sweeps forward and looks up no
//! values. A rate is entries of the index per second of wall time, where entries are counted **before** mirror images
//! are merged, to compare with solvers that do not merge them. The number of entries really solved is printed too.

mod shared;

use std::time::Instant;

use fourbase::{Board, Outcome};
use fourbase_tiers::context::Context;
use fourbase_tiers::counts::count_by_ply;
use fourbase_tiers::index::Index;
use fourbase_tiers::kernel::{Kernel, Values};
use fourbase_tiers::solve::{Solve, in_memory};

fn main() {
    let mut arguments = shared::arguments(&["5x5:wdl", "5x5:remoteness", "6x5:wdl", "6x5:remoteness", "7x4", "6x5"]);
    let kernel = shared::take_kernel(&mut arguments);
    for argument in &arguments {
        let start = Instant::now();
        let (index, found) = match argument.parse() {
            Ok(board) => count(board, kernel),
            Err(_) => solve(argument, kernel),
        };
        let seconds = start.elapsed().as_secs_f64();
        let (kernel, whole) = (kernel.name(), shared::whole_entries(&index));
        let rate = whole as f64 / seconds;
        println!("{argument} ({kernel}): {found}; {whole} entries, {seconds:.3} s, {rate:.3e} entries/s");
    }
}

fn solve(argument: &str, kernel: Kernel) -> (Index, String) {
    let (board, values, _) = shared::board_and_values(argument);
    let index = Index::new(board, kernel).expect("a board that fits");
    let mut solved = 0;
    let outcome = in_memory(&index, values, |tier| solved += tier.entries());
    let Outcome { value, remoteness } = outcome.expect("a solve").expect("a code");
    (index, format!("{value:?} {remoteness:?}, {solved} entries after the mirror"))
}

fn count(board: Board, kernel: Kernel) -> (Index, String) {
    let solve = Solve::new(board, Values::Wdl).kernel(kernel);
    let counts = count_by_ply(&solve, &Context::default()).expect("a count");
    let (legal, with_line) = (counts.sum(|ply| ply.legal), counts.sum(|ply| ply.with_line.unwrap_or(0)));
    (Index::new(board, kernel).expect("a board that fits"), format!("{legal} legal, {with_line} of them with a line"))
}
