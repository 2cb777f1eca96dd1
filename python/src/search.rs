//! The function `search`.

use std::time::Instant;

use fourbase::analysis::{Budget, SearchPool};
use fourbase::search::{Monitor, SearchOptions};
use pyo3::prelude::*;

use crate::arguments::{BoardArgument, Nodes, Progress, TableBytes, Threads, span};
use crate::failure::of_analysis;
use crate::outcome::Outcome;
use crate::position::read;
use crate::work::{ProgressDisplay, budget, pool};

/// Finds the value and the remoteness of a position by searching forward, without a database. The answer is exact.
///
/// ``nodes`` and ``seconds`` limit the search; `SearchLimit` is raised if the search reaches a limit. ``threads`` start only if the
/// question turns out to be long. ``table_bytes`` limits the memory for what the search has found (default: 128 MiB). Late
/// positions take microseconds, the empty board of 7x6 many minutes. Ctrl-C stops the search, and so does an error that
/// ``progress`` raises: see `Database.probe_many`.
///
/// >>> fourbase.search("7x6", "444443555566")
/// Outcome(value='win', remoteness=1)
/// >>> fourbase.search("7x6", nodes=1000)
/// Traceback (most recent call last):
///     ...
/// fourbase.errors.SearchLimit: 7x6: not decided within 1000 nodes; allow more with nodes=... or seconds=..., or ask about a later position
#[pyfunction]
#[pyo3(signature = (board, position=None, *, nodes=None, seconds=None, threads=1, table_bytes=None, progress=None))]
pub fn search(
    py: Python<'_>,
    board: BoardArgument,
    position: Option<&Bound<'_, PyAny>>,
    nodes: Option<Nodes>,
    seconds: Option<f64>,
    #[pyo3(from_py_with = Threads::read)] threads: usize,
    table_bytes: Option<TableBytes>,
    progress: Progress<'_>,
) -> PyResult<Outcome> {
    let board = board.0;
    let position = position.map_or_else(|| Ok(fourbase::Position::start(board)), |text| read(board, text))?;
    let nodes = nodes.map(|nodes| nodes.0);
    let time = seconds.map(|seconds| span("seconds", seconds, 1.0)).transpose()?;
    // A time that is too long for the clock is no limit.
    let deadline = time.and_then(|time| Instant::now().checked_add(time));
    let defaults = SearchOptions::default();
    let options =
        SearchOptions { threads, table_bytes: table_bytes.map_or(defaults.table_bytes, |bytes| bytes.0), ..defaults };
    let fields = |monitor: &Monitor| Some(("nodes", monitor.nodes(), nodes, monitor.nodes()));
    let found =
        ProgressDisplay::new(py, board, "Progress", progress)?.run_interruptible(py, &*pool()?, fields, |monitor| {
            SearchPool::new(options).outcome(&position, &mut Budget { deadline, ..budget(nodes, monitor) })
        })?;
    found.map(Outcome).map_err(|error| of_analysis(&error, "nodes=... or seconds=..."))
}
