//! The folder of a database: the names in it, and clearing it.

use std::path::{Path, PathBuf};

use fourbase::Board;

use crate::files::{FileError, Storage, TEMPORARY, io_error, remove_named};
use crate::kernel::Values;

/// The manifest's name in its folder.
pub(crate) const MANIFEST: &str = "manifest";

/// The extension of the folder of a database that is to replace one, and the name of the empty file that marks it.
pub(crate) const REPLACEMENT: &str = "replacement";

/// Returns the folder of a board's database under the folder of all databases.
pub fn folder_of(root: &Path, board: Board, values: Values) -> PathBuf {
    root.join(board.to_string()).join(values.to_string())
}

/// Reads board and values from the name of a database's folder; `None` for any other name.
pub fn board_and_values_of(folder: &Path) -> Option<(Board, Values)> {
    let board = folder.parent()?.file_name()?.to_str()?.parse::<Board>().ok()?;
    let values = folder.file_name()?.to_str()?;
    let values = [Values::Wdl, Values::Remoteness].into_iter().find(|kind| kind.to_string() == values)?;
    (folder.parent()?.file_name()?.to_str()? == board.to_string()).then_some((board, values))
}

/// Returns the name of a tier's file.
pub(crate) fn tier_path(folder: &Path, ply: u32) -> PathBuf {
    folder.join(format!("{TIER_PREFIX}{ply:02}"))
}

pub(crate) const TIER_PREFIX: &str = "tier-";

/// Returns the path of the lock of a database folder. It is beside the folder, which holds nothing but the database.
pub fn lock_path(folder: &Path) -> PathBuf {
    folder.with_extension("lock")
}

/// Removes the files of a database: the manifest first and durably, so that the rest is never taken for a database. Other
/// files stay.
pub(crate) fn remove_database(storage: &dyn Storage, folder: &Path) -> Result<(), FileError> {
    remove_named(storage, folder, |name| name == MANIFEST)?;
    storage.sync_folder(folder).map_err(io_error(folder, "sync"))?;
    remove_named(storage, folder, |name| is_of_database(name) || is_leftover(name))
}

/// Removes the files of a database that were not complete when their writer stopped.
pub(crate) fn remove_leftovers(storage: &dyn Storage, folder: &Path) -> Result<(), FileError> {
    remove_named(storage, folder, is_leftover)
}

/// Tells whether [`remove_leftovers`] has anything to remove.
pub(crate) fn has_leftovers(storage: &dyn Storage, folder: &Path) -> Result<bool, FileError> {
    let names = storage.names(folder).map_err(io_error(folder, "list"))?;
    Ok(names.iter().any(|name| is_leftover(name)))
}

/// Tells whether a name is that of a file of a database that was not complete.
fn is_leftover(name: &str) -> bool {
    name.strip_suffix(TEMPORARY).is_some_and(is_of_database)
}

/// Tells whether a name is that of a file of a database: the manifest, or a tier.
fn is_of_database(name: &str) -> bool {
    let ply = name.strip_prefix(TIER_PREFIX);
    name == MANIFEST || ply.is_some_and(|ply| ply.len() == 2 && ply.bytes().all(|byte| byte.is_ascii_digit()))
}
