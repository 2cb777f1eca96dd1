//! Whole tiers and random positions as arrays: the class `Chunks`, which `Database.positions` returns, and `Database.sample`.

use std::array;
use std::collections::VecDeque;
use std::iter;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use fourbase::Position;
use fourbase::analysis::{Analyst, Lookup};
use fourbase::search::Monitor;
use fourbase_tiers::database::Database;
use fourbase_tiers::dataset::{Column, Dataset, Format, RowChoice, Selection};
use fourbase_tiers::files::bytes;
use fourbase_tiers::positions::{Draws, PositionError, PositionList, SampleKind, Sampler};
use fourbase_tiers::progress::StoppedBy;
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;

use crate::arguments::{Progress, memory_bytes, named};
use crate::call_python;
use crate::failure::{exception, of_position};
use crate::probe::{self, Asked, Question};
use crate::rows::Batch;
use crate::work::{ProgressDisplay, budget, pool};

/// The most entries of the index that are listed at once.
const AHEAD: u64 = 1 << 20;

/// Positions that are drawn at once.
const DRAWN_AT_ONCE: u64 = 1 << 14;

/// About how many bytes a drawn position takes until its arrays are made.
const ROW_BYTES: u64 = 128;

/// The positions of a ply, returned chunk by chunk; `Database.positions` makes it.
#[pyclass(module = "fourbase")]
pub struct Chunks {
    database: crate::database::Database,
    /// The list of the ply. It is solved if solving is quicker than probing its positions.
    list: PositionList,
    /// Positions for later chunks, each with the code of its outcome, or 0 if the list is not solved.
    listed: VecDeque<([u64; 2], u8)>,
    /// How many positions a chunk has; the last one may have fewer.
    size: usize,
    /// How many positions were returned.
    done: usize,
    progress: Option<Py<PyAny>>,
}

impl Chunks {
    /// Finds the positions of a ply, within some bytes of memory. If searching all of them would take longer than the time, that is an
    /// error.
    pub fn new(
        py: Python<'_>,
        database: crate::database::Database,
        ply: u32,
        legal: bool,
        size: usize,
        (memory_bytes, most_time): (u64, Duration),
        progress: Progress<'_>,
    ) -> PyResult<Chunks> {
        let (best, cells) = (database.best(), database.best().board().cells());
        if ply as usize > cells {
            let message = format!("ply={ply} is more than the {cells} cells of {}; write 0 to {cells}", best.board());
            return Err(exception("OptionError", message));
        }
        let display = ProgressDisplay::new(py, best.board(), "Progress", progress.clone())?;
        let list = display.run_counted(py, "entries", |recorder| {
            let list = PositionList::with_outcomes(best, ply, legal, memory_bytes, recorder)?;
            if !list.is_solved() {
                let choice = Selection { rows: RowChoice::All, plies: vec![ply], is_distinct: false };
                let mut rows = Dataset::new(best, choice, vec![Column::Value])?;
                rows.most_time = most_time;
                rows.check_time(&rows.fields(Format::Csv), recorder)?;
            }
            Ok(list)
        })?;
        let list = list.map_err(|error| match error {
            PositionError::Long { .. } => {
                let remedy = "draw some with sample(), choose another ply, or allow it with hours=None";
                exception("OptionError", format!("{error}; {remedy}"))
            }
            error => of_position(error),
        })?;
        let (listed, progress) = (VecDeque::new(), progress.map(Bound::unbind));
        Ok(Chunks { database, list, listed, size, done: 0, progress })
    }

    /// Lists more until there are positions for a chunk, on all threads.
    fn list_more(&mut self, monitor: &Monitor) -> Result<(), PositionError> {
        let entries = (self.size as u64).min(AHEAD);
        while self.listed.len() < self.size
            && !monitor.is_cancelled()
            && let Some(batch) = self.list.next(self.database.best().index(), entries)?
        {
            self.listed.extend(batch.bitboards.into_iter().zip(batch.codes.into_iter().chain(iter::repeat(0))));
        }
        Ok(())
    }
}

