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
//! All integers are little-endian. The record is read once when a file is opened: bincode carries nothing hot.

use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;
use xxhash_rust::xxh3::xxh3_64;

use super::storage::ReadFile;
use crate::error::DatabaseError;

/// The version of the file formats that this program reads and writes. Version 1 held all positions of all plies.
pub const VERSION: u32 = 2;

/// The most bytes of a record that are believed.
const MOST_BYTES: usize = 1 << 20;

const FIXED: usize = 16;

fn config() -> impl bincode::config::Config {
    bincode::config::standard().with_fixed_int_encoding().with_limit::<MOST_BYTES>()
}

/// Writes an envelope around a record.
pub(crate) fn seal(magic: &[u8; 8], record: &impl Serialize) -> Vec<u8> {
    // Records are plain structs of integers, strings and vectors: these always encode.
    let body = bincode::serde::encode_to_vec(record, config()).unwrap_or_default();
    let mut bytes = Vec::with_capacity(FIXED + body.len() + 8);
    bytes.extend_from_slice(magic);
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    bytes.extend_from_slice(&(body.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&body);
    bytes.extend_from_slice(&xxh3_64(&bytes).to_le_bytes());
    bytes
}

/// Reads the envelope at the start of a file: the record, and the length of the envelope.
///
/// # Errors
/// [`DatabaseError::Wrong`] for another kind of file or another version, [`DatabaseError::Damaged`] where the checksum
/// does not hold, [`DatabaseError::Io`].
pub(crate) fn unseal<R: DeserializeOwned>(
    file: &dyn ReadFile,
    path: &Path,
    magic: &[u8; 8],
) -> Result<(R, u64), DatabaseError> {
    let damaged = |offset, what| DatabaseError::Damaged { file: path.to_path_buf(), offset, what };
    let mut fixed = [0; FIXED];
    read(file, path, &mut fixed, 0)?;
    if fixed[..8] != magic[..] {
        return Err(DatabaseError::Wrong {
            file: path.to_path_buf(),
            what: "the kind of file",
            expected: magic.escape_ascii().to_string(),
            found: fixed[..8].escape_ascii().to_string(),
        });
    }
    let length = u32_at(&fixed, 12) as usize;
    let version = u32_at(&fixed, 8);
    if version != VERSION {
        return Err(DatabaseError::Wrong {
            file: path.to_path_buf(),
            what: "the format's version",
            expected: VERSION.to_string(),
            found: version.to_string(),
        });
    }
    if length > MOST_BYTES {
        return Err(damaged(12, "a record that is too long"));
    }
    let mut bytes = vec![0; FIXED + length + 8];
    read(file, path, &mut bytes, 0)?;
    let (sealed, checksum) = bytes.split_at(FIXED + length);
    if xxh3_64(sealed).to_le_bytes() != checksum {
        return Err(damaged(0, "the checksum of the header is wrong"));
    }
    let (record, read) = bincode::serde::decode_from_slice(&sealed[FIXED..], config())
        .map_err(|_| damaged(FIXED as u64, "the header cannot be read"))?;
    if read != length {
        return Err(damaged(12, "the header is longer than its record"));
    }
    Ok((record, bytes.len() as u64))
}

/// Reads bytes at a place; a file that ends before is damaged.
pub(crate) fn read(file: &dyn ReadFile, path: &Path, buffer: &mut [u8], offset: u64) -> Result<(), DatabaseError> {
    file.read_exact_at(buffer, offset).map_err(|source| {
        let file = path.to_path_buf();
        if source.kind() == std::io::ErrorKind::UnexpectedEof {
            DatabaseError::Damaged { file, offset, what: "the file ends too early" }
        } else {
            DatabaseError::Io { file, action: "read", source }
        }
    })
}

/// Reads a little-endian integer; `bytes` is long enough.
pub(crate) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(std::array::from_fn(|i| bytes[at + i]))
}

/// Reads a little-endian integer; `bytes` is long enough.
pub(crate) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(std::array::from_fn(|i| bytes[at + i]))
}
