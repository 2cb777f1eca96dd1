//! Whole games against the players.

use serde_json::{Value as Json, json};

use super::{PATIENT, button, ply};
use crate::support::browser::{self, Browser};
use crate::support::program::Program;
use crate::support::server::Server;
use crate::support::shown::{Shown, Truth};

/// Plays the first player by clicks until the game is over. `choose` gets the moves, best first. Compares every look at
/// the page on the way with the command line, and the history and the end of the game.
pub fn play_to_the_end(browser: &Browser, truth: &Truth, choose: impl Fn(&[Json]) -> &Json) -> Shown {
    let mut shown = browser.settled();
    while !shown.over {
        let answer = truth.of(&shown.moves);
        let column = choose(answer["children"].as_array().expect("moves"))["column"].as_u64().expect("a column");
        let before = shown.ply;
        browser.click(&button(column as usize));
        shown = browser.until("the computer answers", |now| now.settled && (now.over || now.ply == before + 2));
    }
    let whole = |shown: &Shown| shown.over && shown.plies.iter().all(|ply| ply.value.is_some());
    let end = browser.until("the history is whole", whole);
    let seen = browser.seen();
    assert!(seen.iter().filter(|look| look.settled && !look.over).count() > end.ply / 3, "{seen:#?}");
    seen.iter().for_each(|look| truth.check(look));
    truth.check_history(&end, &end.moves);
    truth.check_end(&end);
    end
}

#[test]
fn whole_games_of_5x4_against_perfect_show_every_value_of_the_database() {
    browser::run("games-5x4", |browser| {
        let program = Program::with("5x4");
        let server = Server::start(&program, &[]);
        let truth = Truth::new(&program, "5x4");
        browser.open(&format!("{}/?board=5x4", server.url()));
        browser.choose("#second-player", "perfect");
        let tied = play_to_the_end(browser, &truth, |moves| &moves[0]);
        assert_eq!((tied.ply, tied.lines.len()), (20, 0));
        browser.picture("tie");
        browser.click("#restart");
        browser.settled_at("");
        let lost = play_to_the_end(browser, &truth, |moves| moves.last().expect("a move"));
        assert!(lost.ply % 2 == 0 && !lost.lines.is_empty(), "{lost:#?}");
        // Undo goes back to the last move of the person, and the computer plays the same side from there.
        browser.click("#undo");
        let undone = browser.until("a ply of the person", |shown| shown.settled && shown.ply == lost.ply - 2);
        truth.check(&undone);
        truth.check_history(&undone, &lost.moves);
    });
}

#[test]
fn a_whole_game_of_7x6_against_perfect_shows_every_value() {
    browser::run("game-7x6", |browser| {
        let program = Program::new();
        let server = Server::start(&program, &PATIENT);
        let truth = Truth::new(&program, "7x6");
        browser.open(&format!("{}/", server.url()));
        browser.choose("#second-player", "perfect:first");
        let won = play_to_the_end(browser, &truth, |moves| &moves[0]);
        assert_eq!((won.ply, won.lines.is_empty()), (41, false));
    });
}

#[test]
fn players_have_the_levels_that_the_server_allows() {
    browser::run("levels", |browser| {
        let program = Program::new();
        let server = Server::start(&program, &[]);
        let highest = |levels: usize| {
            let script = "return document.querySelectorAll('#first-level option').length";
            browser.until("the levels are known", |_| browser.execute(script) == json!(levels));
        };
        browser.open(&format!("{}/?board=7x6&moves=4", server.url()));
        browser.settled_at("4");
        browser.choose("#first-player", "pomakis");
        highest(11);
        browser.choose("#first-level", "11");
        browser.choose("#board-select", "6x6");
        highest(12);
        // A level that is too high here is not asked for: the computer moves at once, with the highest one. The search for
        // the values goes on when the server is gone.
        browser.requests_may_fail();
        browser.open(&format!("{}/?board=32x2", server.url()));
        let moved = browser.until("the computer moves", |shown| shown.ply == 1);
        assert_eq!(moved.error, "");
        highest(6);
        assert_eq!(browser.execute("return document.getElementById('first-level').value"), json!("6"));
    });
}

#[test]
fn two_computers_play_a_game_that_is_stepped_through_and_goes_on() {
    browser::run("computers", |browser| {
        let program = Program::with("5x4");
        let server = Server::start(&program, &[]);
        let truth = Truth::new(&program, "5x4");
        browser.open(&format!("{}/?board=5x4", server.url()));
        browser.settled_at("");
        for side in ["#second-player", "#first-player"] {
            browser.choose(side, "perfect:first");
        }
        let whole = |shown: &Shown| shown.over && shown.plies.iter().all(|ply| ply.value.is_some());
        let end = browser.until("the game is over", whole);
        truth.check_end(&end);
        truth.check_history(&end, &end.moves);
        for back in 1..=3 {
            browser.click("#undo");
            let shown = browser.until("a ply back", |shown| shown.settled && shown.ply == end.ply - back);
            assert!(shown.can_go_on, "{shown:#?}");
        }
        browser.click("#redo");
        browser.until("a ply forward", |shown| shown.settled && shown.ply == end.ply - 2);
        browser.click("#go-on");
        assert_eq!(browser.until("the game is over again", whole).moves, end.moves);
    });
}

#[test]
fn the_board_stays_in_its_place_from_move_to_move() {
    browser::run("place", |browser| {
        let program = Program::with("5x4");
        let server = Server::start(&program, &[]);
        for width in [None, Some(375)] {
            if let Some(width) = width {
                browser.telephone(width);
            }
            let top = || {
                let top =
                    browser.execute("return document.querySelector('#board').getBoundingClientRect().top + scrollY");
                top.as_f64().expect("a number")
            };
            browser.open(&format!("{}/?board=5x4", server.url()));
            browser.settled_at("");
            let begin = top();
            browser.choose("#second-player", "perfect");
            // Columns are full, the game ends: no text takes more room than another.
            let mut shown = browser.settled();
            while !shown.over {
                let before = shown.ply;
                let open = shown.columns.iter().find(|column| column.pieces.len() < 4).expect("a column").column;
                browser.click(&button(open));
                assert_eq!(top(), begin, "{shown:#?}");
                shown = browser.until("the computer answers", |now| now.settled && (now.over || now.ply == before + 2));
                assert_eq!(top(), begin, "{shown:#?}");
            }
            browser.click(&ply(1));
            let waits = browser.until("the computer waits", |now| now.settled && now.can_go_on);
            assert_eq!(top(), begin, "{waits:#?}");
            browser.choose("#second-player", "human");
        }
    });
}
