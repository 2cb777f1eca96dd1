//! The formats of a data set, and what writes them.

use std::fmt;
use std::io::Write;
use std::path::Path;

use fourbase::{Board, Player};

use super::column::Field;
use super::csv::Csv;
use super::error::DatasetError;
#[cfg(feature = "parquet")]
use super::parquet_file::Parquet;
use super::uci::Uci;
use super::writer::Writer;

/// The format of a file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Format {
    /// Comma-separated values with a line of names.
    Csv,
    /// Apache Parquet: columns, compressed with zstd. Only with the cargo feature `parquet`.
    Parquet,
    /// The text of the data set `connect-4` of the UCI repository.
    Uci,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 3] = [Format::Csv, Format::Parquet, Format::Uci];

    /// Returns its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Format::Csv => "csv",
            Format::Parquet => "parquet",
            Format::Uci => "uci",
        }
    }

    /// Returns the format that the end of a file's name tells: `.csv`, `.parquet` or `.data`; `None` where it tells none.
    ///
    /// ```
    /// use fourbase_tiers::dataset::Format;
    /// assert_eq!(Format::of_file("connect-4.data".as_ref()), Some(Format::Uci));
    /// ```
    #[must_use]
    pub fn of_file(file: &Path) -> Option<Format> {
        match file.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "csv" => Some(Format::Csv),
            "parquet" => Some(Format::Parquet),
            "data" => Some(Format::Uci),
            _ => None,
        }
    }

    /// Tells whether this build can write it.
    #[must_use]
    pub fn is_built(self) -> bool {
        self != Format::Parquet || cfg!(feature = "parquet")
    }

    /// Returns the fields that the format has whatever columns are chosen; `None` where it has the chosen ones.
    pub(super) fn own_fields(self) -> Option<Vec<Field>> {
        let uci = || vec![Field::Pieces(Player::First), Field::Pieces(Player::Second), Field::Ply, Field::Value];
        (self == Format::Uci).then(uci)
    }

    /// Begins a file. `facts` go into the file where the format has a place for them.
    pub(super) fn begin<'o>(
        self,
        output: &'o mut (dyn Write + Send),
        board: Board,
        fields: &[Field],
        facts: &[(&'static str, String)],
    ) -> Result<Box<dyn Writer + 'o>, DatasetError> {
        let _ = facts;
        match self {
            Format::Csv => Ok(Box::new(Csv::begin(output, fields)?)),
            Format::Uci => Ok(Box::new(Uci::begin(output, board))),
            #[cfg(feature = "parquet")]
            Format::Parquet => Ok(Box::new(Parquet::begin(output, fields, facts)?)),
            #[cfg(not(feature = "parquet"))]
            Format::Parquet => Err(DatasetError::NoParquet),
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
