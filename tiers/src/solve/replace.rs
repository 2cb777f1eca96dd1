//! The option `replace`: solves into a new folder beside the old database, and exchanges the two folders when the new
//! database is complete.
//!
//! The new folder contains a mark (the file `REPLACEMENT`) until it has become the database. So after a crash, a folder
//! beside the database that has no mark contains the old database; a folder that has the mark contains a solve that can
//! be resumed.

use std::path::Path;

use super::driver::Driver;
use super::error::SolveError;
use super::options::Solve;
use crate::files::{FileError, Storage, io_error, write_file};
use crate::format::{Manifest, REPLACEMENT, check_versions, lock_path, remove_database, remove_leftovers};
use crate::tier::{Kind, segments};

impl Solve {
    /// Returns an error if the old database must not be replaced. This is so if its manifest names another board
    /// (someone copied it into the folder), if the system can't read it, or if a newer version of the program wrote
    /// some of its files. A damaged database can be replaced.
    pub(super) fn check_replaced(&self, storage: &dyn Storage) -> Result<(), SolveError> {
        [self.folder(), self.output_folder()].iter().try_for_each(|folder| check_versions(storage, folder))?;
        match Manifest::read(storage, &self.folder()) {
            Err(error @ FileError::Wrong { what: "the board", .. }) => Err(error.into()),
            Err(error) if !error.is_damage() => Err(error.into()),
            _ => Ok(()),
        }
    }

    /// Reads the manifest of a replacement that can be resumed; `None` if the replacement has to start anew.
    pub(super) fn replacement(&self, storage: &dyn Storage) -> Result<Option<Manifest>, FileError> {
        let folder = self.output_folder();
        let names = storage.names(&folder).map_err(io_error(&folder, "list"))?;
        if !names.iter().any(|name| name == REPLACEMENT) {
            return Ok(None);
        }
        let found = FileError::unless_damaged(Manifest::read(storage, &folder))?;
        Ok(found.flatten().filter(|manifest| manifest.keeps_like(self.keep_plies)))
    }

    /// Exchanges the new database with the old one, and removes the old database.
    pub(super) fn put_in_place(&self, storage: &dyn Storage) -> Result<(), SolveError> {
        let (new, folder) = (self.output_folder(), self.folder());
        remove_temporary(storage, &new, &self.scratch_folder(), Kind::Values(self.values))?;
        let was_there = storage.exchange(&new, &folder).map_err(io_error(&folder, "replace"))?;
        let parent = folder.parent().unwrap_or(&folder);
        storage.sync_folder(parent).map_err(io_error(parent, "sync"))?;
        storage.remove(&folder.join(REPLACEMENT)).map_err(io_error(&folder, "tidy"))?;
        if was_there { self.remove_replaced(storage, &new) } else { Ok(()) }
    }

    /// Removes the replaced database and any temporary files of its solve. Moves all other files, such as the user's
    /// own, back to the database's folder.
    fn remove_replaced(&self, storage: &dyn Storage, old: &Path) -> Result<(), SolveError> {
        let (kind, scratch) = (Kind::Values(self.values), self.clone().replace(false).scratch_folder());
        remove_database(storage, old)?;
        storage.remove(&old.join(REPLACEMENT)).map_err(io_error(old, "tidy"))?;
        remove_temporary(storage, old, &scratch, kind)?;
        for name in storage.names(old).map_err(io_error(old, "list"))? {
            let (from, to) = (old.join(&name), self.folder().join(&name));
            storage.rename(&from, &to).map_err(io_error(&from, "rename"))?;
        }
        Ok(storage.remove_folder(old).map_err(io_error(old, "remove"))?)
    }

    /// Removes a replaced database that an interrupted solve left behind. Ignores all failures.
    pub(super) fn tidy_replaced(&self, storage: &dyn Storage) {
        let old = self.clone().replace(true).output_folder();
        let names = storage.names(&old).unwrap_or_default();
        let is_left = !names.is_empty() && !names.iter().any(|name| name == REPLACEMENT);
        if is_left && let Ok(Ok(_lock)) = storage.lock(&lock_path(&old)) {
            let _ = self.remove_replaced(storage, &old);
        }
    }
}

impl Driver<'_> {
    /// Removes any database from the folder of a replacement, and any logs from the folder of its live tiers. Writes
    /// the mark.
    pub(super) fn begin_replacement(&self) -> Result<(), SolveError> {
        let storage = self.context.storage;
        remove_database(storage, self.folder)?;
        self.remove_logs(|_| true)?;
        Ok(write_file(storage, self.folder, REPLACEMENT, &[])?)
    }
}

/// Removes the temporary files of a solve from `folder`, the database's folder, and its logs from `folder` and
/// `scratch`.
pub(super) fn remove_temporary(
    storage: &dyn Storage,
    folder: &Path,
    scratch: &Path,
    kind: Kind,
) -> Result<(), FileError> {
    // If one removal fails, do the others anyway.
    let files = remove_leftovers(storage, folder);
    let [own, scratch] = [folder, scratch].map(|folder| segments::remove(storage, folder, kind, |_| true));
    files.and(own).and(scratch)
}

/// Returns whether the error means that results of an earlier solve are damaged or missing.
pub(super) fn is_lost(error: &SolveError) -> bool {
    matches!(error, SolveError::Scratch { .. }) || matches!(error, SolveError::File(error) if error.is_damage())
}
