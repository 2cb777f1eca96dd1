//! The page of `fourbase serve`, in a real browser.

use fantoccini::key::Key;
use serde_json::{Value as Json, json};

use crate::support::browser::{self, Browser};
use crate::support::program::Program;
use crate::support::server::Server;
use crate::support::shown::{Shown, Truth};

/// Names the file `axe.min.js` of the npm package axe-core.
const AXE: &str = "FOURBASE_AXE";

const GONE: &str =
    "The server cannot be reached. The page tries again every 5 seconds; you can play on without values.";

/// A search of the server ends when it is done, however slow the machine is.
const PATIENT: [&str; 4] = ["--search-nodes", "1e9", "--search-seconds", "60"];

fn button(column: usize) -> String {
    format!("#board button[data-column=\"{column}\"]")
}

fn ply(ply: usize) -> String {
    format!("#history button[data-ply=\"{ply}\"]")
}

/// Plays the first player by clicks until the game is over. `choose` gets the moves, best first. Compares every look at
/// the page on the way with the command line, and the history and the end of the game.
fn play_to_the_end(browser: &Browser, truth: &Truth, choose: impl Fn(&[Json]) -> &Json) -> Shown {
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
fn keys_play_undo_redo_hide_flip_and_begin_anew() {
    browser::run("keys", |browser| {
        let program = Program::new();
        let server = Server::start(&program, &[]);
        let truth = Truth::new(&program, "7x6");
        browser.open(&format!("{}/?board=7x6", server.url()));
        browser.settled_at("");
        browser.press('4');
        browser.settled_at("4");
        browser.press('5');
        browser.settled_at("45");
        // The first arrow leads into the middle, the next ones to its neighbours.
        browser.press(Key::Left);
        assert_eq!(browser.settled().focus, "column 4");
        browser.press(Key::Left);
        browser.press(Key::Enter);
        assert_eq!(browser.settled_at("453").focus, "column 3");
        browser.press(' ');
        browser.settled_at("4533");
        browser.press(Key::Down);
        let played = browser.settled_at("45333");
        assert_eq!((played.focus.as_str(), played.can_redo), ("column 3", false));
        truth.check(&played);

        browser.press('u');
        assert!(browser.settled_at("4533").can_redo);
        browser.press('r');
        browser.settled_at("45333");
        for moves in ["4533", "453", "45"] {
            browser.press('u');
            let undone = browser.settled_at(moves);
            truth.check(&undone);
            assert_eq!(undone.plies.len(), 6);
        }
        // The same move again keeps the moves after it. Another one drops them.
        browser.press('3');
        assert_eq!(browser.settled_at("453").plies.len(), 6);
        browser.press('1');
        let other = browser.settled_at("4531");
        assert_eq!((other.plies.len(), other.can_redo), (5, false));

        browser.press('v');
        let hidden = browser.until("values are hidden", |shown| shown.with_values().is_empty());
        assert_eq!(hidden.status, "First player to move (discs).");
        assert!(hidden.columns.iter().all(|column| column.text.is_empty() && !column.name.contains(" in ")));
        browser.press('2');
        assert_eq!(browser.settled_at("45312").with_values(), Vec::<usize>::new());
        browser.reload();
        assert_eq!(browser.settled_at("45312").with_values(), Vec::<usize>::new());
        browser.press('v');
        truth.check(&browser.until("values are shown", |shown| shown.with_values().len() == 7));

        browser.press('f');
        let flipped = browser.until("the board is mirrored", |shown| shown.columns[0].column == 7);
        truth.check(&flipped);
        assert!(flipped.columns.is_sorted_by(|one, next| one.left < next.left), "{flipped:#?}");
        browser.picture("flipped");
        browser.press('7');
        browser.settled_at("453127");
        browser.press(Key::Right);
        browser.press(Key::Right);
        browser.press(Key::Enter);
        // To the right of the middle is column 3 now.
        truth.check(&browser.settled_at("4531273"));
        browser.press('f');
        browser.until("the board is no longer mirrored", |shown| shown.columns[0].column == 1);

        browser.press('n');
        assert_eq!(browser.settled_at("").plies.len(), 1);
        // Fields keep their keys, and a switch turns the keys off.
        browser.write("#paste", "12uf");
        browser.click("#keys-toggle");
        browser.press('4');
        let same = browser.settled_at("");
        assert_eq!((same.focus.as_str(), same.columns[0].column), ("keys-toggle", 1));
    });
}

#[test]
fn letters_are_columns_of_wide_boards_and_commands_with_shift() {
    browser::run("wide", |browser| {
        let program = Program::new();
        program.run("solve 12x1").succeeds();
        let server = Server::start(&program, &[]);
        let truth = Truth::new(&program, "12x1");
        browser.open(&format!("{}/?board=12x1", server.url()));
        browser.settled_at("");
        for (key, moves) in [('b', "b"), ('9', "b9"), ('a', "b9a"), ('c', "b9ac")] {
            browser.press(key);
            browser.settled_at(moves);
        }
        assert_eq!(browser.settled().line_note, "");
        browser.press_with_shift('b');
        let line = truth.of("b9ac")["line"].as_str().expect("a line").split("").collect::<Vec<_>>().join(" ");
        browser.until("the line is shown", |shown| shown.line_note == format!("Best line: {}", line.trim()));
        // No column has this letter, so it is the command without Shift too.
        browser.press('u');
        browser.settled_at("b9a");
        browser.press_with_shift('r');
        browser.settled_at("b9ac");
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
        // A level that is too high here is not asked for: the computer moves at once, with the highest one.
        browser.open(&format!("{}/?board=32x2", server.url()));
        let moved = browser.until("the computer moves", |shown| shown.ply == 1);
        assert_eq!(moved.error, "");
        highest(6);
        assert_eq!(browser.execute("return document.getElementById('first-level').value"), json!("6"));
    });
}

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
        assert_eq!(marked.plies[1].worth, "2nd in 19\nmessed up: tie to lose");
    });
}

