//! A whole solve: lock, tiers one after the other, each written before the next begins.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

use super::checkpoints::Checkpoints;
use super::disk_space::check_disk_space;
use super::error::SolveError;
use super::options::{Report, Solve};
use super::plan::Plan;
use super::progress::{Progress, watching};
use super::step::solve_tier;
use super::witness::Witness;
use crate::files::{
    FileError, Storage, Written, create_folder, io_error, publish, remove_folders, remove_folders_below,
};
use crate::format::{
    Manifest, State, TierRecord, has_leftovers, lock_path, remove_database, remove_leftovers, write_tier,
};
use crate::index::Index;
use crate::kernel::Coding;
use crate::tier::log::segments;
use crate::tier::{Home, InLogs, InMemory, Kind, LogTier, Logs, Rows, Store};

/// Runs a solve.
///
/// # Errors
/// See [`Solve::run_with`].
pub(super) fn alone<W: Witness>(
    solve: &Solve,
    witness: &W,
    storage: &dyn Storage,
    progress: &dyn Progress,
) -> Result<Report, SolveError> {
    let (folder, scratch) = (solve.folder(), solve.scratch_folder());
    let done = if solve.replace { None } else { Manifest::read(storage, &folder, solve.board, solve.values)? };
    done.iter().try_for_each(|manifest| check_kept(solve, &folder, manifest))?;
    let is_begun = done.is_some();
    if let Some(manifest) = done.filter(|manifest| manifest.state == State::Complete) {
        manifest.check_files(storage, &folder)?;
        tidy(storage, &folder, &scratch, Kind::Values(solve.values));
        return report(solve, &manifest, true);
    }
    let (plan, index) = solve.counted_plan();
    plan.check(solve.memory_bytes)?;
    let index = index.map_or_else(|| Index::new(solve.board, solve.kernel), Ok)?;
    if !is_begun {
        check_disk_space(storage, &plan, &folder, &scratch)?;
    }
    let mut made = Vec::new();
    let result = in_folders(solve, witness, progress, storage, &plan, &index, &mut made);
    match (&result, &solve.scratch) {
        // The folders are the other process's.
        (Err(SolveError::Busy { .. }), _) => {}
        // A solve that is refused leaves no empty folder.
        (Err(_), _) => remove_folders(storage, &made),
        (Ok(_), Some(root)) if scratch != folder => remove_folders_below(storage, root, &scratch, made),
        _ => {}
    }
    result
}

/// Makes the folders, which are added to `made`, takes the lock and solves.
fn in_folders<W: Witness>(
    solve: &Solve,
    witness: &W,
    progress: &dyn Progress,
    storage: &dyn Storage,
    plan: &Plan,
    index: &Index,
    made: &mut Vec<PathBuf>,
) -> Result<Report, SolveError> {
    let (folder, scratch) = (solve.folder(), solve.scratch_folder());
    create_folder(storage, solve.existing(), &folder, made)?;
    create_folder(storage, solve.existing(), &scratch, made)?;
    let is_new = made.contains(&folder);
    let lock = lock_path(&folder);
    let held = storage
        .lock(&lock)
        .map_err(io_error(&lock, "lock"))?
        .map_err(|holder| SolveError::Busy { folder: folder.clone(), holder })?;
    let result = locked(solve, witness, progress, storage, plan, index);
    if result.is_err() && is_new && matches!(Manifest::read_any(storage, &folder), Ok(None)) {
        let _ = remove_leftovers(storage, &folder);
        let _ = storage.remove(&lock);
    }
    drop(held);
    result
}

