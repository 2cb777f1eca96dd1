//! The bytes of a folder.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

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
