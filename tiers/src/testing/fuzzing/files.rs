//! Files whose checksums hold, around any bytes.

use std::path::Path;

use xxhash_rust::xxh3::xxh3_64;

use crate::files::envelope::VERSION;
use crate::files::{Memory, Storage};

/// How a manifest and a tier's file begin.
pub(super) const MANIFEST: &[u8; 8] = b"fourmani";
pub(super) const TIER: &[u8; 8] = b"fourtier";

/// Writes an envelope around the bytes of a record.
pub(super) fn seal(magic: &[u8; 8], record: &[u8]) -> Vec<u8> {
    let mut file = [magic, &VERSION.to_le_bytes()[..], &(record.len() as u32).to_le_bytes(), record].concat();
    file.extend(xxh3_64(&file).to_le_bytes());
    file
}

/// Makes a storage with one file.
pub(super) fn one_file(path: &Path, bytes: &[u8]) -> Memory {
    let storage = Memory::default();
    let written = storage.create(path).and_then(|mut file| file.write_all(bytes));
    assert!(written.is_ok(), "memory takes any file");
    storage
}
