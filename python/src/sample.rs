//! Positions drawn at random, the same for the same seed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use fourbase::search::Monitor;
use fourbase::{Position, excerpt};
use fourbase_tiers::answer::Limits;
use fourbase_tiers::database::Database;
use fourbase_tiers::dataset::{Kind, Sampler};
use pyo3::prelude::*;

use crate::failure::{exception, of_dataset};
use crate::wait::{patiently, pool};

/// Returns the kind of sample with a name.
pub fn kind(name: &str) -> PyResult<Kind> {
    Kind::named(name).ok_or_else(|| {
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
    kind: Kind,
) -> PyResult<Vec<Position>> {
    let (monitor, stopped) = (Arc::new(Monitor::default()), AtomicBool::new(false));
    let stop = || {
        monitor.cancel();
        stopped.store(true, Relaxed);
    };
    let limits = Limits { nodes: None, monitor: Some(Arc::clone(&monitor)) };
    let work = || Sampler::new(database, kind, plies, seed).draw(0..count as u64, &limits, &|| stopped.load(Relaxed));
    patiently(py, &*pool()?, stop, |_| Ok(()), work)?.map_err(of_dataset)
}
