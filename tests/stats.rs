//! `fourbase stats`, run as a whole.

use std::fs;

use serde_json::{Value, json};

use crate::support::program::{Program, keys};

/// The sum of one key over an array of objects.
fn sum(array: &Value, key: &str) -> u64 {
    array.as_array().expect("an array").iter().map(|row| row[key].as_u64().expect("a number")).sum()
}

#[test]
fn the_json_has_the_documented_keys_and_adds_up() {
    let program = Program::with("4x4");
    let json = program.run("stats 4x4 --json").json();
    let expected = [
        "board",
        "command",
        "folder",
        "hash",
        "keep_plies",
        "legal",
        "lose",
        "outcomes",
        "plies",
        "primitive",
        "resume_folder",
        "schema",
        "stopped",
        "stores",
        "tie",
        "tiers",
        "tiers_done",
        "win",
        "with_line",
    ];
    assert_eq!(keys(&json), expected);
    let of_ply = ["legal", "lose", "outcomes", "ply", "primitive", "tie", "win", "with_line"];
    assert_eq!(keys(&json["plies"][0]), of_ply);
    for ply in json["plies"].as_array().expect("plies") {
        assert_eq!(json!(sum(&ply["outcomes"], "legal")), ply["legal"]);
    }
    assert_eq!(keys(&json["outcomes"][0]), ["example", "legal", "remoteness", "value"]);
    for key in ["legal", "primitive", "with_line", "win", "lose", "tie"] {
        assert_eq!(sum(&json["plies"], key), json[key].as_u64().expect("a number"), "{key}");
    }
    assert_eq!(json!(sum(&json["outcomes"], "legal")), json["legal"]);
    assert_eq!(json["plies"].as_array().expect("plies").len(), 17);
}

#[test]
fn the_counts_of_4x4_are_those_that_are_known() {
    let program = Program::with("4x4");
    let json = program.run("stats 4x4 --json").json();
    // The total is John Tromp's.
    assert_eq!((&json["board"], &json["legal"]), (&json!("4x4"), &json!(161_029)));
    // 25,780 finishing moves lead to as many lines.
    let rows = json["outcomes"].as_array().expect("an array");
    let finished = rows.iter().find(|row| row["value"] == "lose" && row["remoteness"] == 0).expect("a row");
    assert_eq!(finished["legal"], json!(21_404));
    assert_eq!(
        program.run(&format!("query 4x4 {} --json", finished["example"].as_str().expect("moves"))).json()["remoteness"],
        json!(0)
    );
    assert_eq!(
        json["plies"][0],
        json!({
            "ply": 0, "legal": 1, "primitive": 0, "with_line": 0, "win": 0, "lose": 0, "tie": 1,
            "outcomes": [{"value": "tie", "remoteness": 16, "legal": 1, "example": ""}],
        })
    );
}

#[test]
fn a_line_under_misere_is_a_win_in_nothing() {
    let program = Program::with("2x2c2m");
    let json = program.run("stats 2x2c2m --json").json();
    let remoteness = json["outcomes"].as_array().expect("an array");
    assert_eq!(remoteness[0]["value"], json!("win"));
    assert_eq!((&remoteness[0]["remoteness"], &remoteness[0]["legal"]), (&json!(0), &json["primitive"]));
}

#[test]
fn values_alone_have_counts_without_remoteness() {
    let program = Program::new();
    program.run("solve 4x4 --values wdl").succeeds();
    let json = program.run("stats 4x4 --json").json();
    assert_eq!(json["legal"], json!(161_029));
    let remoteness = json["outcomes"].as_array().expect("an array");
    assert_eq!(remoteness.len(), 3);
    assert!(remoteness.iter().all(|row| row["remoteness"].is_null()), "{json}");
    assert!(!program.run("stats 4x4").succeeds().contains("remoteness"));
}

#[test]
fn people_get_a_table_of_plies_and_one_of_remotenesses() {
    let program = Program::with("1x2");
    assert_eq!(
        program.run("stats 1x2").succeeds(),
        "1x2: 3 legal positions\n\n\
         ply  legal  primitive  win  lose  tie\n  \
           0      1          0    0     0    1\n  \
           1      1          0    0     0    1\n  \
           2      1          1    0     0    1\n\
         all      3          1    0     0    3\n\n\
         remoteness  win  lose  tie\n         \
                  0    0     0    1\n         \
                  1    0     0    1\n         \
                  2    0     0    1\n"
    );
}

#[test]
fn the_longest_win_and_loss_are_told_and_are_what_is_said() {
    let program = Program::with("4x4c3");
    let text = program.run("stats 4x4c3").succeeds();
    let longest = "\n\nthe longest win takes 13 plies: 2 positions at ply 2, such as 42\n\
                   the longest loss takes 14 plies: 2 positions at ply 1, such as 1\n";
    assert!(text.ends_with(longest), "{text}");
    for (moves, value, plies) in [("42", "win", 13), ("1", "lose", 14)] {
        let json = program.run(&format!("query 4x4c3 {moves} --json")).json();
        assert_eq!((&json["value"], &json["remoteness"]), (&json!(value), &json!(plies)));
    }
}

