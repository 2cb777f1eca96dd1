//! The function `solve`.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use fourbase::search::Monitor;
use fourbase_tiers::context::Context;
use fourbase_tiers::kernel::Values;
use fourbase_tiers::solve::Solve;
use pyo3::prelude::*;

use crate::arguments::{BoardArgument, KeepPlies, Memory, Progress, Threads, cache_bytes, memory_bytes, named, root};
use crate::database::Database;
use crate::failure::of_solve;
use crate::work::{ProgressCounters, ProgressDisplay, ProgressRecorder, exit_on_sigterm, pool, threads as start};

/// Solves every position of a board, and returns the database.
///
/// ``values="wdl"`` computes win, lose or tie alone. ``db`` is the folder of all databases (default: ``$FOURBASE_DB``, else
/// ``db``). If the board is solved there already, nothing is done. An unfinished solve is resumed; ``replace=True`` starts over.
///
/// ``progress`` is called up to twenty times a second, on the thread of the caller; an error that it raises stops the solve. By
/// default a terminal shows a line; True always shows it, and False never. Ctrl-C and SIGTERM stop the solve and keep finished
/// tiers.
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
pub fn solve(
    py: Python<'_>,
    board: BoardArgument,
    values: &str,
    db: Option<PathBuf>,
    progress: Progress<'_>,
    threads: Option<Threads>,
    memory: Option<Memory>,
    keep_plies: Option<KeepPlies>,
    replace: bool,
) -> PyResult<Database> {
    let values = named("values", values, &[("remoteness", Values::Remoteness), ("wdl", Values::Wdl)])?;
    let solve = Solve::new(board.0, values)
        .root(&root(db))
        .memory(memory.map_or_else(memory_bytes, |bytes| bytes.0))
        .keep_plies(keep_plies.map(|plies| plies.0))
        .replace(replace);
    let pool = threads.map_or_else(pool, |number| Ok(Arc::new(start(number.0)?)))?;
    let display = ProgressDisplay::new(py, board.0, "SolveProgress", progress)?;
    let counters = &ProgressCounters::default();
    let fields = |_: &Monitor| counters.done_and_all().map(|(done, all)| (counters.ply.load(Relaxed), done, all));
    let run = |monitor: &Arc<Monitor>| {
        solve.run_on(&Context { progress: &ProgressRecorder { counters, monitor }, ..Context::default() })
    };
    let report = exit_on_sigterm(py, || display.run_interruptible(py, &pool, fields, run))?;
    Database::open(py, vec![report.map_err(of_solve)?.folder], cache_bytes())
}
