//! Measures many positions at once: probes of random positions, cold and warm, and whole plies with their outcomes.
//!
//! `cargo bench -p fourbase-tiers --bench many -- [BOARD:VALUES] [POSITIONS] [CACHE_MIB]`
//!
//! Solves the board into a temporary folder and draws legal positions, each equally likely. Answers are compared with probes of
//! single positions, untimed.

mod shared;

use fourbase::Position;
use fourbase::analysis::Budget;
use fourbase_tiers::database::Database;
use fourbase_tiers::positions::{PositionList, SampleKind, Sampler};
use fourbase_tiers::solve::Solve;
use rayon::prelude::*;
use shared::timed;

fn main() {
    let arguments = shared::arguments(&[]);
    let argument = |number: usize, default: &str| arguments.get(number).cloned().unwrap_or(default.to_owned());
    let (board, values) = shared::board_and_values(&argument(0, "6x5:remoteness"));
    let root = tempfile::tempdir().expect("a temporary folder");
    let report = Solve::new(board, values).root(root.path()).run().expect("a solve");
    let cache_mib: u64 = argument(2, "256").parse().expect("a number of MiB");
    let database = Database::open(&report.folder).expect("a database").with_cache(cache_mib << 20);
    probes(&database, argument(1, "1000000").parse().expect("a number of positions"));
    if argument(3, "plies") == "plies" {
        plies(&database);
    }
}

/// Runs some work on `count` positions and prints how fast it was.
fn measure<T>(what: &str, count: usize, work: impl FnOnce() -> T) -> T {
    let (result, wall, cpu) = timed(work);
    let [rate, cpu_rate] = [wall, cpu].map(|seconds| count as f64 / seconds * 1e-6);
    println!("{what}: {count} positions, {wall:.3} s, {rate:.2} million a second, {cpu_rate:.2} million a CPU second");
    result
}

fn probes(database: &Database, count: usize) {
    let plies: Vec<u32> = (0..database.board().cells() as u32).collect();
    let sampler = Sampler::new(database, SampleKind::Uniform, &plies, 1).expect("plies");
    let positions: Vec<Position> = sampler.draw(0..count as u64, &Budget::default(), &|| false).expect("positions");
    for pass in ["cold", "warm", "warm again"] {
        let answers = measure(pass, positions.len(), || database.probe_many(&positions));
        let pairs = positions.par_iter().zip(&answers);
        pairs.step_by(97).for_each(|(position, answer)| {
            let answer = answer.as_ref().expect("an answer");
            assert_eq!(database.probe(position).expect("an answer"), *answer, "{position}");
        });
    }
}

fn plies(database: &Database) {
    let (index, board) = (database.index(), database.board());
    let list = |ply| {
        let mut list = PositionList::legal(index, ply, u64::MAX, &()).expect("memory");
        list.solve(index, database.values(), u64::MAX, &()).expect("memory");
        let mut found = 0;
        while let Some(batch) = list.next(index, 1 << 20).expect("positions") {
            found += batch.codes.len();
            for ([first, second], code) in batch.bitboards.iter().zip(&batch.codes).step_by(9973) {
                let position = Position::from_bitboards(board, *first, *second).expect("a position");
                assert_eq!(database.probe(&position).ok(), list.outcome(*code), "{position}");
            }
        }
        found
    };
    let (found, wall, cpu) = timed(|| (0..=board.cells() as u32).map(list).sum::<usize>());
    let rate = found as f64 / wall * 1e-6;
    println!("all plies: {found} positions, {wall:.2} s, {cpu:.2} CPU seconds, {rate:.1} million a second");
}
