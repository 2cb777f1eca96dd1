//! Arguments that several functions take.

use std::env;
use std::path::PathBuf;

use fourbase::{Board, excerpt};
use pyo3::prelude::*;
use sysinfo::System;

use crate::failure::exception;

/// The name of a board.
pub struct BoardArgument(pub Board);

impl<'a, 'py> FromPyObject<'a, 'py> for BoardArgument {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<BoardArgument> {
        let name: String = object.extract()?;
        match name.parse() {
            Ok(board) => Ok(BoardArgument(board)),
            Err(error) => Err(exception("BoardError", format!("{error}"))),
        }
    }
}

/// Returns the choice with a name. `argument` is what Python calls it.
pub fn named<T: Copy>(argument: &str, name: &str, choices: &[(&str, T)]) -> PyResult<T> {
    choices.iter().find(|(known, _)| *known == name).map(|(_, choice)| *choice).ok_or_else(|| {
        let names = choices.iter().map(|(known, _)| format!("{known:?}")).collect::<Vec<_>>().join(" or ");
        let message = format!("{argument}={:?} is unknown; write {names}", excerpt(name, 40));
        exception("OptionError", message)
    })
}

/// Takes all items of an argument that can be iterated over.
pub fn items<T: for<'py> FromPyObjectOwned<'py, Error = PyErr>>(
    argument: Option<&Bound<'_, PyAny>>,
) -> PyResult<Option<Vec<T>>> {
    argument.map(|items| items.try_iter()?.map(|item| item?.extract()).collect()).transpose()
}

/// Returns the folder of all databases: the argument, else `$FOURBASE_DB`, else `db`, as on the command line.
pub fn root(db: Option<PathBuf>) -> PathBuf {
    let variable = || env::var_os("FOURBASE_DB").filter(|root| !root.is_empty()).map(PathBuf::from);
    db.or_else(variable).unwrap_or_else(|| PathBuf::from("db"))
}

/// Returns how many bytes a solve may use by default: four fifths of the free memory.
pub fn memory_bytes() -> u64 {
    free_bytes().map_or(u64::MAX, |free| free / 5 * 4)
}

/// Returns how many bytes a database may keep of what probes expand, by default.
pub fn cache_bytes() -> u64 {
    (free_bytes().unwrap_or(0) / 8).clamp(256 << 20, 2 << 30)
}

/// Returns the free memory of the machine or of the container, whichever is less; `None` where it is unknown.
fn free_bytes() -> Option<u64> {
    let mut system = System::new();
    system.refresh_memory();
    let machine = system.available_memory();
    let free = system.cgroup_limits().map_or(machine, |limits| limits.free_memory.min(machine));
    (free > 0).then_some(free)
}
