//! `fourbase stats`: sums that add up, and counts that are kept beside the database and believed only if they belong to it.

use std::fs;

use serde_json::{Value, json};

use crate::support::program::Program;

/// The sum of one key over an array of objects.
fn sum(array: &Value, key: &str) -> u64 {
    array.as_array().expect("an array").iter().map(|row| row[key].as_u64().expect("a number")).sum()
}

#[test]
fn the_counts_of_4x4_add_up() {
    let program = Program::with("4x4");
    let json = program.run("stats 4x4 --json").json();
    for ply in json["plies"].as_array().expect("plies") {
        assert_eq!(json!(sum(&ply["outcomes"], "legal")), ply["legal"]);
    }
    for key in ["legal", "primitive", "with_line", "win", "lose", "tie"] {
        assert_eq!(sum(&json["plies"], key), json[key].as_u64().expect("a number"), "{key}");
    }
    // The total is John Tromp's.
    assert_eq!((sum(&json["outcomes"], "legal"), &json["legal"]), (161_029, &json!(161_029)));
}

#[test]
fn counts_are_kept_beside_the_database_and_only_believed_if_they_belong_to_it() {
    let program = Program::with("3x3c3");
    let kept = program.path("db/3x3c3/remoteness.stats.json");
    assert!(!kept.exists());
    let counted = program.run("stats 3x3c3 --json").succeeds();
    let sound = fs::read_to_string(&kept).expect("kept counts");
    // What is kept is what is told, without counting again: nothing is written.
    let written = || fs::metadata(&kept).and_then(|file| file.modified()).expect("a time");
    let before = written();
    assert_eq!(program.run("stats 3x3c3 --json").succeeds(), counted);
    assert_eq!(written(), before);
    // Those of another database are no damage.
    let other = Program::with("3x3c3m");
    other.run("stats 3x3c3m").succeeds();
    fs::copy(other.path("db/3x3c3m/remoteness.stats.json"), &kept).expect("a copy");
    assert_eq!(program.run("verify 3x3c3 --json").json()["sound"], json!(true));
    assert_eq!(program.run("stats 3x3c3 --json").succeeds(), counted);
    assert_eq!(fs::read_to_string(&kept).expect("kept counts"), sound);
}

/// Counts that were changed by hand.
fn changed(sound: &str) -> Vec<String> {
    let mut json: Value = serde_json::from_str(sound).expect("JSON");
    json["counts"]["plies"][3]["win"] = json!(7);
    let mut texts = ["", "nonsense", &sound[..sound.len() / 2], &"[".repeat(10_000), &" ".repeat(1 << 17)]
        .map(str::to_owned)
        .to_vec();
    texts.push(json.to_string());
    texts.push(sound.replace("\"ply\":0,\"legal\":1,", "\"ply\":0,\"legal\":7,"));
    texts.push(sound.replace("\"legal\":1,", &format!("\"legal\":{},", u64::MAX)));
    texts
}

#[test]
fn kept_counts_that_were_changed_are_counted_again_and_verify_finds_them() {
    let program = Program::with("3x3c3");
    let kept = program.path("db/3x3c3/remoteness.stats.json");
    let counted = program.run("stats 3x3c3 --json").succeeds();
    let sound = fs::read_to_string(&kept).expect("kept counts");
    for text in changed(&sound) {
        fs::write(&kept, &text).expect("a file");
        let (verdict, line) = program.run("verify 3x3c3").fails_after_output(1);
        assert!(verdict.starts_with("3x3c3 remoteness: NOT sound (the counts beside the database"), "{verdict}");
        assert!(verdict.contains("remoteness.stats.json: damaged"), "{verdict}");
        assert!(line.contains("remoteness.stats.json are wrong") && !line.contains("--replace"), "{line}");
        let (json, _) = program.run("verify 3x3c3 --json").fails_after_output(1);
        assert!(json.contains("\"sound\":false") && json.contains("\"kind\":\"counts\""), "{json}");
        let (again, warning) = program.run("stats 3x3c3 --json").warns();
        assert_eq!(again, counted);
        assert!(warning.contains("remoteness.stats.json: damaged") && warning.contains("counting again"), "{warning}");
        assert_eq!(fs::read_to_string(&kept).expect("kept counts"), sound);
    }
    program.run("verify 3x3c3").succeeds();
    // A hole of a terabyte is not read.
    if fs::File::create(&kept).expect("a file").set_len(1 << 40).is_err() {
        println!("skipped: no file of a terabyte here");
        return;
    }
    let (_, warning) = program.run("stats 3x3c3").warns();
    assert!(warning.contains("the file is too long") && warning.contains("counting again"), "{warning}");
}

#[test]
fn counts_of_a_database_that_another_process_holds_are_not_kept() {
    let program = Program::with("2x2c2");
    let lock = fs::File::create(program.path("db/2x2c2/remoteness.lock")).expect("a file");
    lock.lock().expect("a lock");
    let (_, warning) = program.run("stats 2x2c2").warns();
    let expected = "warning: cannot keep the counts: db/2x2c2/remoteness is in use by another process\n";
    assert_eq!(warning, expected);
}
