//! Temporary files and folders, and outputs that appear only when they are complete. Temporary files and folders are
//! removed when the program ends, unless it is killed or the power fails.

use std::env::temp_dir;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::Duration;

use fourbase_tiers::files::FileError;

use crate::{failure, interrupt};

/// The temporary files and folders that exist now.
static MADE: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// The beginning of the names of temporary folders.
const PREFIX: &str = "fourbase-";

/// How many times to try to remove a folder into which other threads still write. The tries are a hundredth of a second apart.
const TRIES: u32 = 300;

/// A temporary file or folder. Dropping this removes it, and so does the end of the program by Ctrl-C, SIGTERM or SIGHUP.
pub struct Temporary(PathBuf);

impl Temporary {
    /// Makes a folder in the system's folder for temporary files.
    ///
    /// # Errors
    ///
    /// The folder cannot be made.
    pub fn folder() -> Result<Temporary, FileError> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(PREFIX);
        let made = Temporary::made(&builder, &temp_dir(), make_folder);
        Ok(made.map_err(|source| FileError::Io { file: temp_dir(), action: "make a folder here", source })?.1)
    }

    /// Makes a file or folder in `folder`, by calling `make` with a path that does not exist yet.
    ///
    /// # Errors
    ///
    /// The file or folder cannot be made.
    pub fn made<T>(
        builder: &tempfile::Builder,
        folder: &Path,
        make: impl FnMut(&Path) -> io::Result<T>,
    ) -> io::Result<(T, Temporary)> {
        interrupt::clean_at_end(remove_all).map_err(io::Error::other)?;
        // While the list is locked, a request to end the program waits; so it also removes the new path.
        let mut made = list();
        let (with, path) = builder.make_in(folder, make)?.keep()?;
        made.push(path.clone());
        Ok((with, Temporary(path)))
    }

    /// Returns the path of the file or folder.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Renames the file to `name`, replacing an existing file of that name. The file is not temporary any more.
    ///
    /// # Errors
    ///
    /// The file cannot be renamed; it is removed then.
    pub fn rename(self, name: &Path) -> io::Result<()> {
        let mut made = list();
        fs::rename(&self.0, name)?;
        made.retain(|path| *path != self.0);
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // The path stays in the list until it is removed, so that a request to end the program removes what is left of it. If the
        // program is already ending, `list` blocks here until it has ended, so that this thread reports no missing files.
        let mut made = list();
        let _ = remove(&self.0);
        made.retain(|path| *path != self.0);
    }
}

/// Tells whether a path is, or was, in a temporary folder of this program, or is the system's folder for temporary files.
pub fn is_ours(path: &Path) -> bool {
    let inside = path.strip_prefix(temp_dir()).ok().and_then(|inside| inside.to_str());
    inside.is_some_and(|inside| inside.is_empty() || inside.starts_with(PREFIX))
}

/// Makes a folder that only this user can open.
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

/// Removes all temporary files and folders. Afterwards it keeps the list locked, so that other threads that use [`Temporary`] block
/// until the program ends.
fn remove_all() {
    let made = list();
    if !made.is_empty() {
        failure::print_note("stopped; nothing is kept");
    }
    for path in &*made {
        for _ in 0..TRIES {
            match remove(path) {
                Err(error) if error.kind() == ErrorKind::NotFound => break,
                // Another thread may still be writing into the folder, so try again.
                _ => sleep(Duration::from_millis(10)),
            }
        }
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
        let make = |path: &Path| File::options().write(true).create_new(true).open(path);
        let (file, temporary) = Temporary::made(&builder, folder, make)?;
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
            Output::File { file, temporary, name } => file.sync_all().and_then(|()| temporary.rename(&name)),
        }
    }
}
