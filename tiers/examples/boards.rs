//! Solves boards, counts their positions, and writes the rows of docs/reference/boards.md.
//!
//! `cargo run --release -p fourbase-tiers --example boards -- DB BOARD:VALUES ...`
//!
//! The databases are made in DB. Of one that is there, with its counts, the row has no CPU seconds.

use std::error::Error;
use std::path::Path;

use fourbase::{Outcome, Value};
use fourbase_tiers::communicator::Alone;
use fourbase_tiers::counts::{Counts, solve_and_count};
use fourbase_tiers::files::{Disk, grouped};
use fourbase_tiers::solve::{Report, Solve};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let root = arguments.next().ok_or("give DB BOARD:VALUES ...")?;
    for argument in arguments {
        let (board, values) = argument.split_once(':').ok_or("give BOARD:VALUES, such as 5x4:remoteness")?;
        let solve = Solve::new(board.parse()?, values.parse()?).root(Path::new(&root)).memory(MEMORY_BYTES);
        let before = cpu_seconds();
        let (report, counts) = solve_and_count(&solve, &Alone, &Disk, &())?;
        let seconds = before.zip(cpu_seconds()).map(|(before, after)| after - before);
        let seconds = seconds.filter(|_| !report.already_complete);
        println!("{}", row(&report, &counts, seconds));
    }
    Ok(())
}

/// As much as a small machine has.
const MEMORY_BYTES: u64 = 4 << 30;

fn row(report: &Report, counts: &Counts, seconds: Option<f64>) -> String {
    let total = counts.total();
    let [legal, win, tie, lose] =
        [total.legal, total.win, total.tie, total.lose].map(|count| grouped(u128::from(count)));
    let longest = counts.longest(Value::Win).and_then(|row| row.remoteness);
    let longest = longest.map_or_else(|| "-".to_owned(), |plies| plies.to_string());
    let seconds = seconds.map_or_else(|| "-".to_owned(), |seconds| format!("{seconds:.1}"));
    let hash = report.hash.map(|hash| hash.to_string()).unwrap_or_default();
    format!(
        "| {} | {} | {} | {legal} | {win} | {tie} | {lose} | {longest} | {} | {seconds} | `{hash}` |",
        report.board,
        report.values,
        outcome(report.outcome),
        grouped(u128::from(report.bytes)),
    )
}

fn outcome(Outcome { value, remoteness }: Outcome) -> String {
    let verb = match value {
        Value::Win => "wins",
        Value::Tie => "ties",
        Value::Lose => "loses",
    };
    remoteness.map_or_else(|| verb.to_owned(), |plies| format!("{verb} in {plies}"))
}

/// The time that all threads of this process have run.
#[cfg(unix)]
fn cpu_seconds() -> Option<f64> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Some(time.tv_sec as f64 + time.tv_nsec as f64 / 1e9)
}

#[cfg(not(unix))]
fn cpu_seconds() -> Option<f64> {
    None
}
