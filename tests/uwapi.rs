//! The contract of GamesCrafters' page over HTTP, against the command line. (`cmd/uwapi.md` shows all fields and errors.)

use fourbase::{Position, notation};
use serde_json::{Value as Json, json};

use crate::support::positions::{Random, board};
use crate::support::program::Program;
use crate::support::proofs::random_positions;
use crate::support::server::Server;

#[test]
fn positions_have_the_values_of_the_command_line() {
    // The other boards are part of the program. The page names boards by rows x columns.
    let program = Program::with("5x4");
    program.run("solve 4x4").succeeds();
    let server = Server::start(&program, "--allow-origin http://elsewhere");
    for (name, variant) in [("4x4", "4x4"), ("5x4", "4x5"), ("6x6", "6x6"), ("7x6", "6x7")] {
        let (board, mut random) = (board(name), Random::new(3));
        let plies = [0, 3, board.cells() - 6].into_iter();
        for position in plies.flat_map(|ply| random_positions(board, ply, 4, &mut random)) {
            check(&program, &server, variant, &position);
        }
    }
}

/// Holds every field of an answer, which may be read from the page of another site, against the command line.
fn check(program: &Program, server: &Server, variant: &str, position: &Position) {
    let (board, uni) = (position.board(), notation::to_uni(position));
    let address = format!("/uwapi/connect4/{variant}/positions/?p={uni}");
    let reply = server.get_with(&address, &[("origin", "http://elsewhere")]);
    assert_eq!((reply.status, reply.header("access-control-allow-origin")), (200, "http://elsewhere"), "{address}");
    let (found, known) = (reply.json(), program.run(&format!("query {board} {uni} --json")).first_json());
    assert_eq!((&found["position"], &found["autoguiPosition"]), (&json!(uni), &json!(uni)));
    assert_eq!((&found["positionValue"], &found["remoteness"]), (&known["value"], &known["remoteness"]), "{uni}");
    let [moves, children] = [&found["moves"], &known["children"]].map(|list| list.as_array().expect("moves"));
    assert_eq!(moves.len(), children.len(), "{uni}");
    let values = ["win", "tie", "lose"];
    let order = |of: &Json| values.iter().position(|value| of == value).expect("a value");
    let rank = |of: &Json| (order(&of["moveValue"]), of["deltaRemoteness"].as_i64().expect("a number"));
    assert!(moves.is_sorted_by_key(rank), "{found}");
    for child in children {
        let column = child["column"].as_u64().expect("a column") as usize;
        let after = notation::to_uni(&position.drop_piece(column - 1));
        let center = board.cells() + column - 1;
        let opposite = values[2 - order(&child["value"])];
        let plies = |child: &Json| child["remoteness"].as_i64().expect("plies") - 1;
        let same = children.iter().filter(|other| other["value"] == child["value"]).map(plies);
        let best = if opposite == "win" { same.max() } else { same.min() }.expect("a best one");
        let expected = json!({
            "move": column.to_string(), "moveValue": child["value"], "deltaRemoteness": (best - plies(child)).abs(),
            "position": after, "positionValue": opposite, "remoteness": plies(child),
            "autoguiPosition": after, "autoguiMove": format!("M_{center}_{}_x", center + board.width()),
        });
        assert!(moves.contains(&expected), "{uni}: {expected} in {found}");
    }
}
