//! `fourbase stats`: legal positions by ply and by remoteness.
//!
//! Counting sweeps over all tiers of the board, which takes about as long as solving it; so the counts are kept beside
//! the database ([`kept`]) and the next time only read.

mod kept;
mod report;

use std::io::{self, Write};

use anyhow::bail;
use clap::Args;
use fourbase_tiers::counts::{self, Counts};
use fourbase_tiers::database::{Database, DatabaseError};
use fourbase_tiers::error::bytes;
use fourbase_tiers::solve::{Progress, Tier, solve_tier};

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

/// Counts, tier by tier: solves backward into memory, because a database leaves out what a probe can see for itself,
/// then sweeps forward over the legal positions.
fn count(database: &Database) -> anyhow::Result<Counts> {
    let (index, values) = (database.index(), database.values());
    if let Some(ply) = database.manifest().next_ply(database.board()) {
        return Err(not_solved(database, ply).into());
    }
    let bar = Bar::new(database.manifest().entries());
    let limit_bytes = memory::default_limit().unwrap_or(u64::MAX);
    let mut tiers: Vec<Tier> = Vec::new();
    let mut tiers_bytes = 0;
    for ply in (0..=database.board().cells() as u32).rev() {
        let mut tier = Tier::new(index, values, ply, Vec::new());
        tiers_bytes += 8 * (tier.layout.plane_words() * tier.coding.planes()) as u64;
        if tiers_bytes > limit_bytes {
            bar.finish();
            bail!(
                "counting {} needs more than {} of memory, 80 % of what is free; free some, or count a smaller board",
                database.board(),
                bytes(limit_bytes.into())
            );
        }
        bar.tier(ply, tier.layout.entries());
        solve_tier(index, &mut tier, tiers.last(), &bar);
        tiers.push(tier);
    }
    let counts = counts::count(index, values, |ply| tiers.pop().ok_or_else(|| not_solved(database, ply)));
    bar.finish();
    Ok(counts?)
}

fn not_solved(database: &Database, ply: u32) -> DatabaseError {
    let folder = database.folder().to_owned();
    DatabaseError::NotSolved { folder, board: database.board(), values: database.values(), ply }
}
