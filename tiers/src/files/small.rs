//! Reading a whole file that may not be large.

use std::path::Path;

use super::envelope;
use super::error::{FileError, io_error};
use super::storage::Storage;

/// Reads a whole regular file of at most `most_bytes` bytes. Allocates no more than the file's length.
///
/// # Errors
/// [`FileError::Io`] where it cannot be opened or read (also where it is no regular file), and [`FileError::Damaged`]
/// where it is longer.
pub fn read_small(storage: &dyn Storage, path: &Path, most_bytes: u64) -> Result<Vec<u8>, FileError> {
    let file = storage.open(path).map_err(io_error(path, "open"))?;
    let size = file.size().map_err(io_error(path, "read"))?;
    if size > most_bytes {
        return Err(FileError::Damaged { file: path.to_path_buf(), offset: most_bytes, what: "the file is too long" });
    }
    let mut bytes = vec![0; size as usize];
    envelope::read(&*file, path, &mut bytes, 0)?;
    Ok(bytes)
}
