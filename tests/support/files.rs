//! The bytes of a folder.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64;

/// Reads all files of a folder, by name.
pub fn folder_files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let named = |entry: fs::DirEntry| {
        (entry.file_name().into_string().expect("a name"), fs::read(entry.path()).expect("a file"))
    };
    fs::read_dir(folder).expect("a folder").map(|entry| named(entry.expect("an entry"))).collect()
}

/// Returns the root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Lists the paths in a folder, in order.
pub fn paths(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths: BTreeSet<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    Vec::from_iter(paths)
}

/// Compares files by name, and says which differs rather than how.
pub fn assert_same(found: &BTreeMap<String, Vec<u8>>, expected: &BTreeMap<String, Vec<u8>>, what: &str) {
    assert!(found.keys().eq(expected.keys()), "{what}: {:?} instead of {:?}", found.keys(), expected.keys());
    for (name, bytes) in found {
        assert!(*bytes == expected[name], "{what}: {name} differs");
    }
}

/// Returns bytes in which one bit, counted from the lowest of the first byte, is another.
pub fn flipped(bytes: &[u8], bit: usize) -> Vec<u8> {
    let mut flipped = bytes.to_vec();
    flipped[bit / 8] ^= 1 << (bit % 8);
    flipped
}

/// Returns the bytes of a file whose header names another version, with a checksum that fits.
pub fn of_version(bytes: &[u8], version: u32) -> Vec<u8> {
    let end = 16 + u32::from_le_bytes(bytes[12..16].try_into().expect("a length")) as usize;
    let start = [&bytes[..8], &version.to_le_bytes(), &bytes[12..end]].concat();
    [&start, &xxh3_64(&start).to_le_bytes()[..], &bytes[end + 8..]].concat()
}

/// Flips a bit in the middle of a file.
pub fn flip_a_bit(path: &Path) {
    let bytes = fs::read(path).expect("a file");
    fs::write(path, flipped(&bytes, bytes.len() / 2 * 8)).expect("a file");
}
