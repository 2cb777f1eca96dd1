//! What goes wrong, and how the page goes on.

use fantoccini::key::Key;

use super::button;
use super::play::play_to_the_end;
use crate::support::browser;
use crate::support::program::Program;
use crate::support::server::Server;
use crate::support::shown::{Shown, Truth};

const GONE: &str =
    "The server cannot be reached. The page tries again every 5 seconds; you can play on without values.";

#[test]
fn a_game_goes_on_after_the_server_was_stopped_and_started_again() {
    browser::run("server-gone", |browser| {
        let program = Program::with("5x4");
        let server = Server::start(&program, &[]);
        let truth = Truth::new(&program, "5x4");
        let address = server.url().strip_prefix("http://").expect("an address").to_owned();
        browser.requests_may_fail();
        browser.open(&format!("{}/?board=5x4&moves=12", server.url()));
        browser.settled_at("12");
        drop(server);
        // Two people play on without values.
        for (column, moves) in [(3, "123"), (4, "1234")] {
            browser.click(&button(column));
            let said = |shown: &Shown| shown.moves == moves && shown.can_retry && !shown.error.is_empty();
            let shown = browser.until("the error is said", said);
            assert_eq!((shown.error.as_str(), shown.settled), (GONE, false));
            truth.check(&shown);
        }
        browser.picture("gone");
        // A keyboard stays where it is while the page tries again.
        browser.execute("document.getElementById('retry').focus()");
        browser.press(Key::Enter);
        let shown = browser.until("it is said again", |shown| shown.can_retry);
        assert_eq!(shown.focus, "retry");
        assert_eq!((shown.error.as_str(), shown.moves.as_str(), shown.settled), (GONE, "1234", false));
        let server = Server::start_at(&program, &address, &[]);
        browser.click("#retry");
        let whole = |shown: &Shown| shown.settled && shown.plies.iter().all(|ply| ply.value.is_some());
        let shown = browser.until("the values are back", whole);
        assert_eq!((shown.moves.as_str(), shown.error.as_str(), shown.can_retry), ("1234", "", false));
        truth.check(&shown);
        truth.check_history(&shown, "1234");

        // A person waits for a computer.
        browser.choose("#second-player", "perfect");
        drop(server);
        browser.click(&button(1));
        let shown = browser.until("the error is said", |shown| shown.can_retry && !shown.thinking);
        assert_eq!((shown.moves.as_str(), shown.error.as_str()), ("12341", GONE));
        let _server = Server::start_at(&program, &address, &[]);
        browser.click("#retry");
        let shown = browser.until("the computer answers", |shown| shown.settled && shown.ply == 6);
        assert!(shown.error.is_empty() && shown.moves.starts_with("12341"), "{shown:#?}");
        truth.check(&shown);
        play_to_the_end(browser, &truth, |moves| &moves[0]);
    });
}

#[test]
fn a_search_that_is_given_up_is_said_and_can_be_tried_again() {
    browser::run("given-up", |browser| {
        let program = Program::new();
        let server = Server::start(&program, &["--search-nodes", "2000"]);
        browser.requests_may_fail();
        browser.open(&format!("{}/?board=8x7&moves=44", server.url()));
        let given_up = |shown: &Shown| shown.can_retry && shown.error.starts_with("Search given up: ");
        let shown = browser.until("the search is given up", given_up);
        assert_eq!(shown.with_values(), Vec::<usize>::new());
        // One can play on.
        browser.press('4');
        browser.until("it is given up again", |shown| shown.moves == "444" && given_up(shown));
        browser.click("#retry");
        browser.until("it is tried again", given_up);
        // A computer that finds no move waits.
        browser.choose("#second-player", "perfect");
        let finds_no_move = |shown: &Shown| shown.error.contains("There is no answer: not decided within 2,000 nodes");
        browser.until("the computer finds no move", |shown| finds_no_move(shown) && shown.can_go_on);
    });
}
