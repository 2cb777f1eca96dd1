//! What `fourbase serve` answers: positions and batches as on the command line, games from any position, the moves of
//! players, random positions, and the counts of boards. (`cmd/serve.md` shows more answers.)

use std::collections::BTreeSet;

use fourbase::notation;
use serde_json::{Value as Json, json};

use crate::support::positions::{Random, board};
use crate::support::program::Program;
use crate::support::proofs::random_positions;
use crate::support::server::Server;

/// Takes the folder out of an answer of the command line: a server does not tell it.
fn without_folder(mut line: Json) -> Json {
    if line["source"].is_object() {
        line["source"]["folder"] = Json::Null;
    }
    line
}

#[test]
fn positions_and_games_have_the_answers_of_the_command_line() {
    let program = Program::with("5x4");
    let server = Server::start(&program, "");
    let mut random = Random::new(5);
    for ply in [0, 1, 2, 5, 8, 11, 14, 17] {
        for position in random_positions(board("5x4"), ply, 3, &mut random) {
            let text = notation::to_moves(&position).expect("moves");
            let reply = server.get(&format!("/api/v1/position?board=5x4&position={text}&line=true"));
            let expected = program.run(&format!("query 5x4 {text} --json")).first_json();
            assert_eq!((reply.status, reply.json()), (200, without_folder(expected)));
            let reply = server.get(&format!("/api/v1/analysis?board=5x4&moves={text}")).json();
            let expected = program.run(&format!("analyse 5x4 {text} --json")).first_json();
            assert_eq!(reply, without_folder(expected));
        }
    }
    let [by_bits, by_uni, by_moves] = ["10000+10000+01000+10000+10000", "2_-----------X--------", "3"]
        .map(|text| server.get(&format!("/api/v1/position?board=5x4&position={text}")).json());
    assert_eq!((&by_bits, &by_uni, &by_moves["line"]), (&by_moves, &by_moves, &Json::Null));
    assert_eq!(server.get("/api/v1/position?board=5x4").json()["position"]["moves"], json!(""));
}

#[test]
fn reasons_are_those_of_the_command_line() {
    let program = Program::with("5x4");
    let server = Server::start(&program, "");
    let cache = || ["hits", "misses"].map(|name| server.metric(&format!("fourbase_cache_{name}_total")));
    // The positions end now, by a rule, must be answered, are a tie, and are over.
    for moves in ["112233", "3321", "11223", "-", "1212121"] {
        let plain = format!("/api/v1/position?board=5x4&position={moves}&line=true");
        let [without, with] = [&plain, &format!("{plain}&why=true")].map(|address| server.get(address));
        let expected = program.run(&format!("query 5x4 {moves} --json --why")).first_json();
        assert_eq!((with.status, with.json()), (200, without_folder(expected)));
        assert!(with.json()["reason"]["text"].is_string() && without.json()["reason"].is_null(), "{moves}");
        assert_eq!(with.header("cache-control"), "public, max-age=86400");
        // The cached answer without reasons serves both.
        let before = cache();
        assert_eq!([server.get(&plain).body, server.get(&format!("{plain}&why=true")).body], [without.body, with.body]);
        assert_eq!(cache(), [before[0] + 2.0, before[1]]);
    }
    assert_eq!(cache()[1], 5.0);
    let streamed = server.get("/api/v1/position?board=8x7&position=112233&stream=true&why=true").lines();
    let kinds = |line: &Json| line["reason"]["kind"].clone();
    assert_eq!(
        [streamed.first(), streamed.last()].map(|line| line.map(kinds)),
        [Some(Json::Null), Some(json!("ends-now"))]
    );
    let batch = server.post("/api/v1/positions?board=5x4&why=true", b"112233\n11223\n").lines();
    assert_eq!(Vec::from_iter(batch.iter().map(kinds)), ["ends-now", "must-answer"]);
    for moves in ["1212133", "123412", "-"] {
        let reply = server.get(&format!("/api/v1/analysis?board=5x4&moves={moves}&why=true"));
        let expected = program.run(&format!("analyse 5x4 {moves} --json --why")).first_json();
        assert_eq!((reply.status, reply.json()), (200, without_folder(expected)), "{moves}");
    }
    for address in ["position?board=5x4&why=1", "analysis?board=5x4&why=yes"] {
        server.get(&format!("/api/v1/{address}")).refused(400);
    }
}

