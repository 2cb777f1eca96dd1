//! No import goes up.
//!
//! Reads the paths that start with `crate::`, `super::`, the name of a package or a module of the file in every source
//! file of the three packages, and fails with the two files and the name. Four rules:
//!
//! 1. A package uses only those before it: `fourbase`, `fourbase-tiers`, `fourbase-tools`.
//! 2. A folder of `fourbase-tiers` uses only those that [`LAYERS`] allows, the table at the top of docs/algorithm.md.
//! 3. No files use each other in a circle, in any package. A `mod.rs` that hands on the names of its own folder does not
//!    count: the names are followed to the files that define them.
//! 4. `verify` calls no kernel: of `kernel` it names the kinds of values alone.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The folders of `tiers/src`, each with the folders that it may use: all of them stand before it.
const LAYERS: [(&str, &[&str]); 14] = [
    ("kernel", &[]),
    ("index", &["kernel"]),
    ("files", &[]),
    ("crew", &["files"]),
    ("quiet", &["kernel", "index"]),
    ("tier", &["kernel", "index", "files", "crew"]),
    ("format", &["kernel", "index", "files", "crew", "quiet", "tier"]),
    ("solve", &["kernel", "index", "files", "crew", "tier", "format"]),
    ("counts", &["kernel", "index", "files", "crew", "tier", "format", "solve"]),
    ("database", &["kernel", "index", "files", "quiet", "format"]),
    ("answer", &["kernel", "database"]),
    ("dataset", &["kernel", "index", "files", "counts", "database", "answer"]),
    ("verify", &["kernel", "index", "files", "crew", "format", "counts", "database"]),
    ("testing", &["kernel", "index", "files", "quiet", "tier", "format", "solve", "counts", "database"]),
];

/// What `verify` may name of `kernel`.
const OF_KERNEL: [&str; 1] = ["kernel::Values"];

/// Ways to name something that the reading below does not follow. No file needs them.
const NOT_FOLLOWED: [&str; 4] = ["#[path", "use crate as", "use super as", "pub(in"];

/// The packages: folder, name in paths.
const PACKAGES: [(&str, &str); 3] =
    [("src", "fourbase"), ("tiers/src", "fourbase_tiers"), ("tools/src", "fourbase_tools")];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A source file: its module path from the package's root, and its text without comments and tests.
struct Source {
    module: Vec<String>,
    text: String,
}

/// Reads the source files of a package, by their paths from its folder.
fn sources(folder: &Path) -> BTreeMap<String, Source> {
    let mut sources = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(here) = folders.pop() {
        for entry in fs::read_dir(&here).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            if path.is_dir() && name != "tests" {
                folders.push(path);
            } else if name.ends_with(".rs") && name != "tests.rs" {
                let inside = path.strip_prefix(folder).expect("below").to_string_lossy().into_owned();
                let text = code(&fs::read_to_string(&path).expect("text"));
                sources.insert(inside.clone(), Source { module: module(&inside), text });
            }
        }
    }
    sources
}

/// Returns the module of a file: `a/mod.rs` and `a.rs` are `a`, `lib.rs` and `main.rs` the root.
fn module(file: &str) -> Vec<String> {
    let parts = file.trim_end_matches(".rs").split('/').map(str::to_owned);
    parts.filter(|part| !["mod", "lib", "main"].contains(&part.as_str())).collect()
}

/// Takes away comments, the tests at the end of a file and the helper that unit tests borrow from the tests' folder.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let text = text.replace("#[cfg(test)]\n#[path = \"../../tests/support/long.rs\"]\nmod long;", "");
    let lines = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

/// A path that a file uses: where it starts (`crate`, `super` or a package), and its names.
type Use = Vec<String>;

/// Lists the paths of a text: those of `use` lines with their braces taken apart, and those in the code. Paths that start
/// with a module which the text declares get `self` in front.
fn uses(text: &str) -> Vec<Use> {
    let mut uses = paths(text, &["crate::", "super::", "fourbase::", "fourbase_tiers::"]);
    let statements: Vec<&str> = text.split_inclusive(';').collect();
    let children: Vec<String> = statements.iter().filter_map(|statement| child(statement)).collect();
    let starts: Vec<&str> = children.iter().map(String::as_str).collect();
    let own: String = statements.iter().copied().filter(|statement| handed_on(statement).is_empty()).collect();
    for mut path in paths(&own, &starts) {
        path.insert(0, "self".to_owned());
        uses.push(path);
    }
    uses
}

/// Returns the module that a statement declares, with `::`.
fn child(statement: &str) -> Option<String> {
    let words: Vec<&str> = statement.trim_end_matches(';').split_whitespace().collect();
    let [.., "mod", name] = words[..] else { return None };
    Some(format!("{name}::"))
}

/// Lists the paths of a text that begin with one of `starts`.
fn paths(text: &str, starts: &[&str]) -> Vec<Use> {
    let mut uses = Vec::new();
    for start in starts {
        for (at, _) in text.match_indices(start) {
            let before = text[..at].chars().next_back();
            if before.is_some_and(|before| before.is_alphanumeric() || before == '_' || before == ':') {
                continue;
            }
            tree(&text[at..], &[], &mut uses);
        }
    }
    uses
}

