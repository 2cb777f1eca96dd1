//! `fourbase grade`, run as a whole, and judged by a plain search.

use serde_json::{Value, json};

use crate::support::answer::Answer;
use crate::support::board::board;
use crate::support::long;
use crate::support::plain_game::PlainGame;
use crate::support::plain_search::PlainSearch;
use crate::support::program::{Program, keys};

fn without_times(mut json: Value) -> Value {
    json["seconds"].take();
    json
}

/// The kind of an answer.
fn kind(answer: Answer) -> u8 {
    match answer {
        Answer::Win(_) => 0,
        Answer::Tie(_) => 1,
        Answer::Lose(_) => 2,
    }
}

#[test]
fn positions_where_the_choice_matters_are_those_of_a_plain_search() {
    for name in ["4x4", "4x3c3", "3x3c3m"] {
        let board = board(name);
        let search = PlainSearch::of_all_positions(board);
        let (mut positions, mut keeping) = (vec![0_u64; board.cells() + 1], vec![0.0; board.cells() + 1]);
        for (key, _) in search.answers() {
            let game = PlainGame::from_key(board, key);
            let moves = search.moves(&game);
            if moves.iter().any(|of| kind(of.1) != kind(moves[0].1)) {
                positions[game.plies()] += 1;
                let keep = moves.iter().filter(|of| kind(of.1) == kind(moves[0].1)).count();
                keeping[game.plies()] += keep as f64 / moves.len() as f64;
            }
        }
        let json = Program::new().run(&format!("grade random {name} --json")).json();
        assert_eq!(json["legal"], json!(search.positions()), "{name}");
        assert_eq!(json["graded"], json!(positions.iter().sum::<u64>()), "{name}");
        for row in json["plies"].as_array().expect("plies") {
            let ply = row["ply"].as_u64().expect("a ply") as usize;
            assert_eq!(row["graded"], json!(positions[ply]), "{name} {row}");
            let chance = row["chance_share"].as_f64().expect("a chance");
            assert!((chance - keeping[ply] / positions[ply] as f64).abs() < 1e-4, "{name} {row}");
        }
        // Random keeps the value as often as chance does.
        let share = json["keeps"].as_f64().expect("keeps") / json["graded"].as_f64().expect("positions");
        assert!((share - json["chance_share"].as_f64().expect("a chance")).abs() < 0.05, "{json}");
    }
}

#[test]
fn perfect_always_plays_a_best_move() {
    for program in [Program::with("4x4"), Program::new()] {
        let json = program.run("grade perfect 4x4 --json").json();
        assert_eq!((&json["keeps"], &json["best"]), (&json["graded"], &json["graded"]), "{json}");
        assert_eq!(json["worst"], json!(null));
    }
}

#[test]
fn a_player_that_looks_farther_keeps_more() {
    let program = Program::with("4x4");
    let sample = long::scale(" --sample 5000", "");
    let keeps = |player: &str| {
        program.run(&format!("grade {player} 4x4 --json{sample}")).json()["keeps"].as_u64().expect("keeps")
    };
    assert!(keeps("random") < keeps("pomakis:1") && keeps("pomakis:1") < keeps("pomakis:3"));
    long::skips("a grade of pomakis:8, and nine of ten positions of the other grades");
    assert!(keeps("pomakis:3") < keeps(long::scale("pomakis:5", "pomakis:8")));
    assert!(keeps("window:1") < keeps("window:4") && keeps("rating:1") < keeps("rating:4"));
}

#[test]
fn the_grade_is_the_same_for_any_number_of_threads() {
    let program = Program::with("4x4");
    long::skips("a grade of window:2 and rating:1");
    for &player in long::scale(&["random", "follow-up"][..], &["random", "window:2", "follow-up", "rating:1"]) {
        let run =
            |threads| without_times(program.run(&format!("grade {player} 4x4 --json --threads {threads}")).json());
        assert_eq!(run(1), run(4), "{player}");
        let sample = |threads| {
            without_times(program.run(&format!("grade {player} 4x4 --sample 500 --json --threads {threads}")).json())
        };
        assert_eq!(sample(1), sample(4), "{player}");
    }
}