#[test]
fn a_link_opens_its_game_and_back_forward_and_reload_keep_it() {
    browser::run("links", |browser| {
        let program = Program::new();
        let server = Server::start(&program, &[]);
        let (truth, other) = (Truth::new(&program, "7x6"), Truth::new(&program, "7x5"));
        let link = format!("{}/?board=7x6&moves=4453", server.url());
        browser.open(&link);
        let opened = browser.settled_at("4453");
        truth.check(&opened);
        assert_eq!((&opened.address, &opened.link), (&link, &link));
        browser.click(&button(1));
        browser.settled_at("44531");
        browser.click(&button(7));
        assert_eq!(browser.settled_at("445317").query(), "board=7x6&moves=445317");
        for (moves, step) in [
            ("44531", Browser::back as fn(&Browser)),
            ("4453", Browser::back),
            ("44531", Browser::forward),
            ("445317", Browser::forward),
            ("445317", Browser::reload),
            ("44531", Browser::back),
        ] {
            step(browser);
            let shown = browser.settled_at(moves);
            assert_eq!(shown.query(), format!("board=7x6&moves={moves}"));
            truth.check(&shown);
        }
        // What can be redone outlives a reload; an entry of the history has what it had when it was left.
        browser.forward();
        browser.settled_at("445317");
        browser.click("#undo");
        assert!(browser.settled_at("44531").can_redo);
        browser.reload();
        let reloaded = browser.settled_at("44531");
        assert!(reloaded.can_redo, "{reloaded:#?}");
        browser.click("#redo");
        browser.settled_at("445317");
        // Another board is a step of the history too.
        browser.choose("#board-select", "7x5");
        let shown = browser.until("the other board is shown", |shown| shown.settled && shown.board == "7x5");
        other.check(&shown);
        browser.back();
        let shown = browser.until("the first board is back", |shown| shown.settled && shown.board == "7x6");
        assert_eq!(shown.moves, "445317");
        truth.check(&shown);
        // A link that stops being a game is shown as far as it goes, and a link in any notation is read.
        browser.open(&format!("{}/?board=7x6&moves=44444448", server.url()));
        let stopped = browser.settled_at("444444");
        assert_eq!(
            stopped.error,
            "This link has a move that is not possible. Move 7: column 4 is full. The moves before it are shown."
        );
        browser.open(&format!("{}/?board=7x6&position=2_-----------------------X------------------", server.url()));
        truth.check(&browser.settled_at("4"));
    });
}

#[test]
fn telephones_show_all_columns_without_scrolling_sideways() {
    browser::run("telephone", |browser| {
        let program = Program::with("5x4");
        let server = Server::start(&program, &PATIENT);
        let truth = Truth::new(&program, "7x6");
        browser.requests_may_fail();
        for width in [375, 320] {
            browser.telephone(width);
            let width = f64::from(width);
            let fits = |shown: &Shown| {
                assert!(shown.content_width <= width && shown.window_width <= width, "{shown:#?}");
                let edge = shown.columns.last().map_or(0.0, |column| column.left + column.width);
                assert!(shown.columns[0].left >= 0.0 && edge <= width, "{shown:#?}");
            };
            browser.open(&format!("{}/?board=7x6", server.url()));
            fits(&browser.settled_at(""));
            let mut moves = String::new();
            for column in 1..=7 {
                browser.touch(&button(column));
                moves += &column.to_string();
                let shown = browser.settled_at(&moves);
                // A finger needs 24 pixels: https://www.w3.org/TR/WCAG22/#target-size-minimum
                assert!(shown.columns.iter().all(|column| column.width >= 24.0), "{shown:#?}");
                fits(&shown);
                truth.check(&shown);
            }
            let whole =
                browser.until("the history is whole", |shown| shown.plies.iter().all(|ply| ply.value.is_some()));
            truth.check_history(&whole, "1234567");
            for switch in ["#best-line", "#follow-up-toggle", "#flip"] {
                browser.touch(switch);
            }
            browser.until("the best line is shown", |shown| shown.line_note.starts_with("Best line: "));
            browser.choose("#first-player", "pomakis");
            browser.write("#paste", "8");
            browser.touch("#paste-go");
            fits(&browser.until("the error is said", |shown| !shown.error.is_empty()));
            browser.picture(&format!("{width}"));
            browser.choose("#first-player", "human");
            browser.open(&format!("{}/?board=5x4&moves=1212121", server.url()));
            fits(&browser.settled_at("1212121"));
            // A wide board scrolls within its frame.
            browser.open(&format!("{}/?board=32x2&moves=1", server.url()));
            let wide = browser.until("the wide board is shown", |shown| shown.columns.len() == 32);
            assert!(wide.content_width <= width, "{wide:#?}");
        }
    });
}

