//! The contract of GamesCrafters' page, field by field, over HTTP.

use std::collections::BTreeSet;

use fourbase::{Board, Position, notation};
use serde_json::{Value as Json, json};

use crate::support::board::board;
use crate::support::program::{Program, keys};
use crate::support::proofs::random_positions;
use crate::support::random::Random;
use crate::support::server::Server;

/// The fields of a move.
const MOVE: [&str; 8] = [
    "autoguiMove",
    "autoguiPosition",
    "deltaRemoteness",
    "move",
    "moveValue",
    "position",
    "positionValue",
    "remoteness",
];

/// Boards, and how the page names them: rows x columns.
const VARIANTS: [(&str, &str); 4] = [("4x4", "4x4"), ("5x4", "4x5"), ("6x6", "6x6"), ("7x6", "6x7")];

/// A server with databases of 4x4 and 5x4; the others are part of the program.
fn server() -> (Program, Server) {
    let program = Program::with("5x4");
    program.run("solve 4x4").succeeds();
    let server = Server::start(&program, &[]);
    (program, server)
}

/// The answer to an address, which has status 200 and may be read from everywhere.
fn answer(server: &Server, address: &str) -> Json {
    let reply = server.get_with(address, &[("origin", "http://elsewhere")]);
    assert_eq!((reply.status, reply.header("access-control-allow-origin")), (200, "*"), "{address}");
    assert_eq!(reply.header("content-type"), "application/json");
    reply.json()
}

#[test]
fn games_and_variants_have_all_fields() {
    let (_program, server) = server();
    let games = answer(&server, "/uwapi/");
    // Addresses are found without a slash as well.
    assert_eq!(answer(&server, "/uwapi"), games);
    assert_eq!(games, json!([{"id": "connect4", "name": "Connect 4", "type": "twoPlayer", "gui": "v3"}]));
    let game = answer(&server, "/uwapi/connect4/");
    let variants = &game["variants"];
    let about = json!({ "id": "connect4", "name": "Connect 4", "allowCustomVariantCreation": false,
        "supportsWinBy": false, "variants": variants });
    assert_eq!(game, about);
    for (_, name) in VARIANTS {
        let variant = json!({ "id": name, "name": name, "gui": "v3" });
        assert!(variants.as_array().is_some_and(|variants| variants.contains(&variant)), "{name}: {game}");
    }
}

#[test]
fn a_variant_has_its_start_and_the_places_of_its_pieces() {
    let (_program, server) = server();
    for (name, variant) in VARIANTS {
        let board = board(name);
        let (width, height) = (board.width(), board.height());
        let found = answer(&server, &format!("/uwapi/connect4/{variant}/"));
        assert_eq!(keys(&found), ["autoguiStartPosition", "gui", "id", "imageAutoGUIData", "name", "startPosition"]);
        let start = format!("1_{}", "-".repeat(width * height));
        assert_eq!((&found["id"], &found["gui"]), (&json!(variant), &json!("v3")));
        assert_eq!((&found["startPosition"], &found["autoguiStartPosition"]), (&json!(start), &json!(start)));
        let image = &found["imageAutoGUIData"];
        assert_eq!((keys(image), &image["defaultTheme"]), (vec!["defaultTheme", "themes"], &json!("normal")));
        let theme = &image["themes"]["normal"];
        assert_eq!(theme["space"], json!([width, height + 1]));
        // The cells, column by column from the top; then the tails and the heads of the arrows.
        let mut centers = Vec::new();
        (0..width).for_each(|column| (0..height).for_each(|row| centers.push([column as f64 + 0.5, row as f64 + 1.5])));
        (0..width).for_each(|column| centers.push([column as f64 + 0.5, 0.0]));
        (0..width).for_each(|column| centers.push([column as f64 + 0.5, 1.0]));
        assert_eq!(theme["centers"], json!(centers));
        // The page has two pictures of boards.
        let foreground = match name {
            "6x6" => json!("connect4/foreground6x6.svg"),
            "7x6" => json!("connect4/foreground6x7.svg"),
            _ => Json::Null,
        };
        assert_eq!(theme["foreground"], foreground);
        let rest = json!({ "arrowWidth": 0.13, "animationType": "entityFade", "sounds": { "x": "general/remove.mp3" },
            "charImages": { "X": { "image": "general/blue_circle.svg", "scale": 1 },
                "O": { "image": "general/red_circle.svg", "scale": 1 } } });
        for (key, value) in rest.as_object().expect("an object") {
            assert_eq!(theme[key], *value);
        }
        let text = answer(&server, &format!("/uwapi/connect4/{variant}/instructions/?locale=en-US"));
        assert!(text["instructions"].as_str().is_some_and(|text| text.starts_with("# Connect 4\n")), "{text}");
    }
}

#[test]
fn positions_have_the_values_of_the_command_line() {
    let (program, server) = server();
    for (name, variant) in VARIANTS {
        let board: Board = board(name);
        let mut random = Random::new(3);
        let late = board.cells() - 6;
        let sample = [0, 3, late].map(|ply| random_positions(board, ply, 4, &mut random));
        let over = notation::parse(board, "1212121").expect("a finished game");
        for position in sample.into_iter().flatten().chain([over]) {
            check(&program, &server, variant, &position);
        }
    }
}

