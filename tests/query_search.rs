//! `fourbase query` where it searches forward: `--search`, `--nodes`, `--threads`, run as a whole.

use serde_json::{Value, json};

use crate::support::program::{Program, keys};

/// Random games on 9x7 without a line, stopped where the end is still some way off.
const LATE_ON_9X7: [&str; 3] = [
    "634125867878564427627994678723524538",
    "66389992595978599165238623365588623453",
    "265282441331245449979694832228193361368399",
];

/// Takes away where an answer comes from.
fn without_source(mut json: Value) -> Value {
    assert!(json["source"].is_object(), "{json}");
    json["source"] = Value::Null;
    json
}

#[test]
fn every_answer_says_where_it_comes_from() {
    let (solved, empty) = (Program::with("4x4"), Program::new());
    let source = |program: &Program, arguments: &str| {
        program.run(&format!("query 4x4 {arguments} --json")).json()["source"].clone()
    };
    let known = source(&solved, "12");
    assert_eq!((&known["kind"], &known["nodes"]), (&json!("database"), &json!(0)));
    let (folder, stores) = (&known["folder"], &known["stores"]);
    assert_eq!(
        (folder, stores, &known["keep_plies"]),
        (&json!("db/4x4/remoteness"), &json!("remoteness"), &json!(null))
    );
    assert!(known["hash"].as_str().is_some_and(|hash| hash.len() == 64), "{known}");
    assert_eq!(source(&solved, "121212")["kind"], json!("board"));
    assert_eq!(source(&solved, "1212121")["kind"], json!("board"));
    let searched = source(&empty, "12 --search only");
    assert!(searched["nodes"].as_u64().is_some_and(|nodes| nodes > 0), "{searched}");
    assert_eq!(
        (&searched["kind"], &searched["folder"], &searched["hash"]),
        (&json!("search"), &json!(null), &json!(null))
    );
    assert_eq!(source(&empty, "1212121 --search only")["nodes"], json!(0));
    // A database that keeps few plies searches later positions by itself.
    empty.run("solve 4x4 --keep-plies 3").succeeds();
    let (json, _) = empty.run("query 4x4 12341234 --json").warns();
    let kept: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!((&kept["source"]["kind"], &kept["source"]["keep_plies"]), (&json!("search"), &json!(3)), "{kept}");
    assert!(kept["source"]["nodes"].as_u64().is_some_and(|nodes| nodes > 0), "{kept}");
}

#[test]
fn a_limit_leaves_what_is_known_and_a_win_on_the_board_costs_nothing() {
    let program = Program::new();
    let shown = program.run("query 7x6 435566 --search only --nodes 10").succeeds();
    assert!(shown.contains("first player to move: win in 1\n"), "{shown}");
    assert!(shown.contains("  win   1\n") && shown.contains("  ?\n"), "{shown}");
    assert!(shown.contains("\n\n?: not decided within 10 nodes; allow more with --nodes, or "), "{shown}");
    assert!(shown.contains("best play: "), "{shown}");
    let json = program.run("query 7x6 435566 --search only --nodes 10 --json").json();
    assert_eq!((&json["value"], &json["remoteness"]), (&json!("win"), &json!(1)));
    assert_eq!((&json["undecided"], &json["error"]), (&json!(false), &json!(null)));
    let children = json["children"].as_array().expect("children");
    assert_eq!((children.len(), &children[0]["value"]), (7, &json!("win")));
    assert_eq!(children[6], json!({"column": 6, "value": null, "remoteness": null}));
    // Moves that lose at once are known even where the value is not.
    let run = program.run("query 7x6 4444 --search only --nodes 10 --json");
    let (json, error) = run.fails_after_output(1);
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!((&json["value"], &json["undecided"], &json["line"]), (&json!(null), &json!(true), &json!(null)));
    assert_eq!(json["error"], json!(error));
    assert_eq!(json["children"].as_array().map(Vec::len), Some(7));
}

#[test]
fn a_limit_of_time_ends_a_search_and_a_note_says_that_it_takes_long() {
    let program = Program::new();
    let line = program.run("query 9x7 123456789 --search only --seconds 0.2").fails(1);
    assert_eq!(line, "not decided within 0.2 seconds; allow more with --seconds, or ask about a later position");
    let run = program.run_with_input("query 9x7 --batch --search only --seconds 0.1", "123456789\n1212121\n");
    let (output, _) = run.fails_after_output(1);
    assert!(output.starts_with("123456789\terror\tnot decided within 0.1 seconds; "), "{output}");
    assert!(output.ends_with("\n1212121\tlose\t0\n"), "{output}");
    for seconds in ["0", "-1", "x", "", "nan", "inf", "1e99"] {
        let line = program.run_arguments(&["query", "9x7", &format!("--seconds={seconds}")]).fails(2);
        assert!(line.contains("is not a number of seconds"), "{line}");
    }
    let child = program.command().args(["query", "9x7", "123456789", "--search", "only", "--seconds", "2.5"]).output();
    let text = String::from_utf8(child.expect("it runs").stderr).expect("UTF-8");
    assert!(text.starts_with("9x7 is still being searched, for at most 2.5 seconds\nerror: not decided"), "{text}");
}

