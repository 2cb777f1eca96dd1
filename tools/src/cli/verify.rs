//! `fourbase verify`: check a database with code that the solver does not use.

pub mod report;

use anyhow::{anyhow, bail, ensure};
use clap::Args;
use fourbase::Board;
use fourbase_tiers::counts::kept_path;
use fourbase_tiers::database::{Database, DatabaseError};
use fourbase_tiers::files::{bytes, counted};
use fourbase_tiers::format::folder_of;
use fourbase_tiers::kernel::Values;
use fourbase_tiers::verify::{self, FaultKind, VerifyOptions, VerifyReport};
use rayon::ThreadPool;

use crate::arguments::{LookupArguments, MemoryArgument, ThreadsArgument, embedded_boards, within};
use crate::cli::job::Job;
use crate::failure::{self, BadInput};
use crate::output::progress::Shown;
use crate::output::{self, wording};
use crate::remedy::{self, CHECK_FOLDER, UPDATE};
use report::Verified;

/// How many values of an embedded database are recomputed. All would take too long: on its last ply, every move needs a search.
const EMBEDDED_SAMPLE: u64 = 1000;

/// Arguments of `fourbase verify`.
#[derive(Args, Debug)]
#[command(after_help = "\
Verify reads every file, recomputes every stored value from the moves of its position, plays every \
legal position, searches some positions forward, and checks that a query returns each of these values. \
It also checks the counts that stats keeps beside the database. It shares with the solver the rules of the game, the \
ranking and the file layout. It decodes blocks, finds quiet positions and recomputes values with \
code of its own.

With --sample N, verify recomputes only N values, searches at most N positions forward, and does \
not count legal positions. It still reads every file in full. The sample is spread evenly over the \
stored values, and the same N picks the same values. --memory limits the counting of legal positions, \
the values that are recomputed together, and the caches. Little memory means fewer threads.

With --embedded, verify checks a built-in database, or without a board all of them. \
The moves of the last ply in it are searched forward, so that only 1,000 values are recomputed \
unless --sample asks for more.

Examples:
  fourbase verify 5x4
  fourbase verify 7x4 --sample 1000000
  fourbase verify 7x6 --sample 1000000 --log 2> verify.log
  fourbase verify --embedded
  fourbase verify 5x5 --values wdl --json

Exit codes: 0 sound, 1 not sound or not checked (some file cannot be read), 2 bad input.")]
pub struct Arguments {
    /// Columns x rows; then cN for lines of N instead of 4; then m for misère: 5x4, 4x4c3, 4x4m
    #[arg(value_name = "BOARD", allow_hyphen_values = true)]
    #[arg(required_unless_present = "embedded")]
    board: Option<Board>,

    #[command(flatten)]
    lookup: LookupArguments,

    /// Check the built-in databases
    #[arg(long, conflicts_with_all = ["db", "values"])]
    embedded: bool,

    /// Number of stored values to recompute [default: all]
    #[arg(long, value_name = "N", value_parser = within::<u64>(1..=u64::MAX))]
    sample: Option<u64>,

    #[command(flatten)]
    threads: ThreadsArgument,

    #[command(flatten)]
    memory: MemoryArgument,

    /// Print one line of JSON
    #[arg(long)]
    json: bool,

    /// Write a line to standard error for each finished tier, instead of a progress bar
    #[arg(long)]
    log: bool,
}

/// Runs `fourbase verify`.
///
/// # Errors
///
/// The board has no database; the database is not complete; a file cannot be read; the database has faults, which the report lists
/// before this error.
pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let boards = arguments.board.map_or_else(Database::embedded_boards, |board| vec![board]);
    let job = Job::join()?;
    // Check every database, even if an earlier one has faults.
    failure::all_of(boards.into_iter().filter_map(|board| check(arguments, board, &job).err()).collect())
}

