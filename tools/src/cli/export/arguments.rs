//! The arguments of `fourbase export`: the choice of positions and format, and the parsers for lists of plies and columns.

use std::path::{Path, PathBuf};

use clap::Args;
use fourbase_tiers::dataset::{Column, Format, RowChoice, Selection, ply_ranges};
use fourbase_tiers::positions::SampleKind;

use crate::arguments::{BoardArgument, LookupArguments, MemoryArgument, ThreadsArgument, one_of, refused, within};
use crate::failure::BadInput;
use crate::output::wording;

/// The latest ply of any board.
const MOST_PLY: u32 = 64;

/// Arguments of `fourbase export`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Without --sample, export writes every legal position of the plies that no line has finished: full \
boards, whose moves would all be null, only if --plies names their ply. With --sample N it draws N \
unfinished positions: of kind uniform, every legal position of the plies is equally likely; of kind random-play, a ply is drawn and random moves are played up to it; of kind \
choice-matters does the same, and draws again until the moves differ in value. The same seed gives the same file.

Columns: moves, bits, uni, bitboards (two columns), ply, value, remoteness, score (Pons' score), \
move-values and move-remoteness (a column for each move). By default all but moves, bits and uni. \
Values are 1 for a win of the player to move, 0 for a tie and -1 for a loss. A wdl database has no \
remoteness and no score, and a misère board no score.

The file's extension chooses the format: .csv, .parquet, or .data for the text of the UCI data set. \
Releases write Parquet. To build such a program yourself, type: cargo build --release --features parquet

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
    pub board: BoardArgument,

    /// Write to this file [default: standard output, as CSV]
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// How to write the rows [default: by the file's extension]
    #[arg(long, value_name = "FORMAT", value_parser = one_of([
        ("csv", "Comma-separated values", Format::Csv),
        ("parquet", "Apache Parquet", Format::Parquet),
        ("uci", "The text of the UCI data set connect-4", Format::Uci),
    ]))]
    format: Option<Format>,

    /// The plies (numbers of pieces) to take positions from, such as 8 or 0-10,12 [default: all but full boards]
    #[arg(long, value_name = "PLIES", value_parser = read_plies)]
    plies: Option<Box<[u32]>>,

    /// Draw N positions at random instead of all
    #[arg(long, value_name = "N", value_parser = within::<u64>(1..=1_000_000_000_000))]
    sample: Option<u64>,

    /// How to draw them [default: uniform]
    #[arg(long, value_name = "KIND", requires = "sample", value_parser = one_of([
        ("uniform", "Every unfinished legal position equally likely", SampleKind::Uniform),
        ("random-play", "Random moves up to a random ply", SampleKind::RandomPlay),
        ("choice-matters", "The same, and the moves differ in value", SampleKind::ChoiceMatters),
    ]))]
    kind: Option<SampleKind>,

    /// Seed of the random numbers; the same seed gives the same file [default: 1]
    #[arg(long, value_name = "N", requires = "sample", value_parser = within::<u64>(0..=u64::MAX))]
    seed: Option<u64>,

    /// Drop mirror images and duplicates
    #[arg(long)]
    distinct: bool,

    /// Only positions in which no move would complete a line, as in the UCI data set
    #[arg(long, conflicts_with = "sample")]
    unforced: bool,

    /// The columns to write, such as moves,value [default: bitboards and all that the database knows]
    #[arg(long, value_name = "LIST", value_parser = read_columns)]
    pub columns: Option<Box<[Column]>>,

    /// Replace the output file if it exists
    #[arg(long)]
    pub replace: bool,

    /// Search at most N nodes for a position that the database does not keep
    #[arg(long, value_name = "N", default_value_t = fourbase::analysis::DEFAULT_NODES, value_parser = within::<u64>(1..=u64::MAX))]
    pub nodes: u64,

    #[command(flatten)]
    pub lookup: LookupArguments,

    #[command(flatten)]
    pub memory: MemoryArgument,

    #[command(flatten)]
    pub threads: ThreadsArgument,

    /// Print one line of JSON about the file
    #[arg(long, requires = "output")]
    pub json: bool,
}

impl Arguments {
    /// Returns the format: `--format`, or else the one that the extension of the output file means, or CSV for standard output.
    pub fn format(&self) -> Result<Format, BadInput> {
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

    /// Returns the positions to export. The format `uci` also chooses the positions of the UCI data set.
    pub fn choice(&self, format: Format) -> Selection {
        let (kind, seed) = (self.kind.unwrap_or(SampleKind::Uniform), self.seed.unwrap_or(1));
        let rows = match self.sample {
            Some(count) => RowChoice::Sample { count, kind, seed },
            None if self.unforced || format == Format::Uci => RowChoice::Unforced,
            None => RowChoice::All,
        };
        Selection::new(self.board.board, rows, self.plies.as_deref().map(<[u32]>::to_vec), self.distinct)
    }

    /// Returns the command that makes the same file on another machine. It leaves out folders, threads and limits.
    pub fn command(&self, format: Format, choice: &Selection, name: &str) -> String {
        let mut command = format!("fourbase export {}", self.board.board);
        let mut add = |option: &str, value: String| command.push_str(&wording::option(option, &value));
        if self.plies.is_some() {
            add("plies", ply_ranges(&choice.plies));
        }
        if let RowChoice::Sample { count, kind, seed } = choice.rows {
            add("sample", count.to_string());
            add("kind", kind.name().to_owned());
            add("seed", seed.to_string());
        }
        if let Some(columns) = &self.columns {
            add("columns", columns.iter().map(|column| column.name()).collect::<Vec<_>>().join(","));
        }
        add("format", format.name().to_owned());
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

/// Reads a list of plies: `8`, `0-10` or `0-10,12`. Returns them sorted and without duplicates.
fn read_plies(text: &str) -> anyhow::Result<Box<[u32]>> {
    let number = |text: &str| text.parse::<u32>().ok().filter(|ply| *ply <= MOST_PLY && !text.starts_with('+'));
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(number(first)?..=number(last)?).filter(|range| !range.is_empty())
    };
    let ranges: Option<Vec<_>> = text.split(',').map(range).collect();
    let mut plies: Vec<u32> = ranges.unwrap_or_default().into_iter().flatten().collect();
    plies.sort_unstable();
    plies.dedup();
    if plies.is_empty() {
        return Err(refused(text, format!("is no list of plies from 0 to {MOST_PLY}; write it like 8 or 0-10,12")));
    }
    Ok(plies.into())
}

/// Reads a list of columns such as `moves,value`.
fn read_columns(text: &str) -> anyhow::Result<Box<[Column]>> {
    let column = |name: &str| {
        let found = Column::ALL.into_iter().find(|(of, _)| *of == name).map(|(_, column)| column);
        found.ok_or_else(|| {
            let names = Column::ALL.map(|(name, _)| name).join(", ");
            refused(name, format!("is no column; the columns are {names}"))
        })
    };
    text.split(',').map(column).collect()
}
