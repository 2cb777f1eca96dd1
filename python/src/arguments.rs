//! Arguments that several functions take.

use std::env;
use std::path::PathBuf;
use std::time::Duration;

use fourbase::{Board, excerpt};
use fourbase_tiers::database::DEFAULT_ROOT;
use fourbase_tiers::memory;
use pyo3::prelude::*;

use crate::failure::exception;

/// The name of a board.
#[derive(Clone, Copy)]
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

/// The argument ``progress``: a function, a bool, or None.
pub type Progress<'py> = Option<Bound<'py, PyAny>>;

/// Returns the choice called `name`. The error calls the argument `argument`, as Python does.
pub fn named<T: Copy>(argument: &str, name: &str, choices: &[(&str, T)]) -> PyResult<T> {
    choices.iter().find(|(known, _)| *known == name).map(|(_, choice)| *choice).ok_or_else(|| {
        let names = choices.iter().map(|(known, _)| format!("{known:?}")).collect::<Vec<_>>().join(" or ");
        let message = format!("{argument}={:?} is unknown; write {names}", excerpt(name, 40));
        exception("OptionError", message)
    })
}

/// Defines a type for each whole-number argument. Its errors name the argument and the allowed range.
macro_rules! whole_numbers {
    ($($kind:ident($number:ty) $name:literal $least:literal $most:expr,)*) => {$(
        pub struct $kind(pub $number);

        impl $kind {
            #[allow(dead_code, reason = "for arguments with a default")]
            pub fn read(argument: &Bound<'_, PyAny>) -> PyResult<$number> {
                argument.extract().map(|$kind(number)| number)
            }
        }

        impl<'a, 'py> FromPyObject<'a, 'py> for $kind {
            type Error = PyErr;

            fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<$kind> {
                whole_number($name, &object, $least, $most).map($kind)
            }
        }
    )*};
}

whole_numbers! {
    Cache(u64) "cache" 0 u64::MAX, Chunk(usize) "chunk" 1 u64::MAX, ColumnNumber(usize) "column" 1 64,
    Count(u64) "count" 0 u64::MAX, Games(u32) "games" 1 100_000_000, KeepPlies(u32) "keep_plies" 0 64, Memory(u64) "memory" 0 u64::MAX,
    Nodes(u64) "nodes" 0 u64::MAX, OpeningPlies(u32) "openings" 0 64, Ply(u32) "ply" 0 64, Remoteness(u32) "remoteness" 0 64,
    SampleCount(u64) "sample" 0 u64::MAX, Seed(u64) "seed" 0 u64::MAX, TableBytes(usize) "table_bytes" 0 u64::MAX,
    Threads(usize) "threads" 1 1024,
}

/// Reads a whole number; the error names the argument and its limits. A seed may be a `numpy.random.Generator`, which draws it.
fn whole_number<T: TryFrom<u64>>(name: &str, argument: &Bound<'_, PyAny>, least: u64, most: u64) -> PyResult<T> {
    let is_generator = name == "seed" && argument.hasattr("integers")?;
    let drawn = if is_generator { argument.call_method1("integers", (1u64 << 63,))? } else { argument.clone() };
    let number = drawn.extract().ok().filter(|number| (least..=most).contains(number));
    number.and_then(|number| T::try_from(number).ok()).ok_or_else(|| {
        let found = argument.repr().map_or_else(|_| String::new(), |found| found.to_string());
        let message = format!("{name}={} cannot be; write a whole number from {least} to {most}", excerpt(&found, 40));
        exception("OptionError", message)
    })
}

/// Returns `number * unit` seconds, or `Duration::MAX` (no limit) if a `Duration` cannot hold them.
pub fn span(name: &str, number: f64, unit: f64) -> PyResult<Duration> {
    if number.is_nan() || number < 0.0 {
        return Err(exception("OptionError", format!("{name}={number} is no time; write a number from 0 on")));
    }
    Ok(Duration::try_from_secs_f64(number * unit).unwrap_or(Duration::MAX))
}

/// Returns the longest time that the argument ``hours`` allows; None is no limit.
pub fn most_time(hours: Option<f64>) -> PyResult<Duration> {
    hours.map_or(Ok(Duration::MAX), |hours| span("hours", hours, 3600.0))
}

/// Collects the plies or the columns that an argument lists; `None` if the caller leaves the argument out.
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
    db.or_else(variable).unwrap_or_else(|| DEFAULT_ROOT.into())
}

/// Returns how many bytes a solve may use by default: four fifths of the free memory.
pub fn memory_bytes() -> u64 {
    memory::default_limit().unwrap_or(u64::MAX)
}

/// Returns the default size in bytes of the cache in which a database keeps blocks expanded by probes.
pub fn cache_bytes() -> u64 {
    memory::cache_bytes(2 << 30)
}