/// Checks one database.
fn check(arguments: &Arguments, board: Board, job: &Job) -> anyhow::Result<()> {
    let sample = arguments.sample.or(arguments.embedded.then_some(EMBEDDED_SAMPLE));
    let description = |(database, ..): &(Database, u64, ThreadPool)| {
        format!("{sample:?} of {board} {} {:?}", database.values(), database.manifest.hash)
    };
    let prepared = job.prepared(prepare(arguments, board, sample), description)?;
    let Some((database, memory_bytes, pool)) = prepared else { return Ok(()) };
    let options = VerifyOptions::default();
    let searches = sample.unwrap_or(u64::MAX).min(options.searches);
    let options = VerifyOptions { sample, searches, memory_bytes, ..options };
    let is_shown = job.is_root();
    let log = (is_shown && arguments.log).then(|| {
        let (manifest, values) = (&database.manifest, database.values());
        let size = bytes(manifest.bytes().into());
        failure::print_note(&format!("{board} with {values}: {} tiers, {size}", manifest.tiers.len()));
        board
    });
    let progress = Shown::new(!is_shown, log, None);
    let report = job.unless_failed(pool.install(|| verify::verify(&database, &options, &job.context(&progress))))?;
    drop(progress);
    if !is_shown {
        return Ok(());
    }
    output::print_result("verify", &Verified::of(&report, &database), arguments.json)?;
    verdict(&database, report)
}

/// Opens the database to check, and starts the threads. Also returns how many bytes of memory the caches leave free. Before
/// anything is read, refuses a check whose count of legal positions does not fit in memory.
fn prepare(arguments: &Arguments, board: Board, sample: Option<u64>) -> anyhow::Result<(Database, u64, ThreadPool)> {
    let database = arguments.lookup.cache.apply(open(arguments, board)?);
    let limit = arguments.memory.known().unwrap_or(u64::MAX);
    let counting_bytes = if sample.is_some() { 0 } else { verify::counting_bytes(&database) };
    ensure!(
        counting_bytes <= limit,
        "counting the legal positions of {board} takes {} of memory, {} may be used; give --sample N, which does not count them, \
         or a higher --memory",
        bytes(counting_bytes.into()),
        bytes(limit.into())
    );
    // The number of threads is limited so that the tables of their searches take at most half of the memory.
    let pool = arguments.threads.pool_up_to((limit / 2 / verify::working_bytes(1)).max(1))?;
    // The count and the tables of the searches never need memory at the same time.
    let needed = counting_bytes.max(verify::working_bytes(pool.current_num_threads()));
    // Two caches share the rest: one for the blocks that `verify` decodes, one for the blocks that probes read.
    let (database, memory_bytes) = arguments.memory.limit_cache(database, needed, 2);
    Ok((database, memory_bytes, pool))
}

/// Turns a report into the result of the command: `Ok` if the database is sound.
///
/// # Errors
///
/// The faults of the database, or its files that cannot be read.
fn verdict(database: &Database, report: VerifyReport) -> anyhow::Result<()> {
    let VerifyReport { faults, faults_in_all, unread, .. } = report;
    if faults.iter().any(|fault| fault.kind != FaultKind::Counts) {
        let (folder, faults) = (database.folder(), counted(faults_in_all, "fault"));
        bail!("{} has {faults}; {}", wording::path(folder), remedy::make_again(folder));
    }
    let remedy = |is_newer| if is_newer { UPDATE } else { CHECK_FOLDER };
    failure::all_of(unread.into_values().map(|file| anyhow!("{}; {}", file.message, remedy(file.is_newer))).collect())?;
    if faults.is_empty() {
        return Ok(());
    }
    let counts = kept_path(database.folder());
    Err(anyhow!(
        "the counts in {} are wrong; the next \"fourbase stats\" counts again and replaces them",
        wording::path(&counts)
    ))
}

/// Opens the database that the arguments name. Does not fall back to another database of the board if it cannot be read.
fn open(arguments: &Arguments, board: Board) -> anyhow::Result<Database> {
    if arguments.embedded {
        let no_database = || BadInput(format!("no database of {board} is built in, only of: {}", embedded_boards()));
        return Ok(Database::embedded(board)?.ok_or_else(no_database)?);
    }
    let (root, values) = (&arguments.lookup.database.root, arguments.lookup.values);
    match Database::find_values(root, board, values.unwrap_or(Values::Remoteness)) {
        Err(DatabaseError::MissingValues { .. }) if values.is_none() => {}
        found => return Ok(found?),
    }
    Ok(Database::open(&folder_of(root, board, Values::Wdl))?)
}
