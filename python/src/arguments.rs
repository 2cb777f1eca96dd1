//! Arguments that several functions take.

use std::env;
use std::path::PathBuf;

use fourbase::Board;
use fourbase_tiers::kernel::Values;
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

/// Which values are solved: `remoteness` or `wdl`.
pub struct ValuesArgument(pub Values);

impl<'a, 'py> FromPyObject<'a, 'py> for ValuesArgument {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<ValuesArgument> {
        let name: String = object.extract()?;
        match name.as_str() {
            "remoteness" => Ok(ValuesArgument(Values::Remoteness)),
            "wdl" => Ok(ValuesArgument(Values::Wdl)),
            _ => {
                let shown = fourbase::excerpt(&name, 40);
                Err(exception("OptionError", format!("values={shown:?} is unknown; write \"remoteness\" or \"wdl\"")))
            }
        }
    }
}

/// What to do about rows that are no positions: raise an error, or mask them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Errors {
    /// Raise an error about the first one.
    Raise,
    /// Put what stands for no answer into their rows.
    Mask,
}

impl<'a, 'py> FromPyObject<'a, 'py> for Errors {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Errors> {
        let name: String = object.extract()?;
        match name.as_str() {
            "raise" => Ok(Errors::Raise),
            "mask" => Ok(Errors::Mask),
            _ => {
                let shown = fourbase::excerpt(&name, 40);
                Err(exception("OptionError", format!("errors={shown:?} is unknown; write \"raise\" or \"mask\"")))
            }
        }
    }
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
