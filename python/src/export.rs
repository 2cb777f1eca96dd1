//! Writes data sets to files, or returns their arrays for NPZ. `fourbase/_export.py` makes the NPZ file, and gives complete files
//! their names.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use fourbase::excerpt;
use fourbase::search::Monitor;
use fourbase_tiers::database::Database;
use fourbase_tiers::dataset::{Cells, Column, Dataset, Field, Format, RowChoice, Selection};
use numpy::PyArray1;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;

use crate::arguments::named;
use crate::failure::{exception, of_dataset};
use crate::probe::{NO_PLIES, NO_VALUE};
use crate::progress::{Seen, Shown, Watch};
use crate::wait::{budget, pool};

/// Which positions and columns ``Database.export`` writes.
#[pyclass(frozen, module = "fourbase._native")]
pub struct Export {
    pub database: Arc<Database>,
    pub choice: Selection,
    pub columns: Vec<Column>,
    /// `None` for NPZ.
    pub format: Option<Format>,
    pub nodes: Option<u64>,
    pub memory_bytes: u64,
    pub most_time: Duration,
    pub progress: Option<Py<PyAny>>,
}

/// The number of rows, the text of the `.md` file, the facts for the metadata and, for NPZ only, the fields of each portion.
type Written<'py> = (u64, String, Vec<(&'static str, String)>, Option<Vec<Fields<'py>>>);

/// The fields of some rows: for each field the name of its column, its own name, and the cells.
type Fields<'py> = Vec<(String, String, Bound<'py, PyAny>)>;

#[pymethods]
impl Export {
    /// Writes the file, which will be called ``name``. Returns the number of rows, the text of the `.md` file, and the facts for
    /// the metadata. For NPZ, writes no file and returns the fields as well, portion by portion.
    fn write<'py>(&self, py: Python<'py>, path: PathBuf, name: &str, made_with: &str) -> PyResult<Written<'py>> {
        let dataset = || Dataset::new(&self.database, self.choice.clone(), self.columns.clone());
        let mut portions = Vec::new();
        let progress = self.progress.as_ref().map(|progress| progress.bind(py).clone());
        let shown = Shown::new(py, self.database.board(), "Progress", progress)?;
        let unit = match self.choice.rows {
            RowChoice::All => "entries",
            RowChoice::Sample { .. } => "positions",
            RowChoice::Unforced => "plies",
        };
        let seen = &Seen::default();
        let told = |monitor: &Monitor| seen.done_and_all().map(|(done, all)| (unit, done, all, monitor.nodes()));
        let by_value = shown.patiently(py, &*pool()?, told, |monitor| {
            let watch = Watch { seen, monitor };
            let mut dataset = dataset()?;
            dataset.budget = budget(self.nodes, monitor);
            (dataset.memory_bytes, dataset.most_time) = (self.memory_bytes, self.most_time);
            let Some(format) = self.format else {
                return dataset.for_each(Format::Csv, &watch, &mut |portion| {
                    portions.push(portion.fields.clone());
                    Ok(())
                });
            };
            let mut file = BufWriter::new(File::create(&path)?);
            let by_value = dataset.write(&mut file, format, &watch)?;
            file.flush()?;
            Ok(by_value)
        })?;
        let by_value = by_value.map_err(of_dataset)?;
        let format = self.format.unwrap_or(Format::Parquet);
        let dataset = dataset().map_err(of_dataset)?;
        let text = dataset.readme(format, by_value, name, made_with);
        let arrays = |fields: Vec<(Field, Cells)>| -> PyResult<Fields<'py>> {
            let names = |field: Field| (field.column.name().replace('-', "_"), field.name());
            let named = |(column, field), cells| array(py, cells).map(|cells| (column, field, cells));
            fields.into_iter().map(|(field, cells)| named(names(field), cells)).collect()
        };
        let portions = portions.into_iter().map(arrays).collect::<PyResult<_>>()?;
        Ok((by_value.iter().sum(), text, dataset.facts(), self.format.is_none().then_some(portions)))
    }
}

/// Makes an array of the cells, with [`NO_VALUE`] or [`NO_PLIES`] for nulls. Texts become a list.
fn array(py: Python<'_>, cells: Cells) -> PyResult<Bound<'_, PyAny>> {
    Ok(match cells {
        Cells::Text(cells) => cells.into_bound_py_any(py)?,
        Cells::UInt64(cells) => PyArray1::from_vec(py, cells).into_any(),
        Cells::Int8(cells) => PyArray1::from_iter(py, cells.iter().map(|cell| cell.unwrap_or(NO_VALUE))).into_any(),
        Cells::UInt8(cells) => PyArray1::from_iter(py, cells.iter().map(|cell| cell.unwrap_or(NO_PLIES))).into_any(),
    })
}

/// Returns the format called `name` or, without a name, the format that the end of `file` stands for; `None` for NPZ.
pub fn format(name: Option<&str>, file: &Path) -> PyResult<Option<Format>> {
    let known = Format::ALL.map(|format| (format.name(), Some(format)));
    let known = Vec::from_iter(known.into_iter().chain([("npz", None)]));
    match (name, Format::of_file(file)) {
        (Some(name), _) => named("format", name, &known),
        (None, Some(format)) => Ok(Some(format)),
        (None, None) if file.extension().is_some_and(|end| end.eq_ignore_ascii_case("npz")) => Ok(None),
        (None, None) => {
            let names = known.iter().map(|(name, _)| format!("{name:?}")).collect::<Vec<_>>().join(" or ");
            let file = excerpt(&file.to_string_lossy(), 80);
            Err(exception("OptionError", format!("{file:?} does not tell the format; write format={names}")))
        }
    }
}
