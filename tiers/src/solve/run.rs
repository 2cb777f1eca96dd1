//! Runs a solve from start to report: finds the results of an earlier solve, makes and locks the folders, and resumes.
//!
//! Every rank runs this. Rank 0 creates and removes files, holds the lock and writes the manifest; the others read the
//! files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::driver::{Driver, Observer, no_root};
use super::error::SolveError;
use super::options::{Report, Solve};
use super::plan::Plan;
use super::replace::{is_lost, remove_temporary};
use crate::context::{Context, Folders};
use crate::files::{FileError, Storage};
use crate::format::{Manifest, REPLACEMENT, has_leftovers, lock_path, remove_leftovers};
use crate::progress::Stage;
use crate::tier::{Kind, Tier, TierFolder, segments};

impl Solve {
    /// Solves the board into its database, in this process alone and with files on disk. Resumes an earlier solve. Runs
    /// on rayon's current pool, or on fewer threads if all of them need too much memory ([`Plan::within`]).
    ///
    /// # Errors
    /// See [`Solve::run_on`].
    pub fn run(&self) -> Result<Report, SolveError> {
        self.run_on(&Context::default())
    }

    /// Solves the board into its database. The bytes of the database do not depend on the number of ranks and threads.
    /// Resumes an earlier solve of any number of ranks.
    ///
    /// # Errors
    /// [`SolveError::Memory`], [`SolveError::Index`] and [`SolveError::Disk`] before anything is created;
    /// [`SolveError::Kept`] if an earlier solve keeps other tiers; [`SolveError::Busy`] if another process solves the
    /// same board; [`SolveError::Stopped`] if the progress of `context` stops the solve; [`SolveError::Communicator`]
    /// if the ranks can't work together; [`SolveError::File`] if a file can't be read or written.
    pub fn run_on(&self, context: &Context) -> Result<Report, SolveError> {
        self.run_observed(&mut |_, _| Ok(()), context)
    }

    /// Solves as [`Solve::run_on`] does, and calls `observer` with every solved tier.
    pub(crate) fn run_observed(&self, observer: &mut Observer, context: &Context) -> Result<Report, SolveError> {
        let Context { storage, all, .. } = *context;
        let Solve { board, values, keep_plies, block_words, replace, .. } = self;
        let begin = if *replace { "solve again" } else { "solve" };
        context.check_same_job(&format!(
            "{begin} {board} {values} keeping {keep_plies:?} in blocks of {block_words} words"
        ))?;
        let (folder, scratch) = (self.output_folder(), self.scratch_folder());
        if self.replace {
            self.check_replaced(storage)?;
        }
        let found = self.manifest(storage)?;
        found.iter().try_for_each(|manifest| self.check_kept(&folder, manifest))?;
        let is_begun = found.is_some();
        let complete = found.filter(|manifest| manifest.is_complete() && !self.replace);
        // A rank may see another folder under this name and find no complete database. `in_folders` below detects that.
        let is_complete = all.all_gather(&[u8::from(complete.is_some())]).iter().all(|is_complete| is_complete == &[1]);
        if let Some(manifest) = complete.filter(|_| is_complete) {
            manifest.check_files(storage, &folder)?;
            if all.is_root() {
                tidy(storage, &folder, &scratch, Kind::Values(self.values));
                self.tidy_replaced(storage);
            }
            return self.report(&manifest, true);
        }
        let (plan, index) = self.counted_plan()?;
        // With several ranks, keep all threads: a new pool would move the solve off the thread that communicates.
        let plan = if all.is_alone() { plan.within(self.memory_bytes) } else { plan.bounded() };
        plan.check(self.memory_bytes)?;
        if all.is_root() && !is_begun {
            plan.check_disk(storage, &folder, &scratch)?;
        }
        let lock = lock_path(&folder);
        let root = self.scratch.as_deref().filter(|_| scratch != folder);
        let folders =
            Folders { written: &[&folder, &scratch], lock: &lock, temporary: root.map(|root| (root, &*scratch)) };
        let work = || {
            let memory = Arc::new(plan.memory(self.memory_bytes, self.block_words));
            let tiers = TierFolder { storage, folder: &scratch, memory, all };
            let manifest = Manifest::new(self.board, self.values, self.keep_plies);
            let driver = Driver { solve: self, observer, context, tiers, index: &index, folder: &folder, manifest };
            let report = plan.install(|| driver.resume_and_solve(&plan))??;
            // After this barrier, no rank reads the folder any more.
            all.barrier();
            if self.replace && all.is_root() {
                self.put_in_place(storage)?;
            }
            Ok(report)
        };
        let end = |result: &Result<_, _>, made: &[PathBuf]| {
            let is_new = || made.contains(&folder) && matches!(Manifest::read(storage, &folder), Ok(None));
            if result.is_err() && is_new() {
                let _ = remove_leftovers(storage, &folder);
                let _ = storage.remove(&folder.join(REPLACEMENT));
                let _ = storage.remove(&lock);
            }
        };
        context.in_folders(&folders, |holder| SolveError::Busy { folder: folder.clone(), holder }, work, end)
    }

    /// Checks that the earlier solve in the folder keeps the files of the same plies as this solve.
    fn check_kept(&self, folder: &Path, manifest: &Manifest) -> Result<(), SolveError> {
        let (wanted, found) = (self.keep_plies, manifest.keep_plies);
        let error = || SolveError::Kept { folder: folder.to_path_buf(), found, wanted };
        manifest.keeps_like(wanted).then_some(()).ok_or_else(error)
    }

