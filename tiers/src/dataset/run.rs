//! Makes a data set.

use std::io::Write;
use std::mem;
use std::time::Duration;

use fourbase::analysis::Budget;
use fourbase::{Board, Position, Value};

use super::column::{Column, Field};
use super::error::DatasetError;
use super::format::Format;
use super::portion::Portion;
use crate::counts::{CountError, legal_bytes};
use crate::database::Database;
use crate::index::{Index, TierDirectory};
use crate::positions::{
    Draws, LAST_UNFORCED_PLY, PositionError, PositionList, SampleKind, Sampler, check_plies, representative, unforced,
};
use crate::progress::{Progress, Stage};

/// How many rows are looked up and written together. Each Parquet row group has this many.
pub(super) const PORTION: usize = 1 << 16;

/// Estimated bytes per move while many moves are looked up together.
const MOVE_BYTES: u64 = 128;

/// Which positions of the chosen plies a data set has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Rows {
    /// Every legal position without a finished line, in the order of the index.
    All,
    /// Unfinished positions drawn at random, in the order of the draws.
    Sample {
        /// How many positions to draw.
        count: u64,
        /// How they are drawn.
        kind: SampleKind,
        /// The seed of the random numbers.
        seed: u64,
    },
    /// The positions of the rule behind the UCI data set; see [`unforced()`].
    Unforced,
}

/// The positions of a data set.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Choice {
    /// The positions of each ply.
    pub rows: Rows,
    /// The plies, in file order.
    pub plies: Vec<u32>,
    /// Whether to drop mirror images, and duplicates of a sample. [`Rows::Unforced`] always drops them.
    pub is_distinct: bool,
}

impl Choice {
    /// Returns the memory in bytes that its positions take: the list of the last ply, made on fewer threads if all of
    /// them would need more than `limit_bytes`; or the positions of a distinct sample or of a search for unforced ones.
    /// Another sample takes none.
    pub fn memory_bytes(&self, index: &Index, limit_bytes: u64) -> u64 {
        let plies = || self.plies.iter().copied().filter(|ply| *ply as usize <= index.board().cells());
        match self.rows {
            Rows::All => plies().max().map_or(0, |last| legal_bytes(index, last, limit_bytes)),
            Rows::Sample { count, .. } if self.is_distinct => {
                Draws::distinct_bytes(count.min(plies().map(|ply| entries(index, ply)).sum()))
            }
            Rows::Sample { .. } => 0,
            Rows::Unforced => {
                // Growing lists have up to twice their length. Later plies are refused.
                let listed =
                    plies().filter(|ply| *ply <= LAST_UNFORCED_PLY).map(|ply| entries(index, ply)).sum::<u64>();
                Draws::distinct_bytes(self.met_positions(index)) + listed * 2 * size_of::<Position>() as u64
            }
        }
    }

    /// Counts the positions that a search for unforced ones meets, at most.
    fn met_positions(&self, index: &Index) -> u64 {
        let most = LAST_UNFORCED_PLY.min(index.board().cells() as u32);
        let last = self.plies.iter().copied().filter(|ply| *ply <= most).max();
        last.map_or(0, |last| (0..=last).map(|ply| entries(index, ply)).sum())
    }
}

/// Counts the entries of a ply. Each stands for a position and its mirror image, of which one is remembered.
fn entries(index: &Index, ply: u32) -> u64 {
    TierDirectory::new(index, ply).entries()
}

/// The size of a written data set.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Summary {
    /// The number of rows.
    pub rows: u64,
    /// How many positions are won, tied and lost for the player to move.
    pub by_value: [u64; 3],
}

/// A data set of a board: some positions, and columns about each.
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
    pub(super) database: &'d Database,
    pub(super) choice: Choice,
    columns: Vec<Column>,
    /// Limits the search for each position that the database does not store; its monitor can cancel searches.
    pub budget: Budget,
    /// The limit in bytes for the list of a ply and for looking positions up together. It does not include the
    /// database's cache, two portions of rows, and the positions of a distinct sample.
    pub memory_bytes: u64,
    /// The data set is refused if a trial of about a second estimates that it takes longer.
    pub most_time: Duration,
}

