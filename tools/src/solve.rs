//! `fourbase solve`: solve every position of a board and write the database.

mod report;

use std::io::{self, Write};
use std::time::Instant;

use anyhow::Context;
use clap::{Args, ValueEnum};
use fourbase_tiers::kernel::Kernel;
use fourbase_tiers::plan::Plan;
use fourbase_tiers::solve::{self, CHECKPOINT, Options, Progress};

use crate::arguments::{BoardArgument, DatabaseArgument, ThreadsArgument, ValuesArgument};
use crate::progress::{self, Bar};
use crate::{memory, output, size};
use report::{Planned, Solved};

/// Arguments of `fourbase solve`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  fourbase solve 5x4
  fourbase solve 6x5 --values wdl --memory 1G
  fourbase solve 7x5 --dry-run                how large it is, without solving it

A solve that was interrupted goes on where it stopped when it is started again.")]
pub struct Arguments {
    #[command(flatten)]
    board: BoardArgument,

    #[command(flatten)]
    database: DatabaseArgument,

    #[command(flatten)]
    values: ValuesArgument,

    #[command(flatten)]
    threads: ThreadsArgument,

    /// How much memory may be used, such as 512M or 1.5GiB [default: 80 % of what is free]
    #[arg(long, value_name = "SIZE", value_parser = size::parse)]
    memory: Option<u64>,

    /// Which kernels compute: the fastest that this processor can run, or the portable ones
    #[arg(long, value_name = "KERNEL", default_value = "auto")]
    kernel: KernelArgument,

    /// Say what the solve would need, and stop
    #[arg(long)]
    dry_run: bool,

    /// Start over even if some or all of it is solved
    #[arg(long)]
    replace: bool,

    /// Print one line of JSON
    #[arg(long)]
    json: bool,

    /// Show no plan and no progress on a terminal, only the result
    #[arg(short, long)]
    quiet: bool,
}

/// What `--kernel` may be.
#[derive(ValueEnum, Clone, Copy, Debug)]
enum KernelArgument {
    /// The fastest that this processor can run
    Auto,
    /// Plain code for any processor; gives the same database
    Portable,
}

impl From<KernelArgument> for Kernel {
    fn from(argument: KernelArgument) -> Kernel {
        match argument {
            KernelArgument::Auto => Kernel::detect(),
            KernelArgument::Portable => Kernel::portable(),
        }
    }
}

/// Runs `fourbase solve`.
///
/// # Errors
///
/// A failure of files or memory; a board that does not fit is one, and is told before anything large is allocated.
pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let memory_bytes = arguments
        .memory
        .or_else(memory::default_limit)
        .context("cannot tell how much memory is free; say how much may be used with --memory, such as --memory 2G")?;
    arguments
        .threads
        .pool()?
        .install(|| if arguments.dry_run { plan(arguments, memory_bytes) } else { solve(arguments, memory_bytes) })
}

/// Says what a solve would need.
fn plan(arguments: &Arguments, memory_bytes: u64) -> anyhow::Result<()> {
    let plan = Plan::new(arguments.board.board, arguments.values.kind.into(), memory_bytes);
    let planned = Planned::of(&plan, memory_bytes);
    if arguments.json { output::print_json(&planned) } else { output::print(planned) }
}

/// Solves, and says how it went.
fn solve(arguments: &Arguments, memory_bytes: u64) -> anyhow::Result<()> {
    let options = Options {
        board: arguments.board.board,
        values: arguments.values.kind.into(),
        root: arguments.database.root.clone(),
        memory_bytes,
        kernel: arguments.kernel.into(),
        replace: arguments.replace,
        checkpoint: CHECKPOINT,
    };
    let start = Instant::now();
    let report = if !arguments.quiet && progress::is_visible() {
        let teller = Teller { memory_bytes, bar: Bar::new() };
        let report = solve::run(&options, &teller);
        teller.bar.finish();
        report?
    } else {
        solve::run(&options, &())?
    };
    let solved = Solved::of(&report, start.elapsed());
    if arguments.json { output::print_json(&solved) } else { output::print(solved) }
}

/// Tells on a terminal what will happen, and then how far it has come.
struct Teller {
    memory_bytes: u64,
    bar: Bar,
}

impl Progress for Teller {
    fn planned(&self, plan: &Plan, entries_done: u64) {
        // Whoever cannot be told what will happen still wants it to happen.
        let _ = writeln!(io::stderr(), "{}", Planned::of(plan, self.memory_bytes));
        self.bar.begin(u64::try_from(plan.entries).unwrap_or(u64::MAX), entries_done);
    }

    fn tier(&self, ply: u32, entries: u64) {
        self.bar.tier(ply, entries);
    }

    fn solved(&self, entries: u64) {
        self.bar.solved(entries);
    }
}
