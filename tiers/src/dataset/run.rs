//! Making a data set.

use std::io::Write;

use fourbase::Board;

use super::cells::Portion;
use super::choice::{self, Choice, Rows};
use super::column::{Column, Field};
use super::error::DatasetError;
use super::format::Format;
use super::label::Labelled;
use super::notes;
use super::progress::Progress;
use super::sample::{Sample, Sampler};
use super::source::Positions;
use super::summary::Summary;
use super::unforced::Unforced;
use super::whole::Whole;
use crate::answer::Limits;
use crate::database::Database;
use crate::index::shape_entries;

/// A data set of a board: which positions, and what it says about each.
///
/// ```
/// use fourbase_tiers::database::Database;
/// use fourbase_tiers::dataset::{Choice, Column, Dataset, Format, Rows};
///
/// let database = Database::embedded("7x6".parse()?)?.ok_or("no database of 7x6")?;
/// let choice = Choice { rows: Rows::All, plies: vec![1], is_distinct: true };
/// let dataset = Dataset::new(&database, choice, vec![Column::Moves, Column::Value, Column::Remoteness])?;
/// let mut text = Vec::new();
/// assert_eq!(dataset.write(&mut text, Format::Csv, &())?.rows, 4);
/// assert_eq!(String::from_utf8(text)?, "moves,value,remoteness\n4,-1,40\n1,1,39\n2,1,41\n3,0,41\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Dataset<'d> {
    database: &'d Database,
    choice: Choice,
    columns: Vec<Column>,
    limits: Limits,
    memory_bytes: u64,
}

impl<'d> Dataset<'d> {
    /// Chooses positions and columns. The columns stand in the file in the order of [`Column::ALL`].
    ///
    /// # Errors
    ///
    /// A ply that the board does not have, no plies, no columns, or a column that the database does not know.
    pub fn new(database: &'d Database, choice: Choice, columns: Vec<Column>) -> Result<Dataset<'d>, DatasetError> {
        choice::check(database.board(), &choice.plies)?;
        let columns: Vec<Column> = Column::ALL.into_iter().filter(|column| columns.contains(column)).collect();
        if columns.is_empty() {
            return Err(DatasetError::NoColumns);
        }
        if let Some(column) = columns.iter().copied().find(|column| !column.is_known(database.values())) {
            return Err(DatasetError::NoRemoteness { board: database.board(), column });
        }
        Ok(Dataset { database, choice, columns, limits: Limits::default(), memory_bytes: u64::MAX })
    }

    /// Limits the search for each position that the database does not keep, and lets its monitor cancel searches.
    #[must_use]
    pub fn limits(self, limits: Limits) -> Dataset<'d> {
        Dataset { limits, ..self }
    }