impl<'d> Dataset<'d> {
    /// Makes a data set of the positions and columns. A file has its columns in the order of [`Column::ALL`].
    ///
    /// # Errors
    ///
    /// A ply that the board does not have, no plies, no columns, or a column that the database can't fill.
    pub fn new(database: &'d Database, choice: Choice, columns: Vec<Column>) -> Result<Dataset<'d>, DatasetError> {
        check_plies(database.board(), &choice.plies)?;
        let columns: Vec<Column> = Column::ALL.into_iter().filter(|column| columns.contains(column)).collect();
        if columns.is_empty() {
            return Err(DatasetError::NoColumns);
        }
        if let Some(column) =
            columns.iter().copied().find(|column| !column.is_known(database.board(), database.values()))
        {
            return Err(DatasetError::NoRemoteness { board: database.board(), column });
        }
        Ok(Dataset {
            database,
            choice,
            columns,
            budget: Budget::default(),
            memory_bytes: u64::MAX,
            most_time: Duration::MAX,
        })
    }

    /// Returns how many rows are looked up at once: a whole portion, or fewer if that would take more than an eighth of
    /// the memory.
    fn rows_at_once(&self) -> usize {
        let rows = self.memory_bytes / 8 / (MOVE_BYTES * self.board().width() as u64);
        rows.clamp(PORTION as u64 / 16, PORTION as u64) as usize
    }

    /// Returns the board.
    pub fn board(&self) -> Board {
        self.database.board()
    }

    /// Lists the fields of a file in this format, in order.
    pub fn fields(&self, format: Format) -> Vec<Field> {
        let columns = match format {
            Format::Uci => &[Column::Bitboards, Column::Ply, Column::Value],
            Format::Csv | Format::Parquet => self.columns.as_slice(),
        };
        columns.iter().flat_map(|column| column.fields(self.board())).collect()
    }

    /// Writes the data set, on all threads of rayon's current pool. Takes the time to look up all positions, and their
    /// moves if columns need them. Keeps two portions of rows in memory; also every position of a distinct sample, or
    /// the list of a ply for [`Rows::All`] (see [`Choice::memory_bytes`]). The bytes do not depend on the number of
    /// threads.
    ///
    /// # Errors
    ///
    /// Every kind of [`DatasetError`]. The output is incomplete then.
    pub fn write(
        &self,
        output: &mut (dyn Write + Send),
        format: Format,
        progress: &dyn Progress,
    ) -> Result<Summary, DatasetError> {
        let fields = self.fields(format);
        let mut writer = format.begin(output, &fields, &self.facts())?;
        let summary = self.make(&fields, progress, &mut |portion| Ok(writer.write(portion)?))?;
        writer.end()?;
        Ok(summary)
    }

    /// Passes the rows of the chosen columns to `take`, in portions and in order. See [`Dataset::write`].
    ///
    /// # Errors
    ///
    /// Every kind of [`DatasetError`], and the errors of `take`.
    pub fn for_each(
        &self,
        progress: &dyn Progress,
        take: &mut (dyn FnMut(&Portion) -> Result<(), DatasetError> + Send),
    ) -> Result<Summary, DatasetError> {
        self.make(&self.fields(Format::Csv), progress, take)
    }

    /// Makes all rows.
    fn make(
        &self,
        fields: &[Field],
        progress: &dyn Progress,
        take: &mut (dyn FnMut(&Portion) -> Result<(), DatasetError> + Send),
    ) -> Result<Summary, DatasetError> {
        if self.most_time < Duration::MAX {
            let estimate = self.estimate(fields, &|| progress.is_stopped());
            if estimate > self.most_time {
                return Err(DatasetError::Long { board: self.board(), hours: estimate.as_secs().div_ceil(3600) });
            }
        }
        let (positions, summary) = (Vec::new(), Summary::default());
        let mut rows = RowMaker { dataset: self, fields, progress, take, positions, portion: None, summary };
        match self.choice.rows {
            Rows::All => rows.list()?,
            Rows::Sample { count, kind, seed } => rows.sample(count, kind, seed)?,
            Rows::Unforced => rows.list_unforced()?,
        }
        rows.end()
    }
}

/// Makes the rows of a data set: lists or draws positions and collects them into portions. The next portion is looked
/// up while the caller takes the previous one.
struct RowMaker<'a> {
    dataset: &'a Dataset<'a>,
    fields: &'a [Field],
    progress: &'a dyn Progress,
    take: &'a mut (dyn FnMut(&Portion) -> Result<(), DatasetError> + Send),
    /// Positions that wait to be looked up.
    positions: Vec<Position>,
    /// The next portion for the caller.
    portion: Option<Portion>,
    summary: Summary,
}

