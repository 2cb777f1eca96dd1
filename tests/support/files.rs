//! The bytes of a folder.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Reads all files of a folder, by name.
pub fn folder_files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let named = |path: std::path::PathBuf| {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        (name, fs::read(&path).expect("a file"))
    };
    paths.map(named).collect()
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

/// Flips a bit in the middle of a file.
pub fn flip_a_bit(path: &Path) {
    let mut bytes = fs::read(path).expect("a file");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(path, bytes).expect("a file");
}
