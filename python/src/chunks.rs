//! Whole tiers as arrays: the class `Chunks`, which `Database.positions` returns.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use fourbase::Position;
use fourbase_tiers::counts::{CountError, PositionList};
use fourbase_tiers::database;
use numpy::PyArray1;
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::database::Asked;
use crate::failure::exception;
use crate::rows::{Batch, bitboards, probe};
use crate::wait::{briefly, patiently, pool};

/// The positions of a ply, a part after the other.
#[pyclass(module = "fourbase")]
pub struct Chunks {
    database: Arc<database::Database>,
    list: PositionList,
    /// The first matrix that is not listed yet.
    matrix: usize,
    /// Listed positions of earlier matrices.
    listed: Vec<Position>,
    /// How many positions a chunk has; the last one may have fewer.
    size: usize,
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
        let (index, stopped) = (database.index(), AtomicBool::new(false));
        let list = || {
            if legal {
                PositionList::legal(index, ply, memory_bytes, &|| stopped.load(Relaxed))
            } else {
                Ok(Some(PositionList::all(index, ply)))
            }
        };
        let list = patiently(py, &*pool()?, || stopped.store(true, Relaxed), |_| Ok(()), list)?;
        let list = list.map_err(of_count)?.ok_or_else(|| exception("FourbaseError", "stopped".to_owned()))?;
        let database = Arc::clone(database);
        Ok(Chunks { database, list, matrix: 0, listed: Vec::new(), size: size.max(1) })
    }

    /// Lists matrices until there are positions for a chunk, on all threads.
    fn list_more(&mut self) -> Result<(), CountError> {
        while self.listed.len() < self.size && self.matrix < self.list.matrices() {
            let start = self.matrix;
            let mut entries = 0;
            while entries < self.size as u64 && self.matrix < self.list.matrices() {
                entries += self.list.entries(self.matrix);
                self.matrix += 1;
            }
            let index = self.database.index();
            let positions = (start..self.matrix).into_par_iter().map(|matrix| self.list.positions(index, matrix));
            for positions in positions.collect::<Result<Vec<_>, _>>()? {
                self.listed.extend(positions);
            }
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
        let pool = pool()?;
        briefly(py, || pool.install(|| self.list_more()))?.map_err(of_count)?;
        if self.listed.is_empty() {
            return Ok(None);
        }
        let rest = self.listed.split_off(self.size.min(self.listed.len()));
        let positions = std::mem::replace(&mut self.listed, rest);
        chunk(py, &self.database, positions).map(Some)
    }
}

/// Makes the tuple of positions with their values and plies.
pub fn chunk<'py>(
    py: Python<'py>,
    database: &Arc<database::Database>,
    positions: Vec<Position>,
) -> PyResult<Bound<'py, PyAny>> {
    let batch = Batch { board: database.board(), positions, masked: Vec::new() };
    let asked = Asked { database: Arc::clone(database), nodes: None };
    let (values, plies) = probe::many(py, &asked, &batch)?;
    let arrays = (bitboards(py, &batch)?, PyArray1::from_vec(py, values), PyArray1::from_vec(py, plies));
    py.import("fourbase._types")?.getattr("Labelled")?.call1(arrays)
}

fn of_count(error: CountError) -> PyErr {
    match &error {
        CountError::Memory { .. } => {
            let message = format!("{error}; allow more with memory=BYTES, or draw positions with sample()");
            exception("SolveMemory", message)
        }
        _ => exception("FourbaseError", error.to_string()),
    }
}
