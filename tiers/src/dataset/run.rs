//! Makes a data set: lists or draws its positions, and passes its rows on in portions.

use std::io::Write;
use std::mem;
use std::time::Duration;

use fourbase::analysis::Budget;
use fourbase::{Board, Position, Value};

use super::column::{Column, Field};
use super::format::Format;
use super::portion::Portion;
use crate::database::Database;
use crate::index::{Index, TierDirectory};
use crate::positions::{
    Draws, LAST_UNFORCED_PLY, PositionError, PositionList, SampleKind, Sampler, check_plies, representative, unforced,
};
use crate::progress::{Progress, Stage};
use crate::solve::Plan;

/// How many rows are looked up and written together. Each Parquet row group has this many.
pub(super) const PORTION: usize = 1 << 16;

/// The estimated bytes that each move takes while many moves are looked up together.
const MOVE_BYTES: u64 = 128;

/// The ply of the UCI data set.
const UCI_PLY: u32 = 8;

/// Which positions of the chosen plies a data set has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RowChoice {
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
    /// The positions whose next move is not forced, by the rule behind the UCI data set; see [`unforced()`].
    Unforced,
}

/// The positions of a data set.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Selection {
    /// Which positions of the plies are chosen.
    pub rows: RowChoice,
    /// The plies, in file order.
    pub plies: Vec<u32>,
    /// Whether to leave out mirror images, and repeats in a sample. [`RowChoice::Unforced`] always leaves them out.
    pub is_distinct: bool,
}

impl Selection {
    /// Chooses positions of a board. `None` for the plies means all but that of full boards, which have no moves; for
    /// [`RowChoice::Unforced`] it means the ply of the UCI data set.
    pub fn new(board: Board, rows: RowChoice, plies: Option<Vec<u32>>, is_distinct: bool) -> Selection {
        let cells = board.cells() as u32;
        let usual = match rows {
            RowChoice::All | RowChoice::Sample { .. } => 0..cells,
            RowChoice::Unforced => UCI_PLY.min(cells)..UCI_PLY.min(cells) + 1,
        };
        Selection { rows, plies: plies.unwrap_or_else(|| usual.collect()), is_distinct }
    }

    /// Returns the bytes of memory that the positions take. [`RowChoice::All`] keeps the list of one ply; the last ply
    /// takes the most, on fewer threads if all of them would need more than `limit_bytes`. A distinct sample and
    /// [`RowChoice::Unforced`] keep all of their positions. A sample with repeats keeps none.
    pub fn memory_bytes(&self, index: &Index, limit_bytes: u64) -> u64 {
        self.memory(index, limit_bytes).1
    }

    /// Returns how many positions are kept to find repeats, and the bytes of [`Selection::memory_bytes`].
    fn memory(&self, index: &Index, limit_bytes: u64) -> (u64, u64) {
        let cells = index.board().cells() as u32;
        let most = if self.rows == RowChoice::Unforced { cells.min(LAST_UNFORCED_PLY) } else { cells };
        // Plies beyond `most` need no memory, because they are refused when they are listed.
        let plies = || self.plies.iter().copied().filter(|ply| *ply <= most);
        let (last, listed) = (plies().max(), || plies().map(|ply| entries(index, ply)).sum::<u64>());
        let list_bytes = |last| Plan::legal(index, last).within(limit_bytes).memory_bytes();
        match self.rows {
            RowChoice::All => (0, last.map_or(0, |last| u64::try_from(list_bytes(last)).unwrap_or(u64::MAX))),
            RowChoice::Sample { .. } if !self.is_distinct => (0, 0),
            RowChoice::Sample { count, .. } => (count, Draws::distinct_bytes(count.min(listed()))),
            RowChoice::Unforced => {
                let met = last.map_or(0, |last| (0..=last).map(|ply| entries(index, ply)).sum());
                // A `Vec` that grows may reserve up to twice its length.
                (met, Draws::distinct_bytes(met) + listed() * 2 * size_of::<Position>() as u64)
            }
        }
    }

    /// Returns an error if the positions take more than `limit_bytes`.
    fn check_memory(&self, index: &Index, limit_bytes: u64) -> Result<(), PositionError> {
        if let (RowChoice::All, Some(last)) = (self.rows, self.plies.iter().max()) {
            return Ok(Plan::legal(index, *last).within(limit_bytes).check(limit_bytes)?);
        }
        let (count, needed_bytes) = self.memory(index, limit_bytes);
        let is_sample = self.rows != RowChoice::Unforced;
        let fits = needed_bytes <= limit_bytes;
        if fits { Ok(()) } else { Err(PositionError::Memory { count, needed_bytes, limit_bytes, is_sample }) }
    }
}

/// Returns the number of entries of a ply. An entry stands for a position and its mirror image; a search for repeats
/// keeps only one of the two.
pub(super) fn entries(index: &Index, ply: u32) -> u64 {
    TierDirectory::new(index, ply).entries()
}

