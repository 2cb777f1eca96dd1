//! How long it takes to solve: whole, and with the kernels alone.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use fourbase::{Board, Outcome};
use fourbase_tiers::index::Index;
use fourbase_tiers::kernel::{Kernel, Values};
use fourbase_tiers::solve::{self, BLOCK_WORDS, CHECKPOINT, Options, Tier, solve_tier};
use serde::Serialize;

use super::fastest::{Time, fastest};
use super::report::short;
use crate::memory;

/// How long to go on solving a board that is solved soon.
const PATIENCE: Duration = Duration::from_secs(2);

/// How often to solve it at most.
const MOST_RUNS: u32 = 5;

/// A board that was solved into files.
pub struct Whole {
    /// What the solver says.
    pub report: solve::Report,
    /// The folder of all databases, this one.
    pub root: PathBuf,
    /// From nothing to the last file.
    pub time: Time,
    /// Of the process, which has not done anything else yet; `None` where the system does not tell.
    pub peak_memory_bytes: Option<u64>,
}

/// Solves a board into folders below `root`; the last one stays.
///
/// # Errors
///
/// Those of the solver; too little memory is one.
pub fn whole(board: Board, values: Values, root: &Path) -> anyhow::Result<Whole> {
    let mut runs = 0;
    let (time, (root, report)) = fastest(PATIENCE, MOST_RUNS, || {
        runs += 1;
        let root = root.join(runs.to_string());
        let options = Options {
            board,
            values,
            root: root.clone(),
            memory_bytes: memory::default_limit().unwrap_or(u64::MAX),
            kernel: Kernel::detect(),
            replace: false,
            scratch: None,
            block_words: BLOCK_WORDS,
            checkpoint: CHECKPOINT,
            keep_plies: None,
        };
        let report = solve::run(&options, &())?;
        Ok((root, report))
    })?;
    Ok(Whole { report, root, time, peak_memory_bytes: memory::peak_bytes() })
}

/// A board that was solved in memory and forgotten.
pub struct KernelsAlone {
    /// What the empty board is worth.
    pub outcome: Outcome,
    /// Entries that were solved, after the mirror.
    pub entries: u64,
    /// Entries of the index, before the mirror.
    pub entries_before_mirror: u64,
    /// From nothing to the empty board's value.
    pub time: Time,
}

/// Solves a board tier by tier in memory and writes nothing.
///
/// # Errors
///
/// A board that cannot be indexed.
pub fn kernels_alone(board: Board, values: Values) -> anyhow::Result<KernelsAlone> {
    let (time, (root, entries, entries_before_mirror)) = fastest(PATIENCE, MOST_RUNS, || {
        let index = Index::new(board, Kernel::detect())?;
        let (mut entries, mut entries_before_mirror) = (0, 0);
        let (mut child, mut spare) = (None::<Tier>, Vec::new());
        for ply in (0..=board.cells() as u32).rev() {
            let mut tier = Tier::new(&index, values, ply, std::mem::take(&mut spare));
            // Nobody stops it.
            let _ = solve_tier(&index, &mut tier, child.as_ref(), &());
            entries += tier.layout.entries();
            for matrix in tier.layout.matrices() {
                let images = if matrix.left == matrix.right { 1 } else { 2 };
                entries_before_mirror += images * matrix.entries();
            }
            spare = child.replace(tier).map_or_else(Vec::new, Tier::into_buffer);
        }
        Ok((child, entries, entries_before_mirror))
    })?;
    let outcome = root.and_then(|root| root.coding.decode(root.code(0, 0, 0)));
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
    /// Entries after the mirror, those that are really solved.
    pub solved_per_second: f64,
    /// The time is that of the fastest of so many.
    pub runs: u32,
}

impl Solving {
    /// Relates a time to the entries of the board.
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
