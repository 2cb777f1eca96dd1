//! `fourbase bench`: how fast a board is solved, how fast its database answers, and how small the database is.
//!
//! The board is solved in a temporary folder: [`solving`] times a whole solve and its kernels alone, [`space`] compares
//! the size of the database with the number of legal positions, [`first_answer`] times a process, and [`probing`] times
//! probes of a [`sample`] of positions. Every timed answer is also checked, so that no figure stands for a wrong one.
//! A time is that of the fastest of several runs, because other work on the machine can only slow a run down.
//!
//! For a board that takes long to solve, `--db` times only the answers of an existing database.

mod fastest;
mod first_answer;
mod probing;
mod report;
mod sample;
mod solving;
mod space;

use std::path::{Path, PathBuf};

use anyhow::ensure;
use clap::Args;
use fourbase::{Board, Outcome};
use fourbase_tiers::database::Database;
use fourbase_tiers::format::folder_of;
use fourbase_tiers::kernel::{Kernel, Values};

use crate::arguments::{BoardArgument, CacheArgument, ThreadsArgument, ValuesArgument};
use crate::temporary::Temporary;
use crate::{failure, json, number, output, progress, wording};
use report::{BenchReport, MeasuredSolve};
use solving::Solving;

/// Arguments of `fourbase bench`.
#[derive(Args, Debug)]
#[command(after_help = "\
Solves the board in a temporary folder and removes the folder afterwards. Existing databases do
not change. A wrong answer is a failure, exit code 1.

With --db, bench only times and checks the answers of an existing complete database. It compares
each position with all its moves, so choose fewer --samples on a large board. Warm probes are
only warm if the sample fits into the --cache.

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

    /// Measure the database of the board in this folder of databases, and do not solve
    #[arg(id = "db", long = "db", value_name = "DIR")]
    root: Option<PathBuf>,

    /// Number of positions to look up
    #[arg(long, value_name = "N", default_value_t = 200_000, value_parser = number::within::<u32>(1..=10_000_000))]
    samples: u32,

    /// Seed of the random positions; the same seed gives the same positions
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = number::within::<u64>(0..=u64::MAX))]
    seed: u64,

    /// Print one line of JSON
    #[arg(long)]
    json: bool,
}

/// Runs `fourbase bench`.
///
/// # Errors
///
/// A failure of files or memory; a wrong answer.
pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let report = arguments.threads.pool()?.install(|| measure(arguments))?;
    output::print_result("bench", &report, arguments.json)
}

/// Measures the solve, unless there is a database, and then the answers.
fn measure(arguments: &Arguments) -> anyhow::Result<BenchReport> {
    let (board, values) = (arguments.board.board, arguments.values.kind.into());
    if let Some(root) = &arguments.root {
        let database = Database::open(&folder_of(root, board, values))?;
        let outcome = database.manifest().root().ok_or_else(|| database.not_solved(0))?;
        return measure_answers(arguments, database, root, outcome, None);
    }
    let root = Temporary::folder("fourbase-bench-")?;
    let (database, databases, outcome, solved) = measure_solving(board, values, root.path())?;
    let report = measure_answers(arguments, database, &databases, outcome, Some(solved))?;
    root.close()?;
    Ok(report)
}

/// Solves the board below a folder. Returns the database, its folder of databases, the outcome of the empty board, and
/// the measurements.
fn measure_solving(
    board: Board,
    values: Values,
    root: &Path,
) -> anyhow::Result<(Database, PathBuf, Outcome, MeasuredSolve)> {
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
    let took = MeasuredSolve {
        entries: kernels.entries,
        entries_before_mirror: kernels.entries_before_mirror,
        solve: Solving::of(&solved.time, &kernels, solved.peak_memory_bytes),
        kernels: Solving::of(&kernels.time, &kernels, None),
        space,
    };
    Ok((database, solved.root, outcome, took))
}

/// Times the answers of a database in the folder of databases `root`.
fn measure_answers(
    arguments: &Arguments,
    database: Database,
    root: &Path,
    outcome: Outcome,
    solved: Option<MeasuredSolve>,
) -> anyhow::Result<BenchReport> {
    let (board, values, manifest) = (database.board(), database.values(), database.manifest());
    let (keep_plies, hash) = (manifest.keep_plies(), manifest.hash().map(|hash| hash.to_string()));
    // The folder of a solve for this run does not last.
    let folder = solved.is_none().then(|| json::folder(database.folder()));
    let database = arguments.cache.apply(database);
    stage("starting processes");
    let first_answer = first_answer::measure(board, root, outcome)?;
    stage("probing");
    let sample = sample::positions(board, arguments.samples as usize, arguments.seed);
    let probes = probing::measure(database, &sample, outcome)?;
    Ok(BenchReport {
        board,
        values,
        folder,
        keep_plies,
        hash,
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

/// Shows on a terminal what is measured now.
fn stage(what: &str) {
    if progress::is_visible() {
        failure::print_note(&format!("{what} ..."));
    }
}
