//! The folder of a database: the names in it, making it, and clearing it.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use fourbase::Board;

use super::manifest;
use super::publish::{TEMPORARY, io_error};
use super::storage::Storage;
use crate::error::DatabaseError;
use crate::kernel::Values;

/// Returns the folder of a board's database under the folder of all databases.
pub fn folder_of(root: &Path, board: Board, values: Values) -> PathBuf {
    root.join(board.to_string()).join(values.to_string())
}

/// Reads the board and the values off the name of a database's folder; `None` where it has another name.
pub(crate) fn names_of(folder: &Path) -> Option<(Board, Values)> {
    let board = folder.parent()?.file_name()?.to_str()?.parse::<Board>().ok()?;
    let values = folder.file_name()?.to_str()?;
    let values = [Values::Wdl, Values::Remoteness].into_iter().find(|kind| kind.to_string() == values)?;
    (folder.parent()?.file_name()?.to_str()? == board.to_string()).then_some((board, values))
}

/// Returns the name of a tier's file.
pub(crate) fn tier_path(folder: &Path, ply: u32) -> PathBuf {
    folder.join(format!("{TIER_PREFIX}{ply:02}"))
}

const TIER_PREFIX: &str = "tier-";

/// Returns the path of the lock of a database folder: beside it, so that the folder holds nothing but the database.
pub(crate) fn lock_path(folder: &Path) -> PathBuf {
    folder.with_extension("lock")
}

/// Removes the files of a database: the manifest first and durably, so that what is left is never taken for a database.
pub(crate) fn remove_database(storage: &dyn Storage, folder: &Path) -> Result<(), DatabaseError> {
    remove(storage, folder, |name| name == manifest::NAME)?;
    storage.sync_folder(folder).map_err(io_error(folder, "sync"))?;
    let prefixes = [manifest::NAME, TIER_PREFIX];
    remove(storage, folder, |name| prefixes.iter().any(|prefix| name.starts_with(prefix)))
}

/// Makes the folder of a database and those above it, durably.
pub(crate) fn create_folder(storage: &dyn Storage, folder: &Path) -> Result<(), DatabaseError> {
    create_missing(storage, folder)?;
    // The two above are ours: an earlier process may have made them and ended before they were durable.
    for above in folder.ancestors().skip(1).take(2) {
        storage.sync_folder(above).map_err(io_error(above, "sync"))?;
    }
    Ok(())
}

/// Makes a folder where there is none, after those above it.
fn create_missing(storage: &dyn Storage, folder: &Path) -> Result<(), DatabaseError> {
    let above = folder.parent();
    let made = match (storage.create_folder(folder), above) {
        (Err(error), Some(above)) if error.kind() == ErrorKind::NotFound => {
            create_missing(storage, above)?;
            storage.create_folder(folder)
        }
        (made, _) => made,
    };
    if made.map_err(io_error(folder, "create"))?
        && let Some(above) = above
    {
        storage.sync_folder(above).map_err(io_error(above, "sync"))?;
    }
    Ok(())
}

/// Removes what a stopped solve left half-written.
pub(crate) fn remove_leftovers(storage: &dyn Storage, folder: &Path) -> Result<(), DatabaseError> {
    remove(storage, folder, |name| name.ends_with(TEMPORARY))
}

/// Tells whether there is anything that [`remove_leftovers`] removes.
pub(crate) fn has_leftovers(storage: &dyn Storage, folder: &Path) -> Result<bool, DatabaseError> {
    let names = storage.names(folder).map_err(io_error(folder, "list"))?;
    Ok(names.iter().any(|name| name.ends_with(TEMPORARY)))
}

fn remove(storage: &dyn Storage, folder: &Path, which: impl Fn(&str) -> bool) -> Result<(), DatabaseError> {
    let names = storage.names(folder).map_err(io_error(folder, "list"))?;
    for name in names.iter().filter(|name| which(name)) {
        let path = folder.join(name);
        storage.remove(&path).map_err(io_error(&path, "remove"))?;
    }
    Ok(())
}
