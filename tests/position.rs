//! `fourbase position`, run as a whole. (What is no position is tested with `fourbase query`, which reads the same.)

use crate::support::program::Program;

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
