//! A whole solve: plan, lock, tiers one after the other, each written before the next begins.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use fourbase::{Board, Outcome};

use super::{Tier, solve_tier};
use crate::database::{
    DatabaseError, Disk, Lock, Manifest, State, Storage, TierRecord, Written, folder_of, lock_path, publish,
    read_checkpoint, remove_database, remove_leftovers, write_checkpoint, write_tier,
};
use crate::error::SolveError;
use crate::index::Index;
use crate::kernel::{Kernel, Values};
use crate::plan::Plan;

/// What to solve, and how.
#[derive(Clone, Debug)]
pub struct Options {
    /// The board.
    pub board: Board,
    /// The values to compute.
    pub values: Values,
    /// The folder of all databases.
    pub root: PathBuf,
    /// The most memory to take.
    pub memory_bytes: u64,
    /// The kernels to run.
    pub kernel: Kernel,
    /// Throw a database that is there away.
    pub replace: bool,
    /// How long to solve before what is done is made durable, so that a solve that is stopped can go on from there;
    /// zero: after every tier. [`CHECKPOINT`] costs a solve little.
    pub checkpoint: Duration,
}

/// How long a solve goes on between checkpoints unless told otherwise.
pub const CHECKPOINT: Duration = Duration::from_secs(5);

/// What a solve did.
#[derive(Clone, Debug)]
pub struct Report {
    /// The board.
    pub board: Board,
    /// The values.
    pub values: Values,
    /// Outcome of the empty board.
    pub outcome: Outcome,
    /// Entries of all tiers, after the mirror.
    pub entries: u64,
    /// Bytes of all files of the database.
    pub bytes: u64,
    /// The database's folder.
    pub folder: PathBuf,
    /// There was nothing left to do.
    pub already_complete: bool,
}

/// Hears how a solve goes. The methods may be called from any thread and should be quick.
pub trait Progress: Sync {
    /// The solve fits memory, holds its folder and begins. An earlier solve has done `entries_done` of the entries. Not
    /// called where nothing is left to do, nor by [`solve_tier`].
    fn planned(&self, _plan: &Plan, _entries_done: u64) {}

    /// A tier begins.
    fn tier(&self, _ply: u32, _entries: u64) {}

    /// More entries of the tier are solved.
    fn solved(&self, _entries: u64) {}
}

/// Says nothing.
impl Progress for () {}

/// Solves a board into its database, going on where an earlier solve stopped. Runs on rayon's current pool.
///
/// # Errors
/// [`SolveError::Memory`] before anything is made, [`SolveError::Busy`] where another process solves the same board,
/// [`SolveError::Database`] for files.
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
    let done = if options.replace { None } else { Manifest::read(storage, &folder, board, values)? };
    if let Some(manifest) = done.filter(|manifest| manifest.state == State::Complete) {
        // A solve that stopped at its very end can have left its last checkpoint. Where the folder cannot be written, or
        // somebody else is at it, that is no reason to fail.
        if let Ok(Ok(_lock)) = Lock::take(&lock_path(&folder)) {
            let _ = remove_leftovers(storage, &folder, None);
        }
        return report(options, &manifest, folder, true);
    }
    let plan = Plan::new(board, values, options.memory_bytes);
    plan.check(options.memory_bytes)?;
    let io = |action| {
        let file = folder.clone();
        move |source| SolveError::Database(DatabaseError::Io { file, action, source })
    };
    storage.create_folder(&folder).map_err(io("create"))?;
    let _lock = Lock::take(&lock_path(&folder))
        .map_err(io("lock"))?
        .map_err(|holder| SolveError::Busy { folder: folder.clone(), holder })?;
    if options.replace {
        remove_database(storage, &folder)?;
    }
    let mut manifest = Manifest::read(storage, &folder, board, values)?.unwrap_or_else(|| Manifest::new(board, values));
    let index = Index::new(board, options.kernel)?;
    let mut child = None;
    if let Some(ply) = manifest.checkpoint {
        match read_checkpoint(storage, &folder, &index, values, ply) {
            Ok(tier) => child = Some(tier),
            // Without its checkpoint a solve starts again from the full board.
            Err(_) => manifest = Manifest::new(board, values),
        }
    }
    remove_leftovers(storage, &folder, manifest.checkpoint)?;
    if manifest.tiers.is_empty() {
        // Readers are told "not solved yet" from the start.
        manifest.write(storage, &folder)?;
    }
    progress.planned(&plan, manifest.entries());
    let mut spare = Vec::new();
    let mut unpublished = Vec::new();
    let mut last_checkpoint = Instant::now();
    while let Some(ply) = manifest.next_ply(board) {
        let mut tier = Tier::new(&index, values, ply, std::mem::take(&mut spare));
        progress.tier(ply, tier.layout.entries());
        solve_tier(&index, &mut tier, child.as_ref(), progress);
        let written = write_tier(storage, &folder, &index, &tier)?;
        let bytes = written.as_ref().map_or(0, |written| written.bytes);
        manifest.tiers.push(TierRecord { ply, entries: tier.layout.entries(), bytes });
        unpublished.extend(written);
        if ply == 0 {
            let root = tier.coding.decode(tier.code(0, 0, 0)).ok_or_else(|| no_root(&folder))?;
            manifest.complete(root);
            commit(storage, &folder, &manifest, std::mem::take(&mut unpublished))?;
        } else if last_checkpoint.elapsed() >= options.checkpoint {
            unpublished.push(write_checkpoint(storage, &folder, &index, &tier)?);
            manifest.checkpoint = Some(ply);
            commit(storage, &folder, &manifest, std::mem::take(&mut unpublished))?;
            last_checkpoint = Instant::now();
        }
        spare = child.replace(tier).map_or_else(Vec::new, Tier::into_buffer);
    }
    report(options, &manifest, folder, false)
}

/// Makes what is done durable: the tiers and the checkpoint, then the manifest that names them; then the older
/// checkpoint goes.
fn commit(storage: &dyn Storage, folder: &Path, manifest: &Manifest, files: Vec<Written>) -> Result<(), SolveError> {
    publish(storage, folder, files)?;
    manifest.write(storage, folder)?;
    Ok(remove_leftovers(storage, folder, manifest.checkpoint)?)
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
        bytes: manifest.tiers.iter().map(|tier| tier.bytes).sum(),
        folder,
        already_complete,
    })
}
