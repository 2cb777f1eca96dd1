//! A whole solve: plan, lock, tiers one after the other, each written before the next begins.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

use super::bounded::solve_frontier;
use super::options::{Options, Progress, Report};
use super::room::check_room;
use super::{Tier, solve_tier};
use crate::database::{
    DatabaseError, Disk, Manifest, State, Storage, TierRecord, TierValues, Written, create_folder, folder_of,
    has_leftovers, io_error, lock_path, publish, remove_database, remove_leftovers, write_tier,
};
use crate::error::SolveError;
use crate::frontier::Frontier;
use crate::index::Index;
use crate::kernel::Coding;
use crate::plan::{Plan, Room};

/// Solves a board into its database, going on where an earlier solve stopped. Runs on rayon's current pool.
///
/// # Errors
/// [`SolveError::Memory`] and [`SolveError::Index`] before anything is made, [`SolveError::Kept`] where an earlier solve
/// keeps other tiers, [`SolveError::Busy`] where another process solves the same board, [`SolveError::Stopped`] where
/// `progress` wants it, [`SolveError::Database`] for files.
pub fn run(options: &Options, progress: &dyn Progress) -> Result<Report, SolveError> {
    run_on(options, progress, &Disk)
}

/// As [`run`], on a storage of the caller's.
///
/// # Errors
/// As for [`run`].
pub fn run_on(options: &Options, progress: &dyn Progress, storage: &dyn Storage) -> Result<Report, SolveError> {
    let Options { board, values, .. } = *options;
    let folder = folder_of(&options.root, board, values);
    let scratch = options.scratch_folder();
    let done = if options.replace { None } else { Manifest::read(storage, &folder, board, values)? };
    done.iter().try_for_each(|manifest| options.check_kept(&folder, manifest))?;
    let is_begun = done.is_some();
    if let Some(manifest) = done.filter(|manifest| manifest.state == State::Complete) {
        manifest.check_files(storage, &folder)?;
        tidy(storage, &folder, &scratch);
        return report(options, &manifest, folder, true);
    }
    let plan = Plan::new(board, values, options.memory_bytes);
    let plan = if options.scratch.is_some() { plan.bounded() } else { plan };
    let plan = plan.keeping(options.kept());
    plan.check(options.memory_bytes)?;
    let index = Index::new(board, options.kernel)?;
    if !is_begun {
        check_room(storage, &plan, &folder, &scratch)?;
    }
    create_folder(storage, &folder)?;
    create_folder(storage, &scratch)?;
    let lock = lock_path(&folder);
    let _lock = storage
        .lock(&lock)
        .map_err(io_error(&lock, "lock"))?
        .map_err(|holder| SolveError::Busy { folder: folder.clone(), holder })?;
    if options.replace {
        remove_database(storage, &folder)?;
        Frontier::remove_all(storage, &scratch, &[])?;
    }
    let mut run = Run {
        options,
        progress,
        storage,
        index: &index,
        plan: &plan,
        folder: &folder,
        scratch: &scratch,
        manifest: Manifest::new(board, values, options.kept()),
    };
    let last = run.resume()?;
    remove_leftovers(storage, &folder)?;
    if run.manifest.tiers.is_empty() {
        // Readers are told "not solved yet" from the start.
        run.manifest.write(storage, &folder)?;
    }
    progress.planned(&plan, run.manifest.entries());
    if plan.is_bounded {
        run.bounded(last)?
    } else {
        run.whole(last)?
    }
    report(options, &run.manifest, folder.clone(), false)
}

/// A solve that is going on.
struct Run<'a> {
    options: &'a Options,
    progress: &'a dyn Progress,
    storage: &'a dyn Storage,
    index: &'a Index,
    plan: &'a Plan,
    folder: &'a Path,
    /// Where the frontier is.
    scratch: &'a Path,
    manifest: Manifest,
}

