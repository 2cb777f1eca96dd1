//! `fourbase solve`: solve every position of a board and write the database.

mod log;
mod report;
mod speed;

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, anyhow};
use clap::{Args, ValueEnum};
use fourbase::excerpt;
use fourbase_tiers::database::{DatabaseError, TierRecord};
use fourbase_tiers::index::Index;
use fourbase_tiers::kernel::Kernel;
use fourbase_tiers::plan::{Plan, TierPlan};
use fourbase_tiers::solve::{self, BLOCK_WORDS, CHECKPOINT, Options, Progress};

use crate::arguments::{BoardArgument, DatabaseArgument, ThreadsArgument, ValuesArgument};
use crate::progress::{self, Bar};
use crate::{failure, interrupt, memory, output, size};
use log::Log;
use report::{Planned, Solved};

/// Arguments of `fourbase solve`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  fourbase solve 5x4
  fourbase solve 6x5 --values wdl --memory 1G
  fourbase solve 7x5 --dry-run                how large it is, without solving it
  fourbase solve 7x6 --dry-run --log          and every tier of it
  fourbase solve 6x6 --values wdl --keep-plies 20

A solve that was interrupted goes on where it stopped when it is started again. Ctrl-C stops it soon and
keeps what is done but for the tier that it is at in memory, a second Ctrl-C at once (which loses what was
done since the last checkpoint).

With --keep-plies N the database is smaller, and a later position is searched forward whenever it is
asked for: exactly, in microseconds late in a game and, where N is small, in much longer. Only odd plies
have files, so that an even N is as good as N - 1.")]
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

    /// Keep the tiers that are being solved in DIR, compressed [default: in memory, or with the database where they do not
    /// fit]
    #[arg(long, value_name = "DIR")]
    scratch: Option<PathBuf>,

    /// Keep the positions of at most N pieces, and search later ones forward when they are asked for [default: keep all]
    #[arg(long, value_name = "N", value_parser = keep_plies)]
    keep_plies: Option<u32>,

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

    /// Write a line on standard error for every tier that is done, on a terminal or not; with --dry-run, on standard output
    /// what every tier will need
    #[arg(long)]
    log: bool,

    /// Show no plan and no progress on a terminal, only the result
    #[arg(short, long)]
    quiet: bool,
}

/// Reads up to which ply to keep.
fn keep_plies(text: &str) -> anyhow::Result<u32> {
    text.parse().ok().filter(|plies| *plies > 0).ok_or_else(|| {
        let text = excerpt(text, EXCERPT_BYTES);
        anyhow!("\"{text}\" is no number of plies to keep; give 1 or more, or leave it out to keep all")
    })
}

/// How much of a text that is no number is repeated in the error.
const EXCERPT_BYTES: usize = 40;

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
    let plan = if arguments.scratch.is_some() { plan.bounded() } else { plan };
    let plan = plan.keeping(arguments.keep_plies);
    let mut planned = Planned::of(&plan, arguments.kernel.into(), memory_bytes);
    if plan.exact && arguments.log {
        let index = Index::new(plan.board, arguments.kernel.into())?;
        let is_kept = |tier: &TierPlan| arguments.keep_plies.is_none_or(|most| tier.ply <= most);
        let mut tiers = Plan::tiers(&index, plan.values);
        tiers.iter_mut().filter(|tier| !is_kept(tier)).for_each(|tier| tier.database_bytes = 0);
        planned = planned.with_tiers(tiers);
    }
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
        scratch: arguments.scratch.clone(),
        block_words: BLOCK_WORDS,
        checkpoint: CHECKPOINT,
        keep_plies: arguments.keep_plies,
    };
    let start = Instant::now();
    interrupt::listen("stopping, and keeping what is done; Ctrl-C again stops at once")?;
    let is_visible = !arguments.quiet && !arguments.log && progress::is_visible();
    let log = arguments.log.then(Log::begin);
    let teller = Teller { memory_bytes, is_visible, bar: Bar::new(), log, kernel: options.kernel };
    let report = solve::run(&options, &teller);
    teller.bar.finish();
    let report = report?;
    let solved = Solved::of(&report, start.elapsed());
    if arguments.json { output::print_json(&solved) } else { output::print(solved) }
}

/// Tells on a terminal what will happen, and then how far it has come; and stops at Ctrl-C.
struct Teller {
    memory_bytes: u64,
    is_visible: bool,
    bar: Bar,
    log: Option<Log>,
    kernel: Kernel,
}

impl Progress for Teller {
    fn planned(&self, plan: &Plan, entries_done: u64) {
        if !self.is_visible && self.log.is_none() {
            return;
        }
        // Whoever cannot be told what will happen still wants it to happen.
        let _ = writeln!(io::stderr(), "{}", Planned::of(plan, self.kernel, self.memory_bytes));
        if let Some(log) = &self.log {
            return log.planned(plan, entries_done);
        }
        self.bar.begin(u64::try_from(plan.entries).unwrap_or(u64::MAX), entries_done);
    }

    fn tier(&self, ply: u32, entries: u64) {
        self.bar.tier(ply, entries);
    }

    fn solved(&self, entries: u64) {
        self.bar.solved(entries);
    }

    fn tier_done(&self, tier: &TierRecord) {
        if let Some(log) = &self.log {
            log.tier_done(tier);
        }
    }

    fn starts_over(&self, why: &DatabaseError) {
        failure::print_warning(&format!("what was solved cannot be gone on with, so this starts over: {why}"));
    }

    fn is_stopped(&self) -> bool {
        interrupt::is_asked()
    }
}
