//! Folders and files that are not what they should be: one line that says what to do, and exit code 1.

use std::fs;

use crate::support::board::board;
use crate::support::files::flip_a_bit;
use crate::support::program::Program;
use crate::support::progress::StopAfterTiers;
use crate::support::solves::Solve;
use crate::support::tiers::{VERSION, Values};

const FOLDER: &str = "db/4x4/remoteness";

/// What each subcommand that opens a database says; all have to fail alike.
fn says(program: &Program) -> Vec<String> {
    ["query 4x4", "stats 4x4", "solve 4x4"].map(|arguments| program.run(arguments).fails(1)).to_vec()
}

#[test]
fn a_manifest_of_another_version_says_who_can_open_it() {
    let program = Program::with("4x4");
    let manifest = program.path(FOLDER).join("manifest");
    let sound = fs::read(&manifest).expect("a manifest");
    for (version, who) in [(1, "of an older fourbase"), (VERSION + 1, "of a newer fourbase"), (u32::MAX, "newer")] {
        let mut bytes = sound.clone();
        bytes[8..12].copy_from_slice(&version.to_le_bytes());
        fs::write(&manifest, bytes).expect("a file");
        for line in says(&program) {
            assert!(line.contains(who) && line.contains(&version.to_string()), "{line}");
            assert!(line.ends_with("fourbase solve 4x4 --values remoteness --replace"), "{line}");
        }
    }
    program.run("solve 4x4 --values remoteness --replace").succeeds();
    assert_eq!(fs::read(&manifest).expect("a manifest"), sound);
}

#[test]
fn a_manifest_that_is_not_ours_is_named_with_the_way_out() {
    let program = Program::with("4x4");
    let manifest = program.path(FOLDER).join("manifest");
    for bytes in [&b""[..], b"nonsense", b"{\"name\": \"an app\", \"start_url\": \"/\"}", &[0; 4096], &[255; 16]] {
        fs::write(&manifest, bytes).expect("a file");
        for line in says(&program) {
            assert!(line.contains("manifest") && line.contains("--replace"), "{line}");
        }
        assert!(program.run("list").fails(1).contains("manifest"));
    }
    // A folder of that name.
    fs::remove_file(&manifest).expect("no file");
    fs::create_dir(&manifest).expect("a folder");
    for line in says(&program) {
        assert!(line.contains("manifest") && line.contains("check the folder"), "{line}");
    }
}

#[test]
fn the_manifest_of_another_board_is_refused() {
    let program = Program::with("4x4");
    for (board, values) in [("4x4m", "remoteness"), ("4x3", "remoteness"), ("4x4", "wdl")] {
        program.run(&format!("solve {board} --values {values}")).succeeds();
        fs::copy(program.path(format!("db/{board}/{values}/manifest")), program.path(FOLDER).join("manifest"))
            .expect("a copy");
        fs::remove_dir_all(program.path(format!("db/{board}/{values}"))).expect("no folder");
        for line in says(&program) {
            assert!(line.contains(&format!("the board is {board} {values}, expected 4x4 remoteness")), "{line}");
        }
    }
}

#[test]
fn a_missing_folder_names_the_command_that_makes_it() {
    let program = Program::new();
    let line = program.run("query 4x4 --search never").fails(1);
    assert!(line.contains("no database of 4x4 in db; make it with: fourbase solve 4x4"), "{line}");
    assert!(program.run("stats 4x4 --db nowhere/at/all").fails(1).contains("--db nowhere/at/all"));
    assert!(!program.path("nowhere").exists());
}

#[test]
fn a_plain_file_where_a_folder_should_be_is_named() {
    let program = Program::new();
    fs::write(program.path("plain"), "no folder").expect("a file");
    for arguments in ["solve 4x4 --db plain", "solve 4x4 --db plain/below"] {
        let line = program.run(arguments).fails(1);
        assert!(line.contains("plain") && line.contains("check the folder"), "{line}");
    }
}

#[cfg(unix)]
#[test]
fn a_read_only_folder_is_read_and_not_written() {
    use std::os::unix::fs::PermissionsExt;

    let program = Program::with("4x4");
    let set = |name: &str, mode| {
        fs::set_permissions(program.path(name), fs::Permissions::from_mode(mode)).expect("permissions");
    };
    for name in ["db", "db/4x4", FOLDER] {
        set(name, 0o555);
    }
    let is_obeyed = fs::write(program.path("db/probe"), "").is_err();
    program.run("query 4x4 1234").succeeds();
    assert!(program.run("solve 4x4").succeeds().contains("complete already"));
    if is_obeyed {
        for arguments in ["solve 4x3", "solve 4x4 --values wdl", "solve 4x4 --replace"] {
            let line = program.run(arguments).fails(1);
            assert!(line.contains("ermission") && line.contains("check the folder"), "{line}");
        }
        program.run("query 4x4 1234").succeeds();
    } else {
        println!("skipped: this user may write into a read-only folder");
    }
    for name in [FOLDER, "db/4x4", "db"] {
        set(name, 0o755);
    }
}