/// Holds every field of an answer against the command line.
fn check(program: &Program, server: &Server, variant: &str, position: &Position) {
    let (board, uni) = (position.board(), notation::to_uni(position));
    let found = answer(server, &format!("/uwapi/connect4/{variant}/positions/?p={uni}"));
    assert_eq!(keys(&found), ["autoguiPosition", "moves", "position", "positionValue", "remoteness"]);
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
        assert_eq!(keys(of), MOVE);
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

#[test]
fn what_is_not_there_is_an_error_with_status_200() {
    let (_program, server) = server();
    for (what, addresses) in [
        ("Game", &["/uwapi/chess/", "/uwapi/chess/6x7/", "/uwapi/chess/6x7/positions", "/uwapi/%ff/"][..]),
        (
            "Variant",
            &[
                "/uwapi/connect4/9x9/",
                "/uwapi/connect4/x/",
                "/uwapi/connect4/%ff/",
                "/uwapi/connect4/9x9/instructions/",
                "/uwapi/connect4/9x9/positions/?p=1_",
                "/connect4/3/start/",
                "/connect4/%ff/start/",
                "/connect4/3/positions/?p=1_",
            ],
        ),
        (
            "Position",
            &[
                "/uwapi/connect4/6x7/positions/",
                "/uwapi/connect4/6x7/positions/?p=",
                "/uwapi/connect4/6x7/positions/?p=44",
                "/uwapi/connect4/6x7/positions/?p=1_zz",
                // A piece that floats.
                "/uwapi/connect4/4x4/positions/?p=2_X---------------",
                "/connect4/2/positions/?p=1_",
            ],
        ),
    ] {
        for address in addresses {
            assert_eq!(answer(&server, address), json!({ "error": format!("Invalid {what}") }), "{address}");
        }
    }
    server.get("/uwapi/connect4/6x7/rules/").refused(404);
}

/// What GamesCrafters' server asks of GamesmanClassic: variants 1 (6x6) and 2 (6x7).
#[test]
fn a_backend_of_gamescrafters_server_has_its_paths() {
    let (_program, server) = server();
    let start = format!("1_{}", "-".repeat(42));
    assert_eq!(answer(&server, "/connect4/2/start/"), json!({"position": start, "autoguiPosition": start}));
    assert_eq!(answer(&server, "/connect4/1/start/")["position"], json!(format!("1_{}", "-".repeat(36))));
    let found = answer(&server, &format!("/connect4/2/positions/?p={start}"));
    assert_eq!(found, answer(&server, &format!("/uwapi/connect4/6x7/positions?p={start}")));
    assert_eq!((&found["remoteness"], &found["moves"][0]["move"]), (&json!(41), &json!("4")));
}

#[test]
fn the_rules_are_those_of_the_board_and_columns_count_on_beyond_nine() {
    let program = Program::new();
    for board in ["4x4c3m", "10x2"] {
        program.run(&format!("solve {board}")).succeeds();
    }
    let server = Server::start(&program, &[]);
    for (variant, count, end) in [("4x4c3m", "with 3 of them", "loses"), ("2x10", "with 4 of them", "wins")] {
        let rules = answer(&server, &format!("/uwapi/connect4/{variant}/instructions/"))["instructions"].to_string();
        assert!(rules.contains(count) && rules.contains(end), "{variant}: {rules}");
    }
    let wide = answer(&server, &format!("/uwapi/connect4/2x10/positions/?p=1_{}", "-".repeat(20)));
    let moves = wide["moves"].as_array().expect("moves").iter();
    let names: BTreeSet<&str> = moves.map(|of| of["move"].as_str().expect("a name")).collect();
    assert_eq!(names, ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10"].into());
}

/// The contract says that a remoteness of -100 is not known.
#[test]
fn values_without_remoteness_are_told_as_the_contract_says_and_not_kept() {
    let program = Program::new();
    program.run("solve 5x4 --values wdl").succeeds();
    let server = Server::start(&program, &["--search-nodes", "1"]);
    let reply = server.get("/uwapi/connect4/4x5/positions/?p=2_---X----------------");
    assert_eq!((reply.status, reply.header("cache-control"), reply.header("etag")), (200, "no-store", ""));
    let found = reply.json();
    assert_eq!((&found["positionValue"], &found["remoteness"]), (&json!("win"), &json!(-100)));
    let moves = found["moves"].as_array().expect("moves");
    assert_eq!(moves.len(), 5);
    for of in moves {
        assert_eq!((keys(of), &of["deltaRemoteness"]), (MOVE.to_vec(), &json!(0)), "{of}");
        assert!(of["remoteness"] == -100 || of["moveValue"] == "tie", "{of}");
    }
    // With nodes enough, the same question has a whole answer, with a tag.
    let server = Server::start(&program, &[]);
    let address = "/uwapi/connect4/4x5/positions/?p=2_---X----------------";
    let reply = server.get(address);
    assert_eq!(reply.json()["remoteness"], json!(19));
    assert_eq!(server.get_with(address, &[("if-none-match", reply.header("etag"))]).status, 304);
}
