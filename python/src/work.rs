//! Work of the libraries: without the GIL, on threads that all calls share, with progress as `fourbase/_progress.py` shows it. Ctrl-C
//! ends it, and so does SIGTERM where files are written.

use std::any::Any;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use fourbase::Board;
use fourbase::analysis::Budget;
use fourbase::search::Monitor;
use fourbase_tiers::progress::{Progress, Stage};
use pyo3::call::PyCallArgs;
use pyo3::exceptions::{PySystemExit, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCFunction, PyDict, PyTuple};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::failure::{bug, exception};
use crate::{arguments, call_python};

/// How often Python is asked whether Ctrl-C was pressed.
pub const SIGNAL_INTERVAL: Duration = Duration::from_millis(50);

/// Does short work without the GIL, on this thread. A panic becomes an exception.
pub fn without_gil<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    let done: Result<T, Box<dyn Any + Send>> = py.detach(|| catch_unwind(AssertUnwindSafe(work)));
    done.map_err(|panic| bug(panic.as_ref()))
}

/// Limits searches to `nodes`, and lets a monitor cancel them.
pub fn budget(nodes: Option<u64>, monitor: &Arc<Monitor>) -> Budget {
    Budget { nodes, monitor: Some(Arc::clone(monitor)), ..Budget::default() }
}

/// The threads, and the process that they belong to.
static POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

/// Returns the threads that all calls share, one for each processor. A process that was forked, as by `multiprocessing`,
/// starts its own: it has none of its parent's.
pub fn pool() -> PyResult<Arc<ThreadPool>> {
    let mut shared = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    let process = process::id();
    if let Some((owner, pool)) = shared.as_ref()
        && *owner == process
    {
        return Ok(Arc::clone(pool));
    }
    let pool = Arc::new(threads(0)?);
    // Forgets the parent's pool instead of dropping it: after a fork, its threads do not exist in this process.
    mem::forget(shared.replace((process, Arc::clone(&pool))));
    Ok(pool)
}

/// Starts threads for one call; 0 for one for each processor.
pub fn threads(number: usize) -> PyResult<ThreadPool> {
    let started = ThreadPoolBuilder::new().num_threads(number).thread_name(|_| "fourbase".to_owned()).build();
    started.map_err(|error| {
        exception("FourbaseError", format!("cannot start the threads: {error}; ask for fewer with threads=..."))
    })
}

/// Shows the progress of a call: a Python function of the fields of a class of progress, which ends the display if it is called
/// without any. `None` shows nothing.
#[derive(Default)]
pub struct ProgressDisplay(Option<Py<PyAny>>);

impl ProgressDisplay {
    /// Reads the argument ``progress`` of a call about a board. `kind` is the Python class that a function given as ``progress``
    /// receives.
    pub fn new(
        py: Python<'_>,
        board: Board,
        kind: &str,
        progress: arguments::Progress<'_>,
    ) -> PyResult<ProgressDisplay> {
        Ok(ProgressDisplay(call_python(py, "progress_display", (board.to_string(), kind, progress))?.extract()?))
    }

    /// Does long work without the GIL, on the threads of `pool`. In the meantime, this thread asks Python for
    /// signals and shows what `fields` returns, the fields of the Python class of progress, twenty times a second, and once more at
    /// the end. If either fails, as with Ctrl-C, it cancels the monitor, which `work` must heed, waits for the end of the work and
    /// returns that error. A panic becomes an exception.
    pub fn run_interruptible<T: Send, S: for<'py> PyCallArgs<'py>>(
        &self,
        py: Python<'_>,
        pool: &ThreadPool,
        fields: impl Fn(&Monitor) -> Option<S> + Sync,
        work: impl FnOnce(&Arc<Monitor>) -> T + Send,
    ) -> PyResult<T> {
        let monitor = &Arc::new(Monitor::default());
        let show = |py: Python<'_>| fields(monitor).map_or(Ok(()), |fields| self.show(py, fields));
        let done = py.detach(|| {
            thread::scope(|scope| {
                let (alive, ended) = mpsc::channel::<()>();
                let worker = scope.spawn(move || {
                    // Dropped at the end of the work, also by a panic.
                    let _alive = alive;
                    pool.install(|| work(monitor))
                });
                let mut interrupted = None;
                while let Err(mpsc::RecvTimeoutError::Timeout) = ended.recv_timeout(SIGNAL_INTERVAL) {
                    if interrupted.is_none()
                        && let Err(error) = Python::attach(|py| py.check_signals().and_then(|()| show(py)))
                    {
                        monitor.cancel();
                        interrupted = Some(error);
                    }
                }
                let result = worker.join().map_err(|panic| bug(panic.as_ref()));
                interrupted.map_or(result, Err)
            })
        })?;
        show(py).map(|()| done)
    }