#[test]
fn the_worst_blunder_is_a_position_that_can_be_looked_up() {
    let program = Program::with("4x4");
    let json = program.run("grade random 4x4 --json").json();
    let worst = &json["worst"];
    assert_eq!((&worst["value"], &worst["remoteness"]), (&json!("win"), &json!(1)), "{worst}");
    assert_eq!((&worst["played_value"], &worst["played_remoteness"]), (&json!("lose"), &json!(2)), "{worst}");
    let moves = worst["position"]["moves"].as_str().expect("moves");
    let answer = program.run(&format!("query 4x4 {moves} --json")).json();
    let position = answer["position"].get("bits").unwrap_or(&answer["position"]);
    assert_eq!((&answer["value"], position), (&json!("win"), &worst["position"]["bits"]));
    let children = answer.get("children").unwrap_or(&answer["moves"]).as_array().expect("children");
    let played = children.iter().find(|of| of["column"] == worst["column"]);
    assert_eq!(played.expect("the blunder")["value"], json!("lose"));
    assert_eq!(
        keys(&json),
        [
            "best",
            "board",
            "chance_share",
            "command",
            "graded",
            "keeps",
            "legal",
            "plies",
            "program",
            "sample",
            "schema",
            "seconds",
            "seed",
            "source",
            "worst"
        ]
    );
}

#[test]
fn a_large_board_is_sampled_and_one_without_values_says_how_to_get_them() {
    let program = Program::new();
    let json = program.run("grade rating:1 5x5 --sample 300 --json").json();
    assert_eq!((&json["sample"], &json["legal"], &json["graded"]), (&json!(300), &json!(null), &json!(300)));
    let line = program.run("grade random 6x7").fails(1);
    // A machine with little room on its disk is told to solve values alone.
    assert!(line.contains("make it with: fourbase solve 6x7"), "{line}");
}

#[test]
fn a_database_of_values_alone_grades_the_value_and_not_the_best_move() {
    long::skips("a grade of pomakis:3; takes pomakis:1");
    let player = long::scale("pomakis:1", "pomakis:3");
    let (program, full) = (Program::new(), Program::with("4x4"));
    program.run("solve 4x4 --values wdl").succeeds();
    let [values, all] = [&program, &full].map(|program| program.run(&format!("grade {player} 4x4 --json")).json());
    assert_eq!((&values["keeps"], &values["graded"]), (&all["keeps"], &all["graded"]));
    assert_eq!(values["best"], json!(null));
    assert!(program.run(&format!("grade {player} 4x4")).succeeds().contains(" - "));
}

#[test]
fn boards_without_a_choice_that_matters_have_an_empty_grade() {
    for board in ["1x1", "1x8", "4x4c9", "2x2c1"] {
        if ["1x1", "2x2c1"].contains(&board) && long::skips(format_args!("a grade on {board}")) {
            continue;
        }
        for options in ["", "--sample 5"] {
            let json = Program::new().run(&format!("grade random {board} {options} --json")).json();
            assert_eq!((&json["graded"], &json["worst"]), (&json!(0), &json!(null)), "{json}");
            Program::new().run(&format!("grade random {board} {options}")).succeeds();
        }
    }
}

#[test]
fn the_table_has_a_row_for_every_ply_and_one_for_all() {
    let shown = Program::with("4x4").run("grade pomakis:2 4x4").succeeds();
    assert!(
        shown.starts_with("pomakis:2 on 4x4: 55,506 positions where the choice matters, of 161,029 legal\n"),
        "{shown}"
    );
    assert!(shown.contains("ply  positions     keeps      best   chance\n"), "{shown}");
    assert!(shown.contains("\nall     55,506  "), "{shown}");
    assert!(shown.contains("\nworst blunder, after "), "{shown}");
}

#[test]
fn bad_input_is_told_in_a_line() {
    let program = Program::new();
    assert!(program.run("grade human 4x4").fails(2).contains("fourbase analyse"));
    for player in ["deep-blue", "pomakis:0", "pomakis:21", "rating:10", "window"] {
        program.run(&format!("grade {player} 4x4")).fails(2);
    }
    for options in ["--sample 0", "--sample=-1", "--sample x", "--seed x", "--threads 0"] {
        program.run(&format!("grade random 4x4 {options}")).fails(2);
    }
}
