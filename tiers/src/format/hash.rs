//! The hash of a file and of a whole database: one number to compare two databases by, on any machine.
//!
//! A file's hash is the BLAKE3 of its bytes. A database's is the BLAKE3 of the hashes of its tier files, 32 bytes each, in
//! the order of their plies. Their headers say which board, values and version they are of, so that is in it. Anybody can
//! compute it: `for file in tier-*; do b3sum --raw $file; done | b3sum`.

use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::files::{FileError, Storage, envelope, io_error};

/// Bytes of a file that are read at a time.
const READ_BYTES: u64 = 1 << 20;

/// A BLAKE3 hash, written as 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Hash([u8; 32]);

impl Hash {
    /// Takes what a hasher has computed.
    pub(crate) fn of(hasher: &blake3::Hasher) -> Hash {
        Hash(*hasher.finalize().as_bytes())
    }

    /// Hashes hashes, in their order.
    pub(crate) fn of_hashes(hashes: impl Iterator<Item = Hash>) -> Hash {
        let mut hasher = blake3::Hasher::new();
        for hash in hashes {
            hasher.update(&hash.0);
        }
        Hash::of(&hasher)
    }

    /// Reads a file through. `goes_on` is told of the bytes that were read, a portion after the other, and whether to read
    /// on; the result is `None` where it says no.
    pub(crate) fn of_file(
        storage: &dyn Storage,
        path: &Path,
        goes_on: &dyn Fn(u64) -> bool,
    ) -> Result<Option<Hash>, FileError> {
        let file = storage.open(path).map_err(io_error(path, "open"))?;
        let size = file.size().map_err(io_error(path, "read"))?;
        let (mut hasher, mut at) = (blake3::Hasher::new(), 0);
        let mut buffer = Vec::new();
        while at < size {
            buffer.resize(READ_BYTES.min(size - at) as usize, 0);
            envelope::read(&*file, path, &mut buffer, at)?;
            hasher.update(&buffer);
            at += buffer.len() as u64;
            if !goes_on(buffer.len() as u64) {
                return Ok(None);
            }
        }
        Ok(Some(Hash::of(&hasher)))
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
