//! `fourbase verify`: check a database with code that the solver does not use.

mod report;

use std::sync::{PoisonError, RwLock};

use anyhow::ensure;
use clap::Args;
use fourbase::Board;
use fourbase_tiers::database::{Database, DatabaseError};
use fourbase_tiers::files::bytes;
use fourbase_tiers::format::folder_of;
use fourbase_tiers::kernel::Values;
use fourbase_tiers::verify::{self, Options, Progress, Report, Stage};

use crate::arguments::{BoardArgument, CacheArgument, DatabaseArgument, MemoryArgument, ThreadsArgument, ValuesKind};
use crate::output;
use crate::progress::Bar;
use crate::unsound::Unsound;
use report::Verified;

/// Arguments of `fourbase verify`.
#[derive(Args, Debug)]
#[command(after_help = "\
Verify reads every file, recomputes every stored value from the moves of its position, compares
the value of the empty board and the number of legal positions with published figures, searches
some positions forward, and checks that a query returns each of these values. It shares with the
solver the rules of the game, the ranking and the file layout. It decodes blocks, finds quiet
positions and recomputes values with code of its own.

With --sample N, verify recomputes only N values, evenly spread over all tiers, and does not
count legal positions. The sample is the same every time. --memory limits the counting of legal
positions.

Examples:
  fourbase verify 5x4
  fourbase verify 7x4 --sample 1000000
  fourbase verify 5x5 --values wdl --json

Exit codes: 0 sound, 1 not sound or not checked, 2 bad input.")]
pub struct Arguments {
    #[command(flatten)]
    board: BoardArgument,

    #[command(flatten)]
    database: DatabaseArgument,

    /// Which database of the board [default: remoteness, else wdl]
    #[arg(long, value_name = "KIND")]
    values: Option<ValuesKind>,

    /// Number of stored values to recompute [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    sample: Option<u64>,

    #[command(flatten)]
    threads: ThreadsArgument,

    #[command(flatten)]
    memory: MemoryArgument,

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
/// There is no database of the board; it cannot be read, or it is not complete. After the report: it has faults.
pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let database = arguments.cache.apply(open(arguments)?);
    check_memory(arguments, &database)?;
    let options = Options { sample: arguments.sample, ..Options::default() };
    let progress = VerifyProgress::default();
    let report = arguments.threads.pool()?.install(|| verify::verify(&database, &options, &progress))?;
    drop(progress);
    let verified = Verified::of(&report, &database);
    output::print_result(&verified, arguments.json)?;
    let (folder, faults) = (database.folder().to_path_buf(), report.faults_in_all);
    let Report { board, values, keep_plies, .. } = report;
    ensure!(faults == 0, Unsound { board, values, keep_plies, folder, faults });
    Ok(())
}

/// Refuses a count of legal positions that does not fit in memory, before anything is read.
fn check_memory(arguments: &Arguments, database: &Database) -> anyhow::Result<()> {
    let Some(limit) = arguments.memory.known() else { return Ok(()) };
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

/// Opens the database that is asked for. If it cannot be read, that is an error, even where the board has another one.
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

/// Shows the progress of each stage on a terminal.
#[derive(Default)]
struct VerifyProgress(RwLock<Option<Bar>>);

impl Progress for VerifyProgress {
    fn begins(&self, stage: Stage, steps: u64) {
        let unit = match stage {
            Stage::Files => "tiers",
            Stage::Values | Stage::Legal => "entries",
            Stage::Search => "searches",
        };
        let mut bar = self.0.write().unwrap_or_else(PoisonError::into_inner);
        // The bar of the stage before goes away first.
        *bar = None;
        *bar = Some(Bar::begun(unit, steps));
    }

    fn done(&self, steps: u64) {
        if let Some(bar) = &*self.0.read().unwrap_or_else(PoisonError::into_inner) {
            bar.add(steps);
        }
    }
}
