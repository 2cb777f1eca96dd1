//! `fourbase stats`: count legal positions by ply and by remoteness.
//!
//! Counting sweeps over all tiers of the board and solves them once more, which takes about twice as long as a solve. So
//! the counts are kept beside the database ([`read_kept`]) and read the next time. Legal positions alone need no database.

pub mod report;

use std::path::PathBuf;

use clap::Args;
use fourbase_tiers::counts::{Count, Counted, Counts, read_kept, write_kept};
use fourbase_tiers::database::{Database, DatabaseError};
use fourbase_tiers::files::Disk;
use fourbase_tiers::format::folder_of;
use fourbase_tiers::kernel::Values;
use fourbase_tiers::solve::{Plan, Progress};

use crate::arguments::{BoardArgument, DatabaseArgument, MemoryArgument, ThreadsArgument, ValuesKind};
use crate::json::Envelope;
use crate::progress::Bar;
use crate::{failure, interrupt, output};
use report::Stats;

/// Arguments of `fourbase stats`.
#[derive(Args, Debug)]
#[command(after_help = "\
A legal position can be reached from the empty board by a game that stops at the first line. A
position and its mirror image count as two. Finished positions count too; they are called
primitive.

A board that does not fit in memory is counted in temporary files. An interrupted count in files
resumes at the same ply when you run the same command again. Ctrl-C, SIGTERM and SIGHUP stop the
count soon; the exit code is then 3, and --json prints a line with \"stopped\":true. A second
Ctrl-C stops it at once (exit code 130).

Examples:
  fourbase stats 5x4
  fourbase stats 5x4 --json
  fourbase stats 5x4 --csv > 5x4.csv
  fourbase stats 6x6 --values wdl --memory 4G     without a database
  fourbase stats 7x6 --legal --memory 4G --scratch /data")]
pub struct Arguments {
    #[command(flatten)]
    board: BoardArgument,

    #[command(flatten)]
    database: DatabaseArgument,

    /// Count these values, with or without a database [default: the values of the database]
    #[arg(long, value_name = "KIND")]
    values: Option<ValuesKind>,

    /// Count only legal positions, by ply; this needs no database
    #[arg(long, conflicts_with = "values")]
    legal: bool,

    #[command(flatten)]
    threads: ThreadsArgument,

    #[command(flatten)]
    memory: MemoryArgument,

    /// Folder for temporary files [default: in memory if it fits, else beside the databases]
    #[arg(long, value_name = "DIR")]
    scratch: Option<PathBuf>,

    /// Print one line of JSON
    #[arg(long)]
    json: bool,

    /// Print a table of comma-separated values: ply, value, remoteness, positions, and one of them as moves
    #[arg(long, conflicts_with = "json")]
    csv: bool,
}

/// Runs `fourbase stats`.
///
/// # Errors
///
/// There is no database where one is needed, or it cannot be read; the count does not fit. Counts that cannot be kept
/// are only a warning.
pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let board = arguments.board.board;
    if arguments.legal {
        let Counted::Legal(plies) = count(arguments, None)? else { anyhow::bail!("{board}: no legal positions") };
        return print(arguments, &Stats::of_legal(board, &plies));
    }
    let database = database(arguments)?;
    let counts = match &database {
        Some(database) => of_database(arguments, database)?,
        None => values(arguments, arguments.values.map_or(Values::Remoteness, Values::from))?,
    };
    print(arguments, &Stats::of(&counts, database.as_ref()))
}

fn print(arguments: &Arguments, stats: &Stats) -> anyhow::Result<()> {
    if arguments.csv { output::print(stats.to_csv()) } else { output::print_result("stats", stats, arguments.json) }
}

/// Opens the database to count; `None` with `--values` and no complete database of them.
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

/// Reads the counts that are kept beside a database, or counts and keeps them.
///
/// Counting does not read the database, which has no entries for positions that a probe decides by itself.
fn of_database(arguments: &Arguments, database: &Database) -> anyhow::Result<Counts> {
    let (folder, manifest) = (database.folder(), database.manifest());
    match read_kept(&Disk, folder, database.board(), manifest) {
        Ok(Some(counts)) => return Ok(counts),
        Ok(None) => {}
        Err(reason) => failure::print_warning(&format!("{reason}; counting again")),
    }
    let counts = values(arguments, database.values())?;
    if let Err(reason) = write_kept(&Disk, folder, manifest, &counts) {
        failure::print_warning(&format!("cannot keep the counts: {reason}"));
    }
    Ok(counts)
}

/// Counts the positions of each value.
fn values(arguments: &Arguments, values: Values) -> anyhow::Result<Counts> {
    match count(arguments, Some(values))? {
        Counted::Values(counts) => Ok(counts),
        Counted::Legal(_) => anyhow::bail!("{}: no values were counted", arguments.board.board),
    }
}

fn count(arguments: &Arguments, values: Option<Values>) -> anyhow::Result<Counted> {
    let memory_bytes = arguments.memory.limit()?;
    let root = arguments.scratch.as_ref().unwrap_or(&arguments.database.root);
    let count =
        Count::new(arguments.board.board, values).memory(memory_bytes).root(root).in_files(arguments.scratch.is_some());
    interrupt::listen("stopping; press Ctrl-C again to stop at once")?;
    let progress = CountProgress { passes: 1 + u64::from(values.is_some()), bar: Bar::new("entries") };
    let counted = arguments.threads.pool()?.install(|| count.run_with(&progress));
    drop(progress);
    if let Some(stopped) = counted.as_ref().err().and_then(|error| Stats::of_stopped(error, values, &count.folder()))
        && arguments.json
    {
        // That the count was stopped matters more than who reads it.
        let _ = output::print_json(&Envelope::new("stats", &stopped));
    }
    Ok(counted?)
}

/// Shows the progress on a terminal, and stops at Ctrl-C.
struct CountProgress {
    /// How often each entry is visited: in the forward sweep, and with values also in the solve.
    passes: u64,
    bar: Bar,
}

impl Progress for CountProgress {
    fn planned(&self, plan: &Plan, entries_done: u64) {
        let entries = u64::try_from(plan.entries).unwrap_or(u64::MAX);
        self.bar.begin(entries.saturating_mul(self.passes), entries_done);
    }

    fn tier(&self, ply: u32, entries: u64) {
        self.bar.tier(ply, entries);
    }

    fn solved(&self, entries: u64) {
        self.bar.add(entries);
    }

    fn is_stopped(&self) -> bool {
        interrupt::is_asked()
    }
}
