//! Measures the search on [Pascal Pons' three benchmark sets][sets] of 7x6, and checks every answer.
//!
//! `cargo bench -p fourbase --bench search` prints, for each set, milliseconds and nodes per position, with one thread
//! and a new search for every position. Milliseconds are wall time of the fastest of five rounds, because other
//! work on the machine only adds time. CPU time is the mean of all rounds, if they are long enough to measure.
//!
//! `-- --empty` also solves the empty board, with a table of 1 GiB. `-- --threads N` sets the number of threads, and
//! `-- --kept` keeps the table between positions. The sets are read from the folder that `FOURBASE_PONS` names, or
//! a selection of them from `tests/data/pons`.
//!
//! [sets]: http://blog.gamesolver.org/solving-connect-four/02-test-protocol/

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use fourbase::search::{Search, SearchOptions};
use fourbase::{Board, Outcome, Position, Value, notation};

const SETS: [&str; 3] = ["Test_L3_R1", "Test_L2_R1", "Test_L2_R2"];
const ROUNDS: usize = 5;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments = std::env::args().collect::<Vec<_>>();
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    let threads = arguments.iter().skip_while(|argument| *argument != "--threads").nth(1);
    let threads = threads.and_then(|number| number.parse().ok()).unwrap_or(1);
    let options = SearchOptions { threads, ..SearchOptions::default() };
    let board: Board = "7x6".parse()?;
    let directory = std::env::var_os("FOURBASE_PONS")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/pons"), PathBuf::from);
    println!("{:<12} {:>9} {:>12} {:>12} {:>15}", "set", "positions", "ms/position", "CPU ms", "nodes/position");
    for set in SETS {
        let path = directory.join(set);
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let positions = text.lines().map(|line| read(board, line)).collect::<Result<Vec<_>, _>>()?;
        let (mut fastest, mut nodes) = (Duration::MAX, 0);
        let ticks = cpu_ticks();
        for _ in 0..ROUNDS {
            let mut search = Search::new(board, options.clone());
            nodes = 0;
            let start = Instant::now();
            for (position, score) in &positions {
                if !has("--kept") {
                    search = Search::new(board, options.clone());
                }
                let before = search.nodes();
                let found = score_of(search.solve(position)?, position.ply());
                if found != *score {
                    return Err(format!("{set}: score {found} instead of {score} for {position}").into());
                }
                nodes += search.nodes() - before;
            }
            fastest = fastest.min(start.elapsed());
        }
        let (count, seconds) = (positions.len() as f64, fastest.as_secs_f64());
        let ticks = cpu_ticks().zip(ticks).map(|(after, before)| after - before).filter(|ticks| *ticks >= 20);
        let cpu = ticks.map(|ticks| format!("{:.4}", ticks as f64 * TICK_MS / (ROUNDS as f64 * count)));
        let cpu = cpu.unwrap_or("-".to_owned());
        println!("{set:<12} {count:>9} {:>12.4} {cpu:>12} {:>15.1}", seconds * 1e3 / count, nodes as f64 / count);
    }
    if has("--empty") {
        let mut search = Search::new(board, SearchOptions { table_bytes: 1 << 30, ..options });
        let start = Instant::now();
        let outcome = search.solve(&Position::start(board))?;
        let seconds = start.elapsed().as_secs_f64();
        println!("empty board: {outcome:?}, {seconds:.1} s, {} million nodes", search.nodes() / 1_000_000);
    }
    Ok(())
}

/// The usual length of a tick of Linux's process times.
const TICK_MS: f64 = 10.0;

/// Returns the ticks of CPU time that all threads of this process have used; `None` if there is no `/proc`.
fn cpu_ticks() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // After the name in parentheses, user and system time are the twelfth and thirteenth field.
    let mut times = text.rsplit(')').next()?.split_whitespace().skip(11).map_while(|field| field.parse::<u64>().ok());
    Some(times.next()? + times.next()?)
}

/// Reads a line of a set: moves and a score.
fn read(board: Board, line: &str) -> Result<(Position, i32), Box<dyn std::error::Error>> {
    let (moves, score) = line.split_once(' ').ok_or("a line without a score")?;
    Ok((notation::parse(board, moves)?, score.trim().parse()?))
}

/// Returns an outcome as the sets write it: a win is 22 minus the winner's pieces at the end, and a loss is negative.
fn score_of(outcome: Outcome, ply: usize) -> i32 {
    let end = ply as i32 + outcome.remoteness.map_or(0, |plies| plies as i32);
    let score = 22 - (end + 1) / 2;
    match outcome.value {
        Value::Win => score,
        Value::Lose => -score,
        Value::Tie => 0,
    }
}