    /// Limits the memory for listing all positions of a ply.
    #[must_use]
    pub fn memory(self, memory_bytes: u64) -> Dataset<'d> {
        Dataset { memory_bytes, ..self }
    }

    /// Returns the board.
    #[must_use]
    pub fn board(&self) -> Board {
        self.database.board()
    }

    /// Returns the columns.
    #[must_use]
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Lists the fields of a file of a format, in their order.
    #[must_use]
    pub fn fields(&self, format: Format) -> Vec<Field> {
        let board = self.board();
        let chosen = || self.columns.iter().flat_map(|column| column.fields(board)).collect();
        format.own_fields().unwrap_or_else(chosen)
    }

    /// Writes the data set, on all threads of rayon's current pool. Time is that of looking all positions up, and their moves
    /// if columns need them. Two portions of rows are in memory, of a distinct sample also every position, and of all
    /// positions two bits for each entry of the ply. The same data set has the same bytes, with any number of threads.
    ///
    /// # Errors
    ///
    /// Every kind of [`DatasetError`]. What was written is then no data set.
    pub fn write(
        &self,
        output: &mut (dyn Write + Send),
        format: Format,
        progress: &dyn Progress,
    ) -> Result<Summary, DatasetError> {
        let fields = self.fields(format);
        let facts = self.facts();
        let with_moves = format != Format::Uci;
        // A choice that has no rows leaves the output as it is.
        let portions = self.portions(&fields, with_moves, progress)?;
        let mut writer = format.begin(output, self.board(), &fields, &facts)?;
        let summary = portions.run(&mut |portion| writer.write(portion))?;
        writer.end()?;
        Ok(summary)
    }

    /// Gives the rows of the chosen columns to `take`, portion by portion in their order. See [`Dataset::write`].
    ///
    /// # Errors
    ///
    /// Every kind of [`DatasetError`], and those of `take`.
    pub fn for_each(
        &self,
        progress: &dyn Progress,
        take: &mut (dyn FnMut(&Portion) -> Result<(), DatasetError> + Send),
    ) -> Result<Summary, DatasetError> {
        let fields: Vec<Field> = self.columns.iter().flat_map(|column| column.fields(self.board())).collect();
        self.portions(&fields, true, progress)?.run(take)
    }

    /// Makes the first portion.
    fn portions<'a>(
        &'a self,
        fields: &'a [Field],
        with_moves: bool,
        progress: &'a dyn Progress,
    ) -> Result<Portions<'a>, DatasetError> {
        let with_moves = with_moves && self.columns.iter().any(|column| column.needs_moves());
        let positions = self.positions(progress)?;
        let mut make = Make { dataset: self, fields, with_moves, positions };
        let first = make.next()?;
        Ok(Portions { make, first })
    }

    /// Begins with the first position.
    fn positions<'a>(&'a self, progress: &'a dyn Progress) -> Result<Box<dyn Positions + 'a>, DatasetError> {
        let Choice { rows, plies, is_distinct } = &self.choice;
        let index = self.database.index();
        Ok(match *rows {
            Rows::All => {
                let entries = |ply: &u32| shape_entries(index, *ply).sum::<u64>();
                progress.begins(plies.iter().map(entries).sum());
                Box::new(Whole::new(index, plies, *is_distinct, self.memory_bytes, progress))
            }
            Rows::Sample { count, kind, seed } => {
                progress.begins(count);
                let sampler = Sampler::new(self.database, kind, plies, seed)?;
                Box::new(Sample::new(sampler, count, *is_distinct, &self.limits, progress))
            }
            Rows::Unforced => {
                progress.begins(plies.len() as u64);
                Box::new(Unforced::new(self.board(), plies, progress)?)
            }
        })
    }

    /// Lists the facts of the data set, by names that begin with `fourbase.`. A Parquet file has them as its metadata.
    #[must_use]
    pub fn facts(&self) -> Vec<(&'static str, String)> {
        notes::facts(self.database, &self.choice)
    }

    /// Writes a text for people that explains a file called `name`, in Markdown. `made_with` is the command or the call that
    /// makes the same file.
    #[must_use]
    pub fn readme(&self, format: Format, summary: &Summary, name: &str, made_with: &str) -> String {
        notes::readme(self.database, &self.choice, format, &self.fields(format), summary, name, made_with)
    }
}

/// Makes portions.
struct Make<'a> {
    dataset: &'a Dataset<'a>,
    fields: &'a [Field],
    with_moves: bool,
    positions: Box<dyn Positions + 'a>,
}

impl Make<'_> {
    /// Makes the next portion; one without rows at the end.
    fn next(&mut self) -> Result<Portion, DatasetError> {
        let Dataset { database, limits, .. } = self.dataset;
        let rows = Labelled::of(database, self.positions.next()?, self.with_moves, limits)?;
        Ok(Portion::of(self.fields, &rows)?)
    }
}

/// The portions of a data set, of which the first one is made.
struct Portions<'a> {
    make: Make<'a>,
    first: Portion,
}

impl Portions<'_> {
    /// Makes each portion while the one before is taken.
    fn run(self, take: &mut (dyn FnMut(&Portion) -> Result<(), DatasetError> + Send)) -> Result<Summary, DatasetError> {
        let Portions { mut make, first: mut portion } = self;
        let mut summary = Summary::default();
        while portion.rows > 0 {
            summary.add(&portion);
            let (taken, next) = rayon::join(|| take(&portion), || make.next());
            taken?;
            portion = next?;
        }
        Ok(summary)
    }
}