#[test]
fn every_row_of_the_table_for_programs_has_an_example_of_its_outcome() {
    let program = Program::with("4x4");
    let table = program.run("stats 4x4 --csv").succeeds();
    let (header, rows) = table.split_once('\n').expect("rows");
    assert_eq!(header, "ply,value,remoteness,positions,example");
    let rows: Vec<Vec<&str>> = rows.lines().map(|row| row.split(',').collect()).collect();
    assert_eq!(rows.iter().map(|row| row[3].parse::<u64>().expect("a count")).sum::<u64>(), 161_029);
    let examples: String = rows.iter().map(|row| format!("{}\n", row[4])).collect();
    let answers = program.run_with_input("query 4x4 --batch", examples.as_str()).succeeds();
    assert_eq!(answers.lines().count(), rows.len());
    for (answer, row) in answers.lines().zip(&rows) {
        assert_eq!(answer, [row[4], row[1], row[2]].join("\t"));
    }
    let legal = program.run("stats 4x4 --legal --csv").succeeds();
    assert!(legal.starts_with("ply,positions,primitive,with_line\n0,1,0,0\n"), "{legal}");
    assert!(legal.ends_with("\n16,7244,7244,1908\n"), "{legal}");
    program.run("stats 4x4 --csv --json").refused();
}

#[test]
fn counts_are_kept_beside_the_database_and_only_believed_if_they_belong_to_it() {
    let program = Program::with("3x3c3");
    let kept = program.path("db/3x3c3/remoteness.stats.json");
    assert!(!kept.exists());
    let counted = program.run("stats 3x3c3 --json").succeeds();
    let sound = fs::read_to_string(&kept).expect("kept counts");
    assert_eq!(program.run("stats 3x3c3 --json").succeeds(), counted);

    // What is kept is what is told, without counting again: nothing is written.
    let written = fs::metadata(&kept).and_then(|file| file.modified()).expect("a time");
    program.run("stats 3x3c3 --json").succeeds();
    assert_eq!(fs::metadata(&kept).and_then(|file| file.modified()).expect("a time"), written);

    // Those of another database are no damage.
    let other = Program::with("3x3c3m");
    other.run("stats 3x3c3m").succeeds();
    fs::copy(other.path("db/3x3c3m/remoteness.stats.json"), &kept).expect("a copy");
    assert_eq!(program.run("verify 3x3c3 --json").json()["sound"], json!(true));
    assert_eq!(program.run("stats 3x3c3 --json").succeeds(), counted);
    assert_eq!(fs::read_to_string(&kept).expect("kept counts"), sound);
}

#[test]
fn a_solve_that_counts_leaves_the_counts_beside_the_database() {
    let program = Program::new();
    let text = program.run("solve 4x4 --stats").succeeds();
    assert!(text.ends_with("161,029 legal positions; their values: fourbase stats 4x4\n"), "{text}");
    let kept = program.path("db/4x4/remoteness.stats.json");
    let written = fs::metadata(&kept).and_then(|file| file.modified()).expect("a time");
    let told = program.run("stats 4x4").succeeds();
    assert_eq!(fs::metadata(&kept).and_then(|file| file.modified()).expect("a time"), written);
    assert_eq!(told, Program::with("4x4").run("stats 4x4").succeeds());
    program.run("solve 4x4 --stats").succeeds();
    program.run("solve 4x4c3").succeeds();
    let error = program.run("solve 4x4c3 --stats").fails(1);
    assert!(error.contains("some tiers were solved without counting them"), "{error}");
    assert!(error.contains("then: fourbase stats 4x4c3; or start over with --replace"), "{error}");
    program.run("solve 4x4c3 --stats --replace").succeeds();
    program.run("solve 4x4 --stats --dry-run").refused();
}

/// Counts that were changed by hand, and what is said of them.
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
    assert!(program.run("verify 3x3c3").succeeds().starts_with("3x3c3 remoteness: sound\n"));
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
        program.run("verify 3x3c3").succeeds();
    }
}

#[test]
fn kept_counts_without_end_are_not_read() {
    let program = Program::with("2x2c2");
    let kept = program.path("db/2x2c2/remoteness.stats.json");
    // A hole of a terabyte.
    let file = fs::File::create(&kept).expect("a file");
    if file.set_len(1 << 40).is_err() {
        println!("skipped: no file of a terabyte here");
        return;
    }
    let (_, warning) = program.run("stats 2x2c2").warns();
    assert!(warning.contains("the file is too long") && warning.contains("counting again"), "{warning}");
    program.run("stats 2x2c2").succeeds();
}

