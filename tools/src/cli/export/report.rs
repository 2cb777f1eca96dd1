//! What `fourbase export` says about the file that it wrote: a line for people, and JSON.

use std::fmt;
use std::path::PathBuf;

use fourbase_tiers::files::bytes;
use serde::Serialize;

use crate::json::SourceJson;
use crate::number::grouped;
use crate::wording;

/// A file that was written.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ExportReport {
    pub board: String,
    pub file: String,
    /// The file that explains it; null for a device.
    pub readme: Option<String>,
    #[cfg_attr(test, schemars(extend("enum" = ["csv", "parquet", "uci"])))]
    pub format: &'static str,
    pub rows: u64,
    pub win: u64,
    pub tie: u64,
    pub lose: u64,
    /// With ranges: `0-8`.
    pub of_plies: String,
    /// How many positions were drawn, how, and by which seed; null where none were.
    pub sample: Option<u64>,
    #[cfg_attr(test, schemars(extend("enum" = ["uniform", "random-play", "choice-matters", null])))]
    pub kind: Option<&'static str>,
    pub seed: Option<u64>,
    pub distinct: bool,
    /// The names of the file's columns.
    pub fields: Vec<String>,
    pub bytes: u64,
    pub source: SourceJson,
    pub seconds: f64,
    #[serde(skip)]
    pub path: PathBuf,
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