/// A data set of a board: some positions, and columns with data about each position.
///
/// ```
/// use fourbase_tiers::database::Database;
/// use fourbase_tiers::dataset::{Column, Dataset, Selection, RowChoice, Format};
///
/// let database = Database::embedded("7x6".parse()?)?.ok_or("no database of 7x6")?;
/// let selection = Selection { rows: RowChoice::All, plies: vec![1], is_distinct: true };
/// let dataset = Dataset::new(&database, selection, vec![Column::Moves, Column::Value, Column::Remoteness])?;
/// let mut text = Vec::new();
/// assert_eq!(dataset.write(&mut text, Format::Csv, &())?, [2, 1, 1]);
/// assert_eq!(String::from_utf8(text)?, "moves,value,remoteness\n4,-1,40\n1,1,39\n2,1,41\n3,0,41\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Dataset<'d> {
    pub(super) database: &'d Database,
    pub(super) selection: Selection,
    columns: Vec<Column>,
    /// Limits the search for each position that the database does not store; its monitor can cancel searches.
    pub budget: Budget,
    /// The limit in bytes for the list of a ply, and for positions that are looked up together. The limit does not
    /// include the cache of the database, two portions of rows, and the positions of a distinct sample.
    pub memory_bytes: u64,
    /// The longest time that making all rows may take. Before any row is passed on, the time is estimated by making
    /// some rows for about a second. If the estimate is longer than this limit, the data set is refused.
    pub most_time: Duration,
}