/// Reads a path or a tree of paths at the start of `text`; returns what follows it.
fn tree<'t>(text: &'t str, before: &[String], uses: &mut Vec<Use>) -> &'t str {
    let mut path = before.to_vec();
    let mut rest = text.trim_start();
    loop {
        if let Some(mut inside) = rest.strip_prefix('{') {
            loop {
                inside = tree(inside, &path, uses).trim_start();
                match inside.chars().next() {
                    Some(',') => inside = inside[1..].trim_start(),
                    Some('}') => return &inside[1..],
                    _ => return inside,
                }
                if let Some(after) = inside.strip_prefix('}') {
                    return after;
                }
            }
        }
        let end = rest.find(|of: char| !(of.is_alphanumeric() || of == '_')).unwrap_or(rest.len());
        if end == 0 {
            break;
        }
        path.push(rest[..end].to_owned());
        rest = &rest[end..];
        match rest.strip_prefix("::") {
            Some(after) => rest = after.trim_start(),
            None => break,
        }
    }
    uses.push(path);
    let rest = rest.trim_start();
    rest.strip_prefix("as ")
        .map_or(rest, |alias| alias.trim_start_matches(|of: char| of.is_alphanumeric() || of == '_' || of == ' '))
}

/// The files of a package and who names whom.
struct Package {
    sources: BTreeMap<String, Source>,
    /// The file of every module.
    files: BTreeMap<Vec<String>, String>,
}

impl Package {
    fn read(folder: &str) -> Package {
        let sources = sources(&root().join(folder));
        let files = sources.iter().map(|(file, source)| (source.module.clone(), file.clone())).collect();
        Package { sources, files }
    }

    /// Returns a path from the package's root; `None` for a path into another package.
    fn absolute(&self, module: &[String], path: &Use) -> Option<Use> {
        let mut from = module.to_vec();
        let mut names = path.as_slice();
        match names.first()?.as_str() {
            "crate" => {
                from.clear();
                names = &names[1..];
            }
            "self" => names = &names[1..],
            "super" => {
                while names.first().is_some_and(|name| name == "super") {
                    from.pop()?;
                    names = &names[1..];
                }
            }
            _ => return None,
        }
        from.extend(names.iter().cloned());
        Some(from)
    }

    /// Finds the file that defines what a path names, following names that a face hands on.
    fn defines(&self, path: &[String], depth: u32) -> Option<String> {
        let length = (0..=path.len()).rev().find(|length| self.files.contains_key(&path[..*length]))?;
        let file = &self.files[&path[..length]];
        let Some(name) = path.get(length).filter(|_| depth < 8) else { return Some(file.clone()) };
        let source = &self.sources[file];
        for line in handed_on(&source.text) {
            for used in uses_of_line(&line) {
                if used.last() != Some(name) {
                    continue;
                }
                let relative = matches!(used.first().map(String::as_str), Some("crate" | "super"));
                let target = if relative {
                    self.absolute(&source.module, &used)?
                } else {
                    source.module.iter().chain(&used).cloned().collect()
                };
                return self.defines(&target, depth + 1);
            }
        }
        Some(file.clone())
    }

    /// Lists the pairs of files of which the first names something of the second, with the name.
    fn edges(&self) -> BTreeMap<(String, String), String> {
        let mut edges = BTreeMap::new();
        for (file, source) in &self.sources {
            for used in uses(&source.text) {
                let Some(path) = self.absolute(&source.module, &used) else { continue };
                if let Some(to) = self.defines(&path, 0).filter(|to| to != file) {
                    edges.entry((file.clone(), to)).or_insert_with(|| path.join("::"));
                }
            }
        }
        edges
    }
}

/// Lists the `pub use` statements of a text, without `pub`.
fn handed_on(text: &str) -> Vec<String> {
    let statements = text.split(';').filter_map(|statement| {
        let at = statement.find("pub use ").map(|at| at + 8);
        let at = at.or_else(|| statement.find("pub(crate) use ").map(|at| at + 15));
        let at = at.or_else(|| statement.find("pub(super) use ").map(|at| at + 15))?;
        Some(statement[at..].to_owned())
    });
    statements.collect()
}

fn uses_of_line(line: &str) -> Vec<Use> {
    let mut uses = Vec::new();
    tree(line, &[], &mut uses);
    uses
}

#[test]
fn a_package_uses_only_those_before_it() {
    for (place, (folder, _)) in PACKAGES.iter().enumerate() {
        for (file, source) in Package::read(folder).sources {
            for (_, later) in &PACKAGES[place + 1..] {
                assert!(!source.text.contains(&format!("{later}::")), "{folder}/{file} names {later}");
            }
        }
    }
}

