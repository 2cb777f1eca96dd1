//! `fourbase export`: data sets, for machine learning.
//!
//! [`arguments`] reads the options. [`destination`] writes the data file, and a text file beside it that explains the data.

mod arguments;
mod destination;

use std::fmt;
use std::path::PathBuf;
use std::time::Instant;

use fourbase::analysis::json::SourceJson;
use fourbase::analysis::{Lookup, Source};
use fourbase_tiers::dataset::{Column, Dataset, RowChoice, ply_ranges};
use fourbase_tiers::files::{bytes, grouped, plain};
use serde::Serialize;

use crate::output::progress::Shown;
use crate::output::{self, wording};
pub use arguments::Arguments;
use destination::Destination;

/// The memory to allow for each thread. A thread's heap keeps about 1.5 MiB for the lists that it makes
/// (`docs/notebook/memory.md`).
const THREAD_BYTES: u64 = 6 << 20;

/// Runs `fourbase export`.
///
/// # Errors
///
/// Bad input: plies or columns that the board or its database does not have; an output file that exists. Failures: no database; a
/// database that cannot be read; an output file that cannot be written.
pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let most = arguments.memory.known().map_or(u64::MAX, |limit| limit / THREAD_BYTES);
    let report = arguments.threads.pool_up_to(most.max(1))?.install(|| export(arguments))?;
    report.map_or(Ok(()), |report| output::print_result("export", &report, arguments.json))
}

/// Writes the data set. Returns the report about the file, or `None` if the data went to standard output.
fn export(arguments: &Arguments) -> anyhow::Result<Option<ExportReport>> {
    let format = arguments.format()?;
    let board = arguments.board.board;
    let choice = arguments.choice(format);
    let limit = if choice.rows == RowChoice::All {
        arguments.memory.limit()?
    } else {
        arguments.memory.known().unwrap_or(u64::MAX)
    };
    let database = arguments.lookup.find_or_embedded(board)?;
    let needed_bytes = choice.memory_bytes(database.index(), limit);
    let (database, memory_bytes) = arguments.memory.limit_cache(database, needed_bytes, 1);
    let columns = match &arguments.columns {
        Some(columns) => columns.to_vec(),
        None => Column::usual(board, database.values()),
    };
    let mut dataset = Dataset::new(&database, choice.clone(), columns)?;
    dataset.budget.nodes = Some(arguments.nodes);
    dataset.memory_bytes = memory_bytes;
    let mut destination = Destination::begin(arguments.output.as_deref(), arguments.replace)?;
    let start = Instant::now();
    let written = dataset.write(&mut destination, format, &Shown::new(false, None, None));
    let by_value = written.map_err(|error| destination.explain(error))?;
    let Some(file) = arguments.output.as_deref() else {
        destination.end("")?;
        return Ok(None);
    };
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let readme = dataset.readme(format, by_value, &name, &arguments.command(format, &choice, &name));
    let bytes = destination.bytes;
    let readme = destination.end(&readme)?;
    let [win, tie, lose] = by_value;
    let (sample, kind, seed) = match choice.rows {
        RowChoice::Sample { count, kind, seed } => (Some(count), Some(kind.name()), Some(seed)),
        _ => (None, None, None),
    };
    Ok(Some(ExportReport {
        board: board.to_string(),
        file: plain(file),
        readme: readme.map(|readme| plain(&readme)),
        format: format.name(),
        rows: win + tie + lose,
        win,
        tie,
        lose,
        of_plies: ply_ranges(&choice.plies),
        sample,
        kind,
        seed,
        distinct: choice.is_distinct || choice.rows == RowChoice::Unforced,
        fields: dataset.fields(format).into_iter().map(|field| field.name()).collect(),
        bytes,
        source: SourceJson { kind: Source::Database, database: database.describe(), nodes: None },
        seconds: output::milliseconds(start.elapsed()),
        path: file.to_path_buf(),
    }))
}

/// A file that was written.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ExportReport {
    board: String,
    file: String,
    /// The text file that describes the exported file; null if the output is a device or a pipe, such as `/dev/stdout`.
    readme: Option<String>,
    #[cfg_attr(test, schemars(extend("enum" = ["csv", "parquet", "uci"])))]
    format: &'static str,
    rows: u64,
    win: u64,
    tie: u64,
    lose: u64,
    /// With ranges: `0-8`.
    of_plies: String,
    /// How many positions were drawn, how, and by which seed; null where none were.
    sample: Option<u64>,
    #[cfg_attr(test, schemars(extend("enum" = ["uniform", "random-play", "choice-matters", null])))]
    kind: Option<&'static str>,
    seed: Option<u64>,
    distinct: bool,
    /// The names of the file's columns.
    fields: Vec<String>,
    bytes: u64,
    source: SourceJson,
    seconds: f64,
    #[serde(skip)]
    path: PathBuf,
}

impl fmt::Display for ExportReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ExportReport { board, rows, win, tie, lose, seconds, .. } = self;
        let [win, tie, lose] = [win, tie, lose].map(|count| grouped((*count).into()));
        let (file, size) = (wording::path(&self.path), bytes(u128::from(self.bytes)));
        writeln!(f, "{file}: {} positions of {board}, {size}, {seconds:.1} s", grouped((*rows).into()))?;
        write!(f, "{} wins, {} ties, {} losses for the player to move", win, tie, lose)
    }
}
