//! Counts the legal positions of a board, by ply, or by ply, value and remoteness; without a database or during its
//! solve.
//!
//! ```text
//! <root>/<board>/count-legal/count          how far the count has come
//!                count-wdl   reached-NN.S   the reached bits of a ply
//!                tally-wdl   lock           held by the process that counts
//!                ...
//! ```
//!
//! Counting legal positions by ply needs the bits of two plies at a time. Values are solved from the full board down,
//! so the bits of all plies wait for them; they compress well. If everything fits into memory, these files are in
//! memory too. All files are removed when the count is done.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use fourbase::Value;

use super::error::CountError;
use super::journal::{self, Journal};
use super::kept::{read_kept, write_kept};
use super::sweep::{fit, sweep_tier};
use super::table::{Counts, OutcomeCount, PlyCounts};
use super::tally::tally;
use crate::communicator::{Communicator, Reduction, check_same_job, check_shared_folder, lock_output};
use crate::files::{
    FileError, Memory, Storage, has_room, io_error, remove_folders, remove_folders_below, remove_named,
};
use crate::format::{Manifest, lock_path, remove_database};
use crate::index::Index;
use crate::kernel::Values;
use crate::kernel::reach::Pulled;
use crate::progress::{Progress, RankProgress, Stage};
use crate::solve::{Plan, Report, Solve, SolveError};
use crate::tier::{BlockMemory, Kind, Reached, Tier, TierFolder, segments};

/// Counts the legal positions of a board by ply, with the board, the memory, the kernels and the folders of `solve`.
/// Uses files if a scratch folder is set, if the board does not fit into memory, or if there are several ranks. Runs on
/// rayon's current pool, or on fewer threads if all of them would need too much memory (with several ranks on all
/// threads).
///
/// Each rank of `all` must call this with the same settings. A count in files resumes an earlier one of any number of
/// ranks. If a rank returns an error, its caller has to end the whole job, because the others wait for it.
///
/// # Errors
/// [`CountError::Memory`], [`CountError::Disk`] and [`CountError::Index`] before anything is created;
/// [`CountError::Busy`] if another process counts in the same folder; [`CountError::Stopped`] if `progress` stops it;
/// [`CountError::Communicator`] if the ranks don't fit together; [`CountError::File`] for files; [`CountError::Solve`]
/// with [`SolveError::Threads`] if threads can't be started.
///
/// ```
/// use fourbase_tiers::communicator::Alone;
/// use fourbase_tiers::counts::count_by_ply;
/// use fourbase_tiers::files::Disk;
/// use fourbase_tiers::kernel::Values;
/// use fourbase_tiers::solve::Solve;
///
/// let counts = count_by_ply(&Solve::new("4x4".parse()?, Values::Wdl), &Alone, &Disk, &())?;
/// assert_eq!((counts.sum(|ply| ply.legal), counts.plies[3].legal), (161_029, 52));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn count_by_ply(
    solve: &Solve,
    all: &dyn Communicator,
    storage: &dyn Storage,
    progress: &dyn Progress,
) -> Result<Counts, CountError> {
    check_same_job(all, &format!("count {} in blocks of {} words", solve.board, solve.block_words))?;
    let planned = plan_sweep(solve, all, solve.scratch.is_some())?;
    let (files, in_files) = (Memory::default(), planned.1.is_bounded);
    let storage = if in_files { storage } else { &files };
    let count = Count { solve, values: None, all, storage, folder: folder(solve, "count-legal"), in_files };
    count.in_folder(None, |journal| Ok(count.counts(count.sweep(journal, planned, progress)?)))
}

