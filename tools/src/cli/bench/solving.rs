//! How long a board takes to solve: a whole solve, and the kernels alone.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use fourbase::{Board, Outcome};
use fourbase_tiers::index::{Index, Located, TierDirectory};
use fourbase_tiers::kernel::{Kernel, Values};
use fourbase_tiers::solve::{Report, Solve, in_memory};
use serde::Serialize;

use super::fastest::{Time, fastest};
use crate::number::short;
use crate::{memory, wording};

/// How long to repeat the solve of a small board.
const PATIENCE: Duration = Duration::from_secs(2);

/// The most runs.
const MOST_RUNS: u32 = 5;

/// A board that was solved into files.
pub struct Whole {
    /// The solver's report.
    pub report: Report,
    /// The folder of databases that has this one.
    pub root: PathBuf,
    /// The time from the start to the last file.
    pub time: Time,
    /// Of the process, which has done nothing else before; `None` where the system does not tell.
    pub peak_memory_bytes: Option<u64>,
}

/// Solves a board once or more, each time into a new folder below `root`.
///
/// # Errors
///
/// Those of the solver, such as too little memory.
pub fn whole(board: Board, values: Values, root: &Path) -> anyhow::Result<Whole> {
    let mut runs = 0;
    let (time, (root, report)) = fastest(PATIENCE, MOST_RUNS, || {
        runs += 1;
        let root = root.join(runs.to_string());
        // Ctrl-C removes the folders of all runs, and nothing makes them again.
        fs::create_dir(&root).with_context(|| format!("cannot make {}", wording::path(&root)))?;
        let memory_bytes = memory::default_limit().unwrap_or(u64::MAX);
        let report = Solve::new(board, values).existing_root(&root).memory(memory_bytes).run()?;
        Ok((root, report))
    })?;
    Ok(Whole { report, root, time, peak_memory_bytes: memory::peak_bytes() })
}

/// A board that was solved in memory only.
pub struct KernelsAlone {
    /// The outcome of the empty board.
    pub outcome: Outcome,
    /// Entries that were solved, after the mirror.
    pub entries: u64,
    /// Entries of the index, before the mirror.
    pub entries_before_mirror: u64,
    /// The time from the start to the outcome of the empty board.
    pub time: Time,
}

/// Solves a board tier by tier in memory and writes nothing.
///
/// # Errors
///
/// A board that cannot be indexed.
pub fn kernels_alone(board: Board, values: Values) -> anyhow::Result<KernelsAlone> {
    let (time, (outcome, entries, entries_before_mirror)) = fastest(PATIENCE, MOST_RUNS, || {
        let index = Index::new(board, Kernel::detect())?;
        let (mut entries, mut entries_before_mirror) = (0, 0);
        let outcome = in_memory(&index, values, |tier| {
            entries += tier.entries();
            for Located { matrix, .. } in TierDirectory::new(&index, tier.ply()).located_from(&index, 0) {
                let images = if matrix.left == matrix.right { 1 } else { 2 };
                entries_before_mirror += images * matrix.entries();
            }
        })?;
        Ok((outcome, entries, entries_before_mirror))
    })?;
    let outcome = outcome.context("wrong answer: the kernels give the empty board no value")?;
    Ok(KernelsAlone { outcome, entries, entries_before_mirror, time })
}

/// How fast a board was solved, as it is reported.
#[derive(Serialize)]
pub struct Solving {
    pub seconds: f64,
    pub processor_seconds: Option<f64>,
    pub peak_memory_bytes: Option<u64>,
    /// Entries of the index, before the mirror.
    pub entries_per_second: f64,
    /// Entries after the mirror, which are the ones solved.
    pub solved_per_second: f64,
    /// The number of runs; the time is that of the fastest.
    pub runs: u32,
}

impl Solving {
    /// Divides the entries of the board by the time.
    pub fn of(time: &Time, board: &KernelsAlone, peak_memory_bytes: Option<u64>) -> Solving {
        Solving {
            seconds: short(time.seconds),
            processor_seconds: time.processor_seconds.map(short),
            peak_memory_bytes,
            entries_per_second: short(board.entries_before_mirror as f64 / time.seconds),
            solved_per_second: short(board.entries as f64 / time.seconds),
            runs: time.runs,
        }
    }
}
