//! Games over HTTP: their analysis, the moves of players, random positions; and the counts of boards.

use fourbase::players::Kind;
use serde_json::{Value as Json, json};

use crate::support::program::Program;
use crate::support::server::Server;

#[test]
fn an_analysis_is_that_of_the_command_line() {
    let program = Program::with("5x4");
    let server = Server::start(&program, &[]);
    for (moves, is_over) in [("33214", false), ("3", false), ("-", false), ("1212121", true)] {
        let reply = server.get(&format!("/api/v1/analysis?board=5x4&moves={moves}")).json();
        let mut expected = program.run(&format!("analyse 5x4 {moves} --json")).first_json();
        expected["source"]["folder"] = Json::Null;
        assert_eq!((&reply, &reply["over"]), (&expected, &json!(is_over)));
    }
    assert_eq!(server.get("/api/v1/analysis?board=5x4&moves=").json()["steps"], json!([]));
    // The eighth move comes after the end.
    let reason = server.get("/api/v1/analysis?board=5x4&moves=12121212").refused(400);
    assert_eq!(reason, program.run("analyse 5x4 12121212").fails(2));
    server.get("/api/v1/analysis?board=5x4&moves=6").refused(400);
    server.get("/api/v1/analysis?board=5x4&moves=10000+10000").refused(400);
    server.get("/api/v1/analysis?moves=1").refused(400);
}

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
    let reply = server.get(&format!("/api/v1/move?{set_up}&moves=5&player=follow-up")).json();
    assert_eq!((&reply["column"], &reply["rule"]), (&json!(5), &json!(true)));
    assert_eq!(reply["reason"], json!("by the rule follow-up"));
    let reply = server.get("/api/v1/move?board=6x6&player=follow-up").json();
    assert!(reply["reason"].as_str().expect("a reason").starts_with("the rule follow-up has no reply here"), "{reply}");
    server.get(&format!("/api/v1/move?{set_up}&moves=11111&player=random")).refused(400);
    server.get("/api/v1/move?board=5x4&start=1_X&player=random").refused(400);
}

#[test]
fn the_highest_levels_that_are_offered_are_allowed_and_higher_ones_are_not() {
    let server = Server::start(&Program::new(), &[]);
    let reply = server.get("/api/v1/players?board=7x6").json();
    let levels = |reply: &Json, player: &str| {
        let players = reply["players"].as_array().expect("players");
        players.iter().find(|of| of["player"] == player).expect("a player")["levels"].clone()
    };
    let expected = [("perfect", Json::Null), ("random", Json::Null), ("follow-up", Json::Null)];
    for (player, expected) in
        expected.into_iter().chain([("pomakis", json!(11)), ("window", json!(11)), ("rating", json!(5))])
    {
        assert_eq!(levels(&reply, player), expected, "{player}");
    }
    for player in ["rating", "pomakis"] {
        let ask = |level: u64| server.get(&format!("/api/v1/move?board=7x6&player={player}:{level}"));
        let highest = levels(&reply, player).as_u64().expect("a level");
        assert_eq!(ask(highest).status, 200);
        ask(highest + 1).refused(422);
    }
    for (board, highest) in [("1x8", 20), ("4x4", 16), ("32x2", 6)] {
        let reply = server.get(&format!("/api/v1/players?board={board}")).json();
        assert_eq!(levels(&reply, "pomakis"), json!(highest), "{board}");
    }
    server.get("/api/v1/players?board=0x0").refused(400);
}

#[test]
fn an_analysis_beyond_the_limits_says_which_moves_are_open() {
    let server = Server::start(&Program::new(), &["--search-nodes", "1000"]);
    let reply = server.get("/api/v1/analysis?board=8x7&moves=1827").json();
    assert!(reply["undecided_moves"].as_u64().expect("a count") >= 3, "{reply}");
    assert_eq!(reply["steps"].as_array().map(Vec::len), Some(4));
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
fn players_that_cannot_move_are_refused() {
    let server = Server::start(&Program::with("5x4"), &["--search-nodes", "1000"]);
    let ask = |rest: &str| server.get(&format!("/api/v1/move?{rest}"));
    assert_eq!(
        ask("board=7x6&player=pomakis:12").refused(422),
        "pomakis:12 looks 12 plies ahead, which takes too long for a server; on 7x6 at most 11 are allowed"
    );
    assert!(ask("board=7x6&player=rating:6").refused(422).starts_with("rating:6 looks 13 plies ahead"));
    ask("board=5x4&player=human").refused(400);
    assert!(ask("board=5x4&player=deep-blue").refused(400).contains("is not a player"));
    ask("board=5x4").refused(400);
    ask("board=5x4&player=random&seed=-1").refused(400);
    ask("board=5x4&player=random&moves=99").refused(400);
    assert!(ask("board=5x4&player=random&moves=1212121").refused(422).contains("over"));
    assert!(ask("board=8x7&player=perfect").refused(422).starts_with("not decided within 1,000 nodes"));
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
    ask("board=7x6&ply=42").refused(400);
    ask("board=7x6&ply=-1").refused(400);
    // One cell that is a line: no game reaches a second ply.
    assert!(ask("board=2x1c1&ply=1").refused(422).contains("earlier ply"));
}

#[test]
fn the_counts_that_are_kept_beside_a_database_are_told() {
    let program = Program::new();
    program.run("solve 4x4 --stats").succeeds();
    program.run("solve 5x4").succeeds();
    let server = Server::start(&program, &[]);
    let reply = server.get("/api/v1/stats?board=4x4").json();
    let mut expected = program.run("stats 4x4 --json").json();
    expected["folder"] = Json::Null;
    assert_eq!(reply, expected);
    assert_eq!(reply["legal"], json!(161_029));
    for board in ["5x4", "7x6", "9x7"] {
        let reason = server.get(&format!("/api/v1/stats?board={board}")).refused(404);
        assert!(reason.contains(&format!("fourbase stats {board} counts them")), "{reason}");
    }
    server.get("/api/v1/stats").refused(400);
}
