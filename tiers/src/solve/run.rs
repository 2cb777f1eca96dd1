//! A whole solve: plan, lock, tiers one after the other, each written before the next begins.

use std::path::PathBuf;

use fourbase::{Board, Outcome};

use super::{Tier, solve_tier};
use crate::database::{
    DatabaseError, Disk, Lock, Manifest, State, Storage, folder_of, load_tier, lock_path, remove_files, write_tier,
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
}

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

/// Hears how a solve goes. Both methods may be called from any thread and should be quick.
pub trait Progress: Sync {
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
    if !options.replace {
        if let Some(manifest) = Manifest::read(storage, &folder, board, values)?.filter(|m| m.state == State::Complete) {
            return report(options, &manifest, folder, true);
        }
    }
    Plan::new(board, values, options.memory_bytes).check(options.memory_bytes)?;
    let io = |action| {
        let file = folder.clone();
        move |source| SolveError::Database(DatabaseError::Io { file, action, source })
    };
    storage.create_folder(&folder).map_err(io("create"))?;
    let _lock = Lock::take(&lock_path(&folder))
        .map_err(io("lock"))?
        .map_err(|holder| SolveError::Busy { folder: folder.clone(), holder })?;
    remove_files(storage, &folder, !options.replace)?;
    let mut manifest =
        Manifest::read(storage, &folder, board, values)?.unwrap_or_else(|| Manifest::new(board, values));
    let index = Index::new(board, options.kernel)?;
    let mut child = match manifest.tiers.last() {
        Some(done) => Some(load_tier(storage, &folder, &index, values, done.ply)?),
        None => None,
    };
    let mut spare = Vec::new();
    while let Some(ply) = manifest.next_ply(board) {
        let mut tier = Tier::new(&index, values, ply, std::mem::take(&mut spare));
        progress.tier(ply, tier.layout.entries());
        solve_tier(&index, &mut tier, child.as_ref(), progress);
        manifest.tiers.push(write_tier(storage, &folder, &index, &tier)?);
        if ply == 0 {
            let root = tier.coding.decode(tier.code(0, 0, 0)).ok_or(DatabaseError::Damaged {
                file: folder.clone(),
                offset: 0,
                what: "the empty board has no value",
            })?;
            manifest.complete(root);
        }
        manifest.write(storage, &folder)?;
        spare = child.replace(tier).map_or_else(Vec::new, Tier::into_buffer);
    }
    report(options, &manifest, folder, false)
}

fn report(
    options: &Options,
    manifest: &Manifest,
    folder: PathBuf,
    already_complete: bool,
) -> Result<Report, SolveError> {
    let Options { board, values, .. } = *options;
    let file = folder.clone();
    let no_root = DatabaseError::Damaged { file, offset: 0, what: "the empty board has no value" };
    Ok(Report {
        board,
        values,
        outcome: manifest.root().ok_or(no_root)?,
        entries: manifest.entries(),
        bytes: manifest.tiers.iter().map(|tier| tier.bytes).sum(),
        folder,
        already_complete,
    })
}
