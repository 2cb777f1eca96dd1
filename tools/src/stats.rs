//! `fourbase stats`: legal positions by ply and by remoteness.
//!
//! Counting sweeps over all tiers of the board and solves them once more, which takes about twice as long as solving it;
//! so the counts are kept beside the database ([`kept`]) and the next time only read. Legal positions alone need no
//! values and no database.

mod kept;
mod report;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use fourbase_tiers::counts::{self, Counted, Counts, Options};
use fourbase_tiers::database::{Database, DatabaseError, folder_of};
use fourbase_tiers::kernel::Values;
use fourbase_tiers::plan::Plan;
use fourbase_tiers::solve::Progress;

use crate::arguments::{BoardArgument, DatabaseArgument, ThreadsArgument, ValuesKind};
use crate::progress::Bar;
use crate::{interrupt, memory, output, size};
use report::{Legal, Stats};

/// Arguments of `fourbase stats`.
#[derive(Args, Debug)]
#[command(after_help = "\
A legal position is one that play reaches from the empty board if it stops at the first line. Mirror
images count apart, and finished positions count as well: primitive ones.

A board that does not fit the memory is counted in files, which are gone when it is done. A count in
files that was interrupted goes on at the ply where it stopped when it is started again; Ctrl-C stops it
soon, a second Ctrl-C at once.

Examples:
  fourbase stats 5x4
  fourbase stats 5x4 --json
  fourbase stats 6x6 --values wdl --memory 4G     without a database
  fourbase stats 7x6 --legal --memory 4G --scratch /data")]
pub struct Arguments {
    #[command(flatten)]
    board: BoardArgument,

    #[command(flatten)]
    database: DatabaseArgument,

    /// Count these values, whether there is a database of them or not [default: those of the database]
    #[arg(long, value_name = "KIND")]
    values: Option<ValuesKind>,

    /// Count legal positions alone, by ply; needs no database
    #[arg(long, conflicts_with = "values")]
    legal: bool,

    #[command(flatten)]
    threads: ThreadsArgument,

    /// How much memory may be used, such as 512M or 1.5GiB [default: 80 % of what is free]
    #[arg(long, value_name = "SIZE", value_parser = size::parse)]
    memory: Option<u64>,

    /// Count in files in DIR [default: in memory, or in files beside the databases where it does not fit]
    #[arg(long, value_name = "DIR")]
    scratch: Option<PathBuf>,

    /// Print one line of JSON
    #[arg(long)]
    json: bool,
}

/// Runs `fourbase stats`.
///
/// # Errors
///
/// No database for the board where one is needed, or one that cannot be read; a count that does not fit. Counts that
/// cannot be kept are only a warning.
pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let board = arguments.board.board;
    if arguments.legal {
        let Counted::Legal(plies) = count(arguments, None)? else { anyhow::bail!("{board}: no legal positions") };
        let legal = Legal::of(board, &plies);
        return if arguments.json { output::print_json(&legal) } else { output::print(legal) };
    }
    let database = database(arguments)?;
    let counts = match &database {
        Some(database) => of_database(arguments, database)?,
        None => values(arguments, arguments.values.map_or(Values::Remoteness, Values::from))?,
    };
    let keep_plies = database.and_then(|database| database.manifest().keep_plies());
    let stats = Stats::of(&counts, keep_plies);
    if arguments.json { output::print_json(&stats) } else { output::print(stats) }
}

/// Opens the database to count; `None` where the values are given and nothing is solved yet.
fn database(arguments: &Arguments) -> anyhow::Result<Option<Database>> {
    let (root, board) = (&arguments.database.root, arguments.board.board);
    let Some(values) = arguments.values else {
        let database = arguments.database.find(board)?;
        if let Some(ply) = database.manifest().next_ply(board) {
            return Err(database.not_solved(ply).into());
        }
        return Ok(Some(database));
    };
    match Database::open(&folder_of(root, board, values.into())) {
        Ok(database) => Ok(Some(database).filter(|database| database.manifest().next_ply(board).is_none())),
        Err(DatabaseError::Missing { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Returns the counts that are kept beside a database, or counts and keeps them.
///
/// Counting does not read the database, which leaves out what a probe can see for itself.
fn of_database(arguments: &Arguments, database: &Database) -> anyhow::Result<Counts> {
    if let Some(counts) = kept::read(database) {
        return Ok(counts);
    }
    let counts = values(arguments, database.values())?;
    if let Err(reason) = kept::write(database, &counts) {
        let folder = database.folder().display();
        let _ = writeln!(io::stderr(), "warning: cannot keep the counts beside {folder}: {reason}");
    }
    Ok(counts)
}

/// Counts positions by value.
fn values(arguments: &Arguments, values: Values) -> anyhow::Result<Counts> {
    match count(arguments, Some(values))? {
        Counted::Values(counts) => Ok(counts),
        Counted::Legal(_) => anyhow::bail!("{}: no values were counted", arguments.board.board),
    }
}

fn count(arguments: &Arguments, values: Option<Values>) -> anyhow::Result<Counted> {
    let memory_bytes = arguments
        .memory
        .or_else(memory::default_limit)
        .context("cannot tell how much memory is free; say how much may be used with --memory, such as --memory 2G")?;
    let root = arguments.scratch.as_ref().unwrap_or(&arguments.database.root);
    let had_root = root.exists();
    let options = Options::new(arguments.board.board, values, memory_bytes, root);
    let options = Options { is_bounded: arguments.scratch.is_some(), ..options };
    interrupt::listen("stopping; Ctrl-C again stops at once")?;
    let teller = Teller { ways: 1 + u64::from(values.is_some()), bar: Bar::new() };
    let counted = arguments.threads.pool()?.install(|| counts::run(&options, &teller));
    teller.bar.finish();
    clear(&options.folder(), (!had_root).then_some(root));
    Ok(counted?)
}

/// Removes the folder of a count, and those above it, where nothing is in them.
fn clear(folder: &Path, root: Option<&PathBuf>) {
    let mut folders = vec![folder];
    folders.extend(folder.parent());
    folders.extend(root.map(PathBuf::as_path));
    for folder in folders {
        // The system refuses to remove a folder that something is in.
        let _ = fs::remove_dir(folder);
    }
}

/// Tells on a terminal how far it has come, and stops at Ctrl-C.
struct Teller {
    /// Every entry is looked at on the way forward, and with values solved on the way back.
    ways: u64,
    bar: Bar,
}

impl Progress for Teller {
    fn planned(&self, plan: &Plan, entries_done: u64) {
        let entries = u64::try_from(plan.entries).unwrap_or(u64::MAX);
        self.bar.begin(entries.saturating_mul(self.ways), entries_done);
    }

    fn tier(&self, ply: u32, entries: u64) {
        self.bar.tier(ply, entries);
    }

    fn solved(&self, entries: u64) {
        self.bar.solved(entries);
    }

    fn is_stopped(&self) -> bool {
        interrupt::is_asked()
    }
}