#[test]
fn a_whole_answer_has_a_tag_and_is_not_sent_twice() {
    let server = Server::start(&Program::with("5x4"), "");
    for address in [
        "/api/v1/analysis?board=5x4&moves=33",
        "/api/v1/move?board=5x4&player=perfect&seed=2",
        "/api/v1/position?board=5x4&position=33",
        "/api/v1/random?board=5x4&seed=1",
        "/uwapi/connect4/4x5/positions/?p=1_--------------------",
    ] {
        let reply = server.get(address);
        let tag = reply.header("etag");
        assert_eq!((&tag[..3], reply.header("cache-control")), ("W/\"", "public, max-age=86400"));
        // A client may have it among others, and a proxy makes any tag weak or has a star.
        for known in [tag, &tag[2..], &format!("\"x\", {tag}"), "*"] {
            let again = server.get_with(address, &[("if-none-match", known)]);
            assert_eq!((again.status, again.body.as_str(), again.header("etag")), (304, "", tag), "{known}");
        }
        assert_eq!(server.get_with(address, &[("if-none-match", "\"other\"")]).status, 200);
    }
    let address = "/api/v1/position?board=5x4&position=33";
    let (reply, hits) = (server.get(address), server.metric("fourbase_cache_hits_total"));
    // A stream of what is looked up has nothing to tell on the way: it is the whole answer, which browsers may keep.
    let streamed = server.get(&format!("{address}&stream=true"));
    assert_eq!((&streamed.body, streamed.header("etag")), (&reply.body, reply.header("etag")));
    assert_eq!(server.metric("fourbase_cache_hits_total"), hits + 1.0);
    let drawn = server.get("/api/v1/random?board=5x4");
    assert_eq!((drawn.header("cache-control"), drawn.header("etag")), ("no-store", ""));
}

#[test]
fn what_a_client_has_is_not_computed_to_compare_its_tag() {
    let program = Program::with("5x4");
    let address = "/api/v1/position?board=5x4&position=33";
    let tag = Server::start(&program, "").get(address).header("etag").to_owned();
    let server = Server::start(&program, "");
    assert_eq!(server.get_with(address, &[("if-none-match", &tag)]).status, 304);
    assert_eq!(server.metric("fourbase_cache_misses_total"), 0.0);
}

#[test]
fn a_batch_has_the_answers_of_the_command_line_in_order() {
    let program = Program::with("5x4");
    let server = Server::start(&program, "");
    let mut random = Random::new(7);
    let positions = [2, 7, 12].into_iter().flat_map(|ply| random_positions(board("5x4"), ply, 40, &mut random));
    let mut lines: Vec<String> = positions.map(|position| notation::to_moves(&position).expect("moves")).collect();
    lines.extend(["9", "", "-", "3333333", "10000 10000 01000 10000 10000"].map(str::to_owned));
    let text = lines.join("\n");
    let reply = server.post("/api/v1/positions?board=5x4", text.as_bytes());
    assert_eq!((reply.status, reply.header("content-type")), (200, "application/x-ndjson"));
    let (expected, _) = program.run_with_input("query 5x4 --batch --json", text + "\n").fails_after_output(2);
    let expected: Vec<Json> =
        expected.lines().map(|line| without_folder(serde_json::from_str(line).expect("JSON"))).collect();
    assert_eq!(reply.lines(), expected);
    let long = [&"1\n".repeat(10_001).into_bytes()[..], &[b'1'; 2 << 20], b"\xff"];
    for (body, status) in long.into_iter().zip([413, 413, 400]) {
        server.post("/api/v1/positions?board=5x4", body).refused(status);
    }
    for (length, status) in [(600, 400), (2400, 414)] {
        server.get(&format!("/api/v1/position?board=5x4&position={}", "1".repeat(length))).refused(status);
    }
    assert_eq!(server.post("/api/v1/positions?board=5x4", "-\n".repeat(10_000).as_bytes()).lines().len(), 10_000);
}

