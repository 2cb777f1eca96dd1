//! The pictures of the README and of the documentation: `.ci/pictures` makes them, and writes down what each was made from.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use flate2::Crc;

use crate::support::files::{folder_files, paths, root};
use crate::support::program::Program;

/// Drawings of ideas. They show nothing of the program that could change.
const DRAWN: [&str; 2] = ["index.svg", "tiers.svg"];

/// Reads for each picture what it was made from, with a checksum.
fn made_from() -> BTreeMap<String, BTreeMap<String, String>> {
    let text = fs::read(root().join("docs/pictures/made-from.json")).expect("docs/pictures/made-from.json");
    serde_json::from_slice(&text).expect("names and checksums")
}

/// CRC-32 is enough against forgetting. Ends of lines do not count, which differ between systems.
fn checksum(text: &str) -> String {
    let mut crc = Crc::new();
    crc.update(text.replace("\r\n", "\n").as_bytes());
    format!("{:08x}", crc.sum())
}

/// Returns what a picture with these sources would be made from now.
fn now(sources: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for source in sources.keys() {
        if let Some(arguments) = source.strip_prefix("fourbase ") {
            let mut program = Program::new();
            program.set("CLICOLOR_FORCE", "1");
            found.insert(source.clone(), checksum(&program.run(arguments).succeeds()));
        } else if let Ok(text) = fs::read_to_string(root().join(source)) {
            found.insert(source.clone(), checksum(&text));
        }
        // A new file of the page changes the page.
        let Some(("tools/page", _)) = source.rsplit_once('/') else { continue };
        for (name, text) in folder_files(&root().join("tools/page")) {
            found.insert(format!("tools/page/{name}"), checksum(&String::from_utf8(text).expect("a text")));
        }
    }
    found
}

/// Returns the Markdown pages of a folder and of those below it.
fn pages(folder: &Path) -> Vec<PathBuf> {
    let below = |path: PathBuf| if path.is_dir() { pages(&path) } else { vec![path] };
    let is_page = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "md");
    paths(folder).into_iter().flat_map(below).filter(is_page).collect()
}

/// Returns the addresses of the pictures of a Markdown page.
fn shown(text: &str) -> Vec<&str> {
    let pictures = text.split("![").skip(1).filter_map(|rest| rest.split_once("](")?.1.split_once(')'));
    let embedded = text.split("<img").skip(1).filter_map(|rest| rest.split_once("src=\"")?.1.split_once('"'));
    pictures.chain(embedded).map(|(address, _)| address).collect()
}

#[test]
fn every_picture_was_made_from_what_is_there_now() {
    for (picture, then) in made_from() {
        let now = now(&then);
        let names: BTreeSet<_> = then.keys().chain(now.keys()).collect();
        let changed: Vec<_> = names.into_iter().filter(|&name| then.get(name) != now.get(name)).collect();
        assert!(changed.is_empty(), "docs/pictures/{picture} is stale, run `.ci/pictures`; changed: {changed:?}");
    }
}

#[test]
fn every_picture_that_a_page_shows_is_made_by_the_script_or_drawn() {
    let known: BTreeSet<String> = made_from().into_keys().chain(DRAWN.map(str::to_owned)).collect();
    let mut seen = BTreeSet::new();
    for page in [vec![root().join("README.md")], pages(&root().join("docs"))].concat() {
        let text = fs::read_to_string(&page).expect("a page");
        for address in shown(&text) {
            let name = address.split_once("pictures/").map_or(address, |(_, name)| name);
            assert!(known.contains(name), "{}: let `.ci/pictures` make {address}", page.display());
            seen.insert(name.to_owned());
        }
    }
    assert_eq!(seen, known, "each picture is shown by a page");
    let there = folder_files(&root().join("docs/pictures")).into_keys().filter(|name| name != "made-from.json");
    assert_eq!(there.collect::<BTreeSet<_>>(), known, "docs/pictures");
}