    /// Does long work as [`ProgressDisplay::run_interruptible`] does, on the threads that all calls share, and shows how many of its
    /// steps the libraries have done.
    pub fn run_counted<T: Send>(
        &self,
        py: Python<'_>,
        unit: &str,
        work: impl FnOnce(&ProgressRecorder) -> T + Send,
    ) -> PyResult<T> {
        let counters = &ProgressCounters::default();
        let fields =
            |monitor: &Monitor| counters.done_and_all().map(|(done, all)| (unit, done.min(all), all, monitor.nodes()));
        self.run_interruptible(py, &*pool()?, fields, |monitor| work(&ProgressRecorder { counters, monitor }))
    }

    /// Shows the fields of the Python class of progress.
    pub fn show(&self, py: Python<'_>, fields: impl for<'py> PyCallArgs<'py>) -> PyResult<()> {
        self.0.as_ref().map_or(Ok(()), |show| show.call1(py, fields).map(drop))
    }
}

/// Clears the line in the terminal.
impl Drop for ProgressDisplay {
    fn drop(&mut self) {
        if let Some(show) = &self.0 {
            Python::attach(|py| show.call0(py).map_or_else(|error| error.write_unraisable(py, None), drop));
        }
    }
}

/// How much of the work the libraries have done.
#[derive(Default)]
pub struct ProgressCounters {
    pub ply: AtomicU32,
    pub done: AtomicU64,
    pub all: AtomicU64,
}

impl ProgressCounters {
    /// Returns how much is done and how much there is; `None` until that is known.
    pub fn done_and_all(&self) -> Option<(u64, u64)> {
        let (done, all) = (self.done.load(Relaxed), self.all.load(Relaxed));
        (all > 0).then_some((done, all))
    }
}

/// Records how much of the work the libraries have done, and stops them at Ctrl-C.
pub struct ProgressRecorder<'a> {
    pub counters: &'a ProgressCounters,
    pub monitor: &'a Arc<Monitor>,
}

impl Progress for ProgressRecorder<'_> {
    fn begin(&self, stage: Stage, steps: u64, done: u64) {
        if stage != Stage::Resume {
            self.counters.all.store(steps, Relaxed);
            self.counters.done.store(done, Relaxed);
        }
    }

    fn tier(&self, ply: u32, _: u64) {
        self.counters.ply.store(ply, Relaxed);
    }

    fn done(&self, stage: Stage, steps: u64) {
        if stage != Stage::Resume {
            self.counters.done.fetch_add(steps, Relaxed);
        }
    }

    fn is_stopped(&self) -> bool {
        self.monitor.is_cancelled()
    }
}

/// Does work during which SIGTERM raises `SystemExit`, so that no temporary file is left, unless the program handles SIGTERM itself.
pub fn exit_on_sigterm<T>(py: Python<'_>, work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    let signal = py.import("signal")?;
    let (sigterm, default) = (signal.getattr("SIGTERM")?, signal.getattr("SIG_DFL")?);
    let exit = |arguments: &Bound<'_, PyTuple>, _: Option<&Bound<'_, PyDict>>| -> PyResult<()> {
        Err(PySystemExit::new_err(128 + arguments.get_item(0)?.extract::<i32>()?))
    };
    let exit = PyCFunction::new_closure(py, None, None, exit)?;
    let is_default = signal.call_method1("getsignal", (&sigterm,))?.eq(&default)?;
    if !is_default {
        return work();
    }
    if let Err(error) = signal.call_method1("signal", (&sigterm, exit)) {
        // Python refuses a handler from any thread but the main one. Any other error is of a signal, such as Ctrl-C.
        return if error.is_instance_of::<PyValueError>(py) { work() } else { Err(error) };
    }
    let done = work();
    signal.call_method1("signal", (sigterm, default))?;
    done
}