    fn report(&self, manifest: &Manifest, already_complete: bool) -> Result<Report, SolveError> {
        let folder = self.folder();
        Ok(Report {
            outcome: manifest.root().ok_or_else(|| no_root(&folder))?,
            entries: manifest.entries(),
            bytes: manifest.bytes(),
            hash: manifest.hash,
            keep_plies: manifest.keep_plies,
            folder,
            already_complete,
        })
    }
}

impl<'a> Driver<'a> {
    /// Resumes and finishes the solve, in folders that exist and are locked.
    fn resume_and_solve(mut self, plan: &Plan) -> Result<Report, SolveError> {
        let (solve, all, storage) = (self.solve, self.tiers.all, self.tiers.storage);
        if solve.replace && all.is_root() && solve.manifest(storage)?.is_none() {
            self.begin_replacement()?;
        }
        all.barrier();
        let last = match self.resume() {
            Err(error) if solve.replace && all.is_alone() && is_lost(&error) => {
                self.begin_replacement()?;
                self.manifest = Manifest::new(solve.board, solve.values, solve.keep_plies);
                None
            }
            last => last?,
        };
        if all.is_root() {
            remove_leftovers(storage, self.folder)?;
            if self.manifest.tiers.is_empty() {
                // From now on readers see a database that is not solved yet.
                self.manifest.write(storage, self.folder)?;
            }
        }
        let Manifest { checkpoint, tiers, .. } = &self.manifest;
        self.context.check_same_job(&format!("resuming from ply {checkpoint:?} with {} tiers", tiers.len()))?;
        self.context.progress.planned(plan);
        let entries = u64::try_from(plan.entries()).unwrap_or(u64::MAX);
        self.context.progress.begin(Stage::Solve, entries, self.manifest.entries());
        self.solve_tiers(last)?;
        if !all.is_root()
            && let Some(written) = Manifest::read(storage, self.folder)?
        {
            self.manifest = written;
        }
        solve.report(&self.manifest, false)
    }

    /// Finds the results of an earlier solve: its manifest, and the tier to resume from. If that tier is damaged, the
    /// solve begins with the full board; any other failure to read it is an error.
    fn resume(&mut self) -> Result<Option<Tier<'a>>, SolveError> {
        let Solve { board, values, keep_plies, .. } = *self.solve;
        let (storage, scratch) = (self.tiers.storage, self.tiers.folder);
        let Some(manifest) = Manifest::read(storage, self.folder)? else { return Ok(None) };
        // The first check was made before the folder was locked, so another process may have begun a solve since.
        self.solve.check_kept(self.folder, &manifest)?;
        manifest.check_files(storage, self.folder)?;
        self.manifest = manifest;
        self.check_hashes()?;
        let Some(ply) = self.manifest.checkpoint else { return Ok(None) };
        let open = |ply| self.tiers.open(self.index, Kind::Values(values), ply);
        let last = open(ply)?;
        if last.is_complete() || (ply > 0 && is_enough(&last, &open(ply - 1)?)) {
            return Ok(Some(last));
        }
        if !last.log.has_files {
            let (scratch, folder) = (scratch.to_path_buf(), self.folder.to_path_buf());
            return Err(SolveError::Scratch { scratch, folder, ply });
        }
        let file = segments::path_of(scratch, Kind::Values(values), ply, 0);
        let damaged = FileError::damaged(&file, 0, "incomplete: some blocks cannot be read");
        self.context.progress.starts_over(last.log.fault.as_ref().unwrap_or(&damaged));
        self.manifest = Manifest::new(board, values, keep_plies);
        Ok(None)
    }

    /// Checks the hashes of the finished files. Each rank checks a part of them.
    fn check_hashes(&self) -> Result<(), SolveError> {
        let size = self.tiers.all.size();
        let bytes = self.manifest.tiers.iter().map(|tier| tier.bytes).sum::<u64>() / u64::from(size);
        self.context.progress.begin(Stage::Resume, bytes, 0);
        let goes_on = |bytes| {
            self.context.progress.done(Stage::Resume, bytes);
            !self.context.progress.is_stopped()
        };
        let part = (self.tiers.all.rank() as usize, size as usize);
        let is_whole = self.manifest.check_hashes(self.tiers.storage, self.folder, part, &goes_on)?;
        if is_whole { Ok(()) } else { Err(self.stopped()) }
    }
}

/// Returns whether the incomplete tier `last` has all blocks that the missing part of `before`, the tier before it,
/// needs. A stopped solve may have kept only these blocks. Drops never lead to a smaller left wing, so the needed
/// blocks are those from the first missing left wing on.
fn is_enough(last: &Tier, before: &Tier) -> bool {
    let has_files = last.log.has_files || before.log.has_files;
    has_files && before.first_missing_left().is_none_or(|left| last.has_from(left))
}

/// Removes files that a solve left behind if it was stopped at its very end. Does nothing if the folder can't be
/// written or another process has locked it.
fn tidy(storage: &dyn Storage, folder: &Path, scratch: &Path, kind: Kind) {
    let has_files = has_leftovers(storage, folder).unwrap_or(false)
        || [folder, scratch].iter().any(|folder| segments::has_any(storage, folder, kind).unwrap_or(false));
    if has_files && let Ok(Ok(_lock)) = storage.lock(&lock_path(folder)) {
        let _ = remove_temporary(storage, folder, scratch, kind);
    }
}
