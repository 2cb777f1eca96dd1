//! Writes data sets to files. A file gets its name only when it is complete.

use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use fourbase::excerpt;
use fourbase_tiers::dataset::{Cells, Column, Dataset, Field, Format};
use numpy::PyArray1;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arguments::named;
use crate::failure::{exception, of_dataset};
use crate::probe::{NO_PLIES, NO_VALUE};
use crate::work::{ProgressDisplay, budget, exit_on_sigterm};

/// What ``Database.export`` writes.
pub struct Export<'d> {
    pub dataset: Dataset<'d>,
    /// `None` for NPZ.
    pub format: Option<Format>,
    pub file: PathBuf,
    /// The call, for the text beside the file.
    pub made_with: String,
    /// What the progress counts.
    pub unit: &'static str,
    pub display: ProgressDisplay,
}

impl Export<'_> {
    /// Writes the data set, and the text beside it, to temporary files, and names them. Returns the number of rows.
    pub fn write(self, py: Python<'_>, is_replaced: bool) -> PyResult<u64> {
        let Export { mut dataset, format, file, made_with, unit, display } = self;
        let folder = file.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
        if !folder.is_dir() {
            let message = format!("{} is no folder; make it, or write another path", folder.display());
            return Err(exception("FolderMissing", message));
        }
        let name = file.file_name().unwrap_or_default();
        let readme = file.with_file_name([name, OsStr::new(".md")].into_iter().collect::<OsString>());
        if let Some(name) = [&file, &readme].into_iter().find(|name| !is_replaced && name.exists()) {
            let message = format!("{} exists; write replace=True to replace it, or another path", name.display());
            return Err(exception("FileExists", message));
        }
        let of_file = |error: io::Error| of_dataset(error.into());
        exit_on_sigterm(py, || {
            // numpy appends `.npz` to any other name.
            let temporary = tempfile::Builder::new().prefix(".fourbase-").tempdir_in(folder).map_err(of_file)?;
            let (data, text) = (temporary.path().join("data.npz"), temporary.path().join("readme"));
            let mut portions = Vec::new();
            let by_value = display.run_counted(py, unit, |recorder| {
                dataset.budget = budget(dataset.budget.nodes, recorder.monitor);
                let Some(format) = format else {
                    return dataset.for_each(Format::Csv, recorder, &mut |portion| {
                        portions.push(portion.fields.clone());
                        Ok(())
                    });
                };
                let mut file = BufWriter::new(File::create(&data)?);
                let by_value = dataset.write(&mut file, format, recorder)?;
                file.flush()?;
                Ok(by_value)
            })?;
            drop(display);
            let by_value = by_value.map_err(of_dataset)?;
            let mut words =
                dataset.readme(format.unwrap_or(Format::Parquet), by_value, &name.to_string_lossy(), &made_with);
            if format.is_none() {
                words += &write_npz(py, &data, portions, &dataset)?;
            }
            fs::write(&text, words).map_err(of_file)?;
            fs::rename(data, &file).map_err(of_file)?;
            fs::rename(text, readme).map_err(of_file)?;
            Ok(by_value.iter().sum())
        })
    }
}

/// Writes the fields of all portions as one array for each column, and returns the text that explains the arrays.
fn write_npz(
    py: Python<'_>,
    file: &Path,
    portions: Vec<Vec<(Field, Cells)>>,
    dataset: &Dataset<'_>,
) -> PyResult<String> {
    let numpy = py.import("numpy")?;
    let mut text = "\n## Arrays\n\nNull is -128 in int8 and 255 in uint8.\n\n".to_owned();
    text += "| array | type and shape | columns |\n|---|---|---|\n";
    let mut fields: Vec<(Field, Vec<Bound<'_, PyAny>>)> = Vec::new();
    for (number, (field, cells)) in portions.into_iter().flat_map(|portion| portion.into_iter().enumerate()) {
        match fields.get_mut(number) {
            Some((_, parts)) => parts.push(array(py, cells)?),
            None => fields.push((field, vec![array(py, cells)?])),
        }
    }
    let arrays = PyDict::new(py);
    for fields in fields.chunk_by(|(field, _), (next, _)| field.column == next.column) {
        let whole = fields.iter().map(|(_, parts)| numpy.call_method1("concatenate", (parts,)));
        let whole = whole.collect::<PyResult<Vec<_>>>()?;
        let (column, names) = (fields[0].0.column, Vec::from_iter(fields.iter().map(|(field, _)| field.name())));
        let is_table = matches!(column, Column::Bitboards | Column::MoveValues | Column::MoveRemoteness);
        let array = if is_table { numpy.call_method1("stack", (whole, 1))? } else { whole[0].clone() };
        let (name, names) = (column.name().replace('-', "_"), names.join(", "));
        let (kind, shape) = (array.getattr("dtype")?, array.getattr("shape")?);
        _ = writeln!(text, "| `{name}` | {kind} {shape} | {names} |");
        arrays.set_item(name, array)?;
    }
    let facts = PyDict::from_sequence(&dataset.facts().into_bound_py_any(py)?)?;
    arrays.set_item("card", py.import("json")?.call_method1("dumps", (facts,))?)?;
    text +=
        "| `card` | text | the facts above as JSON, as in the metadata of Parquet: `json.loads(str(file['card']))` |\n";
    numpy.call_method("savez_compressed", (file,), Some(&arrays))?;
    Ok(text)
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
