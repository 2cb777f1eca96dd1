//! `fourbase analyse`, run as a whole.

use serde_json::{Value, json};

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
   1  X 1  tie in 20   tie to lose  2, 3 or 4
   2  O 2  win in 19
   3  X 3  lose in 18
   4  O 4  win in 17   win to tie   2 or 3
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
        [
            "board",
            "command",
            "error",
            "mistakes",
            "over",
            "position",
            "remoteness",
            "schema",
            "source",
            "steps",
            "undecided_moves",
            "value",
            "winner"
        ]
    );
    assert_eq!((&json["position"]["moves"], &json["undecided_moves"]), (&json!("12341"), &json!(0)));
    assert_eq!(json["source"]["kind"], json!("database"));
    let last = &json["steps"][4];
    assert_eq!(
        last,
        &json!({
            "number": 5, "player": "first", "column": 1, "value": "tie", "remoteness": 16, "played_value": "lose",
            "played_remoteness": 16, "keeps": false, "plies_lost": null, "columns": [3],
            "reason": "missed tie at column 3",
        })
    );
    assert_eq!(
        json["mistakes"]["first"],
        json!([
            {"number": 1, "column": 1, "from": "tie", "to": "lose", "reason": "missed tie at column 2, 3 or 4"},
            {"number": 5, "column": 1, "from": "tie", "to": "lose", "reason": "missed tie at column 3"},
        ])
    );
    assert_eq!(json["mistakes"]["second"][0]["reason"], json!("missed win in 17 at column 2 or 3"));
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
    assert_eq!(
        json["mistakes"]["second"],
        json!([{"number": 6, "column": 2, "from": "tie", "to": "lose", "reason": "missed tie at column 1"}])
    );
    let json = Program::new().run("analyse 2x2 1122 --json --search only").json();
    assert_eq!((&json["over"], &json["winner"]), (&json!(true), &json!(null)));
    assert!(program.run("analyse 4x4 -").succeeds().contains("4x4 after 0 moves: first player to move, tie in 16"));
}

#[test]
fn what_was_not_decided_is_told_and_the_rest_is_there() {
    let program = Program::new();
    let (shown, line) =
        program.run("analyse 7x6 444444552266 --nodes 20000 --search only --threads 1").fails_after_output(1);
    assert!(shown.contains("   1  X 4  ?"), "{shown}");
    assert!(line.contains(" of 12 moves are open: not decided within 20,000 nodes; allow more with --nodes"), "{line}");
}

#[test]
fn what_is_unknown_is_never_told_as_good() {
    let program = Program::new();
    let (shown, line) = program.run("analyse 7x6 4444435555 --nodes 10 --search only").fails_after_output(1);
    for player in ["first", "second"] {
        assert!(shown.contains(&format!("\n{player} player: no mistake in 0 of 5 moves decided")), "{shown}");
    }
    assert!(line.starts_with("10 of 10 moves are open: not decided within 10 nodes; "), "{line}");
    let (json, _) = program.run("analyse 7x6 4444435555 --nodes 10 --search only --json").fails_after_output(1);
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!((&json["undecided_moves"], &json["value"]), (&json!(10), &json!(null)));
    assert!(json["steps"].as_array().expect("steps").iter().all(|step| step["keeps"].is_null()), "{json}");
    let (_, line) = program.run("analyse 7x6 - --nodes 10 --search only").fails_after_output(1);
    assert!(line.starts_with("the value at the end is not known: not decided within 10 nodes"), "{line}");
}

#[test]
fn a_move_that_wins_at_once_is_known_without_a_search() {
    let program = Program::new();
    let (json, _) = program.run("analyse 7x6 4355667 --nodes 10 --search only --json").fails_after_output(1);
    let json: Value = serde_json::from_str(&json).expect("JSON");
    let last = &json["steps"][6];
    let figures = [&last["value"], &last["remoteness"], &last["keeps"], &last["plies_lost"]];
    assert_eq!(figures, [&json!("win"), &json!(1), &json!(true), &json!(0)]);
    // The last position is decided on the board; those before it were searched.
    assert_eq!((&json["over"], &json["source"]["kind"]), (&json!(true), &json!("search")));
}

