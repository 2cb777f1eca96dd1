//! `fourbase list`, run as a whole.

use std::fs;

use serde_json::json;

use crate::support::program::{Program, keys};

#[test]
fn an_empty_or_missing_folder_has_nothing() {
    let program = Program::new();
    let nothing = "{\"schema\":1,\"command\":\"list\",\"databases\":[]}\n";
    assert_eq!(program.run("list --json").succeeds(), nothing);
    assert!(program.run("list").succeeds().starts_with("nothing is solved in db yet"));
    fs::create_dir_all(program.path("db/4x4")).expect("a folder");
    fs::create_dir_all(program.path("db/not a board/remoteness")).expect("a folder");
    assert_eq!(program.run("list --json").succeeds(), nothing);
}

#[test]
fn every_database_is_listed_with_what_is_known_of_it() {
    let program = Program::with("3x3c3");
    program.run("solve 2x2c2 --values wdl").succeeds();
    let json = program.run("list --json").json();
    let rows = json["databases"].as_array().expect("an array");
    assert_eq!(rows.len(), 2);
    let expected = [
        "board",
        "bytes",
        "entries",
        "folder",
        "hash",
        "keep_plies",
        "remoteness",
        "state",
        "stores",
        "tiers",
        "tiers_done",
        "value",
    ];
    assert_eq!(keys(&rows[0]), expected);
    assert_eq!(
        (&rows[0]["board"], &rows[0]["stores"], &rows[0]["value"]),
        (&json!("2x2c2"), &json!("wdl"), &json!("win"))
    );
    assert_eq!((&rows[1]["board"], &rows[1]["state"]), (&json!("3x3c3"), &json!("complete")));
    assert_eq!((&rows[1]["tiers"], &rows[1]["tiers_done"]), (&json!(10), &json!(10)));
    let solved = program.run("solve 3x3c3 --json").json();
    for key in ["entries", "bytes", "hash", "value", "remoteness", "stores", "folder", "keep_plies"] {
        assert_eq!(rows[1][key], solved[key], "{key}");
    }
}

#[test]
fn people_get_a_table() {
    let program = Program::with("3x3c3");
    program.run("solve 2x2c2 --values wdl").succeeds();
    let text = program.run("list").succeeds();
    let lines = text.lines().collect::<Vec<_>>();
    assert_eq!(lines.len(), 3);
    assert!(lines[0].starts_with("board  values      tiers  entries  "), "{text}");
    assert!(lines[1].starts_with("2x2c2  wdl             5 "), "{text}");
    assert!(lines[1].ends_with("  win"), "{text}");
    assert!(lines[2].starts_with("3x3c3  remoteness     10 "), "{text}");
}

#[test]
fn plain_files_that_are_named_like_a_board_or_like_values_are_passed_over() {
    let program = Program::with("2x2c2");
    let listed = program.run("list --json").succeeds();
    fs::write(program.path("db/5x4"), "no folder").expect("a file");
    fs::create_dir_all(program.path("db/4x4")).expect("a folder");
    fs::write(program.path("db/4x4/remoteness"), "no folder").expect("a file");
    assert_eq!(program.run("list --json").succeeds(), listed);
    assert!(program.run("list").succeeds().contains("2x2c2"));
}

#[test]
fn a_manifest_that_cannot_be_read_is_a_failure_that_names_it() {
    let program = Program::with("2x2c2");
    fs::write(program.path("db/2x2c2/remoteness/manifest"), "nonsense").expect("a file");
    assert!(program.run("list").fails(1).contains("manifest"));
}
