//! From bytes to a durable file under its name: written under a temporary name, synced, renamed, the folder synced.

use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::hash::Hash;
use super::storage::{Storage, WriteFile};
use crate::error::DatabaseError;

/// What ends the name of a file that is not whole.
pub(crate) const TEMPORARY: &str = ".new";

/// Returns the name under which a file is written before it is whole.
pub(crate) fn temporary_name(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(TEMPORARY);
    name.into()
}

/// A file that is written, but neither durable nor under its name.
pub(crate) struct Written {
    pub(super) path: PathBuf,
    pub(super) temporary: PathBuf,
    pub(super) file: Box<dyn WriteFile>,
    /// Length of the file.
    pub bytes: u64,
    /// Hash of the file, where that is kept.
    pub hash: Option<Hash>,
}

impl Written {
    /// Takes a file that was written under a temporary name.
    pub fn new(path: PathBuf, temporary: PathBuf, file: Box<dyn WriteFile>, bytes: u64) -> Written {
        Written { path, temporary, file, bytes, hash: None }
    }
}

/// Makes files durable and gives them their names, durably. They must be in `folder`.
pub(crate) fn publish(storage: &dyn Storage, folder: &Path, files: Vec<Written>) -> Result<(), DatabaseError> {
    // Side by side, because a file system can make several files durable in one go.
    let synced: Vec<Result<_, DatabaseError>> = files
        .into_par_iter()
        .map(|mut written| {
            written.file.sync().map_err(io_error(&written.temporary, "write"))?;
            Ok((written.temporary, written.path))
        })
        .collect();
    for names in synced {
        let (temporary, path) = names?;
        storage.rename(&temporary, &path).map_err(io_error(&path, "rename to"))?;
    }
    storage.sync_folder(folder).map_err(io_error(folder, "sync"))
}

/// Makes an I/O error of this layer.
pub(crate) fn io_error(path: &Path, action: &'static str) -> impl FnOnce(std::io::Error) -> DatabaseError {
    move |source| DatabaseError::Io { file: path.to_path_buf(), action, source }
}
