//! Outputs that appear only when they are complete. Until then they are in temporary files, which are removed when the
//! program ends, unless it is killed, the power fails, or a released program panics.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::{failure, interrupt};

/// The temporary files that exist now.
static MADE: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A temporary file. Dropping this removes it, and so does the end of the program by Ctrl-C, SIGTERM or SIGHUP.
pub struct Temporary(PathBuf);

impl Drop for Temporary {
    fn drop(&mut self) {
        // The path stays in the list until it is removed, so that a request to end the program removes what is left of it. If the
        // program is already ending, `list` blocks here until it has ended, so that this thread reports no missing files.
        let mut made = list();
        let _ = fs::remove_file(&self.0);
        made.retain(|path| *path != self.0);
    }
}

fn list() -> MutexGuard<'static, Vec<PathBuf>> {
    MADE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes all temporary files. Afterwards it keeps the list locked, so that other threads that use [`Temporary`] block
/// until the program ends.
fn remove_all() {
    let made = list();
    if !made.is_empty() {
        failure::print_note("stopped; nothing is kept");
    }
    for path in &*made {
        let _ = fs::remove_file(path);
    }
    // Keep the list locked: the program ends now, and a thread that would report a missing file waits for the lock.
    std::mem::forget(made);
}

/// An output of a command. A file appears only when it is complete: it is written under another name in the same folder and
/// renamed at the end.
pub enum Output {
    /// Standard output, a pipe or a device. Bytes are written to it at once.
    Stream(Box<dyn Write + Send>),
    File {
        file: File,
        temporary: Temporary,
        name: PathBuf,
    },
}

impl Output {
    /// Begins the output, to `file` or else to standard output.
    ///
    /// # Errors
    ///
    /// The file cannot be made.
    pub fn begin(file: Option<&Path>) -> io::Result<Output> {
        let Some(file) = file else { return Ok(Output::Stream(Box::new(io::stdout()))) };
        match fs::metadata(file) {
            Ok(of) if of.is_dir() => Err(ErrorKind::IsADirectory.into()),
            // Write directly to a device or a pipe, such as /dev/stdout.
            Ok(of) if !of.is_file() => Ok(Output::Stream(Box::new(File::options().write(true).open(file)?))),
            // If the file is a symbolic link, the link stays and its target is replaced.
            Ok(_) => Output::file(&fs::canonicalize(file)?),
            Err(error) if fs::symlink_metadata(file).is_ok_and(|found| found.is_symlink()) => Err(error),
            Err(_) => Output::file(file),
        }
    }

    /// Begins a file. An existing file of that name stays unchanged until the end; the new file gets the permissions of the
    /// existing one.
    ///
    /// # Errors
    ///
    /// The file cannot be made, or the existing file is read-only.
    pub fn file(name: &Path) -> io::Result<Output> {
        name.file_name().ok_or_else(|| io::Error::from(ErrorKind::InvalidFilename))?;
        let folder = name.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut builder = tempfile::Builder::new();
        builder.prefix(".fourbase-").suffix(".new");
        let replaced = fs::metadata(name).ok();
        if replaced.as_ref().is_some_and(|replaced| replaced.permissions().readonly()) {
            return Err(ErrorKind::PermissionDenied.into());
        }
        interrupt::clean_at_end(remove_all).map_err(io::Error::other)?;
        // While the list is locked, a request to end the program waits; so it also removes the new file.
        let mut made = list();
        let make = |path: &Path| File::options().write(true).create_new(true).open(path);
        let (file, path) = builder.make_in(folder, make)?.keep()?;
        made.push(path.clone());
        drop(made);
        let temporary = Temporary(path);
        if let Some(replaced) = replaced {
            file.set_permissions(replaced.permissions())?;
        }
        Ok(Output::File { file, temporary, name: name.to_path_buf() })
    }

    /// Writes a whole file.
    ///
    /// # Errors
    ///
    /// The errors of [`Output::file`], [`Output::write`] and [`Output::end`].
    pub fn write_file(name: &Path, text: &str) -> io::Result<()> {
        let mut file = Output::file(name)?;
        file.write(text.as_bytes())?;
        file.end()
    }

    /// Writes more bytes, and flushes them for the reader of a pipe.
    ///
    /// # Errors
    ///
    /// The bytes cannot be written.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Output::Stream(stream) => stream.write_all(bytes).and_then(|()| stream.flush()),
            Output::File { file, .. } => file.write_all(bytes),
        }
    }

    /// Ends the output. A file gets its name when every byte is on the disk.
    ///
    /// # Errors
    ///
    /// The file cannot be written to the disk or renamed.
    pub fn end(self) -> io::Result<()> {
        match self {
            Output::Stream(_) => Ok(()),
            Output::File { file, temporary, name } => {
                file.sync_all()?;
                let mut made = list();
                fs::rename(&temporary.0, &name)?;
                made.retain(|path| *path != temporary.0);
                Ok(())
            }
        }
    }
}
