//! Whole tiers and random positions as arrays: the class `Chunks`, which `Database.positions` returns, and `Database.sample`.

use std::array;
use std::collections::VecDeque;
use std::iter;
use std::sync::Arc;

use fourbase::Position;
use fourbase_tiers::counts::CountError;
use fourbase_tiers::database::Database;
use fourbase_tiers::files::bytes;
use fourbase_tiers::positions::{PositionError, PositionList, SampleKind, Sampler};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;

use crate::arguments::{memory_bytes, named};
use crate::failure::{exception, of_position};
use crate::probe::{self, Question};
use crate::rows::Batch;
use crate::wait::{briefly, budget, patiently, pool};

/// Entries that are listed at once, so that all threads have some.
const AHEAD: u64 = 1 << 20;

/// About as many bytes as a drawn position takes until its arrays are made.
const ROW_BYTES: u64 = 128;

/// The positions of a ply, a part after the other.
#[pyclass(module = "fourbase")]
pub struct Chunks {
    database: Arc<Database>,
    /// Solved where that is quicker than to probe its positions.
    list: PositionList,
    /// Positions for later chunks, with the codes of their outcomes if the list is solved.
    listed: VecDeque<([u64; 2], u8)>,
    /// How many positions a chunk has; the last one may have fewer.
    size: usize,
}

impl Chunks {
    /// Finds the positions of a ply.
    pub fn new(
        py: Python<'_>,
        database: &Arc<Database>,
        ply: u32,
        legal: bool,
        size: usize,
        memory_bytes: u64,
    ) -> PyResult<Chunks> {
        let cells = database.board().cells();
        if ply as usize > cells {
            let message =
                format!("ply={ply} is more than the {cells} cells of {}; write 0 to {cells}", database.board());
            return Err(exception("OptionError", message));
        }
        if size == 0 {
            return Err(exception("OptionError", "chunk=0 has no positions; write at least 1".to_owned()));
        }
        let list = patiently(py, |monitor| list(database, ply, legal, memory_bytes, &|| monitor.is_cancelled()))?;
        let (database, list) = (Arc::clone(database), list.map_err(of_position)?);
        Ok(Chunks { database, list, listed: VecDeque::new(), size })
    }

    /// Lists more until there are positions for a chunk, on all threads.
    fn list_more(&mut self) -> Result<(), PositionError> {
        while self.listed.len() < self.size
            && let Some(batch) = self.list.next(self.database.index(), AHEAD)?
        {
            self.listed.extend(batch.bitboards.into_iter().zip(batch.codes.into_iter().chain(iter::repeat(0))));
        }
        Ok(())
    }
}

/// Lists a ply, and solves it where that is quicker than to probe its positions and the memory is enough.
fn list(
    database: &Database,
    ply: u32,
    legal: bool,
    memory_bytes: u64,
    is_stopped: &(dyn Fn() -> bool + Sync),
) -> Result<PositionList, PositionError> {
    let index = database.index();
    let mut list =
        if legal { PositionList::legal(index, ply, memory_bytes, is_stopped)? } else { PositionList::all(index, ply) };
    if list.is_quicker_solved() {
        match list.solve(index, database.values(), memory_bytes, is_stopped) {
            Ok(()) | Err(PositionError::Count(CountError::Memory { .. })) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(list)
}

#[pymethods]
impl Chunks {
    fn __iter__(chunks: PyRef<'_, Self>) -> PyRef<'_, Self> {
        chunks
    }

    fn __next__<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let pool = pool()?;
        briefly(py, || pool.install(|| self.list_more()))?.map_err(of_position)?;
        let (bitboards, codes): (Vec<_>, Vec<_>) = self.listed.drain(..self.size.min(self.listed.len())).unzip();
        if bitboards.is_empty() {
            return Ok(None);
        }
        if !self.list.is_solved() {
            let board = self.database.board();
            let position = |[first, second]: &[u64; 2]| Position::from_bitboards(board, *first, *second).ok();
            return labelled(py, &self.database, bitboards.iter().filter_map(position)).map(Some);
        }
        let outcomes: [(i8, u8); 256] = array::from_fn(|code| probe::numbers(self.list.outcome(code as u8)));
        let (values, plies) = codes.iter().map(|code| outcomes[usize::from(*code)]).unzip();
        tuple(py, bitboards, values, plies).map(Some)
    }
}

/// Draws unfinished positions of some plies, the same for the same seed.
pub fn draw(
    py: Python<'_>,
    database: &Database,
    count: usize,
    plies: &[u32],
    seed: u64,
    kind: SampleKind,
) -> PyResult<Vec<Position>> {
    let (needed, free) = (ROW_BYTES.saturating_mul(count as u64), memory_bytes());
    if needed > free {
        let (needed, free) = (bytes(needed.into()), bytes(free.into()));
        let message = format!(
            "{count} positions need about {needed} of memory; {free} may be used; \
             draw fewer, or write them to a file with export(path, sample=...)"
        );
        return Err(exception("SolveMemory", message));
    }
    let drawn = patiently(py, |monitor| {
        let sampler = Sampler::new(database, kind, plies, seed)?;
        sampler.draw(0..count as u64, &budget(None, monitor), &|| monitor.is_cancelled())
    })?;
    drawn.map_err(of_position)
}

/// Returns the kind of sample with a name.
pub fn sample_kind(name: &str) -> PyResult<SampleKind> {
    let kinds = [SampleKind::Uniform, SampleKind::RandomPlay, SampleKind::ChoiceMatters];
    named("kind", name, &kinds.map(|kind| (kind.name(), kind)))
}

/// Makes the tuple of positions with their values and plies.
pub fn labelled<'py>(
    py: Python<'py>,
    database: &Database,
    positions: impl Iterator<Item = Position>,
) -> PyResult<Bound<'py, PyAny>> {
    let batch = Batch { board: database.board(), positions: positions.map(Some).collect() };
    let (values, plies) = probe::many(py, database, Question::default(), &batch)?;
    tuple(py, batch.bitboards(), values, plies)
}

fn tuple(py: Python<'_>, bitboards: Vec<[u64; 2]>, values: Vec<i8>, plies: Vec<u8>) -> PyResult<Bound<'_, PyAny>> {
    let bitboards = PyArray1::from_slice(py, bitboards.as_flattened()).reshape([bitboards.len(), 2])?;
    let arrays = (bitboards, PyArray1::from_vec(py, values), PyArray1::from_vec(py, plies));
    py.import("fourbase._types")?.getattr("Labelled")?.call1(arrays)
}
