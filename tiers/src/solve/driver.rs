//! The driver solves one tier after the other, from the full board down, writes each tier to the database, and makes
//! checkpoints. [`in_memory`] solves without a database.
//!
//! All ranks work on the same tier at the same time. A checkpoint is a tier that is durable as a whole, so that a later
//! solve can resume from it. It takes time, because a whole tier is compressed or written to disk.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use fourbase::{Outcome, Player};
use web_time::Instant;

use super::band::{Bands, Neighbour, outcomes};
use super::error::SolveError;
use super::options::Solve;
use crate::communicator::{Traffic, gather};
use crate::context::Context;
use crate::files::{FileError, Written, lock, publish};
use crate::format::{Manifest, TierRecord, remove_leftovers, write_tier};
use crate::index::{Index, WingShape, bands};
use crate::kernel::Values;
use crate::progress::{Share, Stage, StageProgress};
use crate::tier::{Kind, Tier, TierFolder, segments};

/// Called with each solved tier, on every rank, before the tier is saved. If the solve stops before the tier is saved,
/// a resumed solve solves the tier and calls the observer again. An error ends the solve.
pub(crate) type Observer<'a> = dyn FnMut(&Index, &Tier) -> Result<(), SolveError> + Send + 'a;

/// A running solve, on one rank.
pub(super) struct Driver<'a> {
    pub solve: &'a Solve,
    pub observer: &'a mut Observer<'a>,
    pub context: &'a Context<'a>,
    pub tiers: TierFolder<'a>,
    pub index: &'a Index,
    /// The folder of the database.
    pub folder: &'a Path,
    pub manifest: Manifest,
}

impl<'a> Driver<'a> {
    /// Solves the missing tiers down to the empty board. `last` is the tier to resume from; `None` starts with the full
    /// board.
    pub fn solve_tiers(&mut self, last: Option<Tier<'a>>) -> Result<(), SolveError> {
        let values = self.solve.values;
        let (Context { all, progress, .. }, index) = (*self.context, self.index);
        // With several machines, all ranks write their blocks to the shared disk anyway, so every tier becomes a
        // checkpoint.
        let least = if all.is_on_one_machine() { self.solve.checkpoint } else { Duration::ZERO };
        let (mut unpublished, mut checkpoints) = (Vec::new(), Checkpoints::new(least));
        // A stopped solve can leave `last` incomplete, with only the blocks that the unsolved rest of the next tier
        // needs. Then a resume also needs the log of the next tier, which is removed later. So make the next tier a
        // checkpoint at once.
        let mut is_due = last.as_ref().is_some_and(|last| !last.is_complete());
        let mut child = last;
        while let Some(ply) = self.manifest.next_ply() {
            let (begun, traffic) = (Instant::now(), all.traffic());
            let mut tier = self.tiers.open(index, Kind::Values(values), ply)?;
            progress.tier(ply, tier.entries());
            let shown = self.context.shown(Stage::Solve, tier.entries());
            let is_solved = solve_tier(index, &mut tier, child.as_ref(), &shown)?;
            let written = if is_solved {
                shown.end();
                // Free the child's blocks, so that the writer can use their memory.
                child.iter().for_each(|child| child.evict_before(WingShape(u32::MAX)));
                (self.observer)(index, &tier)?;
                self.write(&tier)?
            } else {
                ControlFlow::Break(())
            };
            let ControlFlow::Continue(written) = written else {
                tier.sync(index)?;
                drop(tier);
                if let Some(child) = child.filter(|child| self.manifest.checkpoint != Some(child.ply())) {
                    self.commit(&child, unpublished)?;
                    // If another rank returned now, the whole job could end before rank 0 has written the checkpoint.
                    all.barrier();
                }
                return Err(self.stopped());
            };
            unpublished.extend(written);
            is_due |= all.is_alone() && tier.is_mostly_in_log();
            let Traffic { bytes, waited } = all.traffic();
            let (bytes, waited) = (bytes - traffic.bytes, waited - traffic.waited);
            let share = Share { bytes, written: tier.log.written_bytes(), waited, took: begun.elapsed() };
            // This closes the child. All ranks do so before the next collective operation, after which rank 0 can
            // remove the child's files.
            let tier = child.insert(tier);
            if !all.is_alone() {
                progress.tier_shared(&gather(all, &share)?);
            }
            if ply == 0 {
                return self.complete(tier, unpublished);
            }
            // Rank 0 decides for all ranks whether to make a checkpoint.
            if all.all_gather(&[u8::from(is_due || checkpoints.is_due())]).swap_remove(0) == [1] {
                let begun = Instant::now();
                self.commit(tier, std::mem::take(&mut unpublished))?;
                checkpoints.made(begun);
                is_due = false;
            } else if all.is_root() {
                // Remove old logs now, because the next checkpoint needs their disk space.
                self.remove_logs(|of| of > ply && Some(of) != self.manifest.checkpoint)?;
            }
        }
        Ok(())
    }

