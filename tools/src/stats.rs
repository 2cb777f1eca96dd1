//! `fourbase stats`: legal positions by ply and by remoteness.
//!
//! Counting sweeps over all tiers of the board and solves them once more, which takes about twice as long as solving it;
//! so the counts are kept beside the database ([`kept`]) and the next time only read.

mod kept;
mod report;

use std::io::{self, Write};

use clap::Args;
use fourbase_tiers::counts::{self, Counts};
use fourbase_tiers::database::{Database, DatabaseError};

use crate::arguments::{BoardArgument, DatabaseArgument};
use crate::progress::Bar;
use crate::{memory, output};
use report::Stats;

/// Arguments of `fourbase stats`.
#[derive(Args, Debug)]
#[command(after_help = "\
A legal position is one that play reaches from the empty board if it stops at the first line. Mirror
images count apart, and finished positions count as well: primitive ones.

Examples:
  fourbase stats 5x4
  fourbase stats 5x4 --json")]
pub struct Arguments {
    #[command(flatten)]
    board: BoardArgument,

    #[command(flatten)]
    database: DatabaseArgument,

    /// Print one line of JSON
    #[arg(long)]
    json: bool,
}

/// Runs `fourbase stats`.
///
/// # Errors
///
/// No database for the board, or one that cannot be read. Counts that cannot be kept are only a warning.
pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let database = Database::find(&arguments.database.root, arguments.board.board)?;
    let counts = match kept::read(&database) {
        Some(counts) => counts,
        None => {
            let counts = count(&database)?;
            if let Err(reason) = kept::write(&database, &counts) {
                let folder = database.folder().display();
                let _ = writeln!(io::stderr(), "warning: cannot keep the counts beside {folder}: {reason}");
            }
            counts
        }
    };
    let stats = Stats::of(&counts);
    if arguments.json { output::print_json(&stats) } else { output::print(stats) }
}

/// Counts without the files, because a database leaves out what a probe can see for itself; they only say that the
/// board can be solved, and which values to count.
fn count(database: &Database) -> anyhow::Result<Counts> {
    if let Some(ply) = database.manifest().next_ply(database.board()) {
        let folder = database.folder().to_owned();
        return Err(DatabaseError::NotSolved { folder, board: database.board(), values: database.values(), ply }.into());
    }
    let bar = Bar::new();
    // Every entry is looked at on the way forward, and solved on the way back.
    bar.begin(2 * database.manifest().entries(), 0);
    let memory_bytes = memory::default_limit().unwrap_or(u64::MAX);
    let counts = counts::solve_and_count(database.index(), database.values(), memory_bytes, &bar);
    bar.finish();
    Ok(counts?)
}
