//! `fourbase export`: data sets, for machine learning.

mod destination;
mod lists;
pub mod report;

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use fourbase::analysis::{Budget, Lookup, Source};
use fourbase_tiers::dataset::{Choice, Column, Dataset, Format, Rows, ply_ranges};
use fourbase_tiers::positions::SampleKind;

use crate::arguments::{BoardArgument, CacheArgument, DatabaseArgument, MemoryArgument, ThreadsArgument, one_of};
use crate::failure::BadInput;
use crate::json::{self, SourceJson};
use crate::progress::Shown;
use crate::{number, output, quote, wording};
use destination::Destination;
use lists::{ColumnList, PlyList};
use report::ExportReport;

/// The ply of the UCI data set.
const UCI_PLY: u32 = 8;

/// Arguments of `fourbase export`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Without --sample, export writes every legal position of the plies that no line has finished. With \
--sample N it draws N unfinished positions: of kind uniform, every legal position of the plies is \
equally likely; of kind random-play, a ply is drawn and random moves are played up to it; of kind \
choice-matters also again until the moves differ in value. The same seed gives the same file.

Columns: moves, bits, uni, bitboards (two columns), ply, value, remoteness, score (Pons' score), \
move-values and move-remoteness (a column for each move). By default all but moves, bits and uni. \
Values are 1 for a win of the player to move, 0 for a tie and -1 for a loss. A database of values \
alone has no remoteness and no score.

The format is that of the name's end: .csv, .parquet, or .data for the text of the UCI data set. \
Releases write Parquet; to build it yourself: cargo build --release --features parquet \
--format uci writes the positions of the UCI data set by its rule: 8 plies, and no move of either \
player would complete a line; on 7x6 the same 67,557 rows in the same order. A file NAME.md beside \
the output explains its columns and says how it was made.

Examples:
  fourbase export 5x4 --output 5x4.csv
  fourbase export 5x4 --plies 0-8 --columns moves,value,remoteness
  fourbase export 7x6 --sample 1000 --plies 8-12 --seed 1 --output 7x6.csv
  fourbase export 7x6 --format uci --output connect-4.data")]
pub struct Arguments {
    #[command(flatten)]
    board: BoardArgument,

    /// Write to this file [default: standard output, as CSV]
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// How to write the rows [default: by the end of the file's name]
    #[arg(long, value_name = "FORMAT", value_parser = one_of([
        ("csv", "Comma-separated values", Format::Csv),
        ("parquet", "Apache Parquet", Format::Parquet),
        ("uci", "The text of the UCI data set connect-4", Format::Uci),
    ]))]
    format: Option<Format>,

    /// The plies (numbers of pieces) to take positions from, such as 8 or 0-10,12 [default: all]
    #[arg(long, value_name = "PLIES")]
    plies: Option<PlyList>,

    /// Draw N positions at random instead of all
    #[arg(long, value_name = "N", value_parser = number::within::<u64>(1..=1_000_000_000_000))]
    sample: Option<u64>,

    /// How to draw them [default: uniform]
    #[arg(long, value_name = "KIND", requires = "sample", value_parser = one_of([
        ("uniform", "Every unfinished legal position equally likely", SampleKind::Uniform),
        ("random-play", "Random moves up to a random ply", SampleKind::RandomPlay),
        ("choice-matters", "The same, and the moves differ in value", SampleKind::ChoiceMatters),
    ]))]
    kind: Option<SampleKind>,

    /// Seed of the random numbers; the same seed gives the same file [default: 1]
    #[arg(long, value_name = "N", requires = "sample", value_parser = number::within::<u64>(0..=u64::MAX))]
    seed: Option<u64>,

    /// Of a position and its mirror image write only one, and of a sample each once
    #[arg(long)]
    distinct: bool,

    /// Only positions in which no move would complete a line, as in the UCI data set
    #[arg(long, conflicts_with = "sample")]
    unforced: bool,

    /// The columns to write, such as moves,value [default: bitboards and all that the database knows]
    #[arg(long, value_name = "LIST")]
    columns: Option<ColumnList>,

    /// Replace the output file if it exists
    #[arg(long)]
    replace: bool,

    /// Search at most N nodes for a position that the database does not keep
    #[arg(long, value_name = "N", default_value_t = 100_000_000, value_parser = number::within::<u64>(1..=u64::MAX))]
    nodes: u64,

    #[command(flatten)]
    database: DatabaseArgument,

    #[command(flatten)]
    cache: CacheArgument,

    #[command(flatten)]
    memory: MemoryArgument,

    #[command(flatten)]
    threads: ThreadsArgument,

    /// Print one line of JSON about the file
    #[arg(long, requires = "output")]
    json: bool,
}

/// Runs `fourbase export`.
///
/// # Errors
///
/// Bad input: plies or columns that the board or its database does not have, a file that exists. Failures: no database, or
/// one that cannot be read; a file that cannot be written.
pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let report = arguments.threads.pool()?.install(|| export(arguments))?;
    match (report, &arguments.output) {
        (Some(report), Some(_)) => output::print_result("export", &report, arguments.json),
        _ => Ok(()),
    }
}

