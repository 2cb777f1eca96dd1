//! The contract of GamesCrafters' page, field by field, over HTTP.

use fourbase::{Board, Position, notation};
use serde_json::{Value as Json, json};

use crate::support::board::board;
use crate::support::program::Program;
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

fn keys(json: &Json) -> Vec<&str> {
    json.as_object().unwrap_or_else(|| panic!("an object: {json}")).keys().map(String::as_str).collect()
}

#[test]
fn games_and_variants_have_all_fields() {
    let (_program, server) = server();
    let games = answer(&server, "/uwapi/");
    assert_eq!(games, json!([{"id": "connect4", "name": "Connect 4", "type": "twoPlayer", "gui": "v3"}]));
    let game = answer(&server, "/uwapi/connect4/");
    assert_eq!(keys(&game), ["allowCustomVariantCreation", "id", "name", "supportsWinBy", "variants"]);
    assert_eq!((&game["id"], &game["name"]), (&json!("connect4"), &json!("Connect 4")));
    assert_eq!((&game["allowCustomVariantCreation"], &game["supportsWinBy"]), (&json!(false), &json!(false)));
    let variants: Vec<&Json> = game["variants"].as_array().expect("variants").iter().collect();
    assert!(variants.iter().all(|variant| keys(variant) == ["gui", "id", "name"]));
    for (_, name) in VARIANTS {
        assert!(variants.iter().any(|variant| variant["id"] == name && variant["gui"] == "v3"), "{name}: {game}");
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
        let picture = |piece: &str| theme["charImages"][piece].clone();
        assert_eq!(picture("X"), json!({"image": "general/blue_circle.svg", "scale": 1}));
        assert_eq!(picture("O"), json!({"image": "general/red_circle.svg", "scale": 1}));
        assert_eq!((&theme["arrowWidth"], &theme["animationType"]), (&json!(0.13), &json!("entityFade")));
        assert_eq!(theme["sounds"], json!({"x": "general/remove.mp3"}));
        // The page has two pictures of boards.
        let foreground = match name {
            "6x6" => json!("connect4/foreground6x6.svg"),
            "7x6" => json!("connect4/foreground6x7.svg"),
            _ => Json::Null,
        };
        assert_eq!(theme["foreground"], foreground);
        let text = answer(&server, &format!("/uwapi/connect4/{variant}/instructions/?locale=en-US"));
        assert!(text["instructions"].as_str().is_some_and(|text| text.starts_with("# Connect 4\n")), "{text}");
    }
}

/// The position after 44 on 7x6: playing 4 wins in 39, 3 and 5 lose in 38, all others in 36.
#[test]
fn the_moves_of_a_position_are_in_order_and_tell_how_much_worse_they_are() {
    let (_program, server) = server();
    let position = notation::parse(board("7x6"), "44").expect("a position");
    let uni = notation::to_uni(&position);
    let found = answer(&server, &format!("/uwapi/connect4/6x7/positions/?p={uni}"));
    assert_eq!((&found["positionValue"], &found["remoteness"]), (&json!("win"), &json!(39)));
    let moves = found["moves"].as_array().expect("moves");
    let told: Vec<Json> = moves
        .iter()
        .map(|of| json!([of["move"], of["moveValue"], of["deltaRemoteness"], of["positionValue"], of["remoteness"]]))
        .collect();
    let expected = [
        json!(["4", "win", 0, "lose", 38]),
        json!(["3", "lose", 0, "win", 37]),
        json!(["5", "lose", 0, "win", 37]),
        json!(["1", "lose", 2, "win", 35]),
        json!(["2", "lose", 2, "win", 35]),
        json!(["6", "lose", 2, "win", 35]),
        json!(["7", "lose", 2, "win", 35]),
    ];
    assert_eq!(told, expected);
}