/// Solves in folders that are made and locked.
fn locked<W: Witness>(
    solve: &Solve,
    witness: &W,
    progress: &dyn Progress,
    storage: &dyn Storage,
    plan: &Plan,
    index: &Index,
) -> Result<Report, SolveError> {
    let (folder, scratch) = (solve.folder(), solve.scratch_folder());
    // A solve that is planned in memory may have to go on in files.
    let mut room = plan.bounded().room(solve.memory_bytes);
    room.block_words = solve.knobs.block_words;
    let logs = Logs { storage, folder: &scratch, index, room, crew: None };
    let coding = Coding::new(solve.board, solve.values, 0);
    if solve.replace {
        remove_database(storage, &folder)?;
        logs.remove(Kind::Values(solve.values), &[])?;
    }
    let manifest = Manifest::new(solve.board, solve.values, solve.keep_plies);
    let mut run = Run { solve, witness, progress, logs, folder: &folder, manifest };
    let last = run.resume(coding)?;
    // What a stopped solve in files has left of its last tiers is of use in files alone.
    let plan = if last.as_ref().is_none_or(LogTier::is_complete) { *plan } else { plan.bounded() };
    plan.check(solve.memory_bytes)?;
    remove_leftovers(storage, &folder)?;
    if run.manifest.tiers.is_empty() {
        // Readers see "not solved yet" from the start.
        run.manifest.write(storage, &folder)?;
    }
    progress.planned(&plan, run.manifest.entries());
    if plan.is_bounded {
        run.tiers(InLogs::new(logs, coding), last)?;
    } else {
        // A later tier that a solve in files has begun is of no use in memory, and would be read through at every start.
        logs.remove(Kind::Values(solve.values), run.manifest.checkpoint.as_slice())?;
        run.tiers(InMemory::new(logs, coding), last)?;
    }
    report(solve, &run.manifest, false)
}

/// A solve that is running.
struct Run<'a, W> {
    solve: &'a Solve,
    witness: &'a W,
    progress: &'a dyn Progress,
    logs: Logs<'a>,
    /// The folder of the database.
    folder: &'a Path,
    manifest: Manifest,
}

