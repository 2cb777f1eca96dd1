//! The one layer through which all files go, so that a test can put faults under everything above it.

use std::fmt::Debug;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// What the database asks of a file system.
pub trait Storage: Send + Sync + Debug {
    /// Creates a file for writing, emptying one that is there.
    fn create(&self, path: &Path) -> io::Result<Box<dyn WriteFile>>;

    /// Opens a file for reading.
    fn open(&self, path: &Path) -> io::Result<Box<dyn ReadFile>>;

    /// Puts a file in the place of another, at once.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Removes a file; one that is not there is no error.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// Creates a folder and those above it.
    fn create_folder(&self, path: &Path) -> io::Result<()>;

    /// Makes what happened to the names in a folder durable.
    fn sync_folder(&self, path: &Path) -> io::Result<()>;

    /// Lists the names in a folder, sorted; none where there is no such folder.
    fn names(&self, folder: &Path) -> io::Result<Vec<String>>;
}

/// A file that is being written, from its start to its end.
pub trait WriteFile: Write + Send {
    /// Makes everything written durable.
    fn sync(&mut self) -> io::Result<()>;
}

/// A file that is read at any place, by any thread.
pub trait ReadFile: Send + Sync + Debug {
    /// Returns the file's length.
    fn size(&self) -> io::Result<u64>;

    /// Fills `buffer` from `offset` on.
    ///
    /// # Errors
    /// `UnexpectedEof` where the file ends before.
    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()>;
}

/// The operating system's files.
#[derive(Clone, Copy, Debug)]
pub struct Disk;

impl Storage for Disk {
    fn create(&self, path: &Path) -> io::Result<Box<dyn WriteFile>> {
        Ok(Box::new(DiskWriter(BufWriter::with_capacity(1 << 18, File::create(path)?))))
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn ReadFile>> {
        Ok(Box::new(DiskReader(File::open(path)?)))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        match fs::remove_file(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            done => done,
        }
    }

    fn create_folder(&self, path: &Path) -> io::Result<()> {
        fs::create_dir_all(path)
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        // Elsewhere a folder cannot be opened as a file, and renames need no such help.
        if cfg!(unix) { File::open(path)?.sync_all() } else { Ok(()) }
    }

    fn names(&self, folder: &Path) -> io::Result<Vec<String>> {
        let entries = match fs::read_dir(folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let mut names = Vec::new();
        for entry in entries {
            names.push(entry?.file_name().to_string_lossy().into_owned());
        }
        names.sort();
        Ok(names)
    }
}

#[derive(Debug)]
struct DiskWriter(BufWriter<File>);

impl Write for DiskWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl WriteFile for DiskWriter {
    fn sync(&mut self) -> io::Result<()> {
        self.0.flush()?;
        self.0.get_ref().sync_all()
    }
}

#[derive(Debug)]
struct DiskReader(File);

impl ReadFile for DiskReader {
    fn size(&self) -> io::Result<u64> {
        Ok(self.0.metadata()?.len())
    }

    #[cfg(unix)]
    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(&self.0, buffer, offset)
    }

    #[cfg(windows)]
    fn read_exact_at(&self, mut buffer: &mut [u8], mut offset: u64) -> io::Result<()> {
        while !buffer.is_empty() {
            match std::os::windows::fs::FileExt::seek_read(&self.0, buffer, offset) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(read) => {
                    buffer = &mut buffer[read..];
                    offset += read as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// A lock that one process at a time holds, and that goes with its holder.
#[derive(Debug)]
pub struct Lock {
    file: File,
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing is not enough: a child process that is just being started may share the file for a moment.
        let _ = self.file.unlock();
    }
}

impl Lock {
    /// Takes the lock, or returns who holds it. The lock is free again when the value is dropped or the process ends;
    /// its file stays.
    pub fn take(path: &Path) -> io::Result<Result<Lock, String>> {
        let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        match file.try_lock() {
            Ok(()) => {
                file.set_len(0)?;
                write!(file, "process {}", std::process::id())?;
                Ok(Ok(Lock { file }))
            }
            Err(fs::TryLockError::WouldBlock) => {
                let holder = fs::read_to_string(path).unwrap_or_default();
                Ok(Err(if holder.is_empty() { "another process".to_string() } else { holder }))
            }
            Err(fs::TryLockError::Error(error)) => Err(error),
        }
    }
}
