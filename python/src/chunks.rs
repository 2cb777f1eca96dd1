//! Whole tiers as arrays: the class `Chunks`, which `Database.positions` returns.

use std::mem;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use fourbase::Position;
use fourbase_tiers::counts::CountError;
use fourbase_tiers::database;
use fourbase_tiers::positions::{PositionError, PositionList};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;

use crate::failure::exception;
use crate::rows::{Batch, bitboards, probe};
use crate::wait::{briefly, patiently, pool};

/// Entries that are listed at once, so that all threads have some.
const AHEAD: u64 = 1 << 20;

/// The positions of a ply, a part after the other.
#[pyclass(module = "fourbase")]
pub struct Chunks {
    database: Arc<database::Database>,
    /// Solved where that is quicker than to probe its positions.
    list: PositionList,
    /// Listed positions of earlier parts.
    listed: Rows,
    /// How many of them earlier chunks have had.
    taken: usize,
    /// How many positions a chunk has; the last one may have fewer.
    size: usize,
}

/// Positions with their values and plies; none of these where they are probed later.
#[derive(Default)]
struct Rows {
    bitboards: Vec<[u64; 2]>,
    values: Vec<i8>,
    plies: Vec<u8>,
}

impl Chunks {
    /// Finds the positions of a ply.
    pub fn new(
        py: Python<'_>,
        database: &Arc<database::Database>,
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
        let stopped = AtomicBool::new(false);
        let list = || listed(database, ply, legal, memory_bytes, &|| stopped.load(Relaxed));
        let list = patiently(py, &*pool()?, || stopped.store(true, Relaxed), |_| Ok(()), list)?;
        let (database, list) = (Arc::clone(database), list.map_err(of_list)?);
        Ok(Chunks { database, list, listed: Rows::default(), taken: 0, size })
    }

    /// Lists more until there are positions for a chunk, on all threads.
    fn list_more(&mut self) -> Result<(), PositionError> {
        let Chunks { database, list, listed, .. } = self;
        if listed.bitboards.len() - self.taken >= self.size {
            return Ok(());
        }
        listed.forget(mem::take(&mut self.taken));
        let numbers = Vec::from_iter(
            (0..=u8::MAX).map(|code| list.outcome(code).map_or((probe::NO_VALUE, probe::NO_PLIES), probe::numbers)),
        );
        while listed.bitboards.len() < self.size
            && let Some(batch) = list.next(database.index(), AHEAD)?
        {
            listed.bitboards.extend(batch.bitboards);
            let number = |code: &u8| numbers[usize::from(*code)];
            listed.values.extend(batch.codes.iter().map(|code| number(code).0));
            listed.plies.extend(batch.codes.iter().map(|code| number(code).1));
        }
        Ok(())
    }
}

/// Lists a ply, and solves it where that is quicker than to probe its positions and the memory is enough.
fn listed(
    database: &database::Database,
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

impl Rows {
    /// Forgets the first rows.
    fn forget(&mut self, rows: usize) {
        self.bitboards.drain(..rows);
        self.values.drain(..rows.min(self.values.len()));
        self.plies.drain(..rows.min(self.plies.len()));
    }
}

#[pymethods]
impl Chunks {
    fn __iter__(chunks: PyRef<'_, Self>) -> PyRef<'_, Self> {
        chunks
    }

    fn __next__<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let pool = pool()?;
        briefly(py, || pool.install(|| self.list_more()))?.map_err(of_list)?;
        let rows = self.taken..self.listed.bitboards.len().min(self.taken + self.size);
        if rows.is_empty() {
            return Ok(None);
        }
        self.taken = rows.end;
        let bitboards = &self.listed.bitboards[rows.clone()];
        if !self.list.is_solved() {
            let board = self.database.board();
            let positions =
                bitboards.iter().filter_map(|[first, second]| Position::from_bitboards(board, *first, *second).ok());
            return chunk(py, &self.database, positions.collect()).map(Some);
        }
        let arrays = (
            PyArray1::from_slice(py, bitboards.as_flattened()).reshape([rows.len(), 2])?,
            PyArray1::from_slice(py, &self.listed.values[rows.clone()]),
            PyArray1::from_slice(py, &self.listed.plies[rows]),
        );
        py.import("fourbase._types")?.getattr("Labelled")?.call1(arrays).map(Some)
    }
}

/// Makes the tuple of positions with their values and plies.
pub fn chunk<'py>(
    py: Python<'py>,
    database: &Arc<database::Database>,
    positions: Vec<Position>,
) -> PyResult<Bound<'py, PyAny>> {
    let batch = Batch { board: database.board(), positions, masked: Vec::new() };
    let (values, plies) = probe::many(py, database, None, &batch)?;
    let arrays = (bitboards(py, &batch)?, PyArray1::from_vec(py, values), PyArray1::from_vec(py, plies));
    py.import("fourbase._types")?.getattr("Labelled")?.call1(arrays)
}

fn of_list(error: PositionError) -> PyErr {
    match &error {
        PositionError::Count(CountError::Memory { .. }) => {
            let message = format!("{error}; allow more with memory=BYTES, or draw positions with sample()");
            exception("SolveMemory", message)
        }
        _ => exception("FourbaseError", error.to_string()),
    }
}
