//! The function `solve`.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};

use fourbase_tiers::communicator::Alone;
use fourbase_tiers::files::Disk;
use fourbase_tiers::progress::{Progress, Stage};
use fourbase_tiers::solve::Solve;
use pyo3::prelude::*;

use crate::arguments::{BoardArgument, ValuesArgument, memory_bytes, root};
use crate::database::Database;
use crate::failure::of_solve;
use crate::wait::{patiently, pool, threads as start};

/// Solves a board; `fourbase.solve` adds the progress bar. ``progress`` is called with the ply, the entries done and all
/// entries.
#[pyfunction]
#[pyo3(signature = (board, values, db, progress, threads, memory, keep_plies, replace))]
#[expect(clippy::too_many_arguments, reason = "each is a keyword")]
pub fn solve(
    py: Python<'_>,
    board: BoardArgument,
    values: ValuesArgument,
    db: Option<PathBuf>,
    progress: Option<Py<PyAny>>,
    threads: Option<u16>,
    memory: Option<u64>,
    keep_plies: Option<u32>,
    replace: bool,
) -> PyResult<Database> {
    let solve = Solve::new(board.0, values.0)
        .root(&root(db))
        .memory(memory.unwrap_or_else(memory_bytes))
        .keep_plies(keep_plies)
        .replace(replace);
    let pool = threads.map_or_else(pool, |number| Ok(Arc::new(start(number.into())?)))?;
    let seen = Seen::default();
    let tell = |py: Python<'_>| match &progress {
        Some(progress) => {
            let seen = (seen.ply.load(Relaxed), seen.done.load(Relaxed), seen.all.load(Relaxed));
            if seen.2 > 0 { progress.call1(py, seen).map(drop) } else { Ok(()) }
        }
        None => Ok(()),
    };
    let stop = || seen.is_stopped.store(true, Relaxed);
    let report = patiently(py, &pool, stop, tell, || solve.run_on(&Alone, &Disk, &seen))?.map_err(of_solve)?;
    tell(py)?;
    Database::open(py, &report.folder)
}

/// What a solve has told so far.
#[derive(Default)]
struct Seen {
    ply: AtomicU32,
    done: AtomicU64,
    all: AtomicU64,
    is_stopped: AtomicBool,
}

impl Progress for Seen {
    fn begin(&self, stage: Stage, entries: u64, done: u64) {
        if stage == Stage::Solve {
            self.all.store(entries, Relaxed);
            self.done.store(done, Relaxed);
        }
    }

    fn tier(&self, ply: u32, _: u64) {
        self.ply.store(ply, Relaxed);
    }

    fn done(&self, stage: Stage, entries: u64) {
        if stage == Stage::Solve {
            self.done.fetch_add(entries, Relaxed);
        }
    }

    fn is_stopped(&self) -> bool {
        self.is_stopped.load(Relaxed)
    }
}
