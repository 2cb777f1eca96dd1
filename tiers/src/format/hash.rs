//! The hash of a file and of a whole database: one number to compare two databases by, on any machine.
//!
//! A file's hash is the BLAKE3 of its bytes. A database's is the BLAKE3 of the hashes of its tier files, 32 bytes each, in
//! the order of their plies. Their headers name board, values and version, so the hash covers these. To compute it: `for file in tier-*; do b3sum --raw $file; done | b3sum`.

use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::files::{FileError, Storage, read_through};

/// A BLAKE3 hash, written as 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Hash([u8; 32]);

impl Hash {
    /// Hashes hashes, in their order.
    pub(crate) fn of_hashes(hashes: impl Iterator<Item = Hash>) -> Hash {
        let mut hasher = blake3::Hasher::new();
        for hash in hashes {
            hasher.update(&hash.0);
        }
        Hash(*hasher.finalize().as_bytes())
    }

    /// Reads a file through. `goes_on` gets the number of bytes of each portion, and returns whether to read on; the result is
    /// `None` where it does not.
    pub(crate) fn of_file(
        storage: &dyn Storage,
        path: &Path,
        goes_on: &dyn Fn(u64) -> bool,
    ) -> Result<Option<Hash>, FileError> {
        let mut hasher = blake3::Hasher::new();
        let is_whole = read_through(storage, path, |portion| {
            hasher.update(portion);
            Ok(goes_on(portion.len() as u64))
        })?;
        Ok(is_whole.then(|| Hash(*hasher.finalize().as_bytes())))
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}
