//! Positions drawn at random, the same for the same seed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use fourbase::analysis::Budget;
use fourbase::search::Monitor;
use fourbase::{Position, excerpt};
use fourbase_tiers::database::Database;
use fourbase_tiers::files::bytes;
use fourbase_tiers::positions::{SampleKind, Sampler};
use pyo3::prelude::*;

use crate::arguments::memory_bytes;
use crate::failure::{exception, of_position};
use crate::wait::{patiently, pool};

/// About as many bytes as a drawn position takes until its arrays are made.
const ROW_BYTES: u64 = 128;

/// Returns the kind of sample with a name.
pub fn kind(name: &str) -> PyResult<SampleKind> {
    SampleKind::named(name).ok_or_else(|| {
        let names = "\"uniform\", \"random-play\" or \"choice-matters\"";
        exception("OptionError", format!("kind={:?} is unknown; write {names}", excerpt(name, 40)))
    })
}

/// Draws unfinished positions of some plies.
pub fn positions(
    py: Python<'_>,
    database: &Arc<Database>,
    count: usize,
    plies: &[u32],
    seed: u64,
    kind: SampleKind,
) -> PyResult<Vec<Position>> {
    let (needed, free) = (ROW_BYTES.saturating_mul(count as u64), memory_bytes());
    if needed > free {
        let (needed, free) = (bytes(needed.into()), bytes(free.into()));
        let message = format!(
            "{count} positions need about {needed} of memory; {free} may be used; \
             draw fewer, or write them to a file with export(path, sample=...)"
        );
        return Err(exception("SolveMemory", message));
    }
    let (monitor, stopped) = (Arc::new(Monitor::default()), AtomicBool::new(false));
    let stop = || {
        monitor.cancel();
        stopped.store(true, Relaxed);
    };
    let budget = Budget { monitor: Some(Arc::clone(&monitor)), ..Budget::default() };
    let work = || Sampler::new(database, kind, plies, seed)?.draw(0..count as u64, &budget, &|| stopped.load(Relaxed));
    patiently(py, &*pool()?, stop, |_| Ok(()), work)?.map_err(of_position)
}
