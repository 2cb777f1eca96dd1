//! Names of folders and files, and what a folder of databases holds.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use fourbase::{Board, Outcome};

use super::container::{TEMPORARY, io_error};
use super::manifest::{self, Manifest, State};
use super::storage::{Disk, Storage};
use crate::error::DatabaseError;
use crate::kernel::Values;

/// Returns the folder of a board's database under the folder of all databases.
pub fn folder_of(root: &Path, board: Board, values: Values) -> PathBuf {
    root.join(board.to_string()).join(values.to_string())
}

/// Returns the name of a tier's file.
pub(crate) fn tier_path(folder: &Path, ply: u32) -> PathBuf {
    folder.join(format!("{TIER}{ply:02}"))
}

/// Returns the name of the file with all values of a tier, to go on from.
pub(crate) fn checkpoint_path(folder: &Path, ply: u32) -> PathBuf {
    folder.join(format!("{CHECKPOINT}{ply:02}"))
}

const TIER: &str = "tier-";
const CHECKPOINT: &str = "checkpoint-";

/// Returns the path of the lock of a database folder: beside it, so that the folder holds nothing but the database.
pub(crate) fn lock_path(folder: &Path) -> PathBuf {
    folder.with_extension("lock")
}

/// Removes the files of a database: the manifest first and durably, so that what is left is never taken for a database.
pub(crate) fn remove_database(storage: &dyn Storage, folder: &Path) -> Result<(), DatabaseError> {
    remove(storage, folder, |name| name == manifest::NAME)?;
    storage.sync_folder(folder).map_err(io_error(folder, "sync"))?;
    remove(storage, folder, |name| [manifest::NAME, TIER, CHECKPOINT].iter().any(|start| name.starts_with(start)))
}

/// Removes what a stopped solve left half-written, and checkpoints other than that of `keep`.
pub(crate) fn remove_leftovers(storage: &dyn Storage, folder: &Path, keep: Option<u32>) -> Result<(), DatabaseError> {
    let kept = keep.map(|ply| checkpoint_path(folder, ply));
    remove(storage, folder, |name| {
        let old_checkpoint = name.starts_with(CHECKPOINT) && Some(folder.join(name)) != kept;
        name.ends_with(TEMPORARY) || old_checkpoint
    })
}

fn remove(storage: &dyn Storage, folder: &Path, which: impl Fn(&str) -> bool) -> Result<(), DatabaseError> {
    let names = storage.names(folder).map_err(io_error(folder, "list"))?;
    for name in names.iter().filter(|name| which(name)) {
        let path = folder.join(name);
        storage.remove(&path).map_err(io_error(&path, "remove"))?;
    }
    Ok(())
}

/// One database of a folder of databases.
#[derive(Clone, Debug)]
pub struct Summary {
    /// The board.
    pub board: Board,
    /// The values.
    pub values: Values,
    /// Finished tiers.
    pub tiers_done: u32,
    /// All tiers.
    pub tiers: u32,
    /// Whether all tiers are done.
    pub complete: bool,
    /// Bytes of the finished tiers' files.
    pub bytes: u64,
    /// Entries of the finished tiers, after the mirror.
    pub entries: u64,
    /// Outcome of the empty board, when complete.
    pub outcome: Option<Outcome>,
}

/// Lists the databases under `root`, by name. Folders and files that are not databases are passed over.
///
/// # Errors
/// [`DatabaseError`] where a manifest is there but cannot be read.
pub fn list(root: &Path) -> Result<Vec<Summary>, DatabaseError> {
    let mut summaries = Vec::new();
    for name in Disk.names(root).map_err(io_error(root, "list"))? {
        let Ok(board) = name.parse::<Board>() else { continue };
        for values in [Values::Wdl, Values::Remoteness] {
            let folder = root.join(&name).join(values.to_string());
            let manifest = match Manifest::read(&Disk, &folder, board, values) {
                // A plain file that is named like a board, or like the values of one.
                Err(DatabaseError::Io { source, .. }) if source.kind() == ErrorKind::NotADirectory => continue,
                manifest => manifest?,
            };
            let Some(manifest) = manifest else { continue };
            summaries.push(Summary {
                board,
                values,
                tiers_done: manifest.tiers.len() as u32,
                tiers: board.cells() as u32 + 1,
                complete: manifest.state == State::Complete,
                bytes: manifest.tiers.iter().map(|tier| tier.bytes).sum(),
                entries: manifest.entries(),
                outcome: manifest.root(),
            });
        }
    }
    Ok(summaries)
}
