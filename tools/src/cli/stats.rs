//! `fourbase stats`: count legal positions by ply and by remoteness.
//!
//! Counting solves all tiers of the board once more, which takes about twice as long as a solve. So the counts are kept in a file
//! beside the database, and [`read_kept`] reads them the next time. Counting only legal positions needs no database.

use anyhow::Context;
use clap::Args;
use fourbase_tiers::counts::{Counts, Stats, count_by_ply, count_by_value, read_kept, write_kept};
use fourbase_tiers::database::{Database, DatabaseError};
use fourbase_tiers::files::{Disk, FileError};
use fourbase_tiers::format::folder_of;
use fourbase_tiers::kernel::Values;
use fourbase_tiers::solve::Solve;
use rayon::ThreadPool;

use crate::arguments::{BoardArgument, DatabaseArgument, FOLDER_HELP, SweepArguments, values};
use crate::cli::job::Job;
use crate::output::progress;
use crate::stats::Shown;
use crate::{failure, interrupt, output};

/// The beginning of an error about the database.
const NEEDED: &str = "without --legal and --values a database is needed";

/// Arguments of `fourbase stats`.
#[derive(Args, Debug)]
#[command(mut_arg("db", |arg| arg.help(FOLDER_HELP)))]
#[command(after_help = "\
A legal position can be reached from the empty board by a game that stops at the first line. A \
position and its mirror image count as two. Finished positions count too; they are called \
primitive.

A board that does not fit in memory is counted in temporary files. An interrupted count in files \
resumes when you run the same command again. Ctrl-C, SIGTERM, SIGHUP and SIGUSR1 stop the count soon; the \
exit code is then 3, and --json prints a line with \"stopped\":true. A second Ctrl-C stops it at \
once, and loses the work since the last checkpoint (exit code 130).

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
    #[arg(long, value_name = "KIND", value_parser = values())]
    values: Option<Values>,

    /// Count only legal positions, by ply; this needs no database
    #[arg(long, conflicts_with = "values")]
    legal: bool,

    #[command(flatten)]
    sweep: SweepArguments,

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
/// The count needs a database, and there is none or it cannot be read; the count does not fit in memory. If the counts cannot be
/// written beside the database, that is only a warning.
pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    arguments.database.folder()?;
    let job = Job::join()?;
    let is_kept = |(_, kept, ..): &Prepared| format!("counted: {}", kept.is_some());
    let prepared = job.prepared(prepare(arguments, &job), is_kept);
    let count = |prepared| job.unless_failed(stats(arguments, prepared, &job));
    let found = prepared.and_then(|prepared| prepared.map(count).transpose())?;
    match found.filter(|_| job.is_root()) {
        Some(found) if arguments.csv => output::print(found.to_csv()),
        Some(found) => output::print_result("stats", &found, arguments.json),
        // The other ranks have done their part of the count, and print nothing.
        None => Ok(()),
    }
}

/// Returns the counts that are kept beside the database, or else counts now.
fn stats(arguments: &Arguments, prepared: Prepared, job: &Job) -> anyhow::Result<Shown> {
    let board = arguments.board.board;
    let (database, kept, memory_bytes, pool) = prepared;
    if let Some(counts) = kept {
        return Ok(Shown::of(counts, database.as_ref()));
    }
    let values = database.as_ref().map_or(arguments.values.unwrap_or(Values::Remoteness), Database::values);
    let solve = Solve::new(board, values).memory(memory_bytes).root(&arguments.database.root);
    let solve = solve.scratch(arguments.sweep.scratch.clone());
    let progress = progress::Shown::new(!job.is_root(), None, None);
    // Counting cannot read the values from the database, which has no entries for positions that a probe decides without one. So it
    // solves again.
    let count = if arguments.legal { count_by_ply } else { count_by_value };
    let counted = pool.install(|| count(&solve, &job.context(&progress)));
    drop(progress);
    let values = Some(values).filter(|_| !arguments.legal);
    let stopped = counted.as_ref().err().and_then(|error| Stats::of_stopped(error, values));
    output::print_stopped("stats", stopped, arguments.json && job.is_root());
    let counts = counted?;
    if let (Some(database), true) = (&database, job.is_root())
        && let Err(reason) = write_kept(&Disk, database.folder(), &database.manifest, &counts)
    {
        failure::print_warning(&format!("cannot keep the counts: {reason}"));
    }
    Ok(Shown::of(counts, database.as_ref()))
}

/// The database to count (`None` with `--legal`, and with `--values` if there is no complete one), its counts if they are kept beside
/// it, and the bytes of memory and the threads for a count.
type Prepared = (Option<Database>, Option<Counts>, u64, ThreadPool);

/// Prepares everything before a count begins.
fn prepare(arguments: &Arguments, job: &Job) -> anyhow::Result<Prepared> {
    let database = if arguments.legal { None } else { database(arguments)? };
    let kept = database.as_ref().map(|database| {
        read_kept(&Disk, database.folder(), database.board(), &database.manifest).or_else(|reason| {
            if let FileError::Newer { .. } = reason {
                return Err(reason);
            }
            if job.is_root() {
                failure::print_warning(&format!("{reason}; counting again"));
            }
            Ok(None)
        })
    });
    let kept = kept.transpose()?.flatten();
    interrupt::listen(job.on_interrupt("stopping; press Ctrl-C again to stop at once"))?;
    Ok((database, kept, arguments.sweep.memory.limit()?, arguments.sweep.threads.pool()?))
}

/// Opens the database to count; `None` if `--values` is given and no complete database has these values.
fn database(arguments: &Arguments) -> anyhow::Result<Option<Database>> {
    let (root, board) = (&arguments.database.root, arguments.board.board);
    let Some(values) = arguments.values else {
        let database = match arguments.database.find(board) {
            Err(error @ (DatabaseError::Missing { .. } | DatabaseError::Misplaced { .. })) => {
                return Err(error).context(NEEDED);
            }
            found => found?,
        };
        if let Some(ply) = database.manifest.next_ply() {
            return Err(database.not_solved(ply)).context(NEEDED);
        }
        return Ok(Some(database));
    };
    match Database::open(&folder_of(root, board, values)) {
        Ok(database) => Ok(Some(database).filter(|database| database.manifest.next_ply().is_none())),
        Err(DatabaseError::Missing { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
