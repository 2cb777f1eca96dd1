//! Imports in `fourbase-tiers` go one way: a folder uses only the folders above it, those of the table in CONTRIBUTING.md.
//!
//! Cargo holds the order of the four packages. Within a folder, `pub(super)` holds what the others may see.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// The kernels, a package of their own, and the folders of `tiers/src`, each with those that it may use: all of them stand before it.
const LAYERS: [(&str, &str); 14] = [
    ("kernel", ""),
    ("index", "kernel"),
    ("files", ""),
    ("communicator", "files"),
    ("quiet", "kernel index"),
    ("tier", "kernel index files communicator"),
    ("format", "kernel index files communicator quiet tier"),
    ("solve", "kernel index files communicator tier format"),
    ("counts", "kernel index files communicator tier format solve"),
    ("database", "kernel index files communicator quiet tier format"),
    ("positions", "kernel index files tier solve counts database"),
    ("dataset", "kernel index files solve positions database"),
    ("verify", "kernel index files communicator format counts database"),
    ("testing", "kernel index files communicator quiet tier format solve counts database"),
];

/// What `verify`, which shares no code with the solver, may name of `kernel`.
const OF_KERNEL: &str = "Values";

/// Reads the source files of a folder without comments and tests: path and text of each.
fn sources(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut sources = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
        if path.is_dir() && name != "tests" {
            sources.extend(self::sources(&path));
        } else if name.ends_with(".rs") && name != "tests.rs" {
            let text = fs::read_to_string(&path).expect("a file");
            let text = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
            let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
            sources.push((path, code.collect::<Vec<_>>().join("\n")));
        }
    }
    sources
}

/// Lists what follows `start` in a text, up to the end of the name or of the list of names.
fn names<'t>(text: &'t str, start: &str) -> impl Iterator<Item = &'t str> {
    let is_part = |character: char| character.is_alphanumeric() || character == '_';
    text.split(start).skip(1).flat_map(move |rest| {
        let list = rest.strip_prefix('{').and_then(|list| list.split('}').next());
        let name = rest.split(|character| !is_part(character)).next().unwrap_or_default();
        list.unwrap_or(name).split(',').map(str::trim).filter(|name| !name.is_empty())
    })
}

#[test]
fn folders_use_only_those_above_them() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tiers/src");
    let entries = fs::read_dir(&root).expect("tiers/src").map(|entry| entry.expect("an entry"));
    let folders = entries.filter(|entry| entry.path().is_dir()).map(|entry| entry.file_name());
    let layers: BTreeSet<OsString> = LAYERS[1..].iter().map(|(folder, _)| OsString::from(folder)).collect();
    assert_eq!(folders.collect::<BTreeSet<_>>(), layers, "a folder without a layer");
    for (number, (folder, allowed)) in LAYERS.into_iter().enumerate().skip(1) {
        let allowed: BTreeSet<&str> = allowed.split_whitespace().collect();
        assert!(allowed.iter().all(|name| LAYERS[..number].iter().any(|(above, _)| above == name)), "{folder}");
        let is_listed = fs::read_to_string(root.join("lib.rs")).expect("lib.rs").contains(&format!("| [`{folder}`]"));
        assert!(is_listed || folder == "testing", "the table of lib.rs omits {folder}");
        for (path, text) in sources(&root.join(folder)) {
            assert!(!text.contains("fourbase_kernels"), "{}: write crate::kernel", path.display());
            for name in names(&text, "crate::").map(|path| path.split("::").next().unwrap_or_default()) {
                let is_folder = LAYERS.iter().any(|(folder, _)| *folder == name);
                let is_used = name == folder || allowed.contains(name) || !is_folder;
                assert!(is_used, "{} uses {name}", path.display());
            }
            if folder == "verify" {
                for name in names(&text, "kernel::") {
                    assert_eq!(name, OF_KERNEL, "{} uses the kernels", path.display());
                }
            }
        }
    }
}

#[test]
fn explanations_name_files_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for page in fs::read_dir(root.join("docs/explanation")).expect("the pages") {
        let text = fs::read_to_string(page.expect("a page").path()).expect("text");
        let dead: Vec<_> = text.split('`').filter(|name| name.ends_with(".rs") && !root.join(name).exists()).collect();
        assert!(dead.is_empty(), "{dead:?}");
    }
}
