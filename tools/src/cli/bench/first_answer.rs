//! The time from the start of a process to its first answer.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, ensure};
use fourbase::{Board, Outcome};
use serde::Serialize;

use crate::json;
use crate::number::short;

/// How many processes are started.
const RUNS: usize = 15;

/// The time from just before a process starts to the line that it prints: `query` of the empty board, with the values
/// of its moves and the best line.
#[derive(Serialize)]
pub struct FirstAnswer {
    pub runs: usize,
    pub median_seconds: f64,
    pub least_seconds: f64,
}

/// Starts this program [`RUNS`] times.
///
/// # Errors
///
/// A process that cannot start or that fails; an answer other than `expected`. (If the folder also has a database with
/// remoteness, the process uses that one.)
pub fn measure(board: Board, root: &Path, expected: Outcome) -> anyhow::Result<FirstAnswer> {
    let mut seconds = (0..RUNS).map(|_| run(board, root, expected)).collect::<anyhow::Result<Vec<_>>>()?;
    seconds.sort_by(f64::total_cmp);
    Ok(FirstAnswer { runs: RUNS, median_seconds: short(seconds[RUNS / 2]), least_seconds: short(seconds[0]) })
}

/// Starts one process; returns the seconds to its answer.
fn run(board: Board, root: &Path, expected: Outcome) -> anyhow::Result<f64> {
    let program = std::env::current_exe().context("cannot find the file of this program")?;
    let mut command = Command::new(program);
    command.args(["query", &board.to_string(), "--json", "--db"]).arg(root);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let start = Instant::now();
    let mut child = command.spawn().context("cannot start this program again")?;
    let mut line = String::new();
    let read = child.stdout.take().map(|output| BufReader::new(output).read_line(&mut line));
    let seconds = start.elapsed().as_secs_f64();
    let mut complaint = String::new();
    let complained = child.stderr.take().map(|mut output| output.read_to_string(&mut complaint));
    let status = child.wait().context("cannot wait for this program")?;
    read.and(complained).transpose().context("cannot read the output of this program")?;
    let complaint = complaint.trim().trim_start_matches("error: ");
    ensure!(status.success(), "`query {board}` in a process of its own ({status}): {complaint}");
    let answer: serde_json::Value = serde_json::from_str(&line).context("`query` did not print JSON")?;
    let found = (&answer["value"], answer["remoteness"].as_u64());
    let expected = (json::value(expected.value), expected.remoteness.map(u64::from));
    ensure!(
        *found.0 == expected.0 && (expected.1.is_none() || found.1 == expected.1),
        "wrong answer: `query {board}` says {}, {:?} plies; the solver says {}, {:?}",
        found.0,
        found.1,
        expected.0,
        expected.1
    );
    Ok(seconds)
}
