//! Positions in and out: paste, copy, random positions, other boards.

use fourbase::notation;
use serde_json::json;

use crate::support::browser::{self, Browser};
use crate::support::program::Program;
use crate::support::server::Server;
use crate::support::shown::Truth;

/// Reads a field, or writes it if there is a text.
fn field(browser: &Browser, id: &str, text: Option<&str>) -> String {
    let write = text.map_or(String::new(), |text| format!("field.value = {};", json!(text)));
    let script = format!("const field = document.getElementById('{id}'); {write} return field.value");
    browser.execute(&script).as_str().expect("a text").to_owned()
}

#[test]
fn pasted_games_and_positions_are_opened_and_shown_in_every_notation() {
    browser::run("paste", |browser| {
        let program = Program::with("5x4");
        let server = Server::start(&program, &[]);
        let truth = Truth::new(&program, "5x4");
        let board = "5x4".parse().expect("a board");
        browser.open(&format!("{}/?board=5x4", server.url()));
        browser.settled_at("");
        let position = notation::parse(board, "3321").expect("a position");
        let (bits, uni) = (notation::to_bits(&position), notation::to_uni(&position));
        // Without the order of moves the smallest one is shown.
        let smallest = notation::to_moves(&position).expect("an order");
        let link = format!("{}/?board=5x4&moves=332", server.url());
        for (text, moves) in [
            ("3321", "3321"),
            ("-", ""),
            (bits.as_str(), smallest.as_str()),
            ("1. 3 3 2. 2 1", "3321"),
            (uni.as_str(), smallest.as_str()),
            (link.as_str(), "332"),
            ("3, 3, 2", "332"),
        ] {
            field(browser, "paste", Some(text));
            browser.click("#paste-go");
            truth.check(&browser.settled_at(moves));
            let position = notation::parse(board, moves).expect("a position");
            assert_eq!(field(browser, "export-moves", None), moves);
            assert_eq!(field(browser, "export-bits", None), notation::to_bits(&position));
            assert_eq!(field(browser, "export-uni", None), notation::to_uni(&position));
        }
        browser.click("#copy-bits");
        let remark = || browser.execute("return document.getElementById('remark').textContent");
        let said = ["Columns as bits copied.", "Copying is not allowed here. The text is selected: press Ctrl+C."];
        browser.until("the copy is said", |_| said.iter().any(|text| remark() == json!(text)));
    });
}

#[test]
fn random_positions_and_other_boards_are_opened() {
    browser::run("random", |browser| {
        let program = Program::with("5x4");
        let server = Server::start(&program, &[]);
        let truth = Truth::new(&program, "5x4");
        browser.open(&format!("{}/?board=5x4", server.url()));
        browser.settled_at("");
        for ply in [7, 4, 9] {
            field(browser, "random-ply", Some(&ply.to_string()));
            browser.click("#random");
            truth.check(&browser.until("a random position", |shown| shown.settled && shown.ply == ply));
        }
        // Without a number any will do.
        field(browser, "random-ply", Some(""));
        browser.click("#random");
        browser.settled();
        assert_eq!(browser.settled().error, "");
        field(browser, "board-custom", Some("4 x 3"));
        browser.click("#board-go");
        let shown = browser.until("the other board is shown", |shown| shown.settled && shown.board == "4x3");
        assert_eq!((shown.columns.len(), shown.moves.as_str()), (4, ""));
        browser.requests_may_fail();
        field(browser, "board-custom", Some("99x99"));
        browser.click("#board-go");
        browser.until("the error is said", |shown| shown.error.starts_with("99x99 is no board."));
    });
}
