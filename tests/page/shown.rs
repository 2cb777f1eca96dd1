//! What the page shows beside the values: best play, the history, the rule.

use serde_json::json;

use super::{button, ply};
use crate::support::browser;
use crate::support::program::Program;
use crate::support::server::Server;
use crate::support::shown::{Shown, Truth};

#[test]
fn the_best_line_is_that_of_the_command_line_and_is_played_move_by_move() {
    browser::run("best-line", |browser| {
        let program = Program::with("5x4");
        let server = Server::start(&program, &[]);
        let truth = Truth::new(&program, "5x4");
        browser.open(&format!("{}/?board=5x4&moves=12", server.url()));
        browser.settled_at("12");
        browser.press('b');
        let answer = truth.of("12");
        let line = answer["line"].as_str().expect("a line");
        let spaced = |line: &str| format!("Best line: {}", line.split("").collect::<Vec<_>>().join(" ").trim());
        browser.until("the line is shown", |shown| shown.line_note == spaced(line));
        for played in 1..=4 {
            browser.press('p');
            let shown = browser.settled_at(&format!("12{}", &line[..played]));
            truth.check(&shown);
            browser.until("the rest of the line is shown", |shown| shown.line_note == spaced(&line[played..]));
        }
        let here = format!("12{}", &line[..4]);
        let answer = truth.of(&here);
        let worst = answer["children"].as_array().and_then(|children| children.last()).expect("a move");
        let moves = format!("{here}{}", worst["column"]);
        assert_ne!(moves[6..], line[4..5]);
        browser.press(moves.chars().last().expect("a move"));
        browser.settled_at(&moves);
        let answer = truth.of(&moves);
        let line = spaced(answer["line"].as_str().expect("a line"));
        browser.until("another move has another line", |shown| shown.line_note == line);
    });
}

#[test]
fn the_history_marks_mistakes_and_leads_to_every_ply() {
    browser::run("history", |browser| {
        let program = Program::with("5x4");
        let server = Server::start(&program, &[]);
        let truth = Truth::new(&program, "5x4");
        let game = "123412";
        browser.open(&format!("{}/?board=5x4&moves={game}", server.url()));
        let whole = |shown: &Shown| shown.settled && shown.plies.iter().all(|ply| ply.value.is_some());
        let shown = browser.until("the history is whole", whole);
        truth.check_history(&shown, game);
        let mistakes: Vec<&str> = shown.plies.iter().map(|ply| ply.mistake.as_str()).collect();
        assert_eq!(mistakes, ["", "tie to lose", "", "", "win to tie", "tie to lose", "win to tie"]);
        browser.picture("mistakes");
        for at in [2, 5, 0, 6, 1] {
            browser.click(&ply(at));
            let shown = browser.settled_at(&game[..at]);
            assert_eq!(shown.query(), format!("board=5x4&moves={}", &game[..at]));
            truth.check(&shown);
            truth.check_history(&shown, game);
        }
        // A mistake is marked as soon as it is made.
        browser.click("#restart");
        browser.settled_at("");
        browser.click(&button(1));
        let marked = browser.until("the mistake is marked", |shown| shown.plies.len() == 2 && whole(shown));
        truth.check_history(&marked, "1");
        assert_eq!(marked.plies[1].worth, "2nd wins in 19\nmessed up: tie to lose");
    });
}

#[test]
fn a_game_from_a_set_up_position_has_values_a_history_and_players() {
    browser::run("set-up", |browser| {
        let program = Program::with("5x4");
        let server = Server::start(&program, &[]);
        let truth = Truth::new(&program, "5x4");
        // No game leads here: the lowest pieces are the second player's.
        let start = "1_--XO--XO------------";
        browser.open(&format!("{}/?board=5x4&start={start}&moves=5", server.url()));
        browser.until("the game is shown", |shown| shown.settled && shown.ply == 1);
        browser.press('l');
        browser.choose("#second-player", "perfect");
        let whole = |shown: &Shown| shown.settled && shown.plies.iter().all(|ply| ply.value.is_some());
        let shown = browser.until("the computer plays", |shown| shown.ply == 2 && whole(shown));
        assert!(
            shown.error.is_empty() && shown.status.ends_with("The game starts from a set-up position."),
            "{shown:#?}"
        );
        let uni = browser.execute("return document.getElementById('export-uni').value");
        let uni = uni.as_str().expect("a position");
        for (ply, text) in [(0, start), (2, uni)] {
            let answer = truth.of(text);
            let seen = &shown.plies[ply];
            assert_eq!(
                (json!(seen.value), json!(seen.remoteness)),
                (answer["value"].clone(), answer["remoteness"].clone())
            );
        }
        // The perfect player kept the value.
        assert_eq!(shown.plies[2].mistake, "");
        browser.choose("#second-player", "human");
        browser.click(&button(4));
        let answer = || browser.execute("return document.getElementById('follow-up-note').dataset.column");
        browser.until("the rule answers", |shown| shown.ply == 3 && whole(shown) && answer() == json!("4"));
    });
}

#[test]
fn the_rule_of_the_second_player_is_shown_and_where_it_gives_value_away() {
    browser::run("follow-up", |browser| {
        let program = Program::with("5x4");
        let server = Server::start(&program, &[]);
        browser.open(&format!("{}/?board=5x4&moves=1", server.url()));
        browser.settled_at("1");
        browser.press('l');
        let note = |field: &str| browser.execute(&format!("return document.getElementById('follow-up-note').{field}"));
        browser.until("the rule answers", |_| note("dataset.column") == json!("1"));
        assert_eq!(note("dataset.gives"), json!("win to tie"));
        assert_eq!(note("textContent"), json!("The rule answers with column 1: it gives value away: win to tie."));
        // Where the rule's column is full, or nobody has moved, it has no reply.
        browser.press('n');
        browser.until("the rule has no reply", |_| {
            note("textContent").as_str().is_some_and(|text| text.starts_with("The rule has no reply here."))
        });
        assert_eq!(note("dataset.column"), json!(""));
    });
}