    /// Writes the file of a tier, if the database keeps the tier, and records the tier. If the solve is stopped, ends
    /// early and records nothing.
    fn write(&mut self, tier: &Tier) -> Result<ControlFlow<(), Option<Written>>, FileError> {
        let index = self.index;
        let written = if self.manifest.keeps(tier.ply()) {
            write_tier(self.context, self.folder, index, tier, &self.manifest.chunks(&tier.directory))?
        } else {
            ControlFlow::Continue(None)
        };
        let ControlFlow::Continue(file) = written else { return Ok(ControlFlow::Break(())) };
        let (written, hash) = file.unzip();
        let bytes = written.as_ref().map_or(0, |written| written.bytes);
        let record = TierRecord { ply: tier.ply(), entries: tier.entries(), bytes, hash };
        self.manifest.tiers.push(record);
        self.context.progress.tier_done(Stage::Solve, record.ply, record.entries, bytes);
        Ok(ControlFlow::Continue(written))
    }

    /// Makes the tier `last` a checkpoint: makes its values durable, then `files` (the new files of the database), then
    /// the manifest that names them. Then removes older logs.
    fn commit(&mut self, last: &Tier, files: Vec<Written>) -> Result<(), SolveError> {
        let (ply, storage) = (last.ply(), self.context.storage);
        last.sync(self.index)?;
        self.context.all.barrier();
        self.manifest.checkpoint = Some(ply);
        if self.context.all.is_root() {
            publish(storage, self.folder, files)?;
            self.manifest.write(storage, self.folder)?;
            // Keep the logs of the next tier (`ply - 1`), which may be half solved already.
            self.remove_logs(|of| of != ply && of + 1 != ply)?;
        }
        Ok(())
    }

    /// Makes the database durable after its last tier, `root`, and removes all logs. Waits for all ranks.
    fn complete(&mut self, root: &Tier, files: Vec<Written>) -> Result<(), SolveError> {
        let storage = self.context.storage;
        if self.context.all.is_root() {
            let outcome = root.root(self.index)?;
            self.manifest.complete(outcome.ok_or_else(|| no_root(self.folder))?);
            publish(storage, self.folder, files)?;
            self.manifest.write(storage, self.folder)?;
            remove_leftovers(storage, self.folder)?;
            self.remove_logs(|_| true)?;
        }
        self.context.all.barrier();
        Ok(())
    }

    /// Removes the logs of the plies for which `is_old` returns `true`.
    pub fn remove_logs(&self, is_old: impl Fn(u32) -> bool) -> Result<(), FileError> {
        segments::remove(self.context.storage, self.tiers.folder, Kind::Values(self.solve.values), is_old)
    }

    pub fn stopped(&self) -> SolveError {
        let (folder, done) = (Some(self.folder.to_path_buf()), self.manifest.tiers.len());
        let (board, keep_plies) = (self.solve.board, self.manifest.keep_plies);
        SolveError::Stopped { folder, board, keep_plies, stage: Stage::Solve, done }
    }
}

pub(super) fn no_root(folder: &Path) -> FileError {
    FileError::Damaged { file: folder.to_path_buf(), offset: 0, what: "the empty board has no value" }
}

/// Decides when a checkpoint is due. Unless every tier is a checkpoint, checkpoints take about a tenth of the time or
/// less.
struct Checkpoints {
    /// The least time between two checkpoints.
    least: Duration,
    /// When the last checkpoint was finished. `took` is how long that checkpoint took.
    last: Instant,
    took: Duration,
}

/// Unless every tier is a checkpoint, the next one waits at least this many times as long as the last one took.
const TIMES_THE_LAST: u32 = 10;

impl Checkpoints {
    fn new(least: Duration) -> Checkpoints {
        Checkpoints { least, last: Instant::now(), took: Duration::ZERO }
    }

    /// Returns whether a checkpoint is due. If the least time is zero, a checkpoint is due after every tier.
    fn is_due(&self) -> bool {
        let times = if self.least.is_zero() { 0 } else { TIMES_THE_LAST };
        self.last.elapsed() >= self.least.max(times * self.took)
    }

    fn made(&mut self, begun: Instant) {
        (self.last, self.took) = (Instant::now(), begun.elapsed());
    }
}

