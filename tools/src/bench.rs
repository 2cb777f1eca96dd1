//! `fourbase bench`: how fast a board is solved and looked up, and how small it is.
//!
//! Everything happens in a temporary folder, on this machine, now: [`solving`] times a whole solve and its kernels
//! alone, [`space`] weighs the database against the legal positions, [`first_answer`] times a process, [`probing`] times
//! probes of the positions of a [`sample`]. Whatever is timed is also checked, so that no figure stands for a wrong
//! answer. Times are those of the fastest of several runs: what else the machine does can only add to them.
//!
//! A board that takes an hour to solve is solved before, and only its answers are timed (`--db`).

mod fastest;
mod first_answer;
mod probing;
mod report;
mod sample;
mod solving;
mod space;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use clap::Args;
use fourbase::{Board, Outcome};
use fourbase_tiers::database::{Database, folder_of};
use fourbase_tiers::kernel::{Kernel, Values};

use crate::arguments::{BoardArgument, CacheArgument, ThreadsArgument, ValuesArgument};
use crate::{output, progress, wording};
use report::{Report, Solved};
use solving::Solving;

/// Arguments of `fourbase bench`.
#[derive(Args, Debug)]
#[command(after_help = "\
Solves the board into a temporary folder and removes it afterwards; databases that are there stay as
they are. A wrong answer is a failure, exit code 1.

With --db, nothing is solved or counted: the answers of a complete database are timed and checked.
Each position is also compared with its moves, so that of a large board fewer --samples will do, and
what is called warm has to fit into the --cache.

Examples:
  fourbase bench 5x5
  fourbase bench 7x4 --values wdl --json
  fourbase bench 7x6 --values wdl --db db --samples 10000 --cache 1G")]
pub struct Arguments {
    #[command(flatten)]
    board: BoardArgument,

    #[command(flatten)]
    values: ValuesArgument,

    #[command(flatten)]
    threads: ThreadsArgument,

    #[command(flatten)]
    cache: CacheArgument,

    /// Measure the database that is in this folder of databases instead of solving one
    #[arg(long = "db", value_name = "DIR")]
    root: Option<PathBuf>,

    /// How many positions are looked up
    #[arg(long, value_name = "N", default_value_t = 200_000, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    samples: u32,

    /// Which random positions: the same number, the same positions
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Print one line of JSON
    #[arg(long)]
    json: bool,
}

/// Runs `fourbase bench`.
///
/// # Errors
///
/// A failure of files or memory, and an answer that is wrong.
pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let report = arguments.threads.pool()?.install(|| measure(arguments))?;
    if arguments.json { output::print_json(&report) } else { output::print(report) }
}

/// Measures one thing after the other.
fn measure(arguments: &Arguments) -> anyhow::Result<Report> {
    let (board, values) = (arguments.board.board, arguments.values.kind.into());
    if let Some(root) = &arguments.root {
        let database = Database::open(&folder_of(root, board, values))?;
        let outcome = database.manifest().root().ok_or_else(|| database.not_solved(0))?;
        return measure_answers(arguments, database, root, outcome, None);
    }
    let root =
        tempfile::Builder::new().prefix("fourbase-bench-").tempdir().context("cannot make a temporary folder")?;
    let (database, databases, outcome, solved) = measure_solving(board, values, root.path())?;
    let report = measure_answers(arguments, database, &databases, outcome, Some(solved))?;
    root.close().context("cannot remove the temporary folder")?;
    Ok(report)
}

/// Solves the board below a folder. Returns the database, the folder of databases that it is in, what the empty board
/// is worth, and what it took.
fn measure_solving(board: Board, values: Values, root: &Path) -> anyhow::Result<(Database, PathBuf, Outcome, Solved)> {
    stage("solving");
    let solved = solving::whole(board, values, root)?;
    stage("solving with the kernels alone");
    let kernels = solving::kernels_alone(board, values)?;
    let outcome = solved.report.outcome;
    ensure!(
        kernels.outcome == outcome,
        "wrong answer: the empty board of {board} is a {} in the database, a {} by the kernels alone",
        wording::plain(outcome),
        wording::plain(kernels.outcome),
    );
    let database = Database::open(&solved.report.folder)?;
    stage("counting legal positions");
    let space = space::weigh(&database)?;
    let took = Solved {
        entries: kernels.entries,
        entries_before_mirror: kernels.entries_before_mirror,
        solve: Solving::of(&solved.time, &kernels, solved.peak_memory_bytes),
        kernels: Solving::of(&kernels.time, &kernels, None),
        space,
    };
    Ok((database, solved.root, outcome, took))
}

/// Times the answers of a database in a folder of databases.
fn measure_answers(
    arguments: &Arguments,
    database: Database,
    root: &Path,
    outcome: Outcome,
    solved: Option<Solved>,
) -> anyhow::Result<Report> {
    let (board, values) = (database.board(), database.values());
    let database = arguments.cache.apply(database);
    stage("starting processes");
    let first_answer = first_answer::measure(board, root, outcome)?;
    stage("probing");
    let sample = sample::positions(board, arguments.samples as usize, arguments.seed);
    let probes = probing::measure(database, &sample, outcome)?;
    Ok(Report {
        board,
        values,
        outcome,
        kernel: Kernel::detect().name(),
        threads: rayon::current_num_threads(),
        seed: arguments.seed,
        cache_bytes: arguments.cache.bytes,
        solved,
        first_answer,
        probes,
    })
}

/// Says on a terminal what goes on.
fn stage(what: &str) {
    if progress::is_visible() {
        let _ = writeln!(io::stderr(), "{what} ...");
    }
}