#[test]
fn counts_that_cannot_be_kept_are_told_all_the_same() {
    let program = Program::with("2x2c2");
    // A folder is in the way.
    fs::create_dir_all(program.path("db/2x2c2/remoteness.stats.json")).expect("a folder");
    let (output, warning) = program.run("stats 2x2c2").warns();
    assert!(output.starts_with("2x2c2: "), "{output}");
    assert!(warning.contains("warning: cannot keep the counts: "), "{warning}");
}

#[test]
fn counts_of_a_database_that_another_process_holds_are_not_kept_and_the_path_is_told_once() {
    let program = Program::with("2x2c2");
    let lock = fs::File::create(program.path("db/2x2c2/remoteness.lock")).expect("a file");
    lock.lock().expect("a lock");
    let (_, warning) = program.run("stats 2x2c2").warns();
    let expected = "warning: cannot keep the counts: db/2x2c2/remoteness is in use by another process\n";
    assert_eq!(warning, expected);
}

#[test]
fn a_database_that_cannot_be_opened_is_a_failure_that_names_the_file() {
    let program = Program::with("2x2c2");
    fs::write(program.path("db/2x2c2/remoteness/manifest"), "nonsense").expect("a file");
    assert!(program.run("stats 2x2c2").fails(1).contains("manifest"));
}

#[test]
fn legal_positions_alone_need_no_database_and_leave_nothing_behind() {
    let program = Program::new();
    let json = program.run("stats 4x4 --legal --json").json();
    for key in ["stores", "folder", "keep_plies", "hash", "win", "lose", "tie", "outcomes"] {
        assert!(json[key].is_null(), "{key}: {json}");
    }
    // The total is John Tromp's.
    assert_eq!((&json["legal"], &json["with_line"]), (&json!(161_029), &json!(21_404)));
    assert_eq!(
        json["plies"][16],
        json!({
            "ply": 16, "legal": 7_244, "primitive": 7_244, "with_line": 1_908, "win": null, "lose": null, "tie": null,
            "outcomes": null,
        })
    );
    for key in ["legal", "primitive", "with_line"] {
        assert_eq!(sum(&json["plies"], key), json[key].as_u64().expect("a number"), "{key}");
    }
    for scratch in ["scratch", "new/and/deep"] {
        let files = program.run(&format!("stats 4x4 --legal --json --scratch {scratch}")).json();
        assert_eq!(files, json);
    }
    assert!(fs::read_dir(program.path("")).expect("a folder").next().is_none(), "nothing is left");
}

#[test]
fn values_are_counted_without_a_database_where_they_are_named() {
    let program = Program::with("3x3c3");
    let counted = program.run("stats 3x3c3 --json").json();
    let empty = Program::new();
    assert!(empty.run("stats 3x3c3").fails(1).contains("no database of 3x3c3"));
    for arguments in ["", " --scratch scratch", " --memory 1G"] {
        let json = empty.run(&format!("stats 3x3c3 --values remoteness --json{arguments}")).json();
        assert_eq!((&json["plies"], &json["outcomes"]), (&counted["plies"], &counted["outcomes"]));
        assert_eq!((&json["folder"], &json["hash"], &json["stores"]), (&json!(null), &json!(null), &counted["stores"]));
    }
    let wdl = empty.run("stats 3x3c3 --values wdl --json --scratch scratch").json();
    let without_outcomes = |json: &serde_json::Value| {
        let mut plies = json["plies"].clone();
        plies.as_array_mut().expect("plies").iter_mut().for_each(|ply| ply["outcomes"] = json!(null));
        plies
    };
    let plies = [&wdl, &counted].map(without_outcomes);
    assert_eq!((&plies[0], wdl["outcomes"].as_array().map(Vec::len)), (&plies[1], Some(3)));
    assert!(fs::read_dir(empty.path("")).expect("a folder").next().is_none(), "nothing is left");
}

#[test]
fn a_count_that_fits_no_memory_is_a_failure_with_both_figures() {
    let program = Program::new();
    for arguments in ["stats 5x4 --legal --memory 1M", "stats 5x4 --values wdl --memory 1M"] {
        let message = program.run(arguments).fails(1);
        assert!(message.contains("the limit is 1.0 MiB") && message.contains("--memory"), "{message}");
    }
    assert!(program.run("stats 8x8 --legal --memory 1G").fails(1).contains("8x8"));
    assert!(program.run("stats 5x4 --legal --values wdl").refused().contains("--values"));
    assert!(program.run("stats 5x4 --legal --memory much").fails(2).contains("is not a size"));
    fs::write(program.path("file"), "").expect("a file");
    assert!(program.run("stats 4x4 --legal --scratch file").fails(1).contains("file/4x4"));
}