/// The values of a game that begins from a position are those of the whole game from there on.
#[test]
fn a_game_may_begin_from_any_position() {
    let server = Server::start(&Program::with("5x4"), "");
    let whole = server.get("/api/v1/analysis?board=5x4&moves=332145").json();
    for (start, begun) in [("332", 3), ("2_-------X--OX--------", 3), ("-", 0)] {
        let moves = &"332145"[begun..];
        let address = format!("/api/v1/analysis?board=5x4&start={start}&moves={moves}");
        let reply = server.get(&address).json();
        let mut steps = whole["steps"].as_array().expect("steps")[begun..].to_vec();
        for (number, step) in (1..).zip(&mut steps) {
            step["number"] = json!(number);
        }
        assert_eq!(reply["steps"], json!(steps));
        assert_eq!((&reply["value"], &reply["position"]["ply"]), (&whole["value"], &json!(6)));
    }
    // Words that belong to the start in one address, and to the moves in another.
    let steps = ["start=3+3&moves=2+1", "start=3&moves=3+2+1"]
        .map(|game| server.get(&format!("/api/v1/analysis?board=5x4&{game}")).json()["steps"].as_array().map(Vec::len));
    assert_eq!(steps, [Some(2), Some(3)]);
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
    let server = Server::start(&Program::with("5x4"), "");
    let move_of = |rest: &str| server.get(&format!("/api/v1/move?board=5x4&{rest}")).json();
    for player in "perfect perfect:first random pomakis:4 window:3 rating:2 rating:2:5 follow-up".split(' ') {
        let [one, other] = [0, 1].map(|_| move_of(&format!("moves=33&player={player}&seed=9")));
        assert_eq!((&one, &one["player"], &one["seed"]), (&other, &json!(player), &json!(9)));
        let column = one["column"].as_u64().expect("a column");
        assert!((1..=5).contains(&column), "{one}");
        if player.starts_with("perfect") {
            let best = server.get("/api/v1/position?board=5x4&position=33").json();
            let child = best["children"].as_array().expect("moves").iter().find(|child| child["column"] == column);
            assert_eq!(child.expect("a move")["value"], best["value"]);
        }
    }
    let columns = (0..40).map(|seed| move_of(&format!("player=random&seed={seed}"))["column"].as_u64());
    assert_eq!(BTreeSet::from_iter(columns), (1..=5).map(Some).collect());
}

#[test]
fn a_puzzle_is_that_of_the_command_line() {
    let program = Program::with("5x4");
    let server = Server::start(&program, "");
    for (board, field, option) in [
        ("5x4", "", ""),
        ("5x4", "&seed=9", "--seed 9"),
        ("7x6", "&date=2026-11-29", "--date 2026-11-29"),
        ("6x6", "&date=2026-11-30", "--seed 20261130"),
    ] {
        let reply = server.get(&format!("/api/v1/puzzle?board={board}{field}"));
        let expected = program.run(&format!("puzzles {board} {option} --json")).first_json();
        assert_eq!((reply.status, reply.json()), (200, expected));
    }
    for fields in ["board=5x4&seed=1&date=2026-11-29", "board=5x4&date=29.11.2026", "board=1x1", "board=5x4&count=2"] {
        server.get(&format!("/api/v1/puzzle?{fields}")).refused(400);
    }
}

#[test]
fn a_random_position_is_that_of_its_seed_and_ply() {
    let server = Server::alone("");
    let ask = |rest: &str| server.get(&format!("/api/v1/random?{rest}")).json();
    for ply in 0..20 {
        let [one, other] = [0, 1].map(|_| ask(&format!("board=7x6&ply={ply}&seed=5")));
        assert_eq!((&one, &one["position"]["ply"]), (&other, &json!(ply)));
    }
    let one = ask("board=7x6");
    assert_eq!(one, ask(&format!("board=7x6&seed={}", one["seed"])));
    assert!((0..3).any(|_| ask("board=7x6")["seed"] != one["seed"]));
}