impl<'d> Dataset<'d> {
    /// Describes a data set of the selected positions and the columns, without making any rows. A file has its columns
    /// in the order of [`Column::ALL`].
    ///
    /// # Errors
    ///
    /// Returns an error for a ply that the board does not have, for no plies, for no columns, or for a column that the
    /// database can't fill.
    pub fn new(
        database: &'d Database,
        selection: Selection,
        columns: Vec<Column>,
    ) -> Result<Dataset<'d>, PositionError> {
        let board = database.board();
        check_plies(board, &selection.plies)?;
        let all = Column::ALL.into_iter().map(|(_, column)| column);
        let columns: Vec<Column> = all.filter(|column| columns.contains(column)).collect();
        if columns.is_empty() {
            return Err(PositionError::NoColumns);
        }
        if board.is_misere() && columns.contains(&Column::Score) {
            return Err(PositionError::NoScore);
        }
        if let Some(column) = columns.iter().find(|column| !column.is_known(board, database.values())) {
            return Err(PositionError::NoRemoteness { board, column: column.name() });
        }
        let is_distinct = selection.is_distinct || selection.rows == RowChoice::Unforced;
        let (selection, budget) = (Selection { is_distinct, ..selection }, Budget::default());
        Ok(Dataset { database, selection, columns, budget, memory_bytes: u64::MAX, most_time: Duration::MAX })
    }

    /// Returns how many rows are looked up at once: a whole portion, or fewer if a portion would take more than an
    /// eighth of the memory.
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

    /// Writes the data set, on all threads of rayon's current pool. The time is that of looking up all positions, and
    /// also their moves if columns need them. Keeps two portions of rows in memory. A distinct sample also keeps all of
    /// its positions, and [`RowChoice::All`] keeps the list of a ply (see [`Selection::memory_bytes`]). The bytes of
    /// the file do not depend on the number of threads. Returns how many positions are won, tied and lost for the
    /// player to move.
    ///
    /// # Errors
    ///
    /// Every kind of [`PositionError`]. After an error, the output is incomplete.
    pub fn write(
        &self,
        output: &mut (dyn Write + Send),
        format: Format,
        progress: &dyn Progress,
    ) -> Result<[u64; 3], PositionError> {
        let mut writer = format.begin(output, &self.fields(format), &self.facts())?;
        let by_value = self.for_each(format, progress, &mut |portion| writer.write(portion))?;
        writer.end()?;
        Ok(by_value)
    }

    /// Passes the rows that a file of this format has to `take`, in portions and in order. The time, the memory and the
    /// result are those of [`Dataset::write`].
    ///
    /// # Errors
    ///
    /// Every kind of [`PositionError`], and the errors of `take`.
    pub fn for_each(
        &self,
        format: Format,
        progress: &dyn Progress,
        take: &mut (dyn FnMut(&Portion) -> Result<(), PositionError> + Send),
    ) -> Result<[u64; 3], PositionError> {
        let fields = &self.fields(format);
        self.check_time(fields, progress)?;
        self.selection.check_memory(self.database.index(), self.memory_bytes)?;
        let (mut portion, mut by_value) = (None::<Portion>, [0; 3]);
        // Looks up positions while `take` handles the previous portion.
        let mut look_up = |positions: Vec<Position>| -> Result<(), PositionError> {
            let before = portion.take();
            // Within a pool, `join` runs the first closure on this thread, so this thread makes all portions. If
            // several threads made the large lists in turn, the heap of each thread would keep their memory.
            let (made, taken) = rayon::join(
                || Portion::new(self.database, &self.budget, fields, positions, self.rows_at_once()),
                || before.as_ref().map_or(Ok(()), &mut *take),
            );
            taken?;
            let made = made?;
            for (sum, value) in by_value.iter_mut().zip([Value::Win, Value::Tie, Value::Lose]) {
                *sum += made.outcomes.iter().filter(|outcome| outcome.value == value).count() as u64;
            }
            portion = Some(made);
            Ok(())
        };
        let mut waiting = Vec::new();
        self.positions(progress, &mut |positions| {
            waiting.extend_from_slice(positions);
            while waiting.len() >= PORTION {
                let rest = waiting.split_off(PORTION);
                look_up(mem::replace(&mut waiting, rest))?;
            }
            Ok(())
        })?;
        if !waiting.is_empty() {
            look_up(waiting)?;
        }
        portion.iter().try_for_each(take)?;
        Ok(by_value)
    }

    /// Checks that all rows with these fields take no longer than [`Dataset::most_time`], by making some of them.
    ///
    /// # Errors
    ///
    /// [`PositionError::Long`].
    pub fn check_time(&self, fields: &[Field], progress: &dyn Progress) -> Result<(), PositionError> {
        if self.most_time < Duration::MAX {
            let estimate = self.estimate(fields, progress);
            if estimate > self.most_time {
                return Err(PositionError::Long { board: self.board(), hours: estimate.as_secs().div_ceil(3600) });
            }
        }
        Ok(())
    }

    /// Lists or draws the positions, and passes them to `push`, some at a time.
    fn positions(
        &self,
        progress: &dyn Progress,
        push: &mut dyn FnMut(&[Position]) -> Result<(), PositionError>,
    ) -> Result<(), PositionError> {
        let Dataset { database, selection, budget, memory_bytes, .. } = self;
        let (board, index) = (database.board(), database.index());
        match selection.rows {
            RowChoice::All => {
                let entries = selection.plies.iter().map(|ply| entries(index, *ply)).sum();
                let mut listed = 0;
                progress.begin(Stage::List, entries, listed);
                for ply in &selection.plies {
                    let mut list = PositionList::legal(index, *ply, *memory_bytes, progress)?;
                    if PositionList::is_long_sweep(board, *ply) {
                        progress.begin(Stage::List, entries, listed);
                    }
                    while let Some(batch) = list.next(index, PORTION as u64)? {
                        if progress.is_stopped() {
                            return Err(PositionError::Stopped);
                        }
                        let mut positions = batch.positions(board);
                        positions.retain(|position| !selection.is_distinct || representative(position) == *position);
                        listed += batch.entries;
                        progress.done(Stage::List, batch.entries);
                        push(&positions)?;
                    }
                }
            }
            RowChoice::Sample { count, kind, seed } => {
                progress.begin(Stage::Sample, count, 0);
                let mut sampler = Sampler::new(database, kind, &selection.plies, seed)?;
                sampler.budget = budget.clone();
                let mut draws = Draws::new(sampler, count, selection.is_distinct);
                while let Some(drawn) = draws.next(PORTION as u64, progress)? {
                    progress.done(Stage::Sample, drawn.len() as u64);
                    push(&drawn)?;
                }
            }
            RowChoice::Unforced => {
                progress.begin(Stage::Unforced, selection.plies.len() as u64, 0);
                let list = |ply: &u32| unforced(board, *ply, progress).inspect(|_| progress.done(Stage::Unforced, 1));
                // A ply that is too late is rejected before any row is written.
                let lists = selection.plies.iter().map(list).collect::<Result<Vec<_>, _>>()?;
                lists.iter().flat_map(|list| list.chunks(PORTION)).try_for_each(push)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_the_same_however_many_are_looked_up_at_once() {
        let database = Database::embedded("7x6".parse().unwrap()).unwrap().unwrap();
        let text = |columns: &[Column], memory_bytes| {
            let selection = Selection { rows: RowChoice::All, plies: vec![6], is_distinct: true };
            let dataset = Dataset { memory_bytes, ..Dataset::new(&database, selection, columns.to_vec()).unwrap() };
            let mut text = Vec::new();
            let by_value = dataset.write(&mut text, Format::Csv, &()).unwrap();
            (dataset.rows_at_once(), by_value, text)
        };
        let least = Plan::legal(database.index(), 6).within(0).memory_bytes() as u64;
        for columns in [vec![Column::Value], vec![Column::Value, Column::MoveValues]] {
            let [few, all] = [least, u64::MAX].map(|memory_bytes| text(&columns, memory_bytes));
            assert!(few.0 < few.1.iter().sum::<u64>() as usize && all.0 == PORTION, "{} of {:?}", few.0, few.1);
            assert!((few.1, few.2) == (all.1, all.2), "{columns:?}");
        }
    }
}
