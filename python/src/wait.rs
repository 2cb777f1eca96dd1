//! Short work without the GIL, and the threads that do long work.

use std::any::Any;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process;
use std::sync::{Arc, Mutex, PoisonError};
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