#[test]
fn no_remedy_advises_to_solve_a_board_that_fits_no_machine() {
    let program = Program::new();
    let line = program.run("query 9x7 123456789 --nodes 1000").fails(1);
    assert_eq!(line, "not decided within 1,000 nodes; allow more with --nodes, or ask about a later position");
    let line = program.run("query 9x7 --search never").fails(1);
    assert_eq!(line, "no database of 9x7 in db; a solve of 9x7 does not fit this machine; choose a smaller board");
    let line = program.run("verify 9x7").fails(1);
    assert!(line.ends_with("a solve of 9x7 does not fit this machine; choose a smaller board"), "{line}");
    let line = program.run("query 5x4 --nodes 10").fails(1);
    assert!(line.ends_with("allow more with --nodes, or solve the board first with: fourbase solve 5x4"), "{line}");
}

#[test]
fn a_search_says_what_the_database_says() {
    let program = Program::with("4x4");
    for position in ["-", "1", "12", "1223", "4432", "213344", "121212", "1212121"] {
        let known = program.run(&format!("query 4x4 {position} --search never")).succeeds();
        let json = program.run(&format!("query 4x4 {position} --json --search never")).json();
        for searched in ["--search only", "--search only --threads 1", "--search only --threads 3", "--search auto", ""]
        {
            assert_eq!(program.run(&format!("query 4x4 {position} {searched}")).succeeds(), known);
            let found = program.run(&format!("query 4x4 {position} --json {searched}")).json();
            assert_eq!(without_source(found), without_source(json.clone()));
        }
    }
}

#[test]
fn one_position_is_searched_where_no_database_covers_the_board_and_that_is_told() {
    let (program, solved) = (Program::new(), Program::with("4x4"));
    for search in ["", "--search auto"] {
        let text = program.run(&format!("query 4x4 12 {search}")).succeeds();
        let expected = solved.run("query 4x4 12").succeeds();
        assert_eq!(text, format!("{expected}\nsearched forward: no database of 4x4 in db\n"));
        let (json, note) = program.run(&format!("query 4x4 12 --json --db elsewhere {search}")).warns();
        let json = without_source(serde_json::from_str(&json).expect("JSON"));
        assert_eq!(json, without_source(solved.run("query 4x4 12 --json").json()));
        assert_eq!(note, "searched forward: no database of 4x4 in elsewhere\n");
    }
    assert!(program.run("query 4x4 12 --search never").fails(1).ends_with("make it with: fourbase solve 4x4"));
    assert!(!program.path("db").exists());
}

#[test]
fn a_batch_is_searched_only_if_that_is_asked_for() {
    let program = Program::new();
    assert!(program.run("query 4x4 --batch").fails(1).ends_with("make it with: fourbase solve 4x4"));
    assert!(program.run("query 4x4 --batch --search never").fails(1).ends_with("make it with: fourbase solve 4x4"));
    let (input, expected) = ("\n12\n121212\n1212121\n", "\ttie\t16\n12\ttie\t14\n121212\twin\t1\n1212121\tlose\t0\n");
    assert_eq!(program.run_with_input("query 4x4 --batch --search only", input).succeeds(), expected);
    let (output, note) = program.run_with_input("query 4x4 --batch --search auto", input).warns();
    assert_eq!((output.as_str(), note.as_str()), (expected, "searched forward: no database of 4x4 in db\n"));
    // Long input comes in several portions.
    let many = program.run_with_input("query 4x4 --batch --search only", input.repeat(100)).succeeds();
    assert_eq!(many, expected.repeat(100));
}

#[test]
fn a_search_never_opens_a_database_where_it_is_the_only_one() {
    let program = Program::with("4x4");
    program.damage("db/4x4/remoteness");
    std::fs::write(program.path("db/4x4/remoteness/manifest"), "nonsense").expect("a file");
    assert_eq!(program.run("query 4x4 --json --search only").json()["remoteness"], json!(16));
    // Damage is told, not covered up by a search.
    for search in ["", "--search auto", "--search never"] {
        assert!(program.run(&format!("query 4x4 {search}")).fails(1).contains("manifest"));
    }
}

