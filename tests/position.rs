//! `fourbase position`, run as a whole. (What is no position is tested with `fourbase query`, which reads the same.)

use serde_json::{Value, json};

use crate::support::program::{Program, keys};

#[test]
fn a_position_is_drawn_and_listed_in_every_form() {
    assert_eq!(
        Program::new().run("position 4x4 211213").succeeds(),
        ". . . .\nX . . .\nX O . .\nO X O .\n1 2 3 4\n\n\
         ply    6, first player to move\n\
         moves  211213\n\
         bits   10010 01100 11000 10000\n\
         uni    1_-XXO--OX---O----\n"
    );
}

#[test]
fn every_form_is_converted_to_every_other() {
    let program = Program::new();
    let board = ". . . .\nX . . .\nX O . .\nO X O .\n1 2 3 4";
    let forms = [("moves", "211213"), ("bits", "10010 01100 11000 10000"), ("uni", "1_-XXO--OX---O----")];
    for (_, from) in forms {
        for (to, expected) in forms.into_iter().chain([("board", board)]) {
            let output = program.run_arguments(&["position", "4x4", from, "--to", to]).succeeds();
            assert_eq!(output, format!("{expected}\n"), "{from} to {to}");
        }
    }
    assert_eq!(program.run("position 4x4 10010 01100 11000 10000 --to moves").succeeds(), "211213\n");
}

#[test]
fn moves_are_the_smallest_order() {
    assert_eq!(Program::new().run("position 4x4 4231 --to moves").succeeds(), "3142\n");
}

#[test]
fn the_empty_board_is_a_dash() {
    let program = Program::new();
    for position in ["-", "", "10000 10000 10000 10000", "1_----------------"] {
        assert_eq!(program.run_arguments(&["position", "4x4", position, "--to", "moves"]).succeeds(), "-\n");
    }
}

#[test]
fn columns_beyond_the_ninth_are_letters() {
    let program = Program::new();
    assert_eq!(program.run("position 32x2 9aw --to moves").succeeds(), "9aw\n");
    assert!(program.run("position 32x2 9x").fails(2).contains("column 33"));
}

#[test]
fn a_finished_game_says_so() {
    let program = Program::new();
    let text = program.run("position 4x4 1212121").succeeds();
    assert!(text.contains("\nply    7, the game is over, lose for the second player\n"), "{text}");
    let text = program.run("position 4x4m 1212121").succeeds();
    assert!(text.contains("\nply    7, the game is over, win for the second player\n"), "{text}");
    let text = program.run("position 1x1 1").succeeds();
    assert!(text.contains("\nply    1, the game is over, tie for the second player\n"), "{text}");
}

#[test]
fn a_position_that_no_play_reaches_has_every_form_but_moves() {
    let program = Program::new();
    let position = ["position", "4x4", "10100 10000 10000 10000"];
    let text = program.run_arguments(&position).succeeds();
    assert!(text.contains("\nmoves  none: no play reaches this position"), "{text}");
    assert!(text.ends_with("\nuni    1_--XO------------\n"), "{text}");
    let line = program.run_arguments(&[&position[..], &["--to", "moves"]].concat()).fails(2);
    assert!(line.starts_with("no play reaches this position"), "{line}");
    program.run_arguments(&[&position[..], &["--to", "uni"]].concat()).succeeds();
}

#[test]
fn the_largest_boards_need_no_database() {
    let program = Program::new();
    for board in ["8x8", "1x64", "9x7", "16x4c255m"] {
        assert_eq!(program.run(&format!("position {board} 11 --to moves")).succeeds(), "11\n", "{board}");
    }
}

#[test]
fn a_mirror_image_and_the_canonical_one_are_written() {
    let program = Program::new();
    assert_eq!(program.run("position 4x4 112 --mirror --to moves").succeeds(), "443\n");
    for typed in ["112", "443"] {
        let output = program.run(&format!("position 4x4 {typed} --canonical --to bits")).succeeds();
        assert_eq!(output, "01100 01000 10000 10000\n");
    }
}

#[test]
fn a_position_for_programs_has_every_form() {
    let program = Program::new();
    let json = program.run("position 4x4 4231 --json").json();
    assert_eq!(
        keys(&json),
        ["board", "canonical", "command", "drawing", "error", "mirror", "over", "position", "schema", "value"]
    );
    assert_eq!((&json["schema"], &json["command"], &json["board"]), (&json!(1), &json!("position"), &json!("4x4")));
    let position = json!({
        "moves": "4231", "bits": "11000 11000 01000 01000", "uni": "1_---O---O---X---X", "ply": 4, "to_move": "first",
    });
    assert_eq!(json["position"], position);
    assert_eq!((&json["over"], &json["value"]), (&json!(false), &json!(null)));
    assert_eq!(json["canonical"]["bits"], json!("01000 01000 11000 11000"));
    assert_eq!(json["mirror"], json["canonical"]);
    assert_eq!(json["drawing"], json!(". . . .\n. . . .\n. . . .\nO O X X\n1 2 3 4"));
    let json = program.run("position 4x4 1212121 --json").json();
    assert_eq!((&json["over"], &json["value"]), (&json!(true), &json!("lose")));
    let unreachable = program.run_arguments(&["position", "4x4", "10100 10000 10000 10000", "--json"]).json();
    assert_eq!(unreachable["position"]["moves"], json!(null));
    assert_eq!(program.run("position 4x4 - --json").json()["position"]["moves"], json!(""));
    let mirrored = program.run("position 4x4 112 --mirror --json").json();
    assert_eq!((&mirrored["position"]["moves"], &mirrored["mirror"]["moves"]), (&json!("443"), &json!("112")));
}

#[test]
fn a_batch_of_positions_is_converted_line_by_line() {
    let program = Program::new();
    let input = "4231 a\n9\n10100 10000 10000 10000 b\n";
    let (output, error) = program.run_with_input("position 4x4 --batch", input).fails_after_output(2);
    let lines = output.lines().collect::<Vec<_>>();
    assert_eq!(lines[0], "4231\t3142\t11000 11000 01000 01000\t1_---O---O---X---X\ta");
    assert!(lines[1].starts_with("9\terror\tmove 1, '9'"), "{output}");
    assert!(lines[2].starts_with("10100 10000 10000 10000\tnone\t10100 10000 10000 10000\t"), "{output}");
    assert_eq!(error, "1 of 3 lines is no position of 4x4; its answer says why");
    let output = program.run_with_input("position 4x4 --batch --canonical --to bits", "443\n").succeeds();
    assert_eq!(output, "443\t01100 01000 10000 10000\n");
    let (output, _) = program.run_with_input("position 4x4 --batch --to moves", input).fails_after_output(2);
    assert!(output.lines().nth(2).is_some_and(|line| line.contains("\terror\tno play reaches")), "{output}");
    let (output, _) = program.run_with_input("position 4x4 --batch --json", input).fails_after_output(2);
    let lines = output.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect::<Vec<Value>>();
    assert_eq!((&lines[0]["input"], &lines[0]["position"]["moves"]), (&json!("4231 a"), &json!("4231")));
    assert_eq!((&lines[1]["position"], &lines[1]["drawing"]), (&json!(null), &json!(null)));
    assert!(lines[1]["error"].is_string() && lines[0]["error"].is_null());
    assert!(lines.iter().all(|line| keys(line) == keys(&lines[0])));
    assert!(program.run("position 4x4 --batch --to board").fails(2).contains("several lines"));
}
