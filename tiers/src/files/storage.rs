//! The layer through which all files are accessed, so that a test can inject faults below everything else.
//!
//! An implementation may read only a part of the requested bytes, or be interrupted: [`ReadFile::read_exact_at`]
//! handles both. Every other error is reported.

use std::fmt::Debug;
use std::io::{self, ErrorKind};
use std::ops::Range;
use std::path::Path;

/// A file system for reading.
pub trait ReadStorage: Send + Sync + Debug {
    /// Opens a regular file for reading, following links. A folder, a FIFO or a device is an error.
    fn open(&self, path: &Path) -> io::Result<Box<dyn ReadFile>>;

    /// Opens a file as [`ReadStorage::open`] does. The caller expects the file to have this many bytes and reads both
    /// of its ends next, so a remote storage can request both at once.
    fn open_expecting(&self, path: &Path, _bytes: u64) -> io::Result<Box<dyn ReadFile>> {
        self.open(path)
    }
}

/// A file system for reading and writing.
pub trait Storage: ReadStorage {
    /// Lists the names in a folder, sorted. A missing folder has no names.
    fn names(&self, folder: &Path) -> io::Result<Vec<String>>;

    /// Creates a file for writing. Replaces an earlier process's file of that name; a link, a folder or a device of
    /// that name is an error.
    fn create(&self, path: &Path) -> io::Result<Box<dyn WriteFile>>;

    /// Opens an existing regular file for writing. A link is an error.
    fn open_to_write(&self, path: &Path) -> io::Result<Box<dyn WriteFile>>;

    /// Renames a file, atomically replacing another one.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Exchanges a folder with another, or renames it if there is no other. Returns whether there was another. This is
    /// a single step if the system supports it; else readers may find neither folder for a moment.
    fn exchange(&self, folder: &Path, other: &Path) -> io::Result<bool>;

    /// Removes a file. A missing one is no error.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// Creates a folder in an existing folder. Returns whether the new folder was missing before.
    fn create_folder(&self, path: &Path) -> io::Result<bool>;

    /// Removes a folder, which must be empty.
    fn remove_folder(&self, path: &Path) -> io::Result<()>;

    /// Makes the names in a folder durable after files were created, renamed or removed.
    fn sync_folder(&self, path: &Path) -> io::Result<()>;

    /// Returns how many bytes can still be written in an existing folder; `None` if unknown.
    fn free_bytes(&self, _folder: &Path) -> Option<u64> {
        None
    }

    /// Identifies the disk of an existing folder; `None` if unknown.
    fn disk(&self, _folder: &Path) -> Option<u64> {
        None
    }

    /// Takes the lock of this path, or returns the name of its holder. A link is an error.
    fn lock(&self, path: &Path) -> io::Result<Result<Lock, String>>;
}

/// Checks that files of `needed` bytes fit on the disk of a folder, which may not exist yet.
///
/// # Errors
/// The number of free bytes, if there are fewer.
pub fn has_room(storage: &dyn Storage, folder: &Path, needed: u128) -> Result<(), u64> {
    let free = folder.ancestors().find_map(|folder| storage.free_bytes(folder));
    free.filter(|free| u128::from(*free) < needed).map_or(Ok(()), Err)
}

/// A lock that one process at a time holds. Dropping it or ending the process releases it.
pub type Lock = Box<dyn Send>;

/// A file that can be written at any offset. Several processes may write different parts of it.
pub trait WriteFile: Send + Sync + Debug {
    /// Writes all bytes at `offset`. Bytes before `offset` that were never written have undefined values.
    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()>;

    /// Makes everything written durable.
    fn sync(&self) -> io::Result<()>;
}

/// A file that can be read at any offset, by any thread.
pub trait ReadFile: Send + Sync + Debug {
    /// Returns the file's length.
    fn size(&self) -> io::Result<u64>;

    /// Reads bytes at `offset`, at most as many as `buffer` holds; returns 0 at the end of the file.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;

    /// Announces that these bytes will be read, which may make the reads faster. Those reads report any errors.
    fn read_ahead(&self, _ranges: &[Range<u64>]) {}

    /// Fills `buffer` from `offset` on, in as many reads as necessary.
    ///
    /// # Errors
    /// `UnexpectedEof` if the file ends too early.
    fn read_exact_at(&self, mut buffer: &mut [u8], mut offset: u64) -> io::Result<()> {
        while !buffer.is_empty() {
            match self.read_at(buffer, offset) {
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(read) => {
                    buffer = buffer.get_mut(read..).ok_or(ErrorKind::InvalidData)?;
                    offset += read as u64;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}