/// Counts the legal positions of a board by ply, value and remoteness: solves it into a temporary folder, and counts as
/// [`solve_and_count`] does. Settings, files and ranks are as in [`count_by_ply`].
///
/// # Errors
/// The errors of [`count_by_ply`], and [`CountError::Solve`] if the solve fails.
///
/// ```
/// use fourbase_tiers::communicator::Alone;
/// use fourbase_tiers::counts::count_by_value;
/// use fourbase_tiers::files::Disk;
/// use fourbase_tiers::kernel::Values;
/// use fourbase_tiers::solve::Solve;
///
/// let counts = count_by_value(&Solve::new("4x4".parse()?, Values::Wdl), &Alone, &Disk, &())?;
/// assert_eq!(counts.sum(|ply| ply.win), 38_675);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn count_by_value(
    solve: &Solve,
    all: &dyn Communicator,
    storage: &dyn Storage,
    progress: &dyn Progress,
) -> Result<Counts, CountError> {
    let (_, plan) = plan(solve)?;
    // The reached bits: at most one per entry.
    let whole_bytes = plan.memory_bytes() + plan.entries() / 8;
    let in_files = !all.is_alone() || plan.is_bounded || whole_bytes > u128::from(solve.memory_bytes);
    let (plan, _) = fit(if in_files { plan.bounded() } else { plan }, solve.memory_bytes, all)?;
    let files = Memory::default();
    let storage = if in_files { storage } else { &files };
    let folder = folder(solve, &format!("count-{}", solve.values));
    let count = Count { solve, values: Some(solve.values), all, storage, folder, in_files };
    let temporary = solve.clone().root(&count.folder).keep_plies(Some(1));
    let temporary = temporary.scratch(in_files.then(|| count.folder.clone()));
    // Checkpoints in memory would be useless.
    let temporary = if in_files { temporary } else { temporary.checkpoint(Duration::MAX) };
    count.check_disk(&count.journal()?, plan.scratch_bytes() + plan.reached_bytes())?;
    let counted = count.in_folder(None, |journal| {
        let is_counted = journal.has_counted(temporary.manifest(storage)?);
        let (_, counts) = count.beside(journal, &temporary.clone().replace(!is_counted), progress)?;
        all.barrier();
        if all.is_root() {
            let (database, lock) = (temporary.folder(), lock_path(&temporary.folder()));
            remove_database(storage, &database)?;
            storage.remove(&lock).map_err(io_error(&lock, "remove"))?;
            remove_folders_below(storage, &count.folder, &database, Vec::new());
        }
        Ok(counts)
    });
    // The user does not know of the temporary database, so report its errors as errors of the count.
    counted.map_err(|error| match error {
        CountError::Solve(SolveError::Stopped { board, done, tiers, .. }) => {
            CountError::Stopped { board, plies: done, all: tiers, folder: in_files.then(|| count.folder.clone()) }
        }
        CountError::Solve(SolveError::Scratch { scratch, ply, .. }) => {
            let log = segments::path_of(&scratch, Kind::Values(solve.values), ply, 0);
            count.damaged(FileError::damaged(&log, 0, "the file is missing"))
        }
        error => error,
    })
}

/// Solves a board and counts its legal positions by ply, value and remoteness. Keeps the counts beside the database as
/// [`write_kept`] does. First the sweep goes forward, then the solve goes backward; both resume. If the board is
/// already solved and counted, nothing is done.
///
/// Each rank of `all` must call this with the same settings. If a rank returns an error, its caller has to end the
/// whole job, because the others wait for it.
///
/// Takes the time of the solve, that of a count of legal positions, and a little for the tally. The bits of the sweep
/// wait in files, below the solve's scratch folder.
///
/// # Errors
/// [`CountError::Uncounted`] if an earlier solve of the board was not counted from the beginning; [`CountError::Solve`]
/// for errors of the solve; else the errors of [`count_by_ply`].
///
/// ```
/// use fourbase_tiers::communicator::Alone;
/// use fourbase_tiers::counts::solve_and_count;
/// use fourbase_tiers::files::Disk;
/// use fourbase_tiers::kernel::Values;
/// use fourbase_tiers::solve::Solve;
///
/// let root = tempfile::tempdir()?;
/// let solve = Solve::new("4x4".parse()?, Values::Remoteness).root(root.path());
/// let (report, counts) = solve_and_count(&solve, &Alone, &Disk, &())?;
/// assert_eq!((report.outcome.remoteness, counts.sum(|ply| ply.legal)), (Some(16), 161_029));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn solve_and_count(
    solve: &Solve,
    all: &dyn Communicator,
    storage: &dyn Storage,
    progress: &dyn Progress,
) -> Result<(Report, Counts), CountError> {
    let (board, values) = (solve.board, solve.values);
    let folder = folder(solve, &format!("tally-{values}"));
    let count = Count { solve, values: Some(values), all, storage, folder, in_files: true };
    let manifest = solve.manifest(storage)?.filter(|manifest| manifest.is_complete());
    let kept = manifest.map(|complete| read_kept(storage, &solve.folder(), board, &complete));
    let kept = kept.map(FileError::unless_damaged).transpose()?.flatten().flatten();
    let journal = count.journal()?;
    // A journal is removed after the counts are kept.
    let kept = kept.filter(|_| journal.swept.is_empty());
    let is_done = if kept.is_some() { "counted" } else { "not counted" };
    check_same_job(all, &format!("solve and count {board} {values}, {is_done} yet"))?;
    if let Some(counts) = kept {
        return Ok((solve.run_on(all, storage, progress)?, counts));
    }
    if !journal.has_counted(solve.manifest(storage)?) {
        return Err(CountError::Uncounted { folder: solve.folder(), board, values });
    }
    count.in_folder(solve.existing(), |journal| {
        let (report, counts) = count.beside(journal, solve, progress)?;
        if all.is_root()
            && let Some(manifest) = Manifest::read(storage, &solve.folder(), board, values)?
        {
            write_kept(storage, &solve.folder(), &manifest, &counts)?;
        }
        Ok((report, counts))
    })
}

