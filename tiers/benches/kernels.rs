//! Kernels alone: solves boards in memory, writes nothing, checks the value of the empty board.
//!
//! `cargo bench -p fourbase-tiers --bench kernels -- [BOARD:VALUES ...] [--kernel portable|avx2]`
//!
//! A rate counts the entries of the index **before** the mirror halves them, per second of wall time, so that it
//! compares with solvers that do not use the mirror; the entries that were really solved are printed too.

mod shared;

use std::time::Instant;

use fourbase::{Outcome, Value};
use fourbase_tiers::index::{Index, Located, TierDirectory};
use fourbase_tiers::kernel::{Kernel, Values};
use fourbase_tiers::solve::in_memory;

/// Board, value and remoteness of the empty board (Tromp; Steininger), entries before the mirror (computed).
const KNOWN: [(&str, Value, u32); 8] = [
    ("4x4", Value::Tie, 16),
    ("5x4", Value::Tie, 20),
    ("5x5", Value::Tie, 25),
    ("6x4", Value::Lose, 24),
    ("5x6", Value::Tie, 30),
    ("7x4", Value::Tie, 28),
    ("6x5", Value::Tie, 30),
    ("7x5", Value::Tie, 35),
];

fn main() {
    let mut arguments = shared::arguments(&["5x5:wdl", "5x5:remoteness", "6x5:wdl", "6x5:remoteness"]);
    let kernel = shared::take_kernel(&mut arguments);
    for argument in arguments {
        run(&argument, kernel);
    }
}

fn run(argument: &str, kernel: Kernel) {
    let (board, values) = shared::board_and_values(argument);
    let name = board.to_string();
    let start = Instant::now();
    let index = Index::new(board, kernel).expect("a board that fits");
    let (mut solved, mut whole) = (0, 0);
    let outcome = in_memory(&index, values, |tier| {
        solved += tier.entries();
        for Located { matrix, .. } in TierDirectory::new(&index, tier.ply()).located_from(&index, 0) {
            whole += if matrix.left == matrix.right { matrix.entries() } else { 2 * matrix.entries() };
        }
    });
    let seconds = start.elapsed().as_secs_f64();
    let outcome = outcome.expect("a solve").expect("a code");
    if let Some((_, value, remoteness)) = KNOWN.iter().find(|known| known.0 == name) {
        let remoteness = (values == Values::Remoteness).then_some(*remoteness);
        assert_eq!(outcome, Outcome { value: *value, remoteness }, "the empty board of {name}");
    }
    println!(
        "{name} {values} ({}): {:?} {:?}; {whole} entries, {solved} after the mirror, {seconds:.3} s, {:.3e} entries/s",
        kernel.name(),
        outcome.value,
        outcome.remoteness,
        whole as f64 / seconds,
    );
}