#[test]
fn a_folder_of_tiers_uses_only_those_before_it() {
    let package = Package::read("tiers/src");
    let folders: BTreeSet<_> = package.sources.keys().filter_map(|file| Some(file.split_once('/')?.0)).collect();
    assert_eq!(folders, LAYERS.iter().map(|(folder, _)| *folder).collect(), "every folder has its place");
    for (place, (folder, below)) in LAYERS.iter().enumerate() {
        let before: Vec<&str> = LAYERS[..place].iter().map(|(folder, _)| *folder).collect();
        assert!(below.iter().all(|of| before.contains(of)), "{folder} uses only folders before it");
    }
    let edges = package.edges();
    assert!(edges.len() > 200, "{} imports were read", edges.len());
    for ((from, to), name) in edges {
        let Some((folder, _)) = from.split_once('/') else { continue };
        let allowed = LAYERS.iter().find(|(of, _)| *of == folder).expect("a place").1;
        let used = to.split_once('/').map_or("", |(folder, _)| folder);
        let is_allowed = used == folder || allowed.contains(&used);
        assert!(is_allowed, "tiers/src/{from} names {name} of tiers/src/{to}, which is not below it");
    }
}

#[test]
fn verify_calls_no_kernel() {
    let package = Package::read("tiers/src");
    let mut names = BTreeSet::new();
    for (file, source) in package.sources.iter().filter(|(file, _)| file.starts_with("verify/")) {
        assert!(!source.text.contains(".kernel()"), "tiers/src/{file} asks for a kernel");
        let used = uses(&source.text).into_iter().filter_map(|path| package.absolute(&source.module, &path));
        names.extend(used.filter(|path| path[0] == "kernel").map(|path| path.join("::")));
    }
    assert_eq!(names, OF_KERNEL.map(str::to_owned).into());
}

#[test]
fn no_file_names_something_in_a_way_that_is_not_followed() {
    for (folder, _) in PACKAGES {
        for (file, source) in Package::read(folder).sources {
            for way in NOT_FOLLOWED {
                assert!(!source.text.contains(way), "{folder}/{file} contains {way}");
            }
            for statement in handed_on(&source.text) {
                let is_followed = !statement.contains('*') && !statement.contains(" as ");
                assert!(is_followed, "{folder}/{file} hands on {statement}");
            }
        }
    }
}

#[test]
fn no_files_use_each_other_in_a_circle() {
    let mut circles = Vec::new();
    for (folder, _) in PACKAGES {
        let edges = Package::read(folder).edges();
        assert!(edges.len() > 50, "{folder}: {} imports were read", edges.len());
        // Files that nobody who is left uses are taken away; what stays is in a circle, or leads to one.
        let mut left: BTreeSet<&String> = edges.keys().flat_map(|(from, to)| [from, to]).collect();
        loop {
            let is_free = |file: &&&String| !edges.keys().any(|(from, to)| to == **file && left.contains(from));
            let uses_none = |file: &&&String| !edges.keys().any(|(from, to)| from == **file && left.contains(to));
            let free: Vec<&String> = left.iter().filter(|file| is_free(file) || uses_none(file)).copied().collect();
            if free.is_empty() {
                break;
            }
            left.retain(|file| !free.contains(file));
        }
        let circle = edges.iter().filter(|((from, to), _)| left.contains(from) && left.contains(to));
        circles.extend(circle.map(|((from, to), name)| format!("{folder}/{from} -> {folder}/{to}: {name}")));
    }
    assert!(circles.is_empty(), "in a circle:\n{}", circles.join("\n"));
}

#[test]
fn paths_are_read_out_of_braces_and_over_lines() {
    let text = "use crate::index::{Index, tables::{self as t, Slots},\n    Shape};\nlet a = super::x::f(fourbase::Board::new());";
    let found: BTreeSet<String> = uses(text).iter().map(|path| path.join("::")).collect();
    let expected = [
        "crate::index::Index",
        "crate::index::tables::self",
        "crate::index::tables::Slots",
        "crate::index::Shape",
        "super::x::f",
        "fourbase::Board::new",
    ];
    assert_eq!(found, expected.map(str::to_owned).into());
}

#[test]
fn an_import_that_goes_up_is_found_through_a_face() {
    let source = |file: &str, text: &str| (file.to_owned(), Source { module: module(file), text: text.to_owned() });
    let sources = BTreeMap::from([
        source("low/mod.rs", "mod a;\npub(crate) use a::A;"),
        source("low/a.rs", "use crate::high::B;"),
        source("high/mod.rs", "mod b;\npub use b::B;"),
        source("high/b.rs", "use crate::low::A;"),
    ]);
    let files = sources.iter().map(|(file, source)| (source.module.clone(), file.clone())).collect();
    let edges = Package { sources, files }.edges();
    let pair = |from: &str, to: &str| (from.to_owned(), to.to_owned());
    assert_eq!(edges.get(&pair("low/a.rs", "high/b.rs")).map(String::as_str), Some("high::B"));
    assert_eq!(edges.get(&pair("high/b.rs", "low/a.rs")).map(String::as_str), Some("low::A"));
    assert_eq!(edges.len(), 2);
}
