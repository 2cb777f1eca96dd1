//! Measures how fast legal positions are counted: sweeps boards forward and looks up no values.
//!
//! `cargo bench -p fourbase-tiers --bench counts -- [BOARD ...] [--kernel portable|avx2]`
//!
//! A rate is entries of the index per second of wall time, where entries are counted **before** mirror images are
//! merged.

mod shared;

use std::time::Instant;

use fourbase::Board;
use fourbase_tiers::context::Context;
use fourbase_tiers::counts::count_by_ply;
use fourbase_tiers::index::Index;
use fourbase_tiers::kernel::{Kernel, Values};
use fourbase_tiers::solve::Solve;

fn main() {
    let mut arguments = shared::arguments(&["5x5", "6x4", "7x4", "6x5"]);
    let kernel = shared::take_kernel(&mut arguments);
    arguments.iter().for_each(|argument| run(argument, kernel));
}

fn run(name: &str, kernel: Kernel) {
    let board: Board = name.parse().expect("a board");
    let start = Instant::now();
    let solve = Solve::new(board, Values::Wdl).kernel(kernel);
    let counts = count_by_ply(&solve, &Context::default()).expect("a count");
    let seconds = start.elapsed().as_secs_f64();
    let (legal, with_line) = (counts.sum(|ply| ply.legal), counts.sum(|ply| ply.with_line.unwrap_or(0)));
    let whole = shared::whole_entries(&Index::new(board, kernel).expect("a board that fits"));
    let (kernel, rate) = (kernel.name(), whole as f64 / seconds);
    print!("{name} ({kernel}): {legal} legal, {with_line} of them with a line; ");
    println!("{whole} entries, {seconds:.3} s, {rate:.3e} entries/s");
}