impl<'a, W: Witness> Run<'a, W> {
    /// Finds what an earlier solve has left: its manifest, and the tier to resume from. If that tier is damaged the solve
    /// begins with the full board; any other failure to read it is an error.
    fn resume(&mut self, coding: Coding) -> Result<Option<LogTier<'a>>, SolveError> {
        let Solve { board, values, keep_plies, .. } = *self.solve;
        let storage = self.logs.storage;
        let Some(manifest) = Manifest::read(storage, self.folder, board, values)? else { return Ok(None) };
        // Another process may have begun it in the meantime.
        check_kept(self.solve, self.folder, &manifest)?;
        manifest.check_files(storage, self.folder)?;
        let progress = self.progress;
        progress.checks(manifest.tiers.iter().map(|tier| tier.bytes).sum());
        let goes_on = |bytes| {
            progress.checked(bytes);
            !progress.is_stopped()
        };
        let is_checked = manifest.check_hashes(storage, self.folder, (0, 1), &goes_on)?;
        let checkpoint = manifest.checkpoint;
        self.manifest = manifest;
        if !is_checked {
            return Err(self.stopped());
        }
        let Some(ply) = checkpoint else { return Ok(None) };
        let last = self.logs.open(coding, ply)?;
        if last.is_complete() || (ply > 0 && is_enough(&last, &self.logs.open(coding, ply - 1)?)) {
            return Ok(Some(last));
        }
        let scratch = self.logs.folder;
        if !last.has_files() {
            let (scratch, folder) = (scratch.to_path_buf(), self.folder.to_path_buf());
            return Err(SolveError::Scratch { scratch, folder, ply });
        }
        let file = segments::path_of(scratch, Kind::Values(values), ply, 0);
        let what = "incomplete: some blocks cannot be read";
        self.progress.starts_over(&FileError::Damaged { file, offset: 0, what });
        self.manifest = Manifest::new(board, values, keep_plies);
        Ok(None)
    }

    /// Solves the missing tiers, from the one before `last` down to the empty board.
    fn tiers<H: Home<'a, Content = Coding>>(
        &mut self,
        mut home: H,
        last: Option<LogTier<'a>>,
    ) -> Result<(), SolveError> {
        let index = self.logs.index;
        let (mut unpublished, mut checkpoints) = (Vec::new(), Checkpoints::new(self.solve.checkpoint));
        // A solve that was stopped may have left only those blocks of its last tier that the rest of the next tier needs. Once
        // that is solved, no later solve could begin with either of the two: the next tier is a checkpoint at once.
        let mut is_due = last.as_ref().is_some_and(|last| !last.is_complete());
        let mut child = last.map(|last| home.adopt(last)).transpose()?;
        while let Some(ply) = self.manifest.next_ply(self.solve.board) {
            let mut tier = home.make(ply, child.as_ref())?;
            self.progress.tier(ply, tier.entries());
            let is_solved = watching(self.progress, |watch| solve_tier(index, &mut tier, child.as_ref(), watch))?;
            let written = if is_solved {
                // The memory of the child's expanded blocks goes to the writer.
                child.iter().for_each(Store::pass_all);
                self.witness.solved(index, &tier)?;
                self.write(&tier)?
            } else {
                ControlFlow::Break(())
            };
            let ControlFlow::Continue(written) = written else {
                if H::SAVES_PARTS {
                    home.save(&tier)?;
                }
                drop(tier);
                if let Some(child) = child.filter(|child| self.manifest.checkpoint != Some(child.ply())) {
                    self.commit(&home, &child, unpublished)?;
                }
                return Err(self.stopped());
            };
            unpublished.extend(written);
            if ply == 0 {
                return self.complete(&tier, unpublished);
            }
            let is_stopped = self.progress.is_stopped();
            if is_stopped || is_due || checkpoints.is_due() || home.is_mostly_saved(&tier) {
                let begun = Instant::now();
                self.commit(&home, &tier, std::mem::take(&mut unpublished))?;
                checkpoints.made(begun);
                is_due = false;
            }
            if is_stopped {
                return Err(self.stopped());
            }
            if let Some(old) = child.replace(tier) {
                self.drop_log(old.ply())?;
                home.reuse(old);
            }
        }
        Ok(())
    }

    /// Writes what the database keeps of a tier, and records it; breaks off, and records nothing, when it is stopped.
    fn write<T: Store<Content = Coding>>(&mut self, tier: &T) -> Result<ControlFlow<(), Option<Written>>, FileError> {
        let is_stopped = || self.progress.is_stopped();
        let written = if self.manifest.keeps(tier.ply()) {
            write_tier(self.logs.storage, self.folder, self.logs.index, tier, &is_stopped)?
        } else {
            ControlFlow::Continue(None)
        };
        let ControlFlow::Continue(file) = written else { return Ok(ControlFlow::Break(())) };
        let bytes = file.as_ref().map_or(0, |file| file.written.bytes);
        let hash = file.as_ref().map(|file| file.hash);
        let record = TierRecord { ply: tier.ply(), entries: tier.entries(), bytes, hash };
        self.manifest.tiers.push(record);
        self.progress.tier_done(&record);
        Ok(ControlFlow::Continue(file.map(|file| file.written)))
    }

    /// Makes what is done durable: all values of the last tier; then the files of the database; then the manifest that
    /// names them. Then older logs go.
    fn commit<H: Home<'a>>(&mut self, home: &H, last: &H::Tier, files: Vec<Written>) -> Result<(), SolveError> {
        home.save(last)?;
        let ply = last.ply();
        self.manifest.checkpoint = Some(ply);
        publish(self.logs.storage, self.folder, files)?;
        self.manifest.write(self.logs.storage, self.folder)?;
        // The tier before it may be half solved already.
        Ok(self.logs.remove(Kind::Values(self.solve.values), &[ply, ply - 1])?)
    }

    /// Removes what a tier has in files, unless the solve would resume from it.
    fn drop_log(&self, ply: u32) -> Result<(), FileError> {
        if self.manifest.checkpoint == Some(ply) {
            return Ok(());
        }
        segments::remove(self.logs.storage, self.logs.folder, Kind::Values(self.solve.values), |of| of == ply)
    }

    /// Makes the last tier durable, and with it the database.
    fn complete<T: Store<Content = Coding>>(&mut self, tier: &T, files: Vec<Written>) -> Result<(), SolveError> {
        let root = root_code(self.logs.index, tier)?.and_then(|code| tier.content().decode(code));
        self.manifest.complete(root.ok_or_else(|| no_root(self.folder))?);
        let storage = self.logs.storage;
        publish(storage, self.folder, files)?;
        self.manifest.write(storage, self.folder)?;
        remove_leftovers(storage, self.folder)?;
        Ok(self.logs.remove(Kind::Values(self.solve.values), &[])?)
    }

    fn stopped(&self) -> SolveError {
        let Solve { board, values, .. } = *self.solve;
        SolveError::Stopped {
            folder: self.folder.to_path_buf(),
            board,
            values,
            keep_plies: self.manifest.keep_plies(),
            done: self.manifest.tiers.len(),
            tiers: board.cells() + 1,
        }
    }
}

