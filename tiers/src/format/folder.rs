//! Names the files in the folder of a database, and removes them.

use std::path::{Path, PathBuf};

use fourbase::Board;

use crate::files::{FileError, Storage, TEMPORARY, io_error, query_first, remove_named};
use crate::kernel::Values;

/// The manifest's name in its folder.
pub(crate) const MANIFEST: &str = "manifest";

/// The extension of the folder of a database that will replace another database. Also the name of the empty file that
/// marks such a folder.
pub(crate) const REPLACEMENT: &str = "replacement";

/// Returns the folder of a board's database under the folder of all databases.
pub fn folder_of(root: &Path, board: Board, values: Values) -> PathBuf {
    query_first(root).join(board.to_string()).join(values.to_string())
}

/// Reads board and values from the path of a database's folder, or of the folder of a database that will replace it.
/// Returns `None` for any other path.
pub fn board_and_values_of(folder: &Path) -> Option<(Board, Values)> {
    let is_replacement = folder.extension().is_some_and(|extension| extension == REPLACEMENT);
    let values = if is_replacement { folder.file_stem() } else { folder.file_name() }?.to_str()?.parse().ok()?;
    let name = folder.parent()?.file_name()?.to_str()?;
    let board = name.parse::<Board>().ok().filter(|board| board.to_string() == name)?;
    Some((board, values))
}

/// Returns the path of a tier's file.
pub(crate) fn tier_path(folder: &Path, ply: u32) -> PathBuf {
    folder.join(format!("{TIER_PREFIX}{ply:02}"))
}

pub(crate) const TIER_PREFIX: &str = "tier-";

/// Returns the path of the lock of a database folder. The lock lies beside the folder, so that the folder has only the
/// database's files.
pub fn lock_path(folder: &Path) -> PathBuf {
    folder.with_extension("lock")
}

/// Removes the files of a database and keeps other files. Removes the manifest first and durably, so that the rest is
/// never mistaken for a database.
pub(crate) fn remove_database(storage: &dyn Storage, folder: &Path) -> Result<(), FileError> {
    remove_named(storage, folder, |name| name == MANIFEST)?;
    storage.sync_folder(folder).map_err(io_error(folder, "sync"))?;
    remove_named(storage, folder, |name| is_of_database(name) || is_leftover(name))
}

/// Removes incomplete files that a stopped writer left in a database's folder.
pub(crate) fn remove_leftovers(storage: &dyn Storage, folder: &Path) -> Result<(), FileError> {
    remove_named(storage, folder, is_leftover)
}

/// Returns whether [`remove_leftovers`] has anything to remove.
pub(crate) fn has_leftovers(storage: &dyn Storage, folder: &Path) -> Result<bool, FileError> {
    let names = storage.names(folder).map_err(io_error(folder, "list"))?;
    Ok(names.iter().any(|name| is_leftover(name)))
}

/// Returns whether a name belongs to an incomplete file of a database.
fn is_leftover(name: &str) -> bool {
    name.strip_suffix(TEMPORARY).is_some_and(is_of_database)
}

/// Returns whether a name belongs to a file of a database: the manifest or a tier.
pub(super) fn is_of_database(name: &str) -> bool {
    let ply = name.strip_prefix(TIER_PREFIX);
    name == MANIFEST || ply.is_some_and(|ply| ply.len() == 2 && ply.bytes().all(|byte| byte.is_ascii_digit()))
}