#[test]
fn one_damaged_manifest_hides_neither_the_other_databases_nor_the_other_kind() {
    let program = Program::with("4x4");
    program.run("solve 4x4 --values wdl").succeeds();
    program.run("solve 2x2c2").succeeds();
    fs::write(program.path(FOLDER).join("manifest"), "nonsense").expect("a file");
    let (table, line) = program.run("list").fails_after_output(1);
    assert!(table.contains("2x2c2  remoteness") && table.contains("4x4    wdl"), "{table}");
    assert!(line.contains("4x4") && line.contains("manifest"), "{line}");
    let (json, _) = program.run("list --json").fails_after_output(1);
    assert_eq!(json.matches("\"board\"").count(), 2, "{json}");
    let (answer, warning) = program.run("query 4x4").warns();
    assert!(answer.contains("first player to move: tie\n"), "{answer}");
    assert!(warning.starts_with("warning: ") && warning.contains("manifest"), "{warning}");
}

#[test]
fn every_command_that_falls_back_to_another_database_says_so() {
    let program = Program::with("4x4");
    program.run("solve 4x4 --values wdl").succeeds();
    fs::write(program.path(FOLDER).join("manifest"), "nonsense").expect("a file");
    for arguments in [
        "query 4x4",
        "query 4x4 1234 --json",
        "query 4x4 --batch",
        "query 4x4 --search auto",
        "analyse 4x4 1234",
        "analyse 4x4 1234 --json",
        "stats 4x4",
        "strategy centre 4x4",
        "strategy follow-up 4x4 --json",
        "match perfect random 4x4 --games 4",
        "grade random 4x4 --sample 20",
        "play 4x4 --first random --second random",
        "play 4x4 --first random",
    ] {
        let (_, stderr) = program.run(arguments).warns();
        let warnings: Vec<&str> = stderr.lines().filter(|line| line.starts_with("warning: ")).collect();
        assert_eq!(warnings.len(), 1, "{arguments}: {stderr}");
        assert!(warnings[0].contains("4x4/remoteness/manifest"), "{arguments}: {stderr}");
        assert!(warnings[0].ends_with("fourbase solve 4x4 --values remoteness --replace"), "{arguments}: {stderr}");
    }
    // These look at no database, or at one that is named.
    program.run("stats 4x4 --values wdl").succeeds();
    program.run("match random pomakis:1 4x4 --games 2").succeeds();
    program.run("query 4x4 1234 --search only").succeeds();
    fs::remove_dir_all(program.path(FOLDER)).expect("a folder");
    program.run("query 4x4").succeeds();
}

#[test]
fn a_checkpoint_that_is_damaged_is_told_and_one_that_is_gone_is_asked_for() {
    let program = Program::new();
    let folder = program.path("db/4x3/remoteness");
    let solve = Solve::new(board("4x3"), Values::Remoteness).with_root(program.path("db")).stepwise();
    solve.run_heard(&StopAfterTiers::new(1)).expect_err("a solve that is stopped");
    let frontier = folder.join("frontier-12.0");
    let whole = fs::read(&frontier).expect("a frontier");
    fs::remove_file(&frontier).expect("a file");
    let line = program.run("solve 4x3").fails(1);
    assert!(line.contains("ply 12") && line.contains("--scratch") && line.contains("--replace"), "{line}");
    fs::write(&frontier, &whole[..whole.len() - 1]).expect("a file");
    let (answer, warning) = program.run("solve 4x3").warns();
    assert!(answer.starts_with("4x3, first player to move: "), "{answer}");
    assert!(warning.starts_with("warning: ") && warning.contains("starting over"), "{warning}");
    assert!(warning.contains("frontier-12") && warning.contains("some blocks cannot be read"), "{warning}");
}

#[test]
fn a_finished_tier_that_was_damaged_meanwhile_is_named_with_the_way_out() {
    let program = Program::new();
    let solve = Solve::new(board("4x3"), Values::Remoteness).with_root(program.path("db")).stepwise();
    solve.run_heard(&StopAfterTiers::new(4)).expect_err("a solve that is stopped");
    flip_a_bit(&program.path("db/4x3/remoteness/tier-11"));
    let line = program.run("solve 4x3").fails(1);
    assert!(line.contains("remoteness/tier-11: the hash is"), "{line}");
    assert!(line.ends_with("fourbase solve 4x3 --values remoteness --replace"), "{line}");
    program.run("solve 4x3 --values remoteness --replace").succeeds();
    program.run("verify 4x3 --sample 100").succeeds();
}
