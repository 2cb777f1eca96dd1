//! Legal positions alone: sweeps boards forward, looks no values up, checks the totals.
//!
//! `cargo bench -p fourbase-tiers --bench counts -- [BOARD ...] [--kernel portable|avx2]`
//!
//! A rate counts the entries of the index **before** the mirror halves them, per second of wall time.

mod shared;

use std::time::Instant;

use fourbase::Board;
use fourbase_tiers::communicator::Alone;
use fourbase_tiers::counts::count_by_ply;
use fourbase_tiers::files::Disk;
use fourbase_tiers::index::{Index, Located, TierDirectory};
use fourbase_tiers::kernel::{Kernel, Values};
use fourbase_tiers::solve::Solve;

/// Legal positions (Tromp; Böck, arXiv 2507.05267).
const KNOWN: [(&str, u64); 11] = [
    ("4x4", 161_029),
    ("5x4", 3_945_711),
    ("4x6", 15_835_683),
    ("5x5", 69_763_700),
    ("6x4", 94_910_577),
    ("4x7", 135_385_909),
    ("5x6", 1_044_334_437),
    ("7x4", 2_265_792_710),
    ("6x5", 2_818_972_642),
    ("6x6", 69_173_028_785),
    ("7x5", 112_829_665_923),
];

fn main() {
    let mut arguments = shared::arguments(&["5x5", "6x4", "7x4", "6x5"]);
    let kernel = shared::take_kernel(&mut arguments);
    for name in arguments {
        run(&name, kernel);
    }
}

fn run(name: &str, kernel: Kernel) {
    let board: Board = name.parse().expect("a board");
    let start = Instant::now();
    let solve = Solve::new(board, Values::Wdl).kernel(kernel);
    let plies = count_by_ply(&solve, &Alone, &Disk, &()).expect("a count");
    let seconds = start.elapsed().as_secs_f64();
    let (legal, with_line) =
        (plies.iter().map(|ply| ply.legal).sum::<u64>(), plies.iter().map(|ply| ply.with_line).sum::<u64>());
    let index = Index::new(board, kernel).expect("a board that fits");
    let tiers = (0..=board.cells() as u32).map(|ply| TierDirectory::new(&index, ply));
    let whole = |Located { matrix, .. }| matrix.entries() * if matrix.left == matrix.right { 1 } else { 2 };
    let whole: u64 = tiers.map(|tier| tier.located_from(&index, 0).map(whole).sum::<u64>()).sum();
    if let Some((_, known)) = KNOWN.iter().find(|known| known.0 == name) {
        assert_eq!(legal, *known, "legal positions of {name}");
    }
    println!(
        "{name} ({}): {legal} legal, {with_line} of them with a line; {whole} entries, {seconds:.3} s, {:.3e} entries/s",
        kernel.name(),
        whole as f64 / seconds,
    );
}