impl RowMaker<'_> {
    /// Lists every legal position, one ply after the other.
    fn list(&mut self) -> Result<(), DatasetError> {
        let (progress, Dataset { database, choice, memory_bytes, .. }) = (self.progress, self.dataset);
        let index = database.index();
        let entries = choice.plies.iter().map(|ply| entries(index, *ply)).sum();
        let mut listed = 0;
        // Check the memory before anything is written.
        let needed_bytes = choice.memory_bytes(index, *memory_bytes);
        CountError::check_memory(index.board(), needed_bytes.into(), *memory_bytes).map_err(PositionError::from)?;
        progress.begin(Stage::List, entries, listed);
        for ply in &choice.plies {
            let mut list = PositionList::legal(index, *ply, *memory_bytes, progress)?;
            if PositionList::is_long_sweep(index.board(), *ply) {
                progress.begin(Stage::List, entries, listed);
            }
            while let Some(batch) = list.next(index, PORTION as u64)? {
                if progress.is_stopped() {
                    return Err(PositionError::Stopped.into());
                }
                let mut positions = batch.positions(database.board());
                positions.retain(|position| !choice.is_distinct || representative(position) == *position);
                listed += batch.entries;
                progress.done(Stage::List, batch.entries);
                self.push(positions)?;
            }
        }
        Ok(())
    }

    /// Draws `count` positions; in a distinct sample none twice, nor mirror images.
    fn sample(&mut self, count: u64, kind: SampleKind, seed: u64) -> Result<(), DatasetError> {
        let (progress, Dataset { database, choice, budget, .. }) = (self.progress, self.dataset);
        self.check_memory(count)?;
        progress.begin(Stage::Sample, count, 0);
        let sampler = Sampler::new(database, kind, &choice.plies, seed)?;
        let mut draws = Draws::new(sampler, count, choice.is_distinct);
        while let Some(drawn) = draws.next(PORTION as u64, budget, &|| progress.is_stopped())? {
            progress.done(Stage::Sample, drawn.len() as u64);
            self.push(drawn)?;
        }
        Ok(())
    }

    /// Lists the positions of the UCI data set.
    fn list_unforced(&mut self) -> Result<(), DatasetError> {
        let (progress, Dataset { database, choice, .. }) = (self.progress, self.dataset);
        self.check_memory(choice.met_positions(database.index()))?;
        progress.begin(Stage::Unforced, choice.plies.len() as u64, 0);
        let lists = choice.plies.iter().map(|ply| {
            let list = unforced(database.board(), *ply, &|| progress.is_stopped());
            progress.done(Stage::Unforced, 1);
            list
        });
        // A ply that is too late is rejected before any row is written.
        let lists = lists.collect::<Result<Vec<_>, _>>()?;
        lists.iter().flat_map(|list| list.chunks(PORTION)).try_for_each(|positions| self.push(positions.to_vec()))
    }

    /// Refuses to remember as many positions as that if they do not fit.
    fn check_memory(&self, count: u64) -> Result<(), PositionError> {
        let limit_bytes = self.dataset.memory_bytes;
        let needed_bytes = self.dataset.choice.memory_bytes(self.dataset.database.index(), limit_bytes);
        if needed_bytes > limit_bytes {
            let is_sample = self.dataset.choice.rows != Rows::Unforced;
            return Err(PositionError::Memory { count, needed_bytes, limit_bytes, is_sample });
        }
        Ok(())
    }

    /// Adds positions, and looks up each full portion.
    fn push(&mut self, positions: Vec<Position>) -> Result<(), DatasetError> {
        self.positions.extend(positions);
        while self.positions.len() >= PORTION {
            let rest = self.positions.split_off(PORTION);
            let positions = mem::replace(&mut self.positions, rest);
            self.look_up(positions)?;
        }
        Ok(())
    }

    /// Looks positions up, while the caller takes the previous portion.
    fn look_up(&mut self, positions: Vec<Position>) -> Result<(), DatasetError> {
        let Dataset { database, budget, .. } = self.dataset;
        let (take, before) = (&mut self.take, self.portion.take());
        // Within a pool, `join` runs the first closure on this thread. Large lists made by alternating threads would
        // stay in the heap of each.
        let (portion, taken) = rayon::join(
            || Portion::new(database, budget, self.fields, positions, self.dataset.rows_at_once()),
            || before.as_ref().map_or(Ok(()), take),
        );
        taken?;
        let portion = portion?;
        self.summary.rows += portion.outcomes.len() as u64;
        for (sum, value) in self.summary.by_value.iter_mut().zip([Value::Win, Value::Tie, Value::Lose]) {
            *sum += portion.outcomes.iter().filter(|outcome| outcome.value == value).count() as u64;
        }
        self.portion = Some(portion);
        Ok(())
    }

    /// Passes the last portions to the caller.
    fn end(mut self) -> Result<Summary, DatasetError> {
        let positions = mem::take(&mut self.positions);
        if !positions.is_empty() {
            self.look_up(positions)?;
        }
        self.portion.iter().try_for_each(|portion| (self.take)(portion))?;
        Ok(self.summary)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_the_same_however_many_are_looked_up_at_once() {
        let database = Database::embedded("7x6".parse().unwrap()).unwrap().unwrap();
        let text = |columns: &[Column], memory_bytes| {
            let choice = Choice { rows: Rows::All, plies: vec![6], is_distinct: true };
            let dataset = Dataset { memory_bytes, ..Dataset::new(&database, choice, columns.to_vec()).unwrap() };
            let mut text = Vec::new();
            let summary = dataset.write(&mut text, Format::Csv, &()).unwrap();
            (dataset.rows_at_once(), summary, text)
        };
        let least = legal_bytes(database.index(), 6, 0);
        for columns in [vec![Column::Value], vec![Column::Value, Column::MoveValues]] {
            let [few, all] = [least, u64::MAX].map(|memory_bytes| text(&columns, memory_bytes));
            assert!(few.0 < few.1.rows as usize && all.0 == PORTION, "{} of {} rows at once", few.0, few.1.rows);
            assert!((few.1, few.2) == (all.1, all.2), "{columns:?}");
        }
    }

    #[test]
    fn a_reader_that_goes_away_is_an_error_of_the_output() {
        let (reader, mut closed) = std::io::pipe().unwrap();
        drop(reader);
        let database = Database::embedded("6x6".parse().unwrap()).unwrap().unwrap();
        let choice = Choice { rows: Rows::All, plies: vec![1], is_distinct: false };
        let dataset = Dataset::new(&database, choice, vec![Column::Value]).unwrap();
        for format in Format::ALL.into_iter().filter(|format| format.is_built()) {
            let Err(DatasetError::Write(error)) = dataset.write(&mut closed, format, &()) else { panic!("{format:?}") };
            assert_eq!(error.kind(), std::io::ErrorKind::BrokenPipe);
        }
    }
}
