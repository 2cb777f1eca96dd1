//! The function `solve`.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use fourbase::search::Monitor;
use fourbase_tiers::communicator::Alone;
use fourbase_tiers::files::Disk;
use fourbase_tiers::kernel::Values;
use fourbase_tiers::progress::{Progress, Stage};
use fourbase_tiers::solve::Solve;
use pyo3::prelude::*;

use crate::arguments::{BoardArgument, memory_bytes, named, root};
use crate::database::Database;
use crate::failure::of_solve;
use crate::wait::{patiently_on, pool, threads as start};

/// Solves every position of a board, and returns the database.
///
/// ``values="wdl"`` computes win, lose or tie alone. ``db`` is the folder of all databases (default: ``$FOURBASE_DB``, else
/// ``db``). Where the board is solved there already, nothing is done, and an unfinished solve goes on; ``replace=True`` starts
/// over.
///
/// ``progress`` is called up to twenty times a second, on the thread of the caller; an error that it raises stops the solve. By
/// default a terminal shows a line; True shows it in any case, and False never. Ctrl-C stops the solve and keeps finished tiers.
///
/// ``threads`` is the number of threads (default: one for each processor), ``memory`` the most bytes (default: 80 % of the free
/// memory); a board that does not fit is solved in compressed files. ``keep_plies`` stores only positions of at most that many
/// pieces; later ones are then searched forward.
///
/// >>> db = fourbase.solve("4x4")
/// >>> db.outcome
/// Outcome(value='tie', remoteness=16)
#[pyfunction]
#[pyo3(signature = (board, values="remoteness", *, db=None, progress=None, threads=None, memory=None, keep_plies=None,
    replace=false))]
#[expect(clippy::too_many_arguments, reason = "each is a keyword")]
pub fn solve(
    py: Python<'_>,
    board: BoardArgument,
    values: &str,
    db: Option<PathBuf>,
    progress: Option<Py<PyAny>>,
    threads: Option<u16>,
    memory: Option<u64>,
    keep_plies: Option<u32>,
    replace: bool,
) -> PyResult<Database> {
    let values = named("values", values, &[("remoteness", Values::Remoteness), ("wdl", Values::Wdl)])?;
    let solve = Solve::new(board.0, values)
        .root(&root(db))
        .memory(memory.unwrap_or_else(memory_bytes))
        .keep_plies(keep_plies)
        .replace(replace);
    let pool = threads.map_or_else(pool, |number| Ok(Arc::new(start(number.into())?)))?;
    let shown = py.import("fourbase._solve")?.getattr("shown")?.call1((board.0.to_string(), progress))?;
    let (show, end): (Option<Py<PyAny>>, Py<PyAny>) = shown.extract()?;
    let seen = Seen::default();
    let tell = |py: Python<'_>| {
        let (ply, done, all) = (seen.ply.load(Relaxed), seen.done.load(Relaxed), seen.all.load(Relaxed));
        match &show {
            Some(show) if all > 0 => show.call1(py, (ply, done, all)).map(drop),
            _ => Ok(()),
        }
    };
    let solved = patiently_on(py, &pool, tell, |monitor| solve.run_on(&Alone, &Disk, &Watch { seen: &seen, monitor }))
        .and_then(|report| report.map_err(of_solve))
        .and_then(|report| tell(py).map(|()| report));
    end.call0(py)?;
    Database::open(py, &solved?.folder)
}

/// How far a solve is.
#[derive(Default)]
struct Seen {
    ply: AtomicU32,
    done: AtomicU64,
    all: AtomicU64,
}

/// Notes how far a solve is, and stops it at Ctrl-C.
struct Watch<'a> {
    seen: &'a Seen,
    monitor: &'a Monitor,
}

impl Progress for Watch<'_> {
    fn begin(&self, stage: Stage, entries: u64, done: u64) {
        if stage == Stage::Solve {
            self.seen.all.store(entries, Relaxed);
            self.seen.done.store(done, Relaxed);
        }
    }

    fn tier(&self, ply: u32, _: u64) {
        self.seen.ply.store(ply, Relaxed);
    }

    fn done(&self, stage: Stage, entries: u64) {
        if stage == Stage::Solve {
            self.seen.done.fetch_add(entries, Relaxed);
        }
    }

    fn is_stopped(&self) -> bool {
        self.monitor.is_cancelled()
    }
}
