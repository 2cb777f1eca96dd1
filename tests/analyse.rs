//! `fourbase analyse`, run as a whole.

use serde_json::json;

use crate::support::program::{Program, keys};

#[test]
fn a_game_is_told_move_by_move() {
    let program = Program::with("5x4");
    let expected = "\
. . . . .
. . . . .
X O . . .
X O X O .
1 2 3 4 5

5x4 after 6 moves: first player to move, tie in 14

move       before      gave away    best
   1  X 1  tie in 20   tie to lose  234
   2  O 2  win in 19
   3  X 3  lose in 18
   4  O 4  win in 17   win to tie   23
   5  X 1  tie in 16   tie to lose  3
   6  O 2  win in 15   win to tie   3

first player: mistakes in move 1 (tie to lose), move 5 (tie to lose)
second player: mistakes in move 4 (win to tie), move 6 (win to tie)
";
    assert_eq!(program.run("analyse 5x4 123412").succeeds(), expected);
}

#[test]
fn an_analysis_for_programs_has_every_figure() {
    let program = Program::with("5x4");
    let json = program.run("analyse 5x4 12341 --json").json();
    assert_eq!(
        keys(&json),
        ["board", "mistakes_of_first", "mistakes_of_second", "moves", "over", "plies", "remoteness", "value", "winner"]
    );
    let last = &json["plies"][4];
    assert_eq!(
        last,
        &json!({
            "move": 5, "player": "first", "column": 1, "value": "tie", "remoteness": 16, "played_value": "lose",
            "played_remoteness": 16, "keeps": false, "plies_lost": null, "best_columns": [3],
        })
    );
    assert_eq!(
        json["mistakes_of_first"],
        json!([{"move": 1, "from": "tie", "to": "lose"}, {"move": 5, "from": "tie", "to": "lose"}])
    );
    assert_eq!((&json["over"], &json["winner"], &json["value"]), (&json!(false), &json!(null), &json!("win")));
}

#[test]
fn a_search_says_what_the_database_says() {
    let (known, unknown) = (Program::with("4x4"), Program::new());
    for moves in ["-", "1", "1212121", "1223344", "121323"] {
        let text = known.run(&format!("analyse 4x4 {moves}")).succeeds();
        let searched = unknown.run(&format!("analyse 4x4 {moves}")).succeeds();
        assert_eq!(searched, format!("{text}\nsearched forward: no database of 4x4 in db\n"));
        assert_eq!(known.run(&format!("analyse 4x4 {moves} --search only")).succeeds(), text);
    }
    let line = unknown.run("analyse 4x4 12 --search never").fails(1);
    assert!(line.ends_with("make it with: fourbase solve 4x4"), "{line}");
}

#[test]
fn a_finished_game_has_its_winner() {
    let program = Program::with("4x4");
    assert!(program.run("analyse 4x4 1212121").succeeds().contains("4x4 after 7 moves: the first player has won\n"));
    let json = program.run("analyse 4x4 1212121 --json").json();
    assert_eq!((&json["over"], &json["winner"], &json["value"]), (&json!(true), &json!("first"), &json!("lose")));
    assert_eq!(json["mistakes_of_second"], json!([{"move": 6, "from": "tie", "to": "lose"}]));
    let json = Program::new().run("analyse 2x2 1122 --json --search only").json();
    assert_eq!((&json["over"], &json["winner"]), (&json!(true), &json!(null)));
    assert!(program.run("analyse 4x4 -").succeeds().contains("4x4 after 0 moves: first player to move, tie in 16"));
}

#[test]
fn what_was_not_decided_is_told_and_the_rest_is_there() {
    let program = Program::new();
    let shown = program.run("analyse 7x6 444444552266 --nodes 20000").succeeds();
    assert!(shown.contains("   1  X 4  ?"), "{shown}");
    assert!(shown.contains("? was not decided; allow more with --nodes"), "{shown}");
}

#[test]
fn moves_that_cannot_be_played_are_bad_input() {
    let program = Program::new();
    for (moves, reason) in [
        ("11111", "move 5, '1': column 1 is full"),
        ("12121212", "the game ended with move 7"),
        ("15", "move 2, '5'"),
        ("1x", "move 2, 'x'"),
        ("10100 10010 11010 01010", "is not a game; write its moves"),
        ("1_-XXX--OO---O----", "is not a game; write its moves"),
        ("\u{1b}[31m", "names no column"),
    ] {
        let line = program.run_arguments(&["analyse", "4x4", moves]).fails(2);
        assert!(line.contains(reason), "{line}");
    }
    program.run("analyse 4x4").refused();
    assert!(program.run_arguments(&["analyse", "4x4", &"1".repeat(100_000)]).fails(2).len() < 400);
}