/// Writes the data set. Returns what to report of a file.
fn export(arguments: &Arguments) -> anyhow::Result<Option<ExportReport>> {
    let format = arguments.format()?;
    let board = arguments.board.board;
    let database = arguments.cache.apply(arguments.database.find_or_embedded(board)?);
    let choice = arguments.choice(format);
    let columns = match &arguments.columns {
        Some(ColumnList(columns)) => columns.clone(),
        None => Column::usual(database.values()),
    };
    let budget = Budget { nodes: Some(arguments.nodes), ..Budget::default() };
    let memory_bytes = if choice.rows == Rows::All { arguments.memory.limit()? } else { u64::MAX };
    let dataset = Dataset::new(&database, choice.clone(), columns)?.budget(budget).memory(memory_bytes);
    let mut destination = Destination::begin(arguments.output.as_deref(), arguments.replace)?;
    let start = Instant::now();
    let written = dataset.write(&mut destination, format, &Shown::new(false, None, None));
    let summary = written.map_err(|error| destination.explain(error))?;
    let Some(file) = arguments.output.as_deref() else {
        destination.end("")?;
        return Ok(None);
    };
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let readme = dataset.readme(format, &summary, &name, &arguments.command(format, &choice, &name));
    let bytes = destination.bytes();
    let readme = destination.end(&readme)?;
    let [win, tie, lose] = summary.by_value;
    let (sample, kind, seed) = match choice.rows {
        Rows::Sample { count, kind, seed } => (Some(count), Some(kind.name()), Some(seed)),
        _ => (None, None, None),
    };
    Ok(Some(ExportReport {
        board: board.to_string(),
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
        source: SourceJson { kind: Source::Database, database: database.describe(), nodes: None },
        seconds: number::milliseconds(start.elapsed()),
        path: file.to_path_buf(),
    }))
}

impl Arguments {
    /// Finds the format: the one that was asked for, else that of the file's name; CSV on standard output.
    fn format(&self) -> Result<Format, BadInput> {
        let format = match (self.format, &self.output) {
            (Some(format), _) => format,
            (None, None) => Format::Csv,
            (None, Some(file)) => Format::of_file(file).ok_or_else(|| unknown_format(file))?,
        };
        let reason = if !format.is_built() {
            "this fourbase was built without Parquet; build it with: cargo build --release --features parquet, or \
             write CSV with --format csv"
        } else if format == Format::Parquet && self.output.is_none() {
            "Parquet goes into a file; give --output FILE.parquet"
        } else if format == Format::Uci && self.columns.is_some() {
            "the format uci has columns of its own; leave --columns out, or give --unforced --format csv"
        } else {
            return Ok(format);
        };
        Err(BadInput(reason.to_owned()))
    }

    /// Returns which positions are asked for. The format of the UCI data set stands for its positions.
    fn choice(&self, format: Format) -> Choice {
        let cells = self.board.board.cells() as u32;
        let (rows, usual) = match self.sample {
            Some(count) => {
                let kind = self.kind.unwrap_or(SampleKind::Uniform);
                (Rows::Sample { count, kind, seed: self.seed.unwrap_or(1) }, 0..cells)
            }
            None if self.unforced || format == Format::Uci => {
                let ply = UCI_PLY.min(cells);
                (Rows::Unforced, ply..ply + 1)
            }
            None => (Rows::All, 0..cells + 1),
        };
        let plies = self.plies.as_ref().map_or_else(|| usual.collect(), |PlyList(plies)| plies.clone());
        Choice { rows, plies, is_distinct: self.distinct }
    }

    /// Returns the command that makes the same file elsewhere: without folders, threads and limits.
    fn command(&self, format: Format, choice: &Choice, name: &str) -> String {
        let mut command = format!("fourbase export {}", self.board.board);
        let mut add = |option: &str, value: String| command.push_str(&quote::option(option, &value));
        if let Some(PlyList(_)) = &self.plies {
            add("plies", ply_ranges(&choice.plies));
        }
        if let Rows::Sample { count, kind, seed } = choice.rows {
            add("sample", count.to_string());
            add("kind", kind.to_string());
            add("seed", seed.to_string());
        }
        if let Some(ColumnList(columns)) = &self.columns {
            add("columns", columns.iter().map(|column| column.name()).collect::<Vec<_>>().join(","));
        }
        add("format", format.to_string());
        add("output", name.to_owned());
        for (is_given, flag) in [(self.distinct, " --distinct"), (self.unforced, " --unforced")] {
            command.push_str(if is_given { flag } else { "" });
        }
        command
    }
}

fn unknown_format(file: &Path) -> BadInput {
    let file = wording::path(file);
    BadInput(format!("the name {file} does not tell the format; end it with .csv or .parquet, or give --format"))
}
