//! `fourbase match`, run as a whole.

use serde_json::{Value, json};

use crate::support::program::{Program, keys};

/// Takes out what depends on the clock and the machine.
fn without_times(mut json: Value) -> Value {
    for key in ["seconds", "games_per_second", "threads"] {
        json[key].take();
    }
    for player in json["programs"].as_array_mut().expect("programs") {
        player["moves_per_second"].take();
    }
    json
}

#[test]
fn the_result_is_the_same_for_any_number_of_threads_and_another_for_another_seed() {
    let program = Program::with("5x4");
    let run = |options: &str| without_times(program.run(&format!("match random rating:1 5x4 --json {options}")).json());
    let one = run("--games 101 --threads 1");
    for threads in [2, 3, 8] {
        assert_eq!(run(&format!("--games 101 --threads {threads}")), one);
    }
    assert_ne!(run("--games 101 --seed 2"), one);
    let perfect = |threads| {
        let arguments = format!("match perfect window:2 5x4 --games 40 --openings 2 --threads {threads} --json");
        without_times(program.run(&arguments).json())
    };
    assert_eq!(perfect(1), perfect(4));
}

#[test]
fn both_players_play_both_colours() {
    let program = Program::new();
    let json = program.run("match random pomakis:2 4x4 --games 50 --json").json();
    let count = |score: &Value| ["wins", "ties", "losses"].map(|key| score[key].as_u64().expect("a number"));
    let [one, other] = [0, 1].map(|place| &json["programs"][place]);
    for player in [one, other] {
        assert_eq!(count(&player["players"]["first"]).iter().sum::<u64>(), 25);
        assert_eq!(count(&player["players"]["second"]).iter().sum::<u64>(), 25);
        let sums = [0, 1, 2].map(|at| count(&player["players"]["first"])[at] + count(&player["players"]["second"])[at]);
        assert_eq!(sums, count(player));
    }
    let [wins, ties, losses] = count(one);
    assert_eq!(count(other), [losses, ties, wins]);
    assert!(losses > 2 * wins, "{json}");
    assert_eq!(
        keys(&json),
        [
            "all_openings",
            "board",
            "command",
            "games",
            "games_per_second",
            "mean_plies",
            "opening_plies",
            "openings",
            "programs",
            "schema",
            "seconds",
            "seed",
            "source",
            "threads"
        ]
    );
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

#[test]
fn openings_are_all_of_their_ply_twice_or_some_at_random() {
    let program = Program::new();
    let json = program.run("match random random 4x4 --openings 2 --json").json();
    assert_eq!((&json["games"], &json["openings"], &json["all_openings"]), (&json!(32), &json!(16), &json!(true)));
    let json = program.run("match random random 4x4 --openings 4 --games 10 --json").json();
    assert_eq!((&json["games"], &json["openings"], &json["all_openings"]), (&json!(10), &json!(5), &json!(false)));
    let json = program.run("match random random 9x7 --openings 20 --json").json();
    assert_eq!((&json["games"], &json["all_openings"]), (&json!(100), &json!(false)));
}

#[test]
fn the_table_says_who_won() {
    let shown = Program::new().run("match pomakis:4 random 4x4 --games 20 --openings 1").succeeds();
    assert!(shown.starts_with("4x4, 20 games from all 4 positions after 1 ply\n\n"), "{shown}");
    for word in ["wins", "points", "pomakis:4 ", "  as first", "  as second", "plies a game", "moves/s a thread"] {
        assert!(shown.contains(word), "{shown}");
    }
}

#[test]
fn bad_players_and_openings_are_bad_input() {
    let program = Program::new();
    assert!(program.run("match human random 4x4").fails(2).contains("fourbase play"));
    assert!(program.run("match random human 4x4").fails(2).contains("fourbase play"));
    for player in ["deep-blue", "pomakis:0", "window:21", "rating:0", "rating", "perfect:last"] {
        program.run(&format!("match {player} random 4x4")).fails(2);
        program.run(&format!("match random {player} 4x4")).fails(2);
    }
    for options in ["--openings 16", "--openings 17", "--openings 4294967295"] {
        let line = program.run(&format!("match random random 4x4 {options}")).fails(2);
        assert!(line.contains("take shorter openings"), "{line}");
    }
    for options in ["--games 0", "--games x", "--openings=-1", "--games 4294967296", "--nodes 0"] {
        program.run(&format!("match random random 4x4 {options}")).fails(2);
    }
    assert!(program.run("match random 4x4").fails(2).contains("\"4x4\" is not a player"));
    program.run("match random random").refused();
}

#[test]
fn perfect_on_a_large_board_without_a_database_says_how_to_make_one() {
    let line = Program::new().run("match perfect random 6x5 --games 2 --nodes 1000").fails(1);
    assert!(line.contains("not decided within 1,000 nodes") && line.contains("fourbase solve 6x5"), "{line}");
}
