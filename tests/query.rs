//! `fourbase query` for one position, run as a whole.

use std::fs;

use serde_json::{Value, json};

use crate::support::program::{Program, keys};

/// The fields of an answer.
const KEYS: [&str; 11] = [
    "board",
    "children",
    "command",
    "error",
    "line",
    "position",
    "remoteness",
    "schema",
    "source",
    "undecided",
    "value",
];

/// Three pieces each, and whoever is to move wins at once: the first player in column 1, the second would in column 2.
const BEFORE_THE_END: &str = "121212";

#[test]
fn the_json_is_as_documented_to_the_letter() {
    let program = Program::with("2x2c2");
    let json = program.run("query 2x2c2 1 --json").json();
    let hash = json["source"]["hash"].as_str().expect("a hash");
    assert_eq!(hash.len(), 64);
    // After one piece everything wins two plies later; the lowest column is first.
    assert_eq!(
        program.run("query 2x2c2 1 --json").succeeds(),
        format!(
            "{{\"schema\":1,\"command\":\"query\",\"board\":\"2x2c2\",\"position\":{{\"moves\":\"1\",\
             \"bits\":\"010 100\",\"uni\":\"2_-X--\",\"ply\":1,\"to_move\":\"second\"}},\"value\":\"lose\",\
             \"remoteness\":2,\"children\":[{{\"column\":1,\"value\":\"lose\",\"remoteness\":2}},\
             {{\"column\":2,\"value\":\"lose\",\"remoteness\":2}}],\"line\":\"12\",\"source\":{{\"kind\":\"database\",\
             \"folder\":\"db/2x2c2/remoteness\",\"stores\":\"remoteness\",\"keep_plies\":null,\"hash\":\"{hash}\",\
             \"nodes\":0}},\"undecided\":false,\"error\":null}}\n"
        )
    );
}

#[test]
fn the_best_move_comes_first_and_has_the_value_of_the_position() {
    let program = Program::with("4x4");
    for position in ["-", "1", "12", "1223", "4432", "213344", BEFORE_THE_END] {
        let json = program.run(&format!("query 4x4 {position} --json")).json();
        assert_eq!(keys(&json), KEYS, "{position}");
        let moves = json["children"].as_array().expect("moves");
        assert_eq!((&moves[0]["value"], &moves[0]["remoteness"]), (&json["value"], &json["remoteness"]));
        assert!(moves.is_sorted_by_key(rank), "{json}");
        let line = json["line"].as_str().expect("a line");
        assert_eq!(json!(line.len()), json["remoteness"]);
        assert_eq!(moves[0]["column"].to_string(), line[..1]);
    }
}

/// How far from the best a move is: wins, soonest first, ties, losses, latest first, each by column.
fn rank(of: &Value) -> (u8, i64, i64) {
    let (remoteness, column) = (of["remoteness"].as_i64().expect("a number"), of["column"].as_i64().expect("a number"));
    match of["value"].as_str() {
        Some("win") => (0, remoteness, column),
        Some("tie") => (1, 0, column),
        _ => (2, -remoteness, column),
    }
}

#[test]
fn a_win_at_once_is_one_ply_away() {
    let program = Program::with("4x4");
    let json = program.run(&format!("query 4x4 {BEFORE_THE_END} --json")).json();
    assert_eq!((&json["value"], &json["remoteness"], &json["line"]), (&json!("win"), &json!(1), &json!("1")));
    assert_eq!(json["children"][0], json!({"column": 1, "value": "win", "remoteness": 1}));
    // Whatever else the first player does but take column 2, the second player wins at once.
    assert_eq!(json["children"][2]["value"], json!("lose"));
    assert_eq!(json["children"][2]["remoteness"], json!(2));
}

#[test]
fn a_finished_game_has_no_moves() {
    let program = Program::with("4x4");
    let json = program.run(&format!("query 4x4 {BEFORE_THE_END}1 --json")).json();
    assert_eq!(
        (&json["value"], &json["remoteness"], &json["position"]["to_move"]),
        (&json!("lose"), &json!(0), &json!("second"))
    );
    assert_eq!((&json["children"], &json["line"]), (&json!([]), &json!("")));
    let text = program.run(&format!("query 4x4 {BEFORE_THE_END}1")).succeeds();
    assert!(text.ends_with("\n1 2 3 4\n\nsecond player to move: lose in 0 (the game is over)\n"), "{text}");
}

#[test]
fn a_completed_line_wins_for_the_player_to_move_under_misere() {
    let program = Program::with("2x2c2m");
    let json = program.run("query 2x2c2m 121 --json").json();
    assert_eq!((&json["value"], &json["remoteness"], &json["children"]), (&json!("win"), &json!(0), &json!([])));
}

#[test]
fn people_get_a_drawing_a_sentence_and_the_columns() {
    let program = Program::with("2x2c2");
    assert_eq!(
        program.run("query 2x2c2 1").succeeds(),
        ". .\nX .\n1 2\n\nsecond player to move: lose in 2\n\n1  lose  2\n2  lose  2\n\nbest play: 12\n"
    );
}

#[test]
fn every_notation_asks_about_the_same_position() {
    let program = Program::with("4x4");
    let expected = program.run("query 4x4 121213").succeeds();
    let questions: [&[&str]; 5] = [
        &["1_-XXX--OO---O----"],
        &["00010 11100 11000 10000"],
        &["00010", "11100", "11000", "10000"],
        &["00010 11100", "11000 10000"],
        &["121213"],
    ];
    for position in questions {
        let arguments = [&["query", "4x4"], position].concat();
        assert_eq!(program.run_arguments(&arguments).succeeds(), expected, "{position:?}");
    }
}

