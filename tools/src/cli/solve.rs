//! `fourbase solve`: solve every position of a board and write the database.

mod ranks;
pub mod report;

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use clap::Args;
use fourbase_tiers::counts::solve_and_count;
use fourbase_tiers::files::Disk;
use fourbase_tiers::kernel::{Kernel, Values};
use fourbase_tiers::solve::{Plan, Solve};

use crate::arguments::{BoardArgument, DatabaseArgument, FOLDER_HELP, SweepArguments, one_of, values, within};
use crate::cli::job::Job;
use crate::interrupt;
use crate::output;
use crate::output::progress::Shown;
use ranks::Ranks;
use report::{Planned, PlannedTier, Solved, misfit};

/// Arguments of `fourbase solve`.
#[derive(Args, Debug)]
#[command(mut_arg("db", |arg| arg.help(FOLDER_HELP)))]
#[command(after_help = "\
Examples:
  fourbase solve 5x4
  fourbase solve 6x5 --values wdl --memory 1G
  fourbase solve 7x5 --dry-run                show what the solve needs
  fourbase solve 7x6 --dry-run --tiers        and what each of its tiers needs
  fourbase solve 8x6 --dry-run --ranks 16     and what 16 machines need together
  fourbase solve 6x6 --values wdl --keep-plies 20
  fourbase solve 6x5 --stats                  and count positions by value

An interrupted solve resumes when you run the same command again. Ctrl-C stops the solve soon \
and keeps what is solved. The exit code is then 3, and --json prints a line with \"stopped\":true. \
SIGTERM, SIGHUP and SIGUSR1 do the same. A second Ctrl-C stops at once and loses the work since the last \
checkpoint (exit code 130).

With --stats the legal positions are found first, and counted by value as they are solved. `fourbase \
stats` then prints the counts at once.

With --keep-plies N the database is smaller, and a query searches later positions forward. The \
answers stay exact. A search takes microseconds late in a game, and much longer if N is small. \
Only odd plies have files, so an even N keeps the same files as N - 1.")]
pub struct Arguments {
    #[command(flatten)]
    board: BoardArgument,

    #[command(flatten)]
    database: DatabaseArgument,

    /// What to compute for each position
    #[arg(long, value_name = "KIND", default_value = "remoteness", value_parser = values())]
    values: Values,

    #[command(flatten)]
    sweep: SweepArguments,

    /// Keep only positions of at most N pieces; queries search later ones forward [default: keep all]
    #[arg(long, value_name = "N", value_parser = within::<u32>(1..=u64::from(u32::MAX)))]
    keep_plies: Option<u32>,

    /// Shortest time between checkpoints; a killed solve resumes from the last one; 0: after every tier
    #[arg(long, value_name = "SECONDS", default_value_t = 120, value_parser = within::<u32>(0..=1_000_000))]
    checkpoint: u32,

    /// Which kernels compute the values
    #[arg(long, value_name = "KERNEL", default_value = "auto", value_parser = one_of([
        ("auto", "The fastest kernels that this processor can run", Kernel::detect()),
        ("portable", "Kernels for any processor; the database is the same", Kernel::portable()),
    ]))]
    kernel: Kernel,

    /// Show what the solve needs, and do not solve
    #[arg(long)]
    dry_run: bool,

    /// With --dry-run, also show what each tier needs
    #[arg(long, requires = "dry_run")]
    tiers: bool,

    /// With --dry-run, show what N processes need over MPI, each with its own --threads and --memory
    #[arg(long, value_name = "N", requires = "dry_run", value_parser = within::<u32>(1..=1 << 20))]
    ranks: Option<u32>,

    /// Also count the legal positions of every value, for `fourbase stats`: cheaper now than later
    #[arg(long, conflicts_with = "dry_run")]
    stats: bool,

    /// Solve again, and replace the database in one step when the new one is complete
    #[arg(long)]
    replace: bool,

    /// Print one line of JSON
    #[arg(long)]
    json: bool,

    /// Write a line to standard error for each finished tier, instead of a progress bar
    #[arg(long, conflicts_with = "dry_run")]
    log: bool,

    /// Print only the result, without plan and progress
    #[arg(short, long)]
    quiet: bool,
}

