//! The one layer through which all files go, so that a test can put faults under everything above it.
//!
//! An implementation may read a part of what it is asked for, or be interrupted: callers of [`ReadFile::read_exact_at`] do
//! not notice. Every other error is reported.

use std::fmt::Debug;
use std::io::{self, ErrorKind};
use std::ops::Range;
use std::path::Path;

/// What this package needs of a file system. One that is only read implements `open` and `names`.
pub trait Storage: Send + Sync + Debug {
    /// Creates a file for writing. A file that an earlier process has left under the name loses it; a link, a folder or a
    /// device of that name is an error.
    fn create(&self, _path: &Path) -> io::Result<Box<dyn WriteFile>> {
        Err(ErrorKind::ReadOnlyFilesystem.into())
    }

    /// Opens a regular file for reading. A link to one is followed; a folder, a FIFO or a device is an error.
    fn open(&self, path: &Path) -> io::Result<Box<dyn ReadFile>>;

    /// Opens an existing regular file for writing. A link to one is an error.
    fn open_to_write(&self, _path: &Path) -> io::Result<Box<dyn WriteFile>> {
        Err(ErrorKind::ReadOnlyFilesystem.into())
    }

    /// Puts a file in the place of another, atomically.
    fn rename(&self, _from: &Path, _to: &Path) -> io::Result<()> {
        Err(ErrorKind::ReadOnlyFilesystem.into())
    }

    /// Puts a folder in the place of another, which takes its name. Returns whether there was another. This is one step where the
    /// system can do that; elsewhere readers may find neither for a moment.
    fn exchange(&self, _folder: &Path, _other: &Path) -> io::Result<bool> {
        Err(ErrorKind::ReadOnlyFilesystem.into())
    }

    /// Removes a file; a missing one is no error.
    fn remove(&self, _path: &Path) -> io::Result<()> {
        Err(ErrorKind::ReadOnlyFilesystem.into())
    }

    /// Creates a folder in an existing one. Returns whether it was missing.
    fn create_folder(&self, _path: &Path) -> io::Result<bool> {
        Err(ErrorKind::ReadOnlyFilesystem.into())
    }

    /// Removes an empty folder; one that is not empty is an error.
    fn remove_folder(&self, _path: &Path) -> io::Result<()> {
        Ok(())
    }

    /// Makes changes to the names in a folder durable.
    fn sync_folder(&self, _path: &Path) -> io::Result<()> {
        Err(ErrorKind::ReadOnlyFilesystem.into())
    }

    /// Lists the names in a folder, sorted; none for a missing folder.
    fn names(&self, folder: &Path) -> io::Result<Vec<String>>;

    /// Opens a file that should have so many bytes, like [`Storage::open`]. Both ends of it will be read next.
    fn open_expecting(&self, path: &Path, _bytes: u64) -> io::Result<Box<dyn ReadFile>> {
        self.open(path)
    }

    /// Tells whether reads take less time together, announced by [`ReadFile::read_ahead`].
    fn reads_ahead(&self) -> bool {
        false
    }

    /// Returns how many bytes can still be written in an existing folder; `None` where that is unknown.
    fn free_bytes(&self, _folder: &Path) -> Option<u64> {
        None
    }

    /// Identifies the disk that holds an existing folder; `None` where that is unknown.
    fn disk(&self, _folder: &Path) -> Option<u64> {
        None
    }

    /// Takes the lock of this path, or returns the name of its holder. A link of that name is an error.
    fn lock(&self, _path: &Path) -> io::Result<Result<Lock, String>> {
        Err(ErrorKind::ReadOnlyFilesystem.into())
    }
}

/// Checks that files of `needed` bytes fit on the disk of a folder, which may not exist yet.
///
/// # Errors
/// The number of free bytes, where they are fewer.
pub fn has_room(storage: &dyn Storage, folder: &Path, needed: u128) -> Result<(), u64> {
    let free = folder.ancestors().find_map(|folder| storage.free_bytes(folder));
    free.filter(|free| u128::from(*free) < needed).map_or(Ok(()), Err)
}

/// A lock that one process at a time holds. Dropping it, or the end of the process, frees it.
pub type Lock = Box<dyn Send>;

/// A file that is written at any place; several processes may write it, each in places of its own.
pub trait WriteFile: Send + Sync + Debug {
    /// Writes all bytes from `offset` on. What lies before and is not written yet has any content.
    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()>;

    /// Makes everything written durable.
    fn sync(&self) -> io::Result<()>;
}

/// A file that is read at any place, by any thread.
pub trait ReadFile: Send + Sync + Debug {
    /// Returns the file's length.
    fn size(&self) -> io::Result<u64>;

    /// Reads bytes from `offset` on, at most as many as `buffer` has; 0 at the end of the file.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;

    /// Announces reads of these bytes, which may then take less time together. What goes wrong is left to the reads.
    fn read_ahead(&self, _ranges: &[Range<u64>]) {}

    /// Fills `buffer` from `offset` on, in as many reads as it takes.
    ///
    /// # Errors
    /// `UnexpectedEof` where the file ends before.
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