/// Solves the missing blocks of `tier` from `child`, the tier after it (`None` for the full board). Returns `false` if
/// `progress` stopped the work before the end.
///
/// Splits the work over rayon's current pool; the result does not depend on the number of threads.
///
/// # Errors
/// If a file can't be read or written. Solved blocks that are not in the log are lost then.
pub(crate) fn solve_tier(
    index: &Index,
    tier: &mut Tier,
    child: Option<&Tier>,
    progress: &StageProgress,
) -> Result<bool, FileError> {
    let (ply, coding) = (tier.ply(), tier.coding);
    let child_planes = child.map_or(coding.planes, |child| child.coding.planes);
    let mover = Player::to_move(ply);
    let outcomes = outcomes(index, &coding, ply);
    // The left wing that each thread works on. Threads take shapes in the order of their left wings, and no child of a
    // shape has a smaller left wing than the shape. So blocks of the child tier can be dropped if their left wing is
    // smaller than that of every thread.
    let lefts = Mutex::new(Vec::new());
    let begin = || {
        let mut lefts = lock(&lefts);
        lefts.push(WingShape(0));
        (lefts.len() - 1, None, Bands::new(index, ply, child, Some(outcomes)))
    };
    let filled = tier.fill(index, progress, begin, |(thread, left, prepared), matrix, rows, mut out| {
        if matrix.entries() == 0 {
            return Ok(());
        }
        if left.replace(matrix.left) != Some(matrix.left) {
            let mut lefts = lock(&lefts);
            lefts[*thread] = matrix.left;
            let least = lefts.iter().copied().min();
            drop(lefts);
            child.zip(least).iter().for_each(|(child, least)| child.evict_before(*least));
        }
        prepared.seek(matrix);
        let lists @ [left, right] = matrix.lists(index);
        for rows in bands(rows) {
            let (own, after) = out.split_at_mut(rows.len() * matrix.words() * coding.planes);
            out = after;
            let colourings = &left.colourings[rows.clone()];
            let children = |drops| Neighbour::children(drops, matrix, lists);
            prepared.work(rows, right.len(), colourings, children, |band, buffers| {
                index.kernel.solve(&coding, child_planes, mover == Player::First, band, own, buffers);
            })?;
        }
        Ok(())
    })?;
    Ok(filled.is_some())
}

/// Solves a board in memory, two tiers at a time, and writes nothing. Calls `each` with every tier, from the full board
/// down. Returns the outcome of the empty board.
///
/// ```
/// use fourbase_tiers::{index::Index, kernel::{Kernel, Values}, solve::in_memory};
///
/// let index = Index::new("4x4".parse()?, Kernel::detect())?;
/// let mut entries = 0;
/// let outcome = in_memory(&index, Values::Wdl, |tier| entries += tier.entries())?;
/// assert_eq!(outcome.map(|outcome| outcome.value), Some(fourbase::Value::Tie));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Currently none: no file is read or written.
pub fn in_memory(index: &Index, values: Values, each: impl FnMut(&Tier)) -> Result<Option<Outcome>, FileError> {
    solve_down(index, values, 0, &StageProgress::none(), each)?.map_or(Ok(None), |root| root.root(index))
}

/// Solves tiers in memory from the full board down to a ply, and calls `each` with every tier. Returns the last tier;
/// `None` if `progress` stopped the solve.
pub(crate) fn solve_down(
    index: &Index,
    values: Values,
    ply: u32,
    progress: &StageProgress,
    mut each: impl FnMut(&Tier),
) -> Result<Option<Tier<'static>>, FileError> {
    let cells = index.board().cells() as u32;
    let mut child: Option<Tier> = None;
    for ply in (ply.min(cells)..=cells).rev() {
        let mut tier = Tier::in_memory(index, Kind::Values(values), ply, child.as_ref());
        if !solve_tier(index, &mut tier, child.as_ref(), progress)? {
            return Ok(None);
        }
        each(&tier);
        child = Some(tier);
    }
    Ok(child)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checkpoint_is_due_ten_times_as_long_after_the_last_one_as_that_took() {
        let hour = Duration::from_secs(3600);
        let ago = |minutes: u64| Instant::now().checked_sub(Duration::from_secs(60 * minutes));
        let is_due =
            |least, last: Option<Instant>, took| last.is_none_or(|last| Checkpoints { least, last, took }.is_due());
        assert!(Checkpoints::new(Duration::ZERO).is_due() && !Checkpoints::new(hour).is_due());
        assert!(is_due(Duration::from_secs(60), ago(2), Duration::ZERO));
        assert!(is_due(Duration::ZERO, ago(0), hour));
        assert!(!Checkpoints { least: Duration::from_nanos(1), last: Instant::now(), took: hour }.is_due());
    }
}
