//! The formats of a data set, and the writers of the text formats.

use std::io::Write;
use std::mem;
use std::path::Path;

use fourbase::{Player, Value};
use rayon::prelude::*;

use super::column::Field;
#[cfg(feature = "parquet")]
use super::parquet::Parquet;
use super::portion::{Cells, Portion};
use crate::positions::PositionError;

/// How many rows a thread turns into text at once.
const ROWS: usize = 4096;

/// The format of a file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Format {
    /// Comma-separated values. The first line has the names of the fields.
    Csv,
    /// Apache Parquet, which stores column after column, compressed with zstd. Needs the cargo feature `parquet`.
    Parquet,
    /// The text of the data set `connect-4` of the UCI repository. A row has a letter for each cell: `x` for the first
    /// player, `o` for the second player, `b` for a blank. The cells come column by column from the left, each column
    /// from the bottom up. The last field is the class for the **first** player: `win`, `loss` or `draw`. The fields
    /// are separated by commas. There is no line of names.
    Uci,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 3] = [Format::Csv, Format::Parquet, Format::Uci];

    /// Returns the name of the format.
    pub fn name(self) -> &'static str {
        match self {
            Format::Csv => "csv",
            Format::Parquet => "parquet",
            Format::Uci => "uci",
        }
    }

    /// Returns the format for a file's extension: `.csv`, `.parquet` or `.data`; `None` for any other.
    ///
    /// ```
    /// use fourbase_tiers::dataset::Format;
    /// assert_eq!(Format::of_file("connect-4.data".as_ref()), Some(Format::Uci));
    /// ```
    pub fn of_file(file: &Path) -> Option<Format> {
        match file.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "csv" => Some(Format::Csv),
            "parquet" => Some(Format::Parquet),
            "data" => Some(Format::Uci),
            _ => None,
        }
    }

    /// Returns whether this build can write the format.
    pub fn is_built(self) -> bool {
        self != Format::Parquet || cfg!(feature = "parquet")
    }

    /// Begins a file. `facts` become the metadata of the file; formats without metadata ignore them.
    pub(super) fn begin<'o>(
        self,
        output: &'o mut (dyn Write + Send),
        fields: &[Field],
        facts: &[(&'static str, String)],
    ) -> Result<Box<dyn RowWriter + 'o>, PositionError> {
        let _ = facts;
        match self {
            Format::Csv => {
                let names: Vec<String> = fields.iter().map(|field| field.name()).collect();
                Ok(Box::new(Text { output, header: names.join(",") + "\n", push: push_csv }))
            }
            Format::Uci => Ok(Box::new(Text { output, header: String::new(), push: push_uci })),
            #[cfg(feature = "parquet")]
            Format::Parquet => Ok(Box::new(Parquet::begin(output, fields, facts)?)),
            #[cfg(not(feature = "parquet"))]
            Format::Parquet => Err(PositionError::NoParquet),
        }
    }
}

/// Writes the rows of a file, in order, in one of the formats.
pub(super) trait RowWriter: Send {
    /// Writes the rows of the next portion.
    fn write(&mut self, portion: &Portion) -> Result<(), PositionError>;

    /// Writes the end of the file.
    fn end(self: Box<Self>) -> Result<(), PositionError>;
}

/// Writes rows of text as lines.
struct Text<'o> {
    output: &'o mut (dyn Write + Send),
    /// The first line of the file. It is written with the first rows, and is empty afterwards.
    header: String,
    /// Appends the line of a row.
    push: fn(&mut Vec<u8>, &Portion, usize),
}

impl RowWriter for Text<'_> {
    fn write(&mut self, portion: &Portion) -> Result<(), PositionError> {
        self.output.write_all(mem::take(&mut self.header).as_bytes())?;
        let rows = portion.positions.len();
        let text = |start: usize| {
            let mut text = Vec::new();
            (start..rows.min(start + ROWS)).for_each(|row| (self.push)(&mut text, portion, row));
            text
        };
        let texts: Vec<Vec<u8>> = (0..rows).into_par_iter().step_by(ROWS).map(text).collect();
        for text in texts {
            self.output.write_all(&text)?;
        }
        Ok(())
    }

    fn end(self: Box<Self>) -> Result<(), PositionError> {
        self.output.write_all(self.header.as_bytes())?;
        Ok(self.output.flush()?)
    }
}

/// Appends a row of comma-separated values. Missing cells are empty. No text has a comma or a quotation mark, so
/// nothing is quoted. Writing to memory can't fail, so its results are ignored.
fn push_csv(text: &mut Vec<u8>, portion: &Portion, row: usize) {
    for (number, (_, cells)) in portion.fields.iter().enumerate() {
        if number > 0 {
            text.push(b',');
        }
        let _ = match cells {
            Cells::Text(cells) => cells.get(row).map(|cell| text.write_all(cell.as_bytes())),
            Cells::UInt64(cells) => cells.get(row).map(|cell| write!(text, "{cell}")),
            Cells::Int8(cells) => cells.get(row).copied().flatten().map(|cell| write!(text, "{cell}")),
            Cells::UInt8(cells) => cells.get(row).copied().flatten().map(|cell| write!(text, "{cell}")),
        };
    }
    text.push(b'\n');
}

/// Appends a row of [`Format::Uci`].
fn push_uci(text: &mut Vec<u8>, portion: &Portion, row: usize) {
    let (Some(position), Some(outcome)) = (portion.positions.get(row), portion.outcomes.get(row)) else { return };
    for cell in 0..position.board().cells() {
        let has = |player| position.pieces(player) >> cell & 1 == 1;
        let letter = match (has(Player::First), has(Player::Second)) {
            (true, _) => b'x',
            (_, true) => b'o',
            _ => b'b',
        };
        text.extend([letter, b',']);
    }
    text.extend_from_slice(match (outcome.value, position.to_move()) {
        (Value::Tie, _) => b"draw\n",
        (Value::Win, Player::First) | (Value::Lose, Player::Second) => b"win\n",
        _ => b"loss\n",
    });
}