impl<'a> Run<'a> {
    /// Finds what an earlier solve has left: its manifest, and the tier to go on from. Where that tier is damaged the
    /// solve begins with the full board; any other failure to read it is not taken for damage.
    fn resume(&mut self) -> Result<Option<Frontier<'a>>, SolveError> {
        let Options { board, values, .. } = *self.options;
        let Some(manifest) = Manifest::read(self.storage, self.folder, board, values)? else { return Ok(None) };
        // Another process may have begun it in the meantime.
        self.options.check_kept(self.folder, &manifest)?;
        manifest.check_files(self.storage, self.folder)?;
        let checkpoint = manifest.checkpoint;
        self.manifest = manifest;
        let Some(ply) = checkpoint else { return Ok(None) };
        let frontier = self.frontier(ply)?;
        if frontier.is_complete() {
            return Ok(Some(frontier));
        }
        if !frontier.has_files() {
            return Err(SolveError::Scratch {
                scratch: self.scratch.to_path_buf(),
                folder: self.folder.to_path_buf(),
                ply,
            });
        }
        self.progress.starts_over(&DatabaseError::Damaged {
            file: self.scratch.join(format!("frontier-{ply:02}.0")),
            offset: 0,
            what: "blocks are missing",
        });
        self.manifest = Manifest::new(board, values, self.options.kept());
        Ok(None)
    }

    fn frontier(&self, ply: u32) -> Result<Frontier<'a>, DatabaseError> {
        let Options { values, block_words, .. } = *self.options;
        let cache_bytes = self.room().cache_bytes;
        Frontier::open(self.storage, self.scratch, self.index, values, ply, block_words, cache_bytes)
    }

    fn room(&self) -> Room {
        self.plan.room(self.options.memory_bytes)
    }

    /// Solves the tiers that are missing in memory, two at a time.
    fn whole(&mut self, last: Option<Frontier<'a>>) -> Result<(), SolveError> {
        let Options { board, values, checkpoint, .. } = *self.options;
        let mut child = last.map(|last| Tier::load(self.index, values, &last)).transpose()?;
        // What a solve in files has left of the next tier is of no use here, and would be read through at every start.
        Frontier::remove_all(self.storage, self.scratch, self.manifest.checkpoint.as_slice())?;
        let mut spare = Vec::new();
        let mut unpublished = Vec::new();
        let mut last_checkpoint = Instant::now();
        while let Some(ply) = self.manifest.next_ply(board) {
            let mut tier = Tier::new(self.index, values, ply, std::mem::take(&mut spare));
            self.progress.tier(ply, tier.layout.entries());
            let is_solved = solve_tier(self.index, &mut tier, child.as_ref(), self.progress);
            let written = if is_solved { self.write(&tier, tier.layout.entries())? } else { ControlFlow::Break(()) };
            let ControlFlow::Continue(written) = written else {
                drop(tier);
                if let Some(child) = child.filter(|child| self.manifest.checkpoint != Some(child.layout.ply())) {
                    self.store(&child, unpublished)?;
                }
                return Err(self.stopped());
            };
            unpublished.extend(written);
            if ply == 0 {
                return self.complete(&tier.coding, tier.code(0, 0, 0), unpublished);
            }
            let is_stopped = self.progress.is_stopped();
            if is_stopped || last_checkpoint.elapsed() >= checkpoint {
                self.store(&tier, std::mem::take(&mut unpublished))?;
                last_checkpoint = Instant::now();
            }
            if is_stopped {
                return Err(self.stopped());
            }
            spare = child.replace(tier).map_or_else(Vec::new, Tier::into_buffer);
        }
        Ok(())
    }

    /// Makes the last tier that is done durable, and what is not published yet.
    fn store(&mut self, tier: &Tier, files: Vec<Written>) -> Result<(), SolveError> {
        let frontier = self.frontier(tier.layout.ply())?;
        tier.store(self.index, &frontier)?;
        self.commit(&frontier, files)
    }

    /// Solves the tiers that are missing in the frontier, block by block.
    fn bounded(&mut self, mut child: Option<Frontier<'a>>) -> Result<(), SolveError> {
        while let Some(ply) = self.manifest.next_ply(self.options.board) {
            let tier = self.frontier(ply)?;
            self.progress.tier(ply, tier.directory().entries());
            let is_done = solve_frontier(self.index, &tier, child.as_ref(), self.room().slice_words, self.progress)?;
            if !is_done {
                tier.sync()?;
                return Err(self.stopped());
            }
            // What the child's expanded blocks took is the writer's now.
            drop(child);
            let ControlFlow::Continue(written) = self.write(&tier, tier.directory().entries())? else {
                tier.sync()?;
                return Err(self.stopped());
            };
            if ply == 0 {
                return self.complete(tier.code(), tier.root()?, Vec::from_iter(written));
            }
            self.commit(&tier, Vec::from_iter(written))?;
            if self.progress.is_stopped() {
                return Err(self.stopped());
            }
            child = Some(tier);
        }
        Ok(())
    }

    /// Writes what the database keeps of a tier, and notes it; breaks off, and notes nothing, where it is stopped.
    fn write(
        &mut self,
        tier: &impl TierValues,
        entries: u64,
    ) -> Result<ControlFlow<(), Option<Written>>, DatabaseError> {
        let is_stopped = || self.progress.is_stopped();
        let written = if self.manifest.keeps(tier.ply()) {
            write_tier(self.storage, self.folder, self.index, tier, &is_stopped)?
        } else {
            ControlFlow::Continue(None)
        };
        let ControlFlow::Continue(written) = written else { return Ok(written) };
        let bytes = written.as_ref().map_or(0, |written| written.bytes);
        let hash = written.as_ref().and_then(|written| written.hash);
        let record = TierRecord { ply: tier.ply(), entries, bytes, hash };
        self.manifest.tiers.push(record);
        self.progress.tier_done(&record);
        Ok(ControlFlow::Continue(written))
    }

    /// Makes what is done durable: the tiers, and all values of the last; then the manifest that names them; then older
    /// frontiers go.
    fn commit(&mut self, last: &Frontier, files: Vec<Written>) -> Result<(), SolveError> {
        last.sync()?;
        let ply = last.directory().ply();
        self.manifest.checkpoint = Some(ply);
        publish(self.storage, self.folder, files)?;
        self.manifest.write(self.storage, self.folder)?;
        // A tier may be half solved already.
        Ok(Frontier::remove_all(self.storage, self.scratch, &[ply, ply - 1])?)
    }

    /// Makes the last tier durable, and with it the database.
    fn complete(&mut self, coding: &Coding, root: u8, files: Vec<Written>) -> Result<(), SolveError> {
        let root = coding.decode(root).ok_or_else(|| no_root(self.folder))?;
        self.manifest.complete(root);
        publish(self.storage, self.folder, files)?;
        self.manifest.write(self.storage, self.folder)?;
        remove_leftovers(self.storage, self.folder)?;
        Ok(Frontier::remove_all(self.storage, self.scratch, &[])?)
    }

    fn stopped(&self) -> SolveError {
        let Options { board, values, .. } = *self.options;
        let (done, tiers) = (self.manifest.tiers.len(), board.cells() + 1);
        let (folder, keep_plies) = (self.folder.to_path_buf(), self.manifest.keep_plies());
        let scratch = self.options.scratch.clone();
        SolveError::Stopped { folder, board, values, keep_plies, scratch, done, tiers }
    }
}

