//! Data sets as files, and as arrays for NPZ; `fourbase._export` gives the files their names.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use fourbase::excerpt;
use fourbase::search::Monitor;
use fourbase_tiers::answer::Limits;
use fourbase_tiers::dataset::{
    Cells, Choice, Column, Dataset, DatasetError, Field, FieldKind, Format, Portion, Progress, Rows, Summary,
};
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
        let mut arrays: Vec<(Field, Numbers)> = Vec::new();
        let summary = self.run(py, |dataset, stop| {
            dataset.for_each(stop, &mut |portion: &Portion| {
                for (number, (field, cells)) in portion.fields.iter().enumerate() {
                    if number == arrays.len() {
                        arrays.push((*field, Numbers::of(*field)));
                    }
                    if let Some((_, numbers)) = arrays.get_mut(number) {
                        numbers.extend(cells);
                    }
                }
                Ok(())
            })
        })?;
        let by_name = PyDict::new(py);
        for (field, numbers) in arrays {
            match numbers {
                Numbers::Text(texts) => by_name.set_item(field.name(), texts)?,
                Numbers::Bitboards(numbers) => by_name.set_item(field.name(), PyArray1::from_vec(py, numbers))?,
                Numbers::Signed(numbers) => by_name.set_item(field.name(), PyArray1::from_vec(py, numbers))?,
                Numbers::Unsigned(numbers) => by_name.set_item(field.name(), PyArray1::from_vec(py, numbers))?,
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
        let limits = Limits { nodes: self.nodes, monitor: Some(Arc::clone(&monitor)) };
        let dataset = Dataset::new(&self.database, self.choice.clone(), self.columns.clone()).map_err(of_dataset)?;
        let dataset = dataset.limits(limits).memory(self.memory_bytes);
        patiently(py, &*pool()?, stop, |_| Ok(()), || make(&dataset, &stopped))?.map_err(of_dataset)
    }
}

/// The cells of a field in the type of its array. What is not there is `NO_VALUE` or `NO_PLIES`.
enum Numbers {
    Text(Vec<String>),
    Bitboards(Vec<u64>),
    Signed(Vec<i8>),
    Unsigned(Vec<u8>),
}

impl Numbers {
    fn of(field: Field) -> Numbers {
        match field.kind() {
            FieldKind::Text => Numbers::Text(Vec::new()),
            FieldKind::Bitboard => Numbers::Bitboards(Vec::new()),
            FieldKind::Signed { .. } => Numbers::Signed(Vec::new()),
            FieldKind::Unsigned { .. } => Numbers::Unsigned(Vec::new()),
        }
    }

    fn extend(&mut self, cells: &Cells) {
        match (self, cells) {
            (Numbers::Text(all), Cells::Text(cells)) => all.extend_from_slice(cells),
            (Numbers::Bitboards(all), Cells::Bitboards(cells)) => all.extend_from_slice(cells),
            (Numbers::Signed(all), Cells::Numbers(cells)) => all.extend(cells.iter().map(|cell| *cell as i8)),
            (Numbers::Unsigned(all), Cells::Numbers(cells)) => all.extend(cells.iter().map(|cell| *cell as u8)),
            (Numbers::Signed(all), Cells::Maybe(cells)) => {
                all.extend(cells.iter().map(|cell| cell.map_or(NO_VALUE, |cell| cell as i8)));
            }
            (Numbers::Unsigned(all), Cells::Maybe(cells)) => {
                all.extend(cells.iter().map(|cell| cell.map_or(NO_PLIES, |cell| cell as u8)));
            }
            _ => {}
        }
    }
}

/// Returns the column with a name.
fn column(name: &str) -> PyResult<Column> {
    Column::named(name).ok_or_else(|| {
        let names = Column::ALL.map(Column::name).join(", ");
        exception("OptionError", format!("{:?} is no column; the columns are {names}", excerpt(name, 40)))
    })
}
