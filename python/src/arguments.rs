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

/// Makes readers of whole numbers, each named after its argument: required ones, and those that may be None.
macro_rules! whole_numbers {
    ($($name:ident $least:literal $most:expr,)*) => {
        pub mod whole {
            use pyo3::prelude::*;

            $(pub fn $name<T: TryFrom<u64>>(argument: &Bound<'_, PyAny>) -> PyResult<T> {
                super::whole_number(stringify!($name), argument, $least, $most)
            })*
        }

        #[allow(dead_code, reason = "some are always required")]
        pub mod whole_or_none {
            use pyo3::prelude::*;

            $(pub fn $name<T: TryFrom<u64>>(argument: &Bound<'_, PyAny>) -> PyResult<Option<T>> {
                if argument.is_none() { Ok(None) } else { super::whole::$name(argument).map(Some) }
            })*
        }
    };
}

whole_numbers! {
    cache 0 u64::MAX, chunk 1 u64::MAX, column 1 64, count 0 u64::MAX, keep_plies 0 64, memory 0 u64::MAX, nodes 0 u64::MAX,
    ply 0 64, remoteness 0 64, sample 0 u64::MAX, seed 0 u64::MAX, table_bytes 0 u64::MAX, threads 1 1024,
}

/// Reads a whole number; the error names the argument and its limits.
fn whole_number<T: TryFrom<u64>>(name: &str, argument: &Bound<'_, PyAny>, least: u64, most: u64) -> PyResult<T> {
    let number = argument.extract().ok().filter(|number| (least..=most).contains(number));
    number.and_then(|number| T::try_from(number).ok()).ok_or_else(|| {
        let found = argument.repr().map_or_else(|_| String::new(), |found| found.to_string());
        let message = format!("{name}={} cannot be; write a whole number from {least} to {most}", excerpt(&found, 40));
        exception("OptionError", message)
    })
}

/// Takes all plies or columns of an argument.
pub fn items<T: for<'py> FromPyObjectOwned<'py, Error = PyErr>>(
    name: &str,
    argument: Option<&Bound<'_, PyAny>>,
) -> PyResult<Option<Vec<T>>> {
    let Some(argument) = argument else { return Ok(None) };
    let read = argument.try_iter().and_then(|items| items.map(|item| item?.extract()).collect());
    read.map(Some).map_err(|_| {
        let found = argument.repr().map_or_else(|_| String::new(), |found| found.to_string());
        exception("OptionError", format!("{name}={} is no list of {name}; write {name}=[...]", excerpt(&found, 40)))
    })
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