/// Runs axe-core on the page as it is, and returns the violations with their elements, and how many rules passed.
fn violations(browser: &Browser, axe: &str) -> (Vec<String>, usize) {
    if browser.execute("return typeof axe") != json!("object") {
        browser.execute(axe);
    }
    let report =
        browser.execute_async("const done = arguments[0]; axe.run(document).then(done, (e) => done(String(e)));");
    let rules = |kind: &str| report[kind].as_array().unwrap_or_else(|| panic!("{report}")).clone();
    let found = rules("violations");
    let named = found.iter().map(|rule| format!("{}: {}", rule["id"].as_str().expect("a name"), rule["nodes"]));
    (named.collect(), rules("passes").len())
}

#[test]
fn axe_finds_no_violation() {
    let Some(file) = std::env::var_os(AXE) else {
        return browser::misses(&format!("{AXE} names no axe.min.js of the npm package axe-core"));
    };
    let axe = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    browser::run("axe", |browser| {
        let program = Program::with("5x4");
        let server = Server::start(&program, &[]);
        browser.requests_may_fail();
        let sound = |what: &str| {
            let (found, passed) = violations(browser, &axe);
            assert!(found.is_empty() && passed > 20, "{what}: {found:#?}, {passed} rules passed");
            browser.picture(what);
        };
        let mut papers = Vec::new();
        for screen in ["desktop", "telephone"] {
            if screen == "telephone" {
                browser.telephone(375);
            }
            for scheme in ["light", "dark"] {
                browser.colours(scheme);
                browser.open(&format!("{}/?board=7x6&moves=44536", server.url()));
                browser.settled_at("44536");
                sound(&format!("{screen}-{scheme}"));
                papers.push(browser.execute("return getComputedStyle(document.body).backgroundColor"));
                // With a computer, its level, a best line, an answer of the rule and an error.
                browser.click("#best-line");
                browser.click("#follow-up-toggle");
                browser.choose("#first-player", "pomakis");
                browser.click(&ply(4));
                browser.until("a computer waits", |shown| shown.settled && shown.can_go_on);
                browser.write("#paste", "9");
                browser.click("#paste-go");
                browser.until("the error is said", |shown| !shown.error.is_empty());
                browser.until("the best line is shown", |shown| shown.line_note.starts_with("Best line: "));
                sound(&format!("{screen}-{scheme}-error"));
                browser.choose("#first-player", "human");
                browser.open(&format!("{}/?board=5x4&moves=1212121", server.url()));
                browser.settled_at("1212121");
                sound(&format!("{screen}-{scheme}-won"));
            }
        }
        assert!(papers[0] != papers[1] && papers[..2] == papers[2..], "{papers:?}");
        // It does find violations.
        browser.execute("document.documentElement.removeAttribute('lang')");
        let (found, _) = violations(browser, &axe);
        assert!(found.len() == 1 && found[0].starts_with("html-has-lang: "), "{found:#?}");
    });
}

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
fn the_page_works_under_the_path_of_a_proxy() {
    browser::run("base-path", |browser| {
        let program = Program::with("5x4");
        let server = Server::start(&program, &["--base-path", "/connect4"]);
        let truth = Truth::new(&program, "5x4");
        assert!(server.url().ends_with("/connect4"));
        // The path without the slash at its end leads to the page as well.
        browser.open(server.url());
        let start = format!("{}/?board=7x6&moves=", server.url());
        assert_eq!(browser.settled_at("").address, start);
        browser.open(&format!("{}/?board=5x4&moves=33", server.url()));
        truth.check(&browser.settled_at("33"));
        browser.click(&button(2));
        let shown = browser.settled_at("332");
        let link = format!("{}/?board=5x4&moves=332", server.url());
        assert_eq!((&shown.address, &shown.link), (&link, &link));
        let picture = shown.picture.strip_prefix(server.url()).expect("an address of the server");
        let picture = server.get(picture);
        assert_eq!((picture.status, picture.header("content-type")), (200, "image/svg+xml"));
        browser.choose("#first-player", "perfect");
        browser.click(&button(2));
        truth.check(&browser.until("the computer answers", |shown| shown.settled && shown.ply == 5));
        let names = browser.execute("return performance.getEntriesByType('resource').map((entry) => entry.name)");
        let names: Vec<&str> = names.as_array().expect("names").iter().map(|name| name.as_str().unwrap()).collect();
        let prefix = format!("{}/", server.url());
        assert!(names.len() > 15 && names.iter().all(|name| name.starts_with(&prefix)), "{names:#?}");
    });
}
