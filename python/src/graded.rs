//! The positions that `evaluate` draws to grade a player.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use fourbase::search::Monitor;
use fourbase_tiers::positions::GradedPositions;
use fourbase_tiers::progress::StoppedBy;
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;

use crate::arguments::{Progress, SampleCount, Seed, memory_bytes};
use crate::database::Database;
use crate::failure::of_position;
use crate::probe::{NO_PLIES, NO_VALUE, numbers};
use crate::work::{ProgressDisplay, budget, pool};

/// The bitboards; the value and the plies of each move; the plies whose positions are all there.
type Graded<'py> = (Bound<'py, PyArray2<u64>>, Bound<'py, PyArray2<i8>>, Bound<'py, PyArray2<u8>>, BTreeSet<usize>);

/// Lists or draws the positions where the choice matters, and lost ones, as [`GradedPositions`] does.
#[pyfunction]
pub fn graded<'py>(
    py: Python<'py>,
    database: &Bound<'py, Database>,
    sample: Option<SampleCount>,
    seed: Seed,
    progress: Progress<'py>,
) -> PyResult<Graded<'py>> {
    let (database, sample) = (database.get(), sample.map(|count| count.0));
    let (board, display) =
        (database.analyst.board, ProgressDisplay::new(py, database.analyst.board, "Progress", progress)?);
    let drawn = AtomicU64::new(0);
    let fields = |monitor: &Monitor| Some(("positions", drawn.load(Relaxed), sample, monitor.nodes()));
    let width = board.width();
    let (mut bitboards, mut values, mut plies, mut complete) = (Vec::new(), Vec::new(), Vec::new(), BTreeSet::new());
    let listed = display.run_interruptible(py, &*pool()?, fields, |monitor| {
        let mut positions = GradedPositions::new(database.best(), &database.analyst, sample, seed.0);
        (positions.budget, positions.memory_bytes) = (budget(None, monitor), memory_bytes());
        while let Some(portion) = positions.next(&StoppedBy(&|| monitor.is_cancelled()))? {
            for (position, moves) in portion.positions {
                bitboards.push(position.bitboards());
                let start = values.len();
                values.resize(start + width, NO_VALUE);
                plies.resize(start + width, NO_PLIES);
                for (column, outcome) in moves {
                    (values[start + column], plies[start + column]) = numbers(Some(outcome));
                }
            }
            if portion.is_complete {
                complete.insert(portion.ply);
            }
            drawn.store(bitboards.len() as u64, Relaxed);
        }
        Ok(())
    })?;
    listed.map_err(of_position)?;
    let shape = [bitboards.len(), width];
    let bitboards = PyArray1::from_slice(py, bitboards.as_flattened()).reshape([shape[0], 2])?;
    let (values, plies) = (PyArray1::from_vec(py, values), PyArray1::from_vec(py, plies));
    Ok((bitboards, values.reshape(shape)?, plies.reshape(shape)?, complete))
}
