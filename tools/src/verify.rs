//! `fourbase verify`: whether a database is right, found without the solver.

mod report;

use std::sync::{PoisonError, RwLock};

use anyhow::{anyhow, ensure};
use clap::Args;
use fourbase::Board;
use fourbase_tiers::database::{Database, DatabaseError, folder_of};
use fourbase_tiers::error::bytes;
use fourbase_tiers::kernel::Values;
use fourbase_tiers::verify::{self, Options, Progress, Stage};

use crate::arguments::{BoardArgument, CacheArgument, DatabaseArgument, ThreadsArgument, ValuesKind};
use crate::counter::Counter;
use crate::{memory, output, size};
use report::Verified;

/// Arguments of `fourbase verify`.
#[derive(Args, Debug)]
#[command(after_help = "\
Reads every file through; recomputes every stored value from the moves of its position; compares the
empty board and the number of legal positions with what others have published; and searches some
positions forward. Nothing of the solver is used.

With --sample, only so many values are recomputed, evenly over all tiers, and legal positions are not
counted. The same sample is taken every time.

Examples:
  fourbase verify 5x4
  fourbase verify 7x4 --sample 1000000
  fourbase verify 5x5 --values wdl --json

Exit codes: 0 all is well, 1 it is not, or cannot be told, 2 bad input.")]
pub struct Arguments {
    #[command(flatten)]
    board: BoardArgument,

    #[command(flatten)]
    database: DatabaseArgument,

    /// Which database of the board [default: the one with remoteness if there is one]
    #[arg(long = "values", value_name = "KIND")]
    values: Option<ValuesKind>,

    /// How many stored values to recompute [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    sample: Option<u64>,

    #[command(flatten)]
    threads: ThreadsArgument,

    /// How much memory counting legal positions may take, such as 4G [default: 80 % of what is free]
    #[arg(long, value_name = "SIZE", value_parser = size::parse)]
    memory: Option<u64>,

    #[command(flatten)]
    cache: CacheArgument,

    /// Print one line of JSON
    #[arg(long)]
    json: bool,
}

/// Runs `fourbase verify`.
///
/// # Errors
///
/// No database for the board, one that cannot be read or is not solved to the end; and, after the report, any fault.
pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let database = arguments.cache.apply(open(arguments)?);
    check_memory(arguments, &database)?;
    let options = Options { sample: arguments.sample, ..Options::default() };
    let teller = Teller::default();
    let report = arguments.threads.pool()?.install(|| verify::verify(&database, &options, &teller))?;
    drop(teller);
    let verified = Verified::of(&report, &database);
    if arguments.json { output::print_json(&verified) } else { output::print(&verified) }?;
    match verified.verdict(&arguments.database.root) {
        Some(verdict) => Err(anyhow!(verdict)),
        None => Ok(()),
    }
}

/// Refuses a count of legal positions that does not fit into memory, before anything is read.
fn check_memory(arguments: &Arguments, database: &Database) -> anyhow::Result<()> {
    let Some(limit) = arguments.memory.or_else(memory::default_limit) else { return Ok(()) };
    let needed = if arguments.sample.is_some() { 0 } else { verify::counting_bytes(database) };
    ensure!(
        needed <= limit,
        "counting the legal positions of {} takes {} of memory, {} may be used; give --sample N, which does not count them, \
         or a higher --memory",
        database.board(),
        bytes(needed.into()),
        bytes(limit.into())
    );
    Ok(())
}

/// Opens the database that is asked for. One that cannot be read is not passed over for another.
fn open(arguments: &Arguments) -> Result<Database, DatabaseError> {
    let (root, board): (_, Board) = (&arguments.database.root, arguments.board.board);
    let kinds = match arguments.values {
        Some(kind) => vec![Values::from(kind)],
        None => vec![Values::Remoteness, Values::Wdl],
    };
    for values in kinds {
        match Database::open(&folder_of(root, board, values)) {
            Err(DatabaseError::Missing { .. }) => {}
            opened => return opened,
        }
    }
    Err(DatabaseError::Missing { board, root: root.clone() })
}

/// Tells on a terminal how far the stage has come.
#[derive(Default)]
struct Teller(RwLock<Option<Counter>>);

impl Progress for Teller {
    fn begins(&self, stage: Stage, steps: u64) {
        let what = match stage {
            Stage::Files => "tiers",
            Stage::Values | Stage::Legal => "entries",
            Stage::Search => "searches",
        };
        let mut counter = self.0.write().unwrap_or_else(PoisonError::into_inner);
        // The line of the stage before has to go before there is another.
        *counter = None;
        *counter = Some(Counter::begin(steps, what));
    }

    fn done(&self, steps: u64) {
        if let Some(counter) = &*self.0.read().unwrap_or_else(PoisonError::into_inner) {
            counter.add(steps);
        }
    }
}