/// Removes what a solve that stopped at its very end can have left. Where the folder cannot be written, or somebody else
/// is at it, that is no reason to fail.
fn tidy(storage: &dyn Storage, folder: &Path, scratch: &Path) {
    let has_files = has_leftovers(storage, folder).unwrap_or(false)
        || Frontier::has_any(storage, folder).unwrap_or(false)
        || Frontier::has_any(storage, scratch).unwrap_or(false);
    if !has_files {
        return;
    }
    if let Ok(Ok(_lock)) = storage.lock(&lock_path(folder)) {
        let _ = remove_leftovers(storage, folder);
        let _ = Frontier::remove_all(storage, folder, &[]);
        let _ = Frontier::remove_all(storage, scratch, &[]);
    }
}

fn no_root(folder: &Path) -> DatabaseError {
    DatabaseError::Damaged { file: folder.to_path_buf(), offset: 0, what: "the empty board has no value" }
}

fn report(
    options: &Options,
    manifest: &Manifest,
    folder: PathBuf,
    already_complete: bool,
) -> Result<Report, SolveError> {
    let Options { board, values, .. } = *options;
    Ok(Report {
        board,
        values,
        outcome: manifest.root().ok_or_else(|| no_root(&folder))?,
        entries: manifest.entries(),
        bytes: manifest.bytes(),
        hash: manifest.hash(),
        keep_plies: manifest.keep_plies(),
        folder,
        already_complete,
    })
}
