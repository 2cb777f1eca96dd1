//! Data sets as files, and as arrays for NPZ; `fourbase._export` gives the files their names.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use fourbase::analysis::Budget;
use fourbase::excerpt;
use fourbase::search::Monitor;
use fourbase_tiers::dataset::{
    Cells, Choice, Column, Dataset, DatasetError, Field, Format, Portion, Rows, Summary,
};
use fourbase_tiers::progress::Progress;
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::arguments::memory_bytes;
use crate::database::Database;
use crate::failure::{exception, of_dataset};
use crate::rows::probe::{NO_PLIES, NO_VALUE};
use crate::sample;
use crate::wait::{patiently, pool};

/// Which positions and columns `export` writes: the arguments of ``Database.export``.
#[pyclass(frozen, module = "fourbase._fourbase")]
pub struct Export {
    database: Arc<fourbase_tiers::database::Database>,
    choice: Choice,
    columns: Vec<Column>,
    nodes: Option<u64>,
    memory_bytes: u64,
}

/// Stops at Ctrl-C.
struct Stop(AtomicBool);

impl Progress for Stop {
    fn is_stopped(&self) -> bool {
        self.0.load(Relaxed)
    }
}

#[pymethods]
impl Export {
    #[new]
    #[expect(clippy::too_many_arguments, reason = "each is a keyword")]
    #[pyo3(signature = (database, plies, count, kind, seed, distinct, unforced, columns, nodes, memory))]
    fn new(
        database: PyRef<'_, Database>,
        plies: Option<Vec<u32>>,
        count: Option<u64>,
        kind: &str,
        seed: u64,
        distinct: bool,
        unforced: bool,
        columns: Option<Vec<String>>,
        nodes: Option<u64>,
        memory: Option<u64>,
    ) -> PyResult<Export> {
        let database = Arc::clone(&database.0);
        let kind = sample::kind(kind)?;
        let cells = database.board().cells() as u32;
        let (rows, usual) = match count {
            Some(_) if unforced => {
                let message = "sample=... draws at random and unforced=True lists; give one of them";
                return Err(exception("OptionError", message.to_owned()));
            }
            Some(count) => (Rows::Sample { count, kind, seed }, 0..cells),
            None if unforced => (Rows::Unforced, cells.min(8)..cells.min(8) + 1),
            None => (Rows::All, 0..cells + 1),
        };
        let mut plies = plies.unwrap_or_else(|| usual.collect());
        plies.sort_unstable();
        plies.dedup();
        let choice = Choice { rows, plies, is_distinct: distinct };
        let columns = match columns {
            Some(names) => names.iter().map(|name| column(name)).collect::<PyResult<_>>()?,
            None => Column::usual(database.values()),
        };
        Dataset::new(&database, choice.clone(), columns.clone()).map_err(of_dataset)?;
        Ok(Export { database, choice, columns, nodes, memory_bytes: memory.unwrap_or_else(memory_bytes) })
    }

    /// Writes a file. Returns the number of rows and the text beside it; ``name`` is what the file will be called.
    fn write(
        &self,
        py: Python<'_>,
        path: PathBuf,
        file_format: &str,
        name: &str,
        made_with: &str,
    ) -> PyResult<(u64, String)> {
        let format = Format::ALL.into_iter().find(|known| known.name() == file_format);
        let format = format.ok_or_else(|| exception("OptionError", "format is unknown".to_owned()))?;
        let summary = self.run(py, |dataset, stop| {
            let mut file = BufWriter::new(File::create(&path)?);
            let summary = dataset.write(&mut file, format, stop)?;
            file.flush()?;
            Ok(summary)
        })?;
        let dataset = Dataset::new(&self.database, self.choice.clone(), self.columns.clone()).map_err(of_dataset)?;
        Ok((summary.rows, dataset.readme(format, &summary, name, made_with)))
    }

    /// Returns the fields as arrays, by name, the facts of the data set, and the number of rows.
    fn arrays<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyDict>, Bound<'py, PyList>, u64)> {
        let mut arrays: Vec<(Field, Cells)> = Vec::new();
        let summary = self.run(py, |dataset, stop| {
            dataset.for_each(stop, &mut |portion: &Portion| {
                if arrays.is_empty() {
                    arrays.clone_from(&portion.fields);
                } else {
                    arrays.iter_mut().zip(&portion.fields).for_each(|((_, all), (_, cells))| extend(all, cells));
                }
                Ok(())
            })
        })?;
        let by_name = PyDict::new(py);
        for (field, cells) in arrays {
            let name = field.name();
            match cells {
                Cells::Text(cells) => by_name.set_item(name, cells)?,
                Cells::UInt64(cells) => by_name.set_item(name, PyArray1::from_vec(py, cells))?,
                Cells::Int8(cells) => {
                    let cells = cells.into_iter().map(|cell| cell.unwrap_or(NO_VALUE));
                    by_name.set_item(name, PyArray1::from_iter(py, cells))?;
                }
                Cells::UInt8(cells) => {
                    let cells = cells.into_iter().map(|cell| cell.unwrap_or(NO_PLIES));
                    by_name.set_item(name, PyArray1::from_iter(py, cells))?;
                }
            }
        }
        let dataset = Dataset::new(&self.database, self.choice.clone(), self.columns.clone()).map_err(of_dataset)?;
        Ok((by_name, PyList::new(py, dataset.facts())?, summary.rows))
    }
}

impl Export {
    /// Makes the data set without the GIL; Ctrl-C stops it.
    fn run(
        &self,
        py: Python<'_>,
        make: impl FnOnce(&Dataset<'_>, &Stop) -> Result<Summary, DatasetError> + Send,
    ) -> PyResult<Summary> {
        let (monitor, stopped) = (Arc::new(Monitor::default()), Stop(AtomicBool::new(false)));
        let stop = || {
            monitor.cancel();
            stopped.0.store(true, Relaxed);
        };
        let budget = Budget { nodes: self.nodes, monitor: Some(Arc::clone(&monitor)), ..Budget::default() };
        let dataset = Dataset::new(&self.database, self.choice.clone(), self.columns.clone()).map_err(of_dataset)?;
        let dataset = dataset.budget(budget).memory(self.memory_bytes);
        patiently(py, &*pool()?, stop, |_| Ok(()), || make(&dataset, &stopped))?.map_err(of_dataset)
    }
}

/// Appends the cells of more rows.
fn extend(all: &mut Cells, cells: &Cells) {
    match (all, cells) {
        (Cells::Text(all), Cells::Text(cells)) => all.extend_from_slice(cells),
        (Cells::UInt64(all), Cells::UInt64(cells)) => all.extend_from_slice(cells),
        (Cells::Int8(all), Cells::Int8(cells)) => all.extend_from_slice(cells),
        (Cells::UInt8(all), Cells::UInt8(cells)) => all.extend_from_slice(cells),
        _ => {}
    }
}

/// Returns the column with a name.
fn column(name: &str) -> PyResult<Column> {
    Column::named(name).ok_or_else(|| {
        let names = Column::ALL.map(Column::name).join(", ");
        exception("OptionError", format!("{:?} is no column; the columns are {names}", excerpt(name, 40)))
    })
}