#[test]
fn no_position_is_the_empty_board() {
    let program = Program::with("2x2");
    let expected = program.run("query 2x2").succeeds();
    for position in ["-", "", "100 100", "1_----"] {
        assert_eq!(program.run_arguments(&["query", "2x2", position]).succeeds(), expected, "{position}");
    }
    assert_eq!(program.run("query 2x2 --json").json()["position"]["ply"], json!(0));
}

#[test]
fn a_database_without_remoteness_says_null() {
    let program = Program::new();
    program.run("solve 4x4 --values wdl").succeeds();
    let json = program.run("query 4x4 12 --json").json();
    assert!(json["remoteness"].is_null() && json["line"].is_null());
    assert!(json["children"].as_array().expect("moves").iter().all(|of| of["remoteness"].is_null()), "{json}");
    assert_eq!(json["value"], json!("tie"));
    let text = program.run("query 4x4").succeeds();
    let expected = "first player to move: tie\n\n1  tie\n2  tie\n3  tie\n4  tie\n";
    assert!(text.ends_with(expected), "{text}");
    // The finished game is as far away as it looks, but this database does not count.
    assert!(program.run(&format!("query 4x4 {BEFORE_THE_END}1 --json")).json()["remoteness"].is_null());
}

#[test]
fn remoteness_is_preferred_where_both_are_solved() {
    let program = Program::new();
    program.run("solve 2x2c2 --values wdl").succeeds();
    assert!(program.run("query 2x2c2 --json").json()["remoteness"].is_null());
    program.run("solve 2x2c2").succeeds();
    assert_eq!(program.run("query 2x2c2 --json").json()["remoteness"], json!(3));
}

#[test]
fn a_well_formed_position_that_no_play_reaches_is_answered() {
    let program = Program::with("4x4");
    // The second player's piece is below everything.
    let json = program.run("query 4x4 10100 10000 10000 10000 --json").json();
    assert_eq!((&json["position"]["ply"], &json["position"]["to_move"]), (&json!(2), &json!("first")));
}

#[test]
fn what_is_no_position_is_bad_input_and_is_told_exactly() {
    let program = Program::with("4x4");
    let mistakes = [
        ("12A", "move 3 is 'A'"),
        ("1-", "move 2 is '-'"),
        ("15", "column 5 is outside the board"),
        ("11111", "move 5, '1': column 1 is full"),
        ("12121212", "the first player has won"),
        ("10000 10000 10000", "3"),
        ("10000 10000 10000 10000 10000", "5"),
        ("10000 1000 10000 10000", "column 2"),
        ("10000 10200 10000 10000", "'2'"),
        ("00000 10000 10000 10000", "column 1"),
        ("00100 10000 10000 10000", "the first player has 2 and the second player 0 pieces"),
        ("11000 10000 10000 10000", "the first player has 0 and the second player 1 pieces"),
        ("00001 11110 10000 11000", "the first player is to move and has a line"),
        ("00001 11111 10000 10000", "both players have a line"),
        ("1_---", "16"),
        ("3_----------------", "'3'"),
        ("1_---x------------", "'x'"),
        ("2_X---------------", "floats above an empty cell"),
        ("2_----------------", "the first player"),
        ("1_--XX------------", "the first player has 2 and the second player 0 pieces"),
        ("４", "U+FF14"),
        ("1\u{1b}[31m", "\\u{1b}"),
    ];
    for (position, reason) in mistakes {
        for subcommand in ["query", "position"] {
            let line = program.run_arguments(&[subcommand, "4x4", position]).fails(2);
            assert!(line.contains(reason), "{position}: {line}");
        }
    }
}

#[test]
fn a_mistake_is_told_even_where_there_is_no_database() {
    assert!(Program::new().run("query 4x4 9").fails(2).contains("column 9"));
}

#[test]
fn a_damaged_database_is_a_failure_that_names_the_file() {
    let program = Program::with("4x4");
    program.damage("db/4x4/remoteness");
    assert!(program.run("query 4x4 1").fails(1).contains("tier-"));
    fs::write(program.path("db/4x4/remoteness/manifest"), "nonsense").expect("a file");
    assert!(program.run("query 4x4 1").fails(1).contains("manifest"));
}

#[test]
fn the_size_of_the_cache_changes_no_answer() {
    let program = Program::with("4x4");
    let input = "\n1\n12\n121\n1212\n44\n3322\n";
    let answer = program.run("query 4x4 3321 --json").succeeds();
    let answers = program.run_with_input("query 4x4 --batch", input).succeeds();
    for size in ["0", "1", "4K", "64M", "1.5GiB"] {
        assert_eq!(program.run(&format!("query 4x4 3321 --json --cache {size}")).succeeds(), answer);
        let batch = format!("query 4x4 --batch --cache {size}");
        assert_eq!(program.run_with_input(&batch, input).succeeds(), answers);
    }
    for size in ["", "-1", "1Q", "x"] {
        let line = program.run_arguments(&["query", "4x4", &format!("--cache={size}")]).fails(2);
        assert!(line.contains("512M"), "{line}");
    }
}
