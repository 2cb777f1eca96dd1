//! Games over HTTP: from any position, with the moves of players, and random positions; and the counts of boards.

use fourbase::players::Kind;
use serde_json::{Value as Json, json};

use crate::support::program::Program;
use crate::support::server::Server;

/// The values of a game that begins from a position are those of the whole game from there on.
#[test]
fn a_game_may_begin_from_any_position() {
    let server = Server::start(&Program::with("5x4"), &[]);
    let whole = server.get("/api/v1/analysis?board=5x4&moves=332145").json();
    for (start, begun) in [("332", 3), ("2_-------X--OX--------", 3), ("-", 0)] {
        let moves = &"332145"[begun..];
        let address = format!("/api/v1/analysis?board=5x4&start={start}&moves={moves}");
        let reply = server.get(&address).json();
        let steps = reply["steps"].as_array().expect("steps");
        assert_eq!(steps.len(), moves.len());
        for (number, (step, of_whole)) in
            steps.iter().zip(&whole["steps"].as_array().expect("steps")[begun..]).enumerate()
        {
            let mut expected = of_whole.clone();
            expected["number"] = json!(number + 1);
            assert_eq!(*step, expected);
        }
        assert_eq!((&reply["value"], &reply["position"]["ply"]), (&whole["value"], &json!(6)));
    }
    // No game leads there: the lowest pieces are the second player's.
    let set_up = "board=5x4&start=1_--XO--XO------------";
    for player in ["perfect", "random", "pomakis:3", "window:3", "rating:1", "follow-up"] {
        let reply = server.get(&format!("/api/v1/move?{set_up}&player={player}")).json();
        assert_eq!((&reply["position"]["ply"], &reply["rule"]), (&json!(4), &json!(false)), "{player}");
        assert!((1..=5).contains(&reply["column"].as_u64().expect("a column")), "{player}");
    }
}

#[test]
fn a_player_makes_the_same_move_as_in_a_match_for_the_same_seed() {
    let program = Program::with("5x4");
    let server = Server::start(&program, &[]);
    for player in ["perfect", "perfect:first", "random", "pomakis:4", "window:3", "rating:2", "rating:2:5", "follow-up"]
    {
        assert!(player.parse::<Kind>().is_ok());
        let address = format!("/api/v1/move?board=5x4&moves=33&player={player}&seed=9");
        let (one, other) = (server.get(&address).json(), server.get(&address).json());
        assert_eq!(one, other);
        assert_eq!((&one["player"], &one["seed"]), (&json!(player), &json!(9)));
        let column = one["column"].as_u64().expect("a column");
        assert!((1..=5).contains(&column), "{one}");
        if player.starts_with("perfect") {
            let best = server.get("/api/v1/position?board=5x4&position=33").json();
            let child = best["children"].as_array().expect("moves").iter().find(|child| child["column"] == column);
            assert_eq!(child.expect("a move")["value"], best["value"]);
        }
    }
    let columns = (0..40).map(|seed| server.get(&format!("/api/v1/move?board=5x4&player=random&seed={seed}")).json());
    let columns: std::collections::BTreeSet<u64> = columns.map(|of| of["column"].as_u64().expect("a column")).collect();
    assert_eq!(columns, (1..=5).collect());
}

#[test]
fn a_random_position_is_that_of_its_seed_and_ply() {
    let server = Server::start(&Program::new(), &[]);
    let ask = |rest: &str| server.get(&format!("/api/v1/random?{rest}"));
    for ply in 0..20 {
        let one = ask(&format!("board=7x6&ply={ply}&seed=5")).json();
        assert_eq!(one, ask(&format!("board=7x6&ply={ply}&seed=5")).json());
        assert_eq!(one["position"]["ply"], json!(ply));
    }
    let one = ask("board=7x6").json();
    assert_eq!(one, ask(&format!("board=7x6&seed={}", one["seed"])).json());
    let others = (0..3).map(|_| ask("board=7x6").json()["seed"].clone());
    assert!(others.into_iter().any(|seed| seed != one["seed"]));
}

#[test]
fn the_counts_that_are_kept_beside_a_database_are_told() {
    let program = Program::new();
    program.run("solve 4x4 --stats").succeeds();
    let server = Server::start(&program, &[]);
    let reply = server.get("/api/v1/stats?board=4x4").json();
    let mut expected = program.run("stats 4x4 --json").json();
    expected["folder"] = Json::Null;
    assert_eq!(reply, expected);
}
