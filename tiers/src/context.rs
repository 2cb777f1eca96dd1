//! The environment of long work: files, processes and progress. Also creates and locks the folders into which the work
//! writes.

use std::path::{Path, PathBuf};

use crate::communicator::{Alone, Communicator, CommunicatorError};
use crate::files::{Disk, FileError, Lock, Storage, create_folder, io_error, remove_folders_below, write_file};
use crate::progress::{Progress, Stage, StageProgress};

/// The environment of long work: where its files are, which processes share it, and what receives its progress. By
/// default, files are on disk, this process works alone, and progress is ignored.
///
/// All processes (ranks) do the same work with the same settings. If the work fails on one rank, the caller must end
/// the whole job, because the other ranks wait for that rank.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The files.
    pub storage: &'a dyn Storage,
    /// The processes.
    pub all: &'a dyn Communicator,
    /// Receives the progress, and can stop the work.
    pub progress: &'a dyn Progress,
}

impl Default for Context<'_> {
    fn default() -> Self {
        Context { storage: &Disk, all: &Alone, progress: &() }
    }
}

/// The folders that work needs while it runs.
pub(crate) struct Folders<'a> {
    /// All folders that the work writes into. Missing ones are created.
    pub written: &'a [&'a Path],
    /// The lock file, held while the work runs.
    pub lock: &'a Path,
    /// A root and a folder below it. If the work succeeds, the lower folder and the folders between the two are removed
    /// if they are empty.
    pub temporary: Option<(&'a Path, &'a Path)>,
}

/// The name of a file that rank 0 writes into a folder, so that the other ranks can check that they see the same
/// folder.
const TOKEN: &str = "job.new";

impl Context<'_> {
    /// Checks that all ranks have the same job description, program version and byte order.
    pub(crate) fn check_same_job(&self, description: &str) -> Result<(), CommunicatorError> {
        let byte_order = if cfg!(target_endian = "big") { "big" } else { "little" };
        let expected = format!("fourbase {}, {byte_order}-endian: {description}", env!("CARGO_PKG_VERSION"));
        for (rank, found) in (0..).zip(self.all.all_gather(expected.as_bytes())) {
            if found != expected.as_bytes() {
                let found = String::from_utf8_lossy(&found).into_owned();
                return Err(CommunicatorError::OtherJob { rank, expected, found });
            }
        }
        Ok(())
    }

    /// Makes a reporter for `steps` steps of a stage, which estimates the progress of all ranks.
    pub(crate) fn shown(&self, stage: Stage, steps: u64) -> StageProgress<'_> {
        StageProgress::new(self.progress, stage, self.all.size(), steps)
    }

    /// Creates and locks folders, checks that all ranks see them, and runs `work`. Then calls `end` with the result and
    /// the list of created folders, and unlocks the folders. If the work fails, removes all created folders that are
    /// empty.
    ///
    /// # Errors
    /// `busy(name)` if a process called `name` holds the lock; the errors of `work`.
    pub(crate) fn in_folders<T, E: From<FileError> + From<CommunicatorError>>(
        &self,
        folders: &Folders,
        busy: impl FnOnce(String) -> E,
        work: impl FnOnce() -> Result<T, E>,
        end: impl FnOnce(&Result<T, E>, &[PathBuf]),
    ) -> Result<T, E> {
        let mut made = Vec::new();
        let result = match self.lock(folders, &mut made) {
            // Another process works in these folders, so leave them alone.
            Ok(Err(holder)) => return Err(busy(holder)),
            Ok(Ok(_held)) => {
                let result =
                    folders.written.iter().try_for_each(|folder| self.check_shared(folder)).and_then(|()| work());
                end(&result, &made);
                result
            }
            Err(error) => Err(error.into()),
        };
        match (&result, folders.temporary) {
            (Err(_), _) => {}
            (Ok(_), Some((root, folder))) if self.all.is_root() => {
                remove_folders_below(self.storage, root, folder);
                made.retain(|folder| root.starts_with(folder));
            }
            (Ok(_), _) => made.clear(),
        }
        for folder in made.iter().rev() {
            let _ = self.storage.remove_folder(folder);
        }
        result
    }

    /// On rank 0, creates missing folders, adds them to `made`, and takes the lock. Returns the lock (`None` on other
    /// ranks), or the name of the process that holds it.
    fn lock(&self, folders: &Folders, made: &mut Vec<PathBuf>) -> Result<Result<Option<Lock>, String>, FileError> {
        if !self.all.is_root() {
            return Ok(Ok(None));
        }
        let Folders { written, lock, .. } = *folders;
        written.iter().try_for_each(|folder| create_folder(self.storage, folder, made))?;
        Ok(self.storage.lock(lock).map_err(io_error(lock, "lock"))?.map(Some))
    }

    /// Checks that all ranks see the same folder: rank 0 writes a file there, and the others look for it.
    fn check_shared<E: From<FileError> + From<CommunicatorError>>(&self, folder: &Path) -> Result<(), E> {
        let Context { storage, all, .. } = *self;
        if all.is_alone() {
            return Ok(());
        }
        let token = format!("{:?} {}", std::time::SystemTime::now(), std::process::id());
        if all.is_root() {
            write_file(storage, folder, TOKEN, token.as_bytes())?;
        }
        let expected = all.all_gather(token.as_bytes()).swap_remove(0);
        let path = folder.join(TOKEN);
        let mut found = vec![0; expected.len()];
        let is_read = storage.open(&path).and_then(|file| file.read_exact_at(&mut found, 0)).is_ok();
        let is_seen = all.all_gather(&[u8::from(is_read && found == expected)]);
        if all.is_root() {
            storage.remove(&path).map_err(io_error(&path, "remove"))?;
        }
        let blind = is_seen.iter().position(|seen| seen != &[1]).map(|rank| rank as u32);
        blind.map_or(Ok(()), |rank| Err(CommunicatorError::NotShared { folder: folder.to_path_buf(), rank }.into()))
    }
}
