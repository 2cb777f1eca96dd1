//! What `fourbase export` says about the file that it wrote: a line for people, and JSON.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fourbase_tiers::database::Database;
use fourbase_tiers::dataset::{Choice, Dataset, Format, Rows, Summary, ply_ranges};
use fourbase_tiers::files::bytes;
use serde::Serialize;

use crate::json::{self, DatabaseJson, SourceKind};
use crate::number::{grouped, milliseconds};
use crate::wording;

/// A file that was written.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ExportReport {
    board: String,
    file: String,
    /// The file that explains it; null for a device.
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
    source: Source,
    seconds: f64,
    #[serde(skip)]
    path: PathBuf,
}

/// The database that the values come from.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Source {
    kind: SourceKind,
    #[serde(flatten)]
    database: DatabaseJson,
    /// Searches are not counted.
    nodes: Option<u64>,
}

impl ExportReport {
    #[expect(clippy::too_many_arguments, reason = "they are what the report is about")]
    pub fn new(
        database: &Database,
        choice: &Choice,
        format: Format,
        dataset: &Dataset,
        summary: &Summary,
        file: &Path,
        readme: Option<PathBuf>,
        bytes: u64,
        time: Duration,
    ) -> ExportReport {
        let [win, tie, lose] = summary.by_value;
        let (sample, kind, seed) = match choice.rows {
            Rows::Sample { count, kind, seed } => (Some(count), Some(kind.name()), Some(seed)),
            _ => (None, None, None),
        };
        ExportReport {
            board: database.board().to_string(),
            file: json::folder(file),
            readme: readme.map(|readme| json::folder(&readme)),
            format: format.name(),
            rows: summary.rows,
            win,
            tie,
            lose,
            of_plies: ply_ranges(&choice.plies),
            sample,
            kind,
            seed,
            distinct: choice.is_distinct || choice.rows == Rows::Unforced,
            fields: dataset.fields(format).into_iter().map(|field| field.name()).collect(),
            bytes,
            source: Source { kind: SourceKind::Database, database: DatabaseJson::of(database), nodes: None },
            seconds: milliseconds(time),
            path: file.to_path_buf(),
        }
    }
}

impl fmt::Display for ExportReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = |count: u64| grouped(u128::from(count));
        let ExportReport { board, rows, win, tie, lose, seconds, .. } = self;
        let (file, size) = (wording::path(&self.path), bytes(u128::from(self.bytes)));
        writeln!(f, "{file}: {} positions of {board}, {size}, {seconds:.1} s", count(*rows))?;
        write!(f, "{} wins, {} ties, {} losses for the player to move", count(*win), count(*tie), count(*lose))
    }
}