#[test]
fn a_search_fills_in_the_remoteness_that_a_database_leaves_open_if_that_is_asked_for() {
    let (program, full) = (Program::new(), Program::with("5x4"));
    program.run("solve 5x4 --values wdl").succeeds();
    for position in ["-", "1", "12", "33", "3321", "1234", "222211", "22221"] {
        let (json, note) = program.run(&format!("query 5x4 {position} --json --search auto")).warns();
        let json: Value = serde_json::from_str(&json).expect("JSON");
        let expected = full.run(&format!("query 5x4 {position} --json")).json();
        for key in ["value", "remoteness", "line", "position"] {
            assert_eq!(json[key], expected[key], "{position}: {key}");
        }
        assert_eq!(keys(&json), keys(&expected));
        let moves = |json: &Value| json["children"].as_array().expect("moves").clone();
        let keeps = |of: &&Value| of["value"] == json["value"];
        let (found, expected) = (moves(&json), moves(&expected));
        assert!(found.iter().filter(keeps).eq(expected.iter().filter(keeps)), "{position}: {json}");
        assert!(found.iter().filter(|of| !keeps(of)).all(|of| of["remoteness"].is_null()), "{position}: {json}");
        assert_eq!(found.len(), expected.len());
        assert!(note.starts_with("remoteness searched forward: "), "{note}");
    }
    let input = "\n1\n33\n3321\n";
    let known = full.run_with_input("query 5x4 --batch", input).succeeds();
    assert_eq!(program.run_with_input("query 5x4 --batch --search auto", input).succeeds(), known);
    assert!(program.run("query 5x4 33 --search never --json").json()["remoteness"].is_null());
    assert!(program.run("query 5x4 33 --json").json()["remoteness"].is_null());
}

#[test]
fn a_search_that_comes_to_its_limit_says_so_and_what_to_do() {
    let program = Program::new();
    let line = program.run("query 7x6 --search only --nodes 1000").fails(1);
    assert!(line.starts_with("not decided within 1,000 nodes; allow more with --nodes, or "), "{line}");
    let line = program.run("query 7x6 --search only --nodes 1").fails(1);
    assert!(line.starts_with("not decided within 1 node; allow more with --nodes, or "), "{line}");
    let (_, line) = program.run("query 7x6 --search only --nodes 1 --json").fails_after_output(1);
    assert!(line.starts_with("not decided within 1 node; allow more with --nodes, or "), "{line}");
    for nodes in ["0", "-1", "x", "", "99999999999999999999"] {
        program.run_arguments(&["query", "7x6", &format!("--nodes={nodes}")]).fails(2);
    }
    program.run("query 7x6 --search sometimes").refused();
}

#[test]
fn a_limit_is_for_each_line_of_a_batch_and_outranks_bad_lines() {
    let program = Program::new();
    let input = "\n9\n141414\n14141\n1414141\n-\n";
    let run = program.run_with_input("query 7x6 --batch --search only --nodes 100 --threads 1", input);
    let (output, error) = run.fails_after_output(1);
    let lines = output.lines().collect::<Vec<_>>();
    assert!(lines[0].starts_with("\terror\tnot decided within 100 nodes; "), "{output}");
    assert!(lines[1].starts_with("9\terror\tmove 1"), "{output}");
    assert_eq!((lines[2], lines[4]), ("141414\twin\t1", "1414141\tlose\t0"));
    assert!(lines[5].starts_with("-\terror\tnot decided within 100 nodes; "), "{output}");
    assert!(error.contains("of 6 positions could not be looked up: not decided within 100 nodes"), "{error}");
}

#[test]
fn odd_boards_are_searched() {
    let program = Program::new();
    let cases = [
        ("4x4c1", "", "win", 1, "1"),
        ("9x7c1", "", "win", 1, "1"),
        ("4x4c1m", "", "lose", 1, "1"),
        ("4x4c9", "", "tie", 16, "1111222233334444"),
        ("2x2c99", "1", "tie", 3, "122"),
        ("1x8", "", "tie", 8, "11111111"),
        ("1x63", "11", "tie", 61, &"1".repeat(61)),
        ("1x8c1", "", "win", 1, "1"),
        ("8x1", "", "tie", 8, "12345678"),
        ("2x2c2m", "121", "win", 0, ""),
        ("1x1", "", "tie", 1, "1"),
    ];
    for (board, position, value, remoteness, line) in cases {
        let json = program.run_arguments(&["query", board, position, "--json", "--search", "only"]).json();
        assert_eq!((&json["value"], &json["remoteness"]), (&json!(value), &json!(remoteness)), "{board}: {json}");
        assert_eq!(json["line"].as_str().map(str::len), Some(line.len()), "{board}: {json}");
        if board != "8x1" {
            assert_eq!(json["line"], json!(line), "{board}");
        }
    }
}

#[test]
fn late_positions_of_the_largest_board_are_searched() {
    let program = Program::new();
    for position in LATE_ON_9X7 {
        let json = program.run(&format!("query 9x7 {position} --json --search only")).json();
        let (moves, line) = (json["children"].as_array().expect("moves"), json["line"].as_str().expect("a line"));
        assert_eq!((&moves[0]["value"], &moves[0]["remoteness"]), (&json["value"], &json["remoteness"]));
        assert_eq!(json!(line.len()), json["remoteness"], "{json}");
        assert!(line.len() > 10, "some way off: {json}");
        // Best play goes on as it began.
        for plies in 1..=line.len() {
            let (played, rest) = line.split_at(plies);
            let json = program.run(&format!("query 9x7 {position}{played} --json --search only")).json();
            assert_eq!((&json["line"], &json["remoteness"]), (&json!(rest), &json!(rest.len())), "{position} {played}");
        }
    }
}
