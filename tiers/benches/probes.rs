//! Measures probes: how many a second, cold and warm, and how long the first one takes.
//!
//! `cargo bench -p fourbase-tiers --bench probes -- [BOARD:VALUES ...]`
//!
//! Solves each board into a temporary folder, then probes legal positions that random play reaches. Every answer is
//! compared with the best of the children's answers, untimed.

mod shared;

use std::time::Instant;

use fourbase::Position;
use fourbase::players::{random_play, random_source};
use fourbase_tiers::database::Database;
use fourbase_tiers::solve::Solve;
use rand::RngExt;

fn main() {
    for argument in shared::arguments(&["5x5:wdl", "5x5:remoteness", "7x4:wdl"]) {
        measure(&argument);
    }
}

fn measure(argument: &str) {
    let (board, values) = shared::board_and_values(argument);
    let root = tempfile::tempdir().expect("a temporary folder");
    let report = Solve::new(board, values).root(root.path()).run().expect("a solve");
    let mut source = random_source(1, 0);
    let mut play = || {
        let ply = source.random_range(0..board.cells() as u32);
        random_play(board, ply as usize, &mut source)
    };
    let positions = Vec::from_iter(std::iter::repeat_with(&mut play).flatten().take(200_000));

    let start = Instant::now();
    let database = Database::open(&report.folder).expect("a database");
    database.probe(&Position::start(board)).expect("an answer");
    let first = start.elapsed();
    let start = Instant::now();
    database.moves(&Position::start(board)).expect("an answer");
    let moves = start.elapsed();
    let start = Instant::now();
    let _ = database.best_line(&Position::start(board)).expect("an answer");
    println!("{board} {values}: open and probe {first:?}, moves {moves:?}, best line {:?}", start.elapsed());

    for sample in [&positions[..1000], &positions[..]] {
        for pass in ["first", "second"] {
            let start = Instant::now();
            let answers: Vec<_> = sample.iter().map(|position| database.probe(position).expect("an answer")).collect();
            let (seconds, count) = (start.elapsed().as_secs_f64(), sample.len());
            let rate = count as f64 / seconds;
            println!("  {pass} pass of {count}: {seconds:.3} s, {:.2} us a probe, {rate:.0} a second", 1e6 / rate);
            for (position, answer) in sample.iter().zip(answers).step_by(97) {
                let best = database.moves(position).expect("moves").first().map(|best| best.1);
                assert!(best.is_none_or(|best| best == answer), "{position}: {answer:?} but {best:?}");
            }
        }
    }
    let start = Instant::now();
    let answers = database.probe_many(&positions);
    let seconds = start.elapsed().as_secs_f64();
    println!("  all threads: {:.0} a second", answers.len() as f64 / seconds);
}
