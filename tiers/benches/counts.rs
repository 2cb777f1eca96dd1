//! Legal positions alone: sweeps boards forward, looks no values up, checks the totals.
//!
//! `cargo bench -p fourbase-tiers --bench counts -- [BOARD ...] [--kernel portable|avx2]`
//!
//! A rate counts the entries of the index **before** the mirror halves them, per second of wall time.

use std::time::Instant;

use fourbase::Board;
use fourbase_tiers::counts::{Count, Counted};
use fourbase_tiers::index::{Index, TierLayout};
use fourbase_tiers::kernel::Kernel;

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
    let mut arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let mut kernel = Kernel::detect();
    if let Some(at) = arguments.iter().position(|a| a == "--kernel") {
        let name = arguments.drain(at..).nth(1).expect("--kernel NAME");
        kernel = *Kernel::all().iter().find(|kernel| kernel.name() == name).expect("a kernel of this machine");
    }
    if arguments.is_empty() {
        arguments = ["5x5", "6x4", "7x4", "6x5"].map(String::from).to_vec();
    }
    for name in arguments {
        run(&name, kernel);
    }
}

fn run(name: &str, kernel: Kernel) {
    let board: Board = name.parse().expect("a board");
    let start = Instant::now();
    let counted = Count::new(board, None).kernel(kernel).run().expect("a count");
    let seconds = start.elapsed().as_secs_f64();
    let Counted::Legal(plies) = counted else { panic!("legal positions") };
    let (legal, with_line) =
        (plies.iter().map(|ply| ply.legal).sum::<u64>(), plies.iter().map(|ply| ply.with_line).sum::<u64>());
    let index = Index::new(board, kernel).expect("a board that fits");
    let layouts = (0..=board.cells() as u32).map(|ply| TierLayout::new(&index, ply));
    let images = |matrix: &fourbase_tiers::index::Matrix| if matrix.left == matrix.right { 1 } else { 2 };
    let whole: u64 = layouts.map(|tier| tier.matrices().iter().map(|of| images(of) * of.entries()).sum::<u64>()).sum();
    if let Some((_, known)) = KNOWN.iter().find(|known| known.0 == name) {
        assert_eq!(legal, *known, "legal positions of {name}");
    }
    println!(
        "{name} ({}): {legal} legal, {with_line} of them with a line; {whole} entries, {seconds:.3} s, {:.3e} entries/s",
        kernel.name(),
        whole as f64 / seconds,
    );
}
