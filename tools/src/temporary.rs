//! Temporary folders. They are removed however the program ends, except by a kill or a loss of power.

use std::error::Error;
use std::fmt;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, Once, PoisonError};
use std::thread::sleep;
use std::time::Duration;

use anyhow::Context;
use tempfile::TempDir;

use crate::{failure, interrupt, wording};

/// The folders that exist.
static FOLDERS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// How often to try to remove a folder into which other threads still write, a hundredth of a second apart.
const TRIES: u32 = 300;

/// A temporary folder that cannot be made.
#[derive(Debug)]
pub struct NoFolder(io::Error);

impl fmt::Display for NoFolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot make a folder in {}", wording::path(&parent()))
    }
}

impl Error for NoFolder {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.0)
    }
}

/// A temporary folder. It is removed when it is dropped, and when Ctrl-C, SIGTERM or SIGHUP ends the program.
pub struct TemporaryFolder(TempDir);

impl TemporaryFolder {
    /// Makes a folder in the system's folder for temporary files, with a name that begins with `prefix`.
    ///
    /// # Errors
    ///
    /// The folder cannot be made.
    pub fn new(prefix: &str) -> anyhow::Result<TemporaryFolder> {
        static LISTENS: Once = Once::new();
        let mut listens = Ok(());
        LISTENS.call_once(|| listens = interrupt::clean_at_end(remove_all));
        listens?;
        // A request to end the program waits until the folder is in the list.
        let mut folders = FOLDERS.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = tempfile::Builder::new().prefix(prefix).tempdir();
        let folder = folder.map_err(NoFolder)?;
        folders.push(folder.path().to_path_buf());
        Ok(TemporaryFolder(folder))
    }

    /// Returns the folder.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Removes the folder.
    ///
    /// # Errors
    ///
    /// The folder cannot be removed.
    pub fn close(self) -> anyhow::Result<()> {
        fs::remove_dir_all(self.path()).with_context(|| format!("cannot remove {}", wording::path(self.path())))
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        // While the program ends, this waits for the end, so that no error about missing files is reported.
        FOLDERS.lock().unwrap_or_else(PoisonError::into_inner).retain(|folder| folder != self.path());
    }
}

/// Returns the system's folder for temporary files.
pub fn parent() -> PathBuf {
    std::env::temp_dir()
}

/// Removes all temporary folders, and lets no other thread leave [`TemporaryFolder`] afterwards.
fn remove_all() {
    failure::print_note("stopped; nothing is kept");
    let folders = FOLDERS.lock().unwrap_or_else(PoisonError::into_inner);
    for folder in &*folders {
        for _ in 0..TRIES {
            match fs::remove_dir_all(folder) {
                Err(error) if error.kind() == ErrorKind::NotFound => break,
                // Other threads may write one more file.
                _ => sleep(Duration::from_millis(10)),
            }
        }
    }
    // The program ends now. A thread that could report what it misses waits for this lock.
    std::mem::forget(folders);
}