impl Arguments {
    /// Returns the solve that the arguments describe, without starting it.
    fn solve(&self, memory_bytes: u64) -> Solve {
        Solve::new(self.board.board, self.values)
            .root(&self.database.root)
            .memory(memory_bytes)
            .kernel(self.kernel)
            .replace(self.replace)
            .scratch(self.sweep.scratch.clone())
            .keep_plies(self.keep_plies)
            .checkpoint(Duration::from_secs(self.checkpoint.into()))
    }
}

/// Runs `fourbase solve`.
///
/// # Errors
///
/// Files that cannot be read or written; too little memory; a stop by a signal. A board that does not fit in memory is refused
/// before anything large is allocated.
pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    arguments.database.folder()?;
    let memory_bytes = arguments.sweep.memory.limit()?;
    let work = if arguments.dry_run { plan } else { solve };
    arguments.sweep.threads.pool()?.install(|| work(arguments, memory_bytes))
}

/// Shows what a solve needs.
fn plan(arguments: &Arguments, memory_bytes: u64) -> anyhow::Result<()> {
    let solve = arguments.solve(memory_bytes);
    let mut plan = solve.plan();
    let (mut speed, mut ranks) = (None, None);
    if let Some(count) = arguments.ranks {
        plan = plan.bounded();
        let threads = rayon::current_num_threads() as u32;
        ranks = Some(Ranks::new(&plan, count, threads, report::thread_speed(&plan, arguments.kernel)?));
    } else {
        plan = plan.within(memory_bytes);
        speed = plan.check(memory_bytes).ok().and_then(|()| report::speed(&plan, arguments.kernel));
    }
    let mut planned = Planned::of(&plan, memory_bytes, speed);
    planned.keep_plies = arguments.keep_plies;
    planned.ranks = ranks;
    if planned.misfit.is_none() {
        let disk = plan.check_disk(&Disk, &solve.folder(), &solve.scratch_folder());
        planned.misfit = disk.err().map(|error| misfit(&error));
    }
    planned.plies = arguments.tiers.then(|| plan.tiers.into_iter().map(PlannedTier::from).collect());
    output::print_result("solve", &planned, arguments.json)
}

/// Solves, and shows the result.
fn solve(arguments: &Arguments, memory_bytes: u64) -> anyhow::Result<()> {
    let job = Job::join()?;
    let is_root = job.is_root();
    let is_shown = is_root && (arguments.log || !arguments.quiet && io::stderr().is_terminal());
    let solve = arguments.solve(memory_bytes);
    interrupt::listen(job.on_interrupt("stopping; finished tiers are kept. Press Ctrl-C again to stop at once"))?;
    // Measure the speed before the solve locks the database. A request to stop during the measurement stops the solve when it
    // begins.
    let is_measured = is_shown && !solve.is_complete();
    let speed = is_measured.then(|| Plan::estimate(solve.board, solve.values));
    let speed = speed.and_then(|estimate| report::speed(&estimate, arguments.kernel));
    let start = Instant::now();
    let log = (is_root && arguments.log).then_some(arguments.board.board);
    let describe = |plan: &Plan| Planned::of(plan, memory_bytes, speed).to_string();
    let describe = is_shown.then_some(&describe as _);
    let progress = Shown::new(!is_shown, log, describe);
    let context = job.context(&progress);
    let solved = match arguments.stats {
        true => solve_and_count(&solve, &context).map(|(report, counts)| (report, Some(counts))),
        false => solve.run_on(&context).map(|report| (report, None)),
    };
    // Remove the progress bar before printing anything else.
    drop(progress);
    let stopped = solved.as_ref().err().and_then(|error| Solved::stopped(error, &solve, start.elapsed()));
    output::print_stopped("solve", stopped, arguments.json && is_root);
    let (report, counts) = job.unless_failed(solved)?;
    drop(job);
    if !is_root {
        return Ok(());
    }
    let legal = counts.map(|counts| counts.sum(|ply| ply.legal));
    let (tiers, keep_plies) = (solve.board.cells() + 1, report.keep_plies);
    let solved = Solved::of(&solve, tiers, keep_plies, Some((report, legal)), start.elapsed());
    output::print_result("solve", &solved, arguments.json)
}
