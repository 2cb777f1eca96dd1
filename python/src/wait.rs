//! Work without the GIL that Ctrl-C can stop, and the threads that do it.

use std::any::Any;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use fourbase::analysis::Budget;
use fourbase::search::Monitor;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::failure::{bug, exception};

/// How often Python is asked whether Ctrl-C was pressed.
pub const PAUSE: Duration = Duration::from_millis(50);

/// Does short work without the GIL, on this thread. A panic becomes an exception.
pub fn briefly<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    let done: Result<T, Box<dyn Any + Send>> = py.detach(|| catch_unwind(AssertUnwindSafe(work)));
    done.map_err(|panic| bug(panic.as_ref()))
}

/// Does long work without the GIL, on the threads that all calls share ([`pool`]). Ctrl-C cancels the monitor, which `work` must
/// heed. A panic becomes an exception.
pub fn patiently<T: Send>(py: Python<'_>, work: impl FnOnce(&Arc<Monitor>) -> T + Send) -> PyResult<T> {
    patiently_on(py, &*pool()?, |_, _| Ok(()), work)
}

/// Does long work as [`patiently`] does, on the threads of `pool`. In the meantime, this thread asks Python for signals and
/// calls `meanwhile` twenty times a second, and once more at the end. If either fails, as with Ctrl-C, it cancels the monitor,
/// waits for the end of the work and returns that error.
pub fn patiently_on<T: Send>(
    py: Python<'_>,
    pool: &ThreadPool,
    mut meanwhile: impl FnMut(Python<'_>, &Monitor) -> PyResult<()> + Send,
    work: impl FnOnce(&Arc<Monitor>) -> T + Send,
) -> PyResult<T> {
    let monitor = &Arc::new(Monitor::default());
    let done = py.detach(|| {
        thread::scope(|scope| {
            let (alive, ended) = mpsc::channel::<()>();
            let worker = scope.spawn(move || {
                // Dropped at the end of the work, also by a panic.
                let _alive = alive;
                pool.install(|| work(monitor))
            });
            let mut interrupted = None;
            while let Err(mpsc::RecvTimeoutError::Timeout) = ended.recv_timeout(PAUSE) {
                if interrupted.is_some() {
                    continue;
                }
                let asked = Python::attach(|py| py.check_signals().and_then(|()| meanwhile(py, monitor)));
                if let Err(error) = asked {
                    monitor.cancel();
                    interrupted = Some(error);
                }
            }
            let result = worker.join();
            match (interrupted, result) {
                (Some(error), _) => Err(error),
                (None, Ok(result)) => Ok(result),
                (None, Err(panic)) => Err(bug(panic.as_ref())),
            }
        })
    })?;
    meanwhile(py, monitor).map(|()| done)
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
