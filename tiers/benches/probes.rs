//! Measures probes: how long the first one takes, and how many a second, one at a time and together, cold and warm.
//!
//! `cargo bench -p fourbase-tiers --bench probes -- [BOARD:VALUES[:KEEP_PLIES] ...]`
//!
//! Solves each board into a temporary folder, then probes legal positions that random play reaches, each ply equally
//! likely. A database of KEEP_PLIES plies searches later positions, so the positions are fewer, and quiet positions of
//! the first two plies that are not kept are timed too. Answers are compared with the best of the children's answers,
//! untimed.

mod shared;

use std::ops::Range;
use std::time::Instant;

use fourbase::players::{random_play, random_source};
use fourbase::{Board, Position};
use fourbase_tiers::database::Database;
use fourbase_tiers::quiet::{StaticEvaluation, evaluate};
use fourbase_tiers::solve::Solve;
use rand::RngExt;

fn main() {
    for argument in shared::arguments(&["5x5:wdl", "5x5:remoteness", "7x4:wdl", "5x5:wdl:12"]) {
        measure(&argument);
    }
}

fn measure(argument: &str) {
    let (board, values, keep_plies) = shared::board_and_values(argument);
    let root = tempfile::tempdir().expect("a temporary folder");
    let solve = Solve::new(board, values).keep_plies(keep_plies).root(root.path());
    let report = solve.run().expect("a solve");
    let open = || Database::open(&report.folder).expect("a database");

    let start = Instant::now();
    let database = open();
    database.probe(&Position::start(board)).expect("an answer");
    let first = start.elapsed();
    let start = Instant::now();
    database.moves(&Position::start(board)).expect("an answer");
    let moves = start.elapsed();
    let start = Instant::now();
    let _ = database.best_line(&Position::start(board)).expect("an answer");
    let line = start.elapsed();
    let bytes = database.manifest.bytes();
    println!("{argument}: {bytes} bytes, open and probe {first:?}, moves {moves:?}, best line {line:?}");

    let cells = board.cells() as u32;
    let positions = random_positions(board, 0..cells, false, if keep_plies.is_some() { 1000 } else { 200_000 });
    one_at_a_time(&database, &positions[..1000], "1000 positions");
    one_at_a_time(&database, &positions, "all positions");
    // Late positions with a choice are rare, and there are none at the end.
    if let Some(first) = keep_plies.map(|kept| kept + 1).filter(|first| first + 4 < cells) {
        let beyond = random_positions(board, first..first + 2, true, 200);
        one_at_a_time(&database, &beyond, "quiet positions of the first plies that are not kept");
    }
    let database = open();
    for pass in ["cold", "warm"] {
        let start = Instant::now();
        let answers = database.probe_many(&positions);
        let rate = answers.len() as f64 / start.elapsed().as_secs_f64();
        println!("  all threads, {pass}: {rate:.0} a second");
    }
}

/// Probes all positions twice and prints the times.
fn one_at_a_time(database: &Database, positions: &[Position], what: &str) {
    for pass in ["cold", "warm"] {
        let timed = |position| {
            let start = Instant::now();
            (database.probe(position).expect("an answer"), start.elapsed().as_secs_f64())
        };
        let (answers, mut seconds): (Vec<_>, Vec<_>) = positions.iter().map(timed).unzip();
        for (position, answer) in positions.iter().zip(answers).step_by(97) {
            let best = database.moves(position).expect("moves").first().map(|best| best.1);
            assert!(best.is_none_or(|best| best == answer), "{position}: {answer:?} but {best:?}");
        }
        seconds.sort_by(f64::total_cmp);
        let count = seconds.len();
        let rate = count as f64 / seconds.iter().sum::<f64>();
        let [median, most, worst] = [count / 2, count * 9 / 10, count - 1].map(|place| seconds[place] * 1e6);
        println!("  {what}, {pass}: {rate:.0} a second; us: median {median:.2}, 90 % {most:.2}, worst {worst:.1}");
    }
}

/// Plays random games, each up to a random one of `plies`. A game that ends earlier is played again up to the same ply,
/// so that all plies stay equally likely.
fn random_positions(board: Board, plies: Range<u32>, only_quiet: bool, count: usize) -> Vec<Position> {
    let mut source = random_source(1, 0);
    let is_wanted = |position: &Position| !only_quiet || evaluate(position) == StaticEvaluation::Quiet;
    let mut play = || {
        let ply = source.random_range(plies.clone()) as usize;
        let mut games = std::iter::repeat_with(|| random_play(board, ply, &mut source)).flatten();
        games.find(is_wanted).expect("games without end")
    };
    (0..count).map(|_| play()).collect()
}
