//! Temporary files and folders. They are removed however the program ends, except by a kill or a loss of power.

use std::error::Error;
use std::fmt;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::Duration;

use crate::{failure, interrupt, wording};

/// The files and folders that exist.
static MADE: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

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

/// A temporary file or folder. It is removed when it is dropped, and when Ctrl-C, SIGTERM or SIGHUP ends the program.
pub struct Temporary(PathBuf);

impl Temporary {
    /// Makes a folder in the system's folder for temporary files, with a name that begins with `prefix`.
    ///
    /// # Errors
    ///
    /// The folder cannot be made.
    pub fn folder(prefix: &str) -> anyhow::Result<Temporary> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(prefix);
        Ok(Temporary::made(&builder, &parent(), make_folder).map_err(NoFolder)?.1)
    }

    /// Makes a file or folder in `folder`, by calling `make` with a path whose name nobody has.
    ///
    /// # Errors
    ///
    /// It cannot be made.
    pub fn made<T>(
        builder: &tempfile::Builder,
        folder: &Path,
        make: impl FnMut(&Path) -> io::Result<T>,
    ) -> io::Result<(T, Temporary)> {
        interrupt::clean_at_end(remove_all).map_err(io::Error::other)?;
        // A request to end the program waits until the path is in the list.
        let mut made = list();
        let (with, path) = builder.make_in(folder, make)?.keep()?;
        made.push(path.clone());
        Ok((with, Temporary(path)))
    }

    /// Returns its path.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Gives it another name, in the place of a file of that name. It then stays.
    ///
    /// # Errors
    ///
    /// It cannot be renamed; then it is removed.
    pub fn rename(self, name: &Path) -> io::Result<()> {
        let mut made = list();
        fs::rename(&self.0, name)?;
        made.retain(|path| *path != self.0);
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // Stays in the list until it is removed, so that a request in between removes the rest. While the program ends,
        // this waits for the end, so that no error about missing files is reported.
        let mut made = list();
        let _ = remove(&self.0);
        made.retain(|path| *path != self.0);
    }
}

/// Returns the system's folder for temporary files.
pub fn parent() -> PathBuf {
    std::env::temp_dir()
}

/// Makes a folder for this user alone.
fn make_folder(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

fn list() -> MutexGuard<'static, Vec<PathBuf>> {
    MADE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn remove(path: &Path) -> io::Result<()> {
    if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }
}

/// Removes everything temporary, and lets no other thread leave [`Temporary`] afterwards.
fn remove_all() {
    let made = list();
    if !made.is_empty() {
        failure::print_note("stopped; nothing is kept");
    }
    for path in &*made {
        for _ in 0..TRIES {
            match remove(path) {
                Err(error) if error.kind() == ErrorKind::NotFound => break,
                // Other threads may write one more file.
                _ => sleep(Duration::from_millis(10)),
            }
        }
    }
    // The program ends now. A thread that could report what it misses waits for this lock.
    std::mem::forget(made);
}