/// A count in its own folder, at one rank.
struct Count<'a> {
    solve: &'a Solve,
    /// The values that are counted, if any.
    values: Option<Values>,
    all: &'a dyn Communicator,
    storage: &'a dyn Storage,
    folder: PathBuf,
    /// Whether a later count can resume it.
    in_files: bool,
}

impl Count<'_> {
    /// Reads the journal of an earlier run of this count; else begins one.
    fn journal(&self) -> Result<Journal, FileError> {
        let job = format!("{} {:?} {}", self.solve.board, self.values, self.solve.block_words);
        Journal::read(self.storage, &self.folder, job)
    }

    /// Sweeps forward, then solves and tallies every solved tier. The bits of the sweep wait in the folder.
    fn beside(
        &self,
        mut journal: Journal,
        solve: &Solve,
        progress: &dyn Progress,
    ) -> Result<(Report, Counts), CountError> {
        if journal.swept.len() <= solve.board.cells() {
            journal = self.sweep(journal, plan_sweep(solve, self.all, false)?, progress)?;
        }
        let Count { storage, all, ref folder, .. } = *self;
        let memory = Arc::new(BlockMemory::sequential(solve.block_words));
        let reached = TierFolder { storage, folder, memory, all };
        let mut observer = |index: &Index, tier: &Tier| tally(&reached, &mut journal, index, tier);
        let report = solve.run_observed(&mut observer, all, storage, progress)?;
        Ok((report, self.counts(journal)))
    }

    /// Sweeps from the first ply that is not in the journal to the full board, with the rest of the memory beyond the
    /// plan's.
    fn sweep(
        &self,
        mut journal: Journal,
        (index, plan, rest_bytes): (Index, Plan, u64),
        progress: &dyn Progress,
    ) -> Result<Journal, CountError> {
        let Count { solve, values, all, storage, ref folder, in_files } = *self;
        let index = &index;
        self.check_disk(&journal, if values.is_some() { plan.reached_bytes() } else { plan.scratch_bytes() })?;
        // Half of the rest is for lists of finished colourings, the other half for blocks.
        let list_bytes = if plan.is_bounded { rest_bytes / 2 } else { rest_bytes };
        let memory = Arc::new(plan.memory(plan.memory_bytes() as u64 + rest_bytes - list_bytes, solve.block_words));
        let tiers = TierFolder { storage, folder, memory, all };
        let (done, last) = (journal.swept.len(), solve.board.cells());
        let entries = plan.tiers.iter().take(done).map(|tier| tier.entries as u64).sum();
        progress.begin(Stage::Sweep, u64::try_from(plan.entries()).unwrap_or(u64::MAX), entries);
        let stopped = |plies| {
            let folder = in_files.then(|| folder.clone());
            CountError::Stopped { board: solve.board, plies, all: last + 1, folder }
        };
        plan.install(|| {
            let before = done.checked_sub(1).filter(|_| done <= last);
            let mut parents = before.map(|ply| tiers.open(index, Reached, ply as u32)).transpose()?;
            for ply in done as u32..=last as u32 {
                if all.is_root() {
                    // The counts of an unfinished ply are lost. Without values, only the parents' bits are needed.
                    let is_old = |of| of >= ply || values.is_none() && of + 1 < ply;
                    segments::remove(storage, folder, Kind::Reached, is_old)?;
                }
                all.barrier();
                let mut tier = tiers.begin(index, Reached, ply)?;
                progress.tier(ply, tier.entries());
                let shown = RankProgress::new(progress, Stage::Sweep, all, tier.entries());
                let swept =
                    shown.watching(|watch| sweep_tier(index, &mut tier, parents.as_ref(), list_bytes, watch))?;
                let Pulled { without_line, with_line } = swept.ok_or_else(|| stopped(ply as usize))?;
                shown.end();
                let mut sums = [without_line, with_line];
                all.all_reduce(&mut sums, Reduction::Sum);
                journal.swept.push(Pulled { without_line: sums[0], with_line: sums[1] });
                if in_files || values.is_some() {
                    tier.sync(index)?;
                    // The journal must not name what other ranks have not saved.
                    all.barrier();
                    if all.is_root() {
                        journal.write(storage, folder)?;
                    }
                }
                if progress.is_stopped() {
                    return Err(stopped(ply as usize + 1));
                }
                parents = Some(tier);
            }
            Ok(journal)
        })?
    }

    /// Returns the tables of a finished count. Positions with a line need no solve.
    fn counts(&self, Journal { swept, mut outcomes, .. }: Journal) -> Counts {
        let (board, values) = (self.solve.board, self.values);
        let plies: Vec<_> = (0..).zip(swept).map(|(ply, pulled)| PlyCounts::new(board, ply, pulled)).collect();
        if let Some(values) = values {
            let value = if board.is_misere() { Value::Win } else { Value::Lose };
            let remoteness = (values == Values::Remoteness).then_some(0);
            let finished = plies.iter().filter_map(|ply| Some((ply.ply, ply.with_line.filter(|legal| *legal > 0)?)));
            outcomes.extend(finished.map(|(ply, legal)| OutcomeCount { ply, value, remoteness, legal, example: None }));
        }
        Counts::new(board, values, plies, outcomes)
    }

    /// Checks that the files of a new count fit on the disk.
    fn check_disk(&self, journal: &Journal, needed: u128) -> Result<(), CountError> {
        let Count { storage, ref folder, .. } = *self;
        if !self.all.is_root() || !self.in_files || !journal.swept.is_empty() {
            return Ok(());
        }
        let error = |free| CountError::Disk { folder: folder.clone(), board: self.solve.board, needed, free };
        has_room(storage, folder, needed).map_err(error)
    }

    /// Creates the folder, locks it and runs `work` there with the journal that it finds; then removes the lock, the files
    /// of a finished count, and the folder if it is empty. Never creates the root if it has to exist already.
    fn in_folder<T>(
        &self,
        existing: Option<&Path>,
        work: impl FnOnce(Journal) -> Result<T, CountError>,
    ) -> Result<T, CountError> {
        let Count { all, storage, ref folder, .. } = *self;
        let (mut made, lock) = (Vec::new(), folder.join("lock"));
        let held = lock_output(all, storage, existing, &[folder], &lock, &mut made);
        let counted = held.map_err(CountError::File).and_then(|held| {
            let _held = held.map_err(|holder| CountError::Busy { folder: folder.clone(), holder })?;
            let counted = check_shared_folder(all, storage, folder).and_then(|()| work(self.journal()?));
            let counted = counted.and_then(|counted| {
                all.barrier();
                if all.is_root() {
                    segments::remove(storage, folder, Kind::Reached, |_| true)?;
                    // Version 0.2.0 solved here.
                    segments::remove(storage, folder, Kind::Values(self.solve.values), |_| true)?;
                    remove_named(storage, folder, |name| name == journal::NAME)?;
                }
                Ok(counted)
            });
            if all.is_root() {
                let _ = storage.remove(&lock);
            }
            counted
        });
        match &counted {
            // The folder belongs to the other process.
            Err(CountError::Busy { .. }) => {}
            Err(_) => remove_folders(storage, &made),
            Ok(_) if all.is_root() => remove_folders_below(storage, self.solve.scratch_root(), folder, made),
            Ok(_) => {}
        }
        counted.map_err(|error| match error {
            CountError::File(source) | CountError::Solve(SolveError::File(source))
                if source.is_damage() && source.path().starts_with(folder) =>
            {
                self.damaged(source)
            }
            error => error,
        })
    }

    /// Returns the error of a damaged file of the count; the user may remove the count's folder.
    fn damaged(&self, source: FileError) -> CountError {
        CountError::Damaged { folder: self.folder.clone(), source }
    }
}

/// Returns the folder of a count.
fn folder(solve: &Solve, name: &str) -> PathBuf {
    solve.scratch_root().join(solve.board.to_string()).join(name)
}

/// Plans a solve. Returns the index too.
fn plan(solve: &Solve) -> Result<(Index, Plan), CountError> {
    let (plan, index) = solve.counted_plan();
    if index.is_none() {
        CountError::check_memory(solve.board, plan.memory_bytes(), solve.memory_bytes)?;
    }
    Ok((index.map_or_else(|| Index::new(solve.board, solve.kernel), Ok)?, plan))
}

/// Plans a sweep with the memory of a solve. Returns the index, the plan and the rest of the memory.
fn plan_sweep(solve: &Solve, all: &dyn Communicator, in_files: bool) -> Result<(Index, Plan, u64), CountError> {
    let (index, _) = plan(solve)?;
    let plan = Plan::legal(&index, solve.board.cells() as u32);
    let is_bounded = in_files || !all.is_alone() || plan.memory_bytes() > u128::from(solve.memory_bytes);
    let (plan, rest_bytes) = fit(if is_bounded { plan.bounded() } else { plan }, solve.memory_bytes, all)?;
    Ok((index, plan, rest_bytes))
}
