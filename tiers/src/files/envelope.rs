//! The start of every file: magic, version, a small record, and a checksum over all of it.
//!
//! ```text
//!  0   8 bytes  magic: what kind of file
//!  8   u32      version of the format
//! 12   u32      length n of the record
//! 16   n bytes  record (bincode 2, little-endian, integers of fixed size)
//! 16+n u64      XXH3-64 of everything before
//! ```
//!
//! All integers are little-endian. The record is read once, when a file is opened, so bincode need not be fast.

use std::io::ErrorKind;
use std::ops::RangeInclusive;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;
use xxhash_rust::xxh3::xxh3_64;

use super::error::{FileError, io_error};
use super::storage::{ReadFile, ReadStorage};

/// The version of the file formats that this program reads and writes. Version 1 stored all positions of all plies.
/// Version 2 had no hashes. The files of version 3 had a directory of one page, and no entries of shapes.
pub const VERSION: u32 = 4;

/// The version of a tier's file that also stores forced positions. In all other respects it equals version 4.
pub(crate) const VERSION_WITH_FORCED: u32 = 5;

/// The most bytes of a record that a reader accepts. The largest records are smaller: a manifest of 65 tiers has about
/// 2,600 bytes, the journal of a count on 64 cells at most 650,000.
const MOST_BYTES: usize = 1 << 20;

/// Bytes before the record.
const FIXED: usize = 16;

/// Bytes after the record.
const CHECKSUM: usize = 8;

fn config() -> impl bincode::config::Config {
    bincode::config::standard().with_fixed_int_encoding().with_limit::<MOST_BYTES>()
}

/// Returns an envelope around a record, with this version of the format.
pub(crate) fn seal(version: u32, magic: &[u8; 8], record: &impl Serialize) -> Vec<u8> {
    // Records are plain structs of integers, strings and vectors, which always encode.
    let body = bincode::serde::encode_to_vec(record, config()).unwrap_or_default();
    let mut bytes = Vec::with_capacity(FIXED + body.len() + CHECKSUM);
    bytes.extend_from_slice(magic);
    bytes.extend_from_slice(&version.to_le_bytes());
    bytes.extend_from_slice(&(body.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&body);
    bytes.extend_from_slice(&xxh3_64(&bytes).to_le_bytes());
    bytes
}

/// Reads the envelope at the start of a file, if the file's version is in the range `known`. Returns the version, the
/// record, and all bytes of the envelope. Allocates no more than the file's length.
///
/// # Errors
/// - [`FileError::Wrong`] for another kind of file or an older version.
/// - [`FileError::Newer`] for a newer version.
/// - [`FileError::Damaged`] for a wrong checksum, whatever the version, or a record that can't be decoded.
/// - [`FileError::Io`] if the file can't be read.
pub(crate) fn unseal<R: DeserializeOwned>(
    known: RangeInclusive<u32>,
    file: &dyn ReadFile,
    path: &Path,
    magic: &[u8; 8],
) -> Result<(u32, R, Vec<u8>), FileError> {
    let damaged = |offset, what| FileError::damaged(path, offset, what);
    let mut fixed = [0; FIXED];
    read(file, path, &mut fixed, 0)?;
    let (kind, numbers) = fixed.split_at(magic.len());
    if kind != magic {
        return Err(FileError::wrong(path, "the kind of file", magic.escape_ascii(), kind.escape_ascii()));
    }
    let [version, length] =
        [0, 1].map(|number| numbers.as_chunks().0.get(number).map_or(0, |of| u32::from_le_bytes(*of)));
    let length = length as usize;
    if length > MOST_BYTES {
        return Err(damaged(12, "a record that is too long"));
    }
    if (FIXED + length + CHECKSUM) as u64 > file.size().map_err(io_error(path, "read"))? {
        return Err(damaged(12, TOO_SHORT));
    }
    let mut bytes = vec![0; FIXED + length + CHECKSUM];
    read(file, path, &mut bytes, 0)?;
    let (sealed, checksum) = bytes.split_at(FIXED + length);
    if xxh3_64(sealed).to_le_bytes() != checksum {
        return Err(damaged(0, "the checksum of the header is wrong"));
    }
    // The envelope has the same layout in all versions, so the checksum also proves the version right.
    let (oldest, newest) = known.into_inner();
    if version < oldest {
        let found = format!("{version} (of an older fourbase)");
        return Err(FileError::wrong(path, "the format's version", newest, found));
    }
    if version > newest {
        return Err(FileError::Newer { file: path.to_path_buf(), found: version, known: newest });
    }
    let (record, read) = bincode::serde::decode_from_slice(sealed.split_at(FIXED).1, config())
        .map_err(|_| damaged(FIXED as u64, "the header cannot be read"))?;
    if read != length {
        return Err(damaged(12, "the header is longer than its record"));
    }
    Ok((version, record, bytes))
}

/// Opens a file for reading; `None` if it does not exist.
pub(crate) fn open_existing(storage: &dyn ReadStorage, path: &Path) -> Result<Option<Box<dyn ReadFile>>, FileError> {
    match storage.open(path) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        file => file.map(Some).map_err(io_error(path, "open")),
    }
}

/// What is wrong with a truncated file.
pub(crate) const TOO_SHORT: &str = "the file ends too early";

/// Reads bytes at an offset; a file that ends before them is damaged.
pub(crate) fn read(file: &dyn ReadFile, path: &Path, buffer: &mut [u8], offset: u64) -> Result<(), FileError> {
    file.read_exact_at(buffer, offset).map_err(|source| {
        let file = path.to_path_buf();
        if source.kind() == ErrorKind::UnexpectedEof {
            FileError::Damaged { file, offset, what: TOO_SHORT }
        } else {
            FileError::Io { file, action: "read", source }
        }
    })
}

/// Reads a whole regular file of at most `most_bytes` bytes. Allocates no more than the file's length.
///
/// # Errors
/// [`FileError::Io`] if it can't be opened or read, or is no regular file; [`FileError::Damaged`] if it is longer.
pub fn read_small(storage: &dyn ReadStorage, path: &Path, most_bytes: u64) -> Result<Vec<u8>, FileError> {
    let file = storage.open(path).map_err(io_error(path, "open"))?;
    let size = file.size().map_err(io_error(path, "read"))?;
    if size > most_bytes {
        return Err(FileError::damaged(path, most_bytes, "the file is too long"));
    }
    let mut bytes = vec![0; size as usize];
    read(&*file, path, &mut bytes, 0)?;
    Ok(bytes)
}
