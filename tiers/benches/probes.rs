//! Probes: how many a second, cold and warm, and how long the first one takes.
//!
//! `cargo bench -p fourbase-tiers --bench probes -- [BOARD:VALUES ...]`
//!
//! Solves each board into a temporary folder, then probes legal positions that random play reaches. Every answer is
//! compared with the best of the children's answers, untimed.

use std::time::Instant;

use fourbase::{Board, Position};
use fourbase_tiers::database::Database;
use fourbase_tiers::kernel::Values;
use fourbase_tiers::solve::Solve;

fn main() {
    let mut boards: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    if boards.is_empty() {
        boards = ["5x5:wdl", "5x5:remoteness", "7x4:wdl"].map(String::from).to_vec();
    }
    for board in boards {
        let (board, values) = board.split_once(':').expect("BOARD:VALUES");
        measure(board.parse().expect("a board"), values.parse().expect("wdl or remoteness"));
    }
}

fn measure(board: Board, values: Values) {
    let root = tempfile::tempdir().expect("a temporary folder");
    let report = Solve::new(board, values).root(root.path()).run().expect("a solve");
    let positions = random_positions(board, 200_000);

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
            let seconds = start.elapsed().as_secs_f64();
            println!(
                "  {pass} pass of {}: {:.3} s, {:.2} us a probe, {:.0} a second",
                sample.len(),
                seconds,
                seconds * 1e6 / sample.len() as f64,
                sample.len() as f64 / seconds
            );
            for (position, answer) in sample.iter().zip(answers).step_by(97) {
                let best = database.moves(position).expect("moves").first().map(|best| best.outcome);
                assert!(best.is_none_or(|best| best == answer), "{position}: {answer:?} but {best:?}");
            }
        }
    }
    let start = Instant::now();
    let answers = database.probe_many(&positions);
    let seconds = start.elapsed().as_secs_f64();
    println!("  all threads: {:.0} a second", answers.len() as f64 / seconds);
}

/// Plays at random to a random ply, again and again.
fn random_positions(board: Board, count: usize) -> Vec<Position> {
    let mut state = 0x9E37_79B9_7F4A_7C15u64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 33) as usize % below
    };
    let mut positions = Vec::with_capacity(count);
    while positions.len() < count {
        let mut position = Position::start(board);
        for _ in 0..random(board.cells()) {
            let moves: Vec<usize> = position.moves().collect();
            if moves.is_empty() {
                break;
            }
            position = position.drop_piece(moves[random(moves.len())]);
        }
        if position.primitive().is_none() {
            positions.push(position);
        }
    }
    positions
}
