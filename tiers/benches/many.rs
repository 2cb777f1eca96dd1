//! Many positions at once: probes of random positions, cold and warm, and whole plies with their outcomes.
//!
//! `cargo bench -p fourbase-tiers --bench many -- [BOARD:VALUES] [POSITIONS] [CACHE_MIB]`
//!
//! Solves the board into a temporary folder and draws legal positions, each equally likely. Answers are compared with probes of
//! single positions, untimed.

use std::time::Instant;

use fourbase::Position;
use fourbase_tiers::counts::{Draw, PositionList, SolvedPly};
use fourbase_tiers::database::Database;
use fourbase_tiers::solve::Solve;
use rand::SeedableRng;
use rand_pcg::Pcg64;
use rayon::prelude::*;
use rustix::time::{ClockId, clock_gettime};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let argument = |number: usize, default: &str| arguments.get(number).cloned().unwrap_or(default.to_owned());
    let board = argument(0, "6x5:remoteness");
    let (board, values) = board.split_once(':').expect("BOARD:VALUES");
    let root = tempfile::tempdir().expect("a temporary folder");
    let solve = Solve::new(board.parse().expect("a board"), values.parse().expect("wdl or remoteness"));
    let report = solve.root(root.path()).run().expect("a solve");
    let cache_mib: u64 = argument(2, "256").parse().expect("a number of MiB");
    let database = Database::open(&report.folder).expect("a database").with_cache(cache_mib << 20);
    probes(&database, argument(1, "1000000").parse().expect("a number of positions"));
    if argument(3, "plies") == "plies" {
        plies(&database);
    }
}

/// Returns the CPU seconds that the process has taken.
fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// Measures some work of `count` positions.
fn measure<T>(what: &str, count: usize, work: impl FnOnce() -> T) -> T {
    let (start, cpu) = (Instant::now(), cpu_seconds());
    let result = work();
    let (wall, cpu) = (start.elapsed().as_secs_f64(), cpu_seconds() - cpu);
    println!(
        "{what}: {count} positions, {wall:.3} s, {:.2} million a second, {:.2} million a CPU second",
        count as f64 / wall * 1e-6,
        count as f64 / cpu * 1e-6
    );
    result
}

fn probes(database: &Database, count: usize) {
    let index = database.index();
    let mut random = Pcg64::seed_from_u64(1);
    let draw = Draw::new(index, 0..database.board().cells() as u32);
    let positions: Vec<Position> = (0..count).map_while(|_| draw.position(index, &mut random)).collect();
    for pass in ["cold", "warm", "warm again"] {
        let unpacked = database.unpacked();
        let answers = measure(pass, positions.len(), || database.probe_many(&positions));
        println!("  {} chunks unpacked", database.unpacked() - unpacked);
        let pairs = positions.par_iter().zip(&answers);
        pairs.step_by(97).for_each(|(position, answer)| {
            let answer = answer.as_ref().expect("an answer");
            assert_eq!(database.probe(position).expect("an answer"), *answer, "{position}");
        });
    }
}

fn plies(database: &Database) {
    let (index, board) = (database.index(), database.board());
    let mut found = 0;
    let (start, cpu) = (Instant::now(), cpu_seconds());
    for ply in 0..=board.cells() as u32 {
        let list = PositionList::legal(index, ply, u64::MAX, &|| false).expect("memory").expect("a list");
        let solved =
            SolvedPly::new(index, database.values(), ply, u64::MAX, &|| false).expect("memory").expect("a ply");
        let read = |part| list.read(index, part, Some(&solved)).expect("positions");
        found += (0..list.parts()).into_par_iter().map(|part| read(part).codes.len()).sum::<usize>();
        let listed = read(list.parts() / 2);
        for ([first, second], code) in listed.bitboards.iter().zip(&listed.codes).step_by(97) {
            let position = Position::from_bitboards(board, *first, *second).expect("a position");
            assert_eq!(database.probe(&position).ok(), solved.outcome(*code), "{position}");
        }
    }
    let (wall, cpu) = (start.elapsed().as_secs_f64(), cpu_seconds() - cpu);
    println!(
        "all plies: {found} positions, {wall:.2} s, {cpu:.2} CPU seconds, {:.1} million a second",
        found as f64 / wall * 1e-6
    );
}
