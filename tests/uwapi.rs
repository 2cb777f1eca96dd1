//! The contract of GamesCrafters' page over HTTP, against the command line. (`cmd/uwapi.md` shows all fields and errors.)

use fourbase::{Board, Position, notation};
use serde_json::{Value as Json, json};

use crate::support::positions::{Random, board};
use crate::support::program::Program;
use crate::support::proofs::random_positions;
use crate::support::server::Server;

/// Boards, and how the page names them: rows x columns.
const VARIANTS: [(&str, &str); 4] = [("4x4", "4x4"), ("5x4", "4x5"), ("6x6", "6x6"), ("7x6", "6x7")];

/// The answer to an address, which has status 200 and may be read from the page of another site.
fn answer(server: &Server, address: &str) -> Json {
    let reply = server.get_with(address, &[("origin", "http://elsewhere")]);
    assert_eq!((reply.status, reply.header("access-control-allow-origin")), (200, "http://elsewhere"), "{address}");
    assert_eq!(reply.header("content-type"), "application/json");
    reply.json()
}

#[test]
fn positions_have_the_values_of_the_command_line() {
    // The other boards are part of the program.
    let program = Program::with("5x4");
    program.run("solve 4x4").succeeds();
    let server = Server::start(&program, "--allow-origin http://elsewhere");
    for (name, variant) in VARIANTS {
        let board: Board = board(name);
        let mut random = Random::new(3);
        let late = board.cells() - 6;
        let sample = [0, 3, late].map(|ply| random_positions(board, ply, 4, &mut random));
        for position in sample.into_iter().flatten() {
            check(&program, &server, variant, &position);
        }
    }
}

/// Holds every field of an answer against the command line.
fn check(program: &Program, server: &Server, variant: &str, position: &Position) {
    let (board, uni) = (position.board(), notation::to_uni(position));
    let found = answer(server, &format!("/uwapi/connect4/{variant}/positions/?p={uni}"));
    assert_eq!((&found["position"], &found["autoguiPosition"]), (&json!(uni), &json!(uni)));
    let known = program.run(&format!("query {} {uni} --json", position.board())).first_json();
    assert_eq!((&found["positionValue"], &found["remoteness"]), (&known["value"], &known["remoteness"]), "{uni}");
    let children = known["children"].as_array().expect("moves");
    let moves = found["moves"].as_array().expect("moves");
    assert_eq!(moves.len(), children.len(), "{uni}");
    let order = |of: &Json| ["win", "tie", "lose"].iter().position(|value| of["moveValue"] == *value).expect("a value");
    let rank = |of: &Json| (order(of), of["deltaRemoteness"].as_i64().expect("a number"));
    assert!(moves.is_sorted_by_key(rank), "{found}");
    for of in moves {
        let column: usize = of["move"].as_str().expect("a text").parse().expect("a column");
        let child = children.iter().find(|child| child["column"] == column).expect("a child");
        let (cells, width) = (board.cells(), board.width());
        assert_eq!(of["autoguiMove"], json!(format!("M_{}_{}_x", cells + column - 1, cells + width + column - 1)));
        let after = notation::to_uni(&position.drop_piece(column - 1));
        assert_eq!((&of["position"], &of["autoguiPosition"]), (&json!(after), &json!(after)));
        assert_eq!(of["moveValue"], child["value"], "{uni}");
        let after = child["remoteness"].as_i64().expect("plies") - 1;
        assert_eq!(of["remoteness"], json!(after), "{uni}");
        let opposite = match of["moveValue"].as_str() {
            Some("win") => "lose",
            Some("lose") => "win",
            _ => "tie",
        };
        assert_eq!(of["positionValue"], opposite);
        let same = moves.iter().filter(|other| other["moveValue"] == of["moveValue"]);
        let plies = same.map(|other| other["remoteness"].as_i64().expect("plies"));
        let best = if opposite == "win" { plies.max() } else { plies.min() };
        assert_eq!(of["deltaRemoteness"], json!((best.expect("a best one") - after).abs()), "{uni}");
    }
}
