//! `fourbase grade` and `fourbase match`, judged by a plain search and by their own rules.

use serde_json::{Value, json};

use crate::support::long;
use crate::support::plain_game::PlainGame;
use crate::support::plain_search::{Answer, PlainSearch};
use crate::support::positions::board;
use crate::support::program::Program;

/// Takes out what depends on the clock and the machine.
fn without_times(mut json: Value) -> Value {
    for key in ["seconds", "games_per_second", "threads"] {
        json[key].take();
    }
    for player in json["programs"].as_array_mut().into_iter().flatten() {
        player["moves_per_second"].take();
    }
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
fn results_are_the_same_for_any_number_of_threads_and_others_for_another_seed() {
    let program = Program::with("5x4");
    let run = |arguments: &str| without_times(program.run(&format!("{arguments} --json")).json());
    for arguments in [
        "match random rating:1 5x4 --games 101",
        "match perfect window:2 5x4 --games 40 --openings 2",
        "grade follow-up 4x3",
        "grade random 4x4 --sample 500",
    ] {
        let one = run(&format!("{arguments} --threads 1"));
        for threads in [2, 3, 8] {
            assert_eq!(run(&format!("{arguments} --threads {threads}")), one, "{arguments}");
        }
    }
    assert_ne!(run("match random rating:1 5x4 --games 101 --seed 2"), run("match random rating:1 5x4 --games 101"));
}

#[test]
fn the_worst_blunder_is_a_position_that_can_be_looked_up() {
    let program = Program::with("4x4");
    let worst = &program.run("grade random 4x4 --json").json()["worst"];
    assert_eq!((&worst["value"], &worst["remoteness"]), (&json!("win"), &json!(1)), "{worst}");
    assert_eq!((&worst["played_value"], &worst["played_remoteness"]), (&json!("lose"), &json!(2)), "{worst}");
    let moves = worst["position"]["moves"].as_str().expect("moves");
    let answer = program.run(&format!("query 4x4 {moves} --json")).json();
    assert_eq!((&answer["value"], &answer["position"]["bits"]), (&json!("win"), &worst["position"]["bits"]));
    let played = answer["children"].as_array().expect("children").iter().find(|of| of["column"] == worst["column"]);
    assert_eq!(played.expect("the blunder")["value"], json!("lose"));
}

#[test]
fn both_players_of_a_match_play_both_colours() {
    let json = Program::new().run("match random pomakis:2 4x4 --games 50 --json").json();
    let count = |score: &Value| ["wins", "ties", "losses"].map(|key| score[key].as_u64().expect("a number"));
    let [one, other] = [0, 1].map(|place| &json["programs"][place]);
    for player in [one, other] {
        let [first, second] = ["first", "second"].map(|colour| count(&player["players"][colour]));
        assert_eq!([first, second].map(|counts| counts.iter().sum::<u64>()), [25, 25]);
        assert_eq!([0, 1, 2].map(|at| first[at] + second[at]), count(player));
    }
    let [wins, ties, losses] = count(one);
    assert_eq!(count(other), [losses, ties, wins]);
    assert!(losses > 2 * wins, "{json}");
}

#[test]
fn perfect_never_loses_a_game_that_it_could_hold() {
    for program in [Program::with("5x4"), Program::new()] {
        for opponent in ["random", "pomakis:3", "window:2", "rating:2", "follow-up", "perfect:first"] {
            let json = program.run(&format!("match perfect {opponent} 5x4 --games 20 --json")).json();
            assert_eq!(json["programs"][0]["losses"], json!(0), "{opponent}: {json}");
        }
    }
}
