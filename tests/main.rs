//! The tests that cross the packages, as one program: `cargo test NAME::` runs those of `tests/NAME.rs`.
//!
//! The modules are listed here because `cargo fmt` finds no others; a test compares the list with the folder.

mod support;

mod cmd;
mod corruption;
mod export;
mod faults;
mod forged;
mod golden;
mod grade;
mod hostile;
mod http;
mod json;
mod keep_plies;
mod kill;
mod layers;
mod meanwhile;
mod mpi;
mod openapi;
mod oracle;
mod parsers;
mod pictures;
mod places;
mod play;
mod players;
mod resume;
mod search;
mod serve;
mod serve_answers;
mod serve_hostile;
mod solve;
mod spellings;
mod strategy;
mod tables;
mod terminal;
mod usage;
mod uwapi;
mod verify;
mod workflows;

#[test]
fn every_file_of_the_folder_is_a_module() {
    let listed: Vec<&str> = include_str!("main.rs").lines().filter(|line| line.starts_with("mod ")).collect();
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests")).expect("a folder") {
        let name = entry.expect("an entry").file_name().into_string().expect("a name");
        let Some(module) = name.strip_suffix(".rs").map(|name| format!("mod {name};")) else { continue };
        assert!(name == "main.rs" || listed.contains(&module.as_str()), "write `{module}` in tests/main.rs");
    }
}
