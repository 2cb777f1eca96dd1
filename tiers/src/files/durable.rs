//! Makes files durable: they are written under a temporary name, synced and renamed, and then the folder is synced.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::error::{FileError, io_error};
use super::http::is_address;
use super::storage::{Storage, WriteFile};

/// The end of the name of an incomplete file.
pub(crate) const TEMPORARY: &str = ".new";

/// Returns the temporary name of a file that is not complete yet.
pub(crate) fn temporary_name(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(TEMPORARY);
    name.into()
}

/// A completely written file, not durable yet and still under its temporary name.
pub(crate) struct Written {
    pub path: PathBuf,
    pub file: Box<dyn WriteFile>,
    /// Length of the file.
    pub bytes: u64,
}

/// Syncs files in `folder`, gives them their final names, and syncs the folder.
pub(crate) fn publish(storage: &dyn Storage, folder: &Path, files: Vec<Written>) -> Result<(), FileError> {
    // In parallel, because a file system can make several files durable in one operation.
    let synced: Vec<Result<_, FileError>> = files
        .into_par_iter()
        .map(|written| {
            let temporary = temporary_name(&written.path);
            written.file.sync().map_err(io_error(&temporary, "write"))?;
            Ok((temporary, written.path))
        })
        .collect();
    for names in synced {
        let (temporary, path) = names?;
        storage.rename(&temporary, &path).map_err(io_error(&path, "rename to"))?;
    }
    storage.sync_folder(folder).map_err(io_error(folder, "sync"))
}

/// Writes a small file durably, replacing one of the same name. If this fails, the old file is unchanged.
pub(crate) fn write_file(storage: &dyn Storage, folder: &Path, name: &str, bytes: &[u8]) -> Result<(), FileError> {
    let path = folder.join(name);
    let temporary = temporary_name(&path);
    let file = storage.create(&temporary).map_err(io_error(&temporary, "create"))?;
    let written = file.write_all_at(bytes, 0).map_err(io_error(&temporary, "write"));
    let file = Written { path, file, bytes: bytes.len() as u64 };
    let done = written.and_then(|()| publish(storage, folder, vec![file]));
    if done.is_err() {
        let _ = storage.remove(&temporary);
    }
    done
}

/// Creates a folder and the missing folders above it, durably. Adds each created folder to `made`, the topmost first,
/// even if a later step fails.
pub(crate) fn create_folder(storage: &dyn Storage, folder: &Path, made: &mut Vec<PathBuf>) -> Result<(), FileError> {
    if is_address(folder) {
        return Err(io_error(folder, "create")(ErrorKind::ReadOnlyFilesystem.into()));
    }
    create_missing(storage, folder, made)?;
    // Sync the two folders above even if they existed: an earlier process may have created them and stopped before they
    // were durable.
    for above in folder.ancestors().skip(1).take(2) {
        storage.sync_folder(above).map_err(io_error(above, "sync"))?;
    }
    Ok(())
}

/// Creates a missing folder, and before it the missing folders above.
fn create_missing(storage: &dyn Storage, folder: &Path, made: &mut Vec<PathBuf>) -> Result<(), FileError> {
    let above = folder.parent();
    let is_made = match (storage.create_folder(folder), above) {
        (Err(error), Some(above)) if error.kind() == ErrorKind::NotFound => {
            create_missing(storage, above, made)?;
            storage.create_folder(folder)
        }
        (is_made, _) => is_made,
    };
    if is_made.map_err(io_error(folder, "create"))? {
        made.push(folder.to_path_buf());
        if let Some(above) = above {
            storage.sync_folder(above).map_err(io_error(above, "sync"))?;
        }
    }
    Ok(())
}

/// Removes `folder` and the folders above it up to `root`, as far as they are empty. Ignores failures.
pub(crate) fn remove_folders_below(storage: &dyn Storage, root: &Path, folder: &Path) {
    for folder in folder.ancestors().take_while(|folder| *folder != root) {
        let _ = storage.remove_folder(folder);
    }
}

/// Removes the files in a folder whose names `which` accepts.
pub(crate) fn remove_named(
    storage: &dyn Storage,
    folder: &Path,
    which: impl Fn(&str) -> bool,
) -> Result<(), FileError> {
    let names = storage.names(folder).map_err(io_error(folder, "list"))?;
    for name in names.iter().filter(|name| which(name)) {
        let path = folder.join(name);
        storage.remove(&path).map_err(io_error(&path, "remove"))?;
    }
    Ok(())
}