#[test]
fn positions_have_the_values_of_the_command_line() {
    let (program, server) = server();
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
fn a_finished_position_has_no_moves() {
    let (_program, server) = server();
    let position = notation::parse(board("7x6"), "1213141").expect("a position");
    let uni = notation::to_uni(&position);
    let found = answer(&server, &format!("/uwapi/connect4/6x7/positions/?p={uni}"));
    assert_eq!(found["moves"], json!([]));
    assert_eq!((&found["positionValue"], &found["remoteness"]), (&json!("lose"), &json!(0)));
}

#[test]
fn what_is_not_there_is_an_error_with_status_200() {
    let (_program, server) = server();
    for (address, error) in [
        ("/uwapi/chess/", "Invalid Game"),
        ("/uwapi/chess/6x7/", "Invalid Game"),
        ("/uwapi/connect4/9x9/", "Invalid Variant"),
        ("/uwapi/connect4/x/", "Invalid Variant"),
        ("/uwapi/connect4/9x9/instructions/", "Invalid Variant"),
        ("/uwapi/connect4/9x9/positions/?p=1_", "Invalid Variant"),
        ("/uwapi/connect4/6x7/positions/", "Invalid Position"),
        ("/uwapi/connect4/6x7/positions/?p=", "Invalid Position"),
        ("/uwapi/connect4/6x7/positions/?p=44", "Invalid Position"),
        ("/uwapi/connect4/6x7/positions/?p=1_zz", "Invalid Position"),
        // A piece that floats.
        ("/uwapi/connect4/4x4/positions/?p=2_X---------------", "Invalid Position"),
        ("/connect4/3/start/", "Invalid Variant"),
        ("/connect4/3/positions/?p=1_", "Invalid Variant"),
        ("/connect4/2/positions/?p=1_", "Invalid Position"),
    ] {
        assert_eq!(answer(&server, address), json!({ "error": error }), "{address}");
    }
}

/// What GamesCrafters' server asks of GamesmanClassic: variants 1 (6x6) and 2 (6x7).
#[test]
fn a_backend_of_gamescrafters_server_has_its_paths() {
    let (_program, server) = server();
    let start = format!("1_{}", "-".repeat(42));
    assert_eq!(answer(&server, "/connect4/2/start/"), json!({"position": start, "autoguiPosition": start}));
    assert_eq!(answer(&server, "/connect4/1/start/")["position"], json!(format!("1_{}", "-".repeat(36))));
    let found = answer(&server, &format!("/connect4/2/positions/?p={start}"));
    assert_eq!(found, answer(&server, &format!("/uwapi/connect4/6x7/positions/?p={start}")));
    assert_eq!((&found["remoteness"], &found["moves"][0]["move"]), (&json!(41), &json!("4")));
}

#[test]
fn the_rules_are_those_of_the_board_and_columns_count_on_beyond_nine() {
    let program = Program::new();
    for board in ["4x4c3", "4x4m", "10x2"] {
        program.run(&format!("solve {board}")).succeeds();
    }
    let server = Server::start(&program, &[]);
    let rules =
        |variant: &str| answer(&server, &format!("/uwapi/connect4/{variant}/instructions/"))["instructions"].clone();
    for (variant, words) in
        [("4x4c3", "with 3 of them"), ("4x4c3", "wins"), ("4x4m", "with 4 of them"), ("4x4m", "loses")]
    {
        assert!(rules(variant).as_str().expect("a text").contains(words), "{variant}: {words}");
    }
    let wide = answer(&server, &format!("/uwapi/connect4/2x10/positions/?p=1_{}", "-".repeat(20)));
    let mut names: Vec<u64> = wide["moves"]
        .as_array()
        .expect("moves")
        .iter()
        .map(|of| of["move"].as_str().unwrap().parse().unwrap())
        .collect();
    names.sort_unstable();
    assert_eq!(names, (1..=10).collect::<Vec<_>>());
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
    // With nodes enough, the same question has a whole answer.
    let server = Server::start(&program, &[]);
    let reply = server.get("/uwapi/connect4/4x5/positions/?p=2_---X----------------");
    assert_eq!((&reply.json()["remoteness"], reply.header("etag").is_empty()), (&json!(19), false));
}

#[test]
fn addresses_are_found_without_a_slash_and_refused_in_json() {
    let (_program, server) = server();
    assert_eq!(answer(&server, "/uwapi"), answer(&server, "/uwapi/"));
    assert_eq!(answer(&server, "/uwapi/connect4/6x7"), answer(&server, "/uwapi/connect4/6x7/"));
    let start = format!("p=1_{}", "-".repeat(42));
    let found = answer(&server, &format!("/uwapi/connect4/6x7/positions?{start}"));
    assert_eq!(found["remoteness"], json!(41));
    for (address, reason) in [
        ("/uwapi/%ff/", "Invalid Game"),
        ("/uwapi/connect4/%ff/", "Invalid Variant"),
        ("/uwapi/connect4/%ff/instructions/", "Invalid Variant"),
        ("/connect4/%ff/start/", "Invalid Variant"),
    ] {
        assert_eq!(answer(&server, address), json!({ "error": reason }), "{address}");
    }
}

#[test]
fn answers_about_positions_have_a_tag() {
    let (_program, server) = server();
    let address = format!("/uwapi/connect4/4x5/positions/?p=1_{}", "-".repeat(20));
    let reply = server.get(&address);
    let tag = reply.header("etag");
    assert!(tag.starts_with("W/\""), "{tag}");
    assert_eq!(server.get_with(&address, &[("if-none-match", tag)]).status, 304);
    assert_eq!(server.get("/uwapi/connect4/4x5/positions/?p=x").header("cache-control"), "no-store");
}
