//! The progress of long calls, as `fourbase/_progress.py` shows it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use fourbase::Board;
use fourbase::search::Monitor;
use fourbase_tiers::progress::{Progress, Stage};
use pyo3::call::PyCallArgs;
use pyo3::prelude::*;
use rayon::ThreadPool;

use crate::wait::patiently_on;

/// Shows the progress of a call. The default shows nothing.
#[derive(Default)]
pub struct Shown {
    show: Option<Py<PyAny>>,
    end: Option<Py<PyAny>>,
}

impl Shown {
    /// Reads the argument ``progress`` of a call about a board. `kind` is the Python class that a function given as ``progress``
    /// receives.
    pub fn new(py: Python<'_>, board: Board, kind: &str, progress: Option<Bound<'_, PyAny>>) -> PyResult<Shown> {
        let shown = py.import("fourbase._progress")?.getattr("shown")?;
        let (show, end) = shown.call1((board.to_string(), kind, progress))?.extract()?;
        Ok(Shown { show, end: Some(end) })
    }

    /// Does long work as [`patiently_on`] does, and shows what `seen` returns: the fields of the Python class of progress.
    pub fn patiently<T: Send, S: for<'py> PyCallArgs<'py>>(
        &self,
        py: Python<'_>,
        pool: &ThreadPool,
        seen: impl Fn(&Monitor) -> Option<S> + Sync,
        work: impl FnOnce(&Arc<Monitor>) -> T + Send,
    ) -> PyResult<T> {
        let tell = |py: Python<'_>, monitor: &Monitor| seen(monitor).map_or(Ok(()), |seen| self.tell(py, seen));
        patiently_on(py, pool, tell, work)
    }

    /// Shows the fields of the Python class of progress.
    pub fn tell(&self, py: Python<'_>, seen: impl for<'py> PyCallArgs<'py>) -> PyResult<()> {
        self.show.as_ref().map_or(Ok(()), |show| show.call1(py, seen).map(drop))
    }
}

/// Clears the line in the terminal.
impl Drop for Shown {
    fn drop(&mut self) {
        if let Some(end) = &self.end {
            Python::attach(|py| end.call0(py).map_or_else(|error| error.write_unraisable(py, None), drop));
        }
    }
}

/// How much of the work the libraries have done.
#[derive(Default)]
pub struct Seen {
    pub ply: AtomicU32,
    pub done: AtomicU64,
    pub all: AtomicU64,
}

impl Seen {
    /// Returns how much is done and how much there is; `None` until that is known.
    pub fn done_and_all(&self) -> Option<(u64, u64)> {
        let (done, all) = (self.done.load(Relaxed), self.all.load(Relaxed));
        (all > 0).then_some((done, all))
    }
}

/// Records how much of the work the libraries have done, and stops them at Ctrl-C.
pub struct Watch<'a> {
    pub seen: &'a Seen,
    pub monitor: &'a Monitor,
}

impl Progress for Watch<'_> {
    fn begin(&self, stage: Stage, steps: u64, done: u64) {
        if stage != Stage::Resume {
            self.seen.all.store(steps, Relaxed);
            self.seen.done.store(done, Relaxed);
        }
    }

    fn tier(&self, ply: u32, _: u64) {
        self.seen.ply.store(ply, Relaxed);
    }

    fn done(&self, stage: Stage, steps: u64) {
        if stage != Stage::Resume {
            self.seen.done.fetch_add(steps, Relaxed);
        }
    }

    fn is_stopped(&self) -> bool {
        self.monitor.is_cancelled()
    }
}