#[test]
fn columns_after_the_ninth_are_named_as_they_are_typed() {
    let json = Program::new().run("analyse 10x2c2 a51 --json").warns().0;
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["mistakes"]["first"][0]["reason"], json!("missed win in 1 at column 9 or a"));
}

#[test]
fn without_remoteness_the_plies_given_away_are_unknown() {
    let program = Program::new();
    program.run("solve 4x4 --values wdl").succeeds();
    let json = program.run("analyse 4x4 12121 --json").json();
    for step in json["steps"].as_array().expect("steps") {
        assert_eq!((&step["remoteness"], &step["plies_lost"]), (&json!(null), &json!(null)), "{step}");
        assert_eq!((&step["keeps"], &step["reason"]), (&json!(true), &json!(null)), "{step}");
    }
    let json = program.run("analyse 4x4 1212121 --json").json();
    assert_eq!((&json["over"], &json["source"]["kind"]), (&json!(true), &json!("database")));
    assert_eq!(json["mistakes"]["second"][0]["reason"], json!("missed tie at column 1"));
}

#[test]
fn a_batch_lists_the_mistakes_of_each_player_with_their_reasons() {
    let program = Program::with("5x4");
    let input = "123412 g1\n-\n9\n3\n";
    let (output, error) = program.run_with_input("analyse 5x4 --batch", input).fails_after_output(2);
    let lines = output.lines().collect::<Vec<_>>();
    assert_eq!(
        lines[0],
        "123412\t1 missed tie at column 2, 3 or 4; 5 missed tie at column 3\t\
         4 missed win in 17 at column 2 or 3; 6 missed win in 15 at column 3\t0\tg1"
    );
    assert_eq!((lines[1], lines[3]), ("-\t-\t-\t0", "3\t-\t-\t0"));
    assert!(lines[2].starts_with("9\terror\tmove 1, '9'"), "{output}");
    assert_eq!(error, "1 of 4 lines is no game of 5x4; its answer says why");
    let (output, _) = program.run_with_input("analyse 5x4 --batch --json", input).fails_after_output(2);
    let lines = output.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect::<Vec<Value>>();
    let alone = program.run("analyse 5x4 123412 --json").json();
    for (key, value) in alone.as_object().expect("an object") {
        assert_eq!(&lines[0][key], value, "{key}");
    }
    assert_eq!((&lines[0]["input"], &lines[0]["error"]), (&json!("123412 g1"), &json!(null)));
    assert_eq!((&lines[2]["steps"], &lines[2]["position"]), (&json!(null), &json!(null)));
    assert!(lines[2]["error"].as_str().is_some_and(|error| error.contains("move 1")), "{}", lines[2]);
    assert!(lines.iter().all(|line| keys(line) == keys(&lines[0])));
    let run = Program::new().run_with_input("analyse 7x6 --batch --nodes 10 --search only", "44444\n");
    let (output, error) = run.fails_after_output(1);
    assert_eq!(output, "44444\t-\t-\t5\n");
    assert!(error.starts_with("1 of 1 game could not be decided: 5 of 5 moves are open: "), "{error}");
}

#[test]
fn a_slower_win_and_a_sooner_loss_are_told_with_the_better_column() {
    let json = Program::with("4x4").run("analyse 4x4 1212113 --json").json();
    let reasons = json["steps"].as_array().expect("steps").iter().filter_map(|step| step["reason"].as_str());
    let reasons = reasons.collect::<Vec<_>>();
    assert!(reasons.iter().all(|reason| reason.contains(" at column")), "{reasons:?}");
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

#[test]
fn a_game_that_was_not_analysed_is_not_told_as_free_of_mistakes() {
    let program = Program::with("4x4");
    program.damage("db/4x4/remoteness");
    let (lines, _) = program.run_with_input("analyse 4x4 --batch --json", "1212\n19\n").fails_after_output(1);
    let lines: Vec<serde_json::Value> = lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    for line in &lines {
        assert!(line["error"].is_string(), "{line}");
        for field in ["undecided_moves", "steps", "mistakes", "source"] {
            assert!(line[field].is_null(), "{field}: {line}");
        }
    }
    assert_eq!(lines[0]["position"]["moves"], "1212");
    assert!(lines[1]["position"].is_null(), "{}", lines[1]);
}