/// Tells whether a tier that is not complete has all that the rest of the tier before it needs: a solve that is stopped has
/// no more. No shape leads to one with a smaller left wing.
pub(super) fn is_enough(last: &LogTier, before: &LogTier) -> bool {
    let has_files = last.has_files() || before.has_files();
    has_files && before.first_missing_left().is_none_or(|left| last.has_from(left))
}

/// Returns the code of the only entry of the tier of the empty board.
pub(super) fn root_code<T: Store<Content = Coding>>(index: &Index, tier: &T) -> Result<Option<u8>, FileError> {
    let Some(root) = tier.located_from(index, 0).next() else { return Ok(None) };
    let (mut rows, planes) = (Rows::of(index, tier), tier.content().planes());
    rows.seek(&root.matrix);
    let words = rows.get(0..1)?.get(..planes);
    let code = |words: &[u64]| words.iter().rev().fold(0, |code, word| code << 1 | (word & 1) as u8);
    Ok(words.map(code))
}

/// Refuses a folder that was begun with a `keep_plies` that keeps other files.
pub(super) fn check_kept(solve: &Solve, folder: &Path, manifest: &Manifest) -> Result<(), SolveError> {
    let Solve { board, values, keep_plies: wanted, .. } = *solve;
    if manifest.keeps_like(wanted, board) {
        return Ok(());
    }
    let found = manifest.keep_plies();
    Err(SolveError::Kept { folder: folder.to_path_buf(), board, values, found, wanted })
}

/// Removes what a solve that was stopped at its very end can have left. Nothing happens where the folder cannot be written
/// or another process holds it.
fn tidy(storage: &dyn Storage, folder: &Path, scratch: &Path, kind: Kind) {
    let has_files = has_leftovers(storage, folder).unwrap_or(false)
        || [folder, scratch].iter().any(|folder| segments::has_any(storage, folder, kind).unwrap_or(false));
    if !has_files {
        return;
    }
    if let Ok(Ok(_lock)) = storage.lock(&lock_path(folder)) {
        let _ = remove_leftovers(storage, folder);
        let _ = segments::remove_all(storage, folder, kind, &[]);
        let _ = segments::remove_all(storage, scratch, kind, &[]);
    }
}

pub(super) fn no_root(folder: &Path) -> FileError {
    FileError::Damaged { file: folder.to_path_buf(), offset: 0, what: "the empty board has no value" }
}

pub(super) fn report(solve: &Solve, manifest: &Manifest, already_complete: bool) -> Result<Report, SolveError> {
    let folder = solve.folder();
    Ok(Report {
        board: solve.board,
        values: solve.values,
        outcome: manifest.root().ok_or_else(|| no_root(&folder))?,
        entries: manifest.entries(),
        bytes: manifest.bytes(),
        hash: manifest.hash(),
        keep_plies: manifest.keep_plies(),
        folder,
        already_complete,
    })
}