#[pymethods]
impl Chunks {
    fn __iter__(chunks: PyRef<'_, Self>) -> PyRef<'_, Self> {
        chunks
    }

    fn __next__<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        ProgressDisplay::default()
            .run_interruptible(py, &*pool()?, |_| None::<(u8,)>, |monitor| self.list_more(monitor))?
            .map_err(of_position)?;
        let (bitboards, codes): (Vec<_>, Vec<_>) = self.listed.drain(..self.size.min(self.listed.len())).unzip();
        if bitboards.is_empty() {
            return Ok(None);
        }
        let (values, plies) = if self.list.is_solved() {
            let outcomes: [(i8, u8); 256] = array::from_fn(|code| probe::numbers(self.list.outcome(code as u8)));
            codes.iter().map(|code| outcomes[usize::from(*code)]).unzip()
        } else {
            let (best, board) = (self.database.best(), self.database.best().board());
            let position = |[first, second]: &[u64; 2]| Position::from_bitboards(board, *first, *second).ok();
            let positions = bitboards.iter().map(position).collect();
            let progress = self.progress.as_ref().map(|progress| progress.bind(py).clone());
            let display = ProgressDisplay::new(py, board, "Progress", progress)?;
            let question = Question { display, done: Some(self.done), ..Question::default() };
            probe::probe(
                py,
                &Analyst::new(board, Some(best), None),
                question,
                &Batch { board, positions },
                Asked::Value,
            )?
        };
        self.done += bitboards.len();
        tuple(py, bitboards, values, plies).map(Some)
    }
}

/// Draws unfinished positions of some plies, with their values and their plies to the end. The same seed draws the same positions.
pub fn sample<'py>(
    py: Python<'py>,
    database: &Database,
    choice: Selection,
    display: &ProgressDisplay,
) -> PyResult<Bound<'py, PyAny>> {
    let RowChoice::Sample { count, kind, seed } = choice.rows else { unreachable!("a sample") };
    let (needed, free) = (ROW_BYTES.saturating_mul(count), memory_bytes());
    if needed > free {
        let (needed, free) = (bytes(needed.into()), bytes(free.into()));
        let message = format!(
            "{count} positions need about {needed} of memory; {free} may be used; \
             draw fewer, or write them to a file with export(path, sample=...)"
        );
        return Err(exception("SolveMemory", message));
    }
    let done = AtomicU64::new(0);
    let fields = |monitor: &Monitor| Some(("positions", done.load(Relaxed), count, monitor.nodes()));
    let drawn = display.run_interruptible(py, &*pool()?, fields, |monitor| {
        let budget = budget(None, monitor);
        let mut sampler = Sampler::new(database, kind, &choice.plies, seed)?;
        sampler.budget = budget.clone();
        let mut draws = Draws::new(sampler, count, choice.is_distinct);
        let (mut positions, mut outcomes) = (Vec::new(), Vec::new());
        while let Some(drawn) = draws.next(DRAWN_AT_ONCE, &StoppedBy(&|| monitor.is_cancelled()))? {
            let found = database.look_up_all(&drawn, &budget).into_iter();
            outcomes.extend(found.collect::<Result<Vec<_>, _>>()?);
            positions.extend(drawn.into_iter().map(Some));
            done.store(positions.len() as u64, Relaxed);
        }
        Ok((positions, outcomes))
    })?;
    let (positions, outcomes) = drawn.map_err(of_position)?;
    let (values, plies) = outcomes.into_iter().map(|outcome| probe::numbers(Some(outcome))).unzip();
    tuple(py, Batch { board: database.board(), positions }.bitboards(), values, plies)
}

/// Returns the kind of sample called `name`.
pub fn sample_kind(name: &str) -> PyResult<SampleKind> {
    let kinds = [SampleKind::Uniform, SampleKind::RandomPlay, SampleKind::ChoiceMatters];
    named("kind", name, &kinds.map(|kind| (kind.name(), kind)))
}

/// Makes the tuple of positions with their values and plies.
fn tuple(py: Python<'_>, bitboards: Vec<[u64; 2]>, values: Vec<i8>, plies: Vec<u8>) -> PyResult<Bound<'_, PyAny>> {
    let bitboards = PyArray1::from_slice(py, bitboards.as_flattened()).reshape([bitboards.len(), 2])?;
    let arrays = (bitboards, PyArray1::from_vec(py, values), PyArray1::from_vec(py, plies));
    call_python(py, "Labelled", arrays)
}
