//! `fourbase query` where it searches forward: `--search`, `--nodes`, `--threads`, run as a whole.

use serde_json::{Value, json};

use crate::support::program::{Program, keys};

/// Random games on 9x7 without a line, stopped where the end is still some way off.
const LATE_ON_9X7: [&str; 3] = [
    "634125867878564427627994678723524538",
    "66389992595978599165238623365588623453",
    "265282441331245449979694832228193361368399",
];

#[test]
fn a_search_says_what_the_database_says() {
    let program = Program::with("4x4");
    for position in ["-", "1", "12", "1223", "4432", "213344", "121212", "1212121"] {
        for form in ["", "--json"] {
            let known = program.run(&format!("query 4x4 {position} {form} --search never")).succeeds();
            for searched in ["--search only", "--search only --threads 1", "--search only --threads 3", "--search auto"]
            {
                assert_eq!(program.run(&format!("query 4x4 {position} {form} {searched}")).succeeds(), known);
            }
            assert_eq!(program.run(&format!("query 4x4 {position} {form}")).succeeds(), known);
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
        assert_eq!(json, solved.run("query 4x4 12 --json").succeeds());
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
        for key in ["value", "remoteness", "line", "ply", "position"] {
            assert_eq!(json[key], expected[key], "{position}: {key}");
        }
        assert_eq!(keys(&json), keys(&expected));
        let moves = |json: &Value| json["moves"].as_array().expect("moves").clone();
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
    for form in ["", "--json"] {
        let line = program.run(&format!("query 7x6 {form} --nodes 1000")).fails(1);
        assert!(line.starts_with("not decided within 1000 nodes; allow more with --nodes, or "), "{line}");
        assert!(line.ends_with("make it with: fourbase solve 7x6)"), "{line}");
        let line = program.run(&format!("query 7x6 {form} --search only --nodes 1")).fails(1);
        assert!(line.starts_with("not decided within 1 nodes; allow more with --nodes, or "), "{line}");
    }
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
        let (moves, line) = (json["moves"].as_array().expect("moves"), json["line"].as_str().expect("a line"));
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
