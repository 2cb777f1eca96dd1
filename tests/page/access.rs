//! Small screens, screen readers, and what people set in their system.

use std::collections::BTreeSet;

use serde_json::json;

use super::{PATIENT, button, ply};
use crate::support::browser::{self, Browser};
use crate::support::program::Program;
use crate::support::server::Server;
use crate::support::shown::{Shown, Truth};

/// Names the file `axe.min.js` of the npm package axe-core.
const AXE: &str = "FOURBASE_AXE";

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
fn moves_and_values_are_told_to_screen_readers() {
    browser::run("live", |browser| {
        let program = Program::with("5x4");
        let server = Server::start(&program, &[]);
        browser.open(&format!("{}/?board=5x4", server.url()));
        browser.settled_at("");
        let told = || browser.execute("return [...document.querySelectorAll('#live p')].map((p) => p.textContent)");
        let says = |sentences: &[&str]| {
            let holds = |told: &[String]| sentences.iter().all(|sentence| told.iter().any(|of| of == sentence));
            let read = || serde_json::from_value::<Vec<String>>(told()).expect("texts");
            browser.until(&format!("{sentences:?} is told"), |_| holds(&read()));
        };
        assert_eq!(
            browser.execute("return document.getElementById('live').getAttribute('aria-live')"),
            json!("polite")
        );
        browser.click(&button(1));
        says(&["First player plays column 1.", "Second player to move (rings): win in 19."]);
        browser.press('v');
        says(&["Values are hidden."]);
        browser.press('f');
        says(&["The board is mirrored."]);
        browser.press('u');
        says(&["At the start."]);
        // What is refused is seen as well.
        browser.open(&format!("{}/?board=5x4&moves=1111", server.url()));
        browser.settled_at("1111");
        browser.press('1');
        says(&["Column 1 is full."]);
        let remark = || browser.execute("return document.getElementById('remark').textContent");
        assert_eq!(remark(), json!("Column 1 is full."));
        browser.press('2');
        browser.settled_at("11112");
        assert_eq!(remark(), json!(""));
    });
}

#[test]
fn pieces_do_not_drop_where_people_want_less_motion() {
    browser::run("motion", |browser| {
        let program = Program::with("5x4");
        let server = Server::start(&program, &[]);
        for (wish, animation) in [("no-preference", "drop"), ("reduce", "none")] {
            browser.wishes("prefers-reduced-motion", wish);
            browser.open(&format!("{}/?board=5x4", server.url()));
            browser.settled_at("");
            browser.click(&button(1));
            browser.settled_at("1");
            let name = "return getComputedStyle(document.querySelector('.cell.drops'), '::after').animationName";
            assert_eq!(browser.execute(name), json!(animation), "{wish}");
        }
    });
}

#[test]
fn texts_of_twice_the_size_fit_the_window() {
    browser::run("large-text", |browser| {
        let program = Program::with("5x4");
        let server = Server::start(&program, &[]);
        browser.open(&format!("{}/?board=5x4&moves=123412", server.url()));
        browser.execute("document.documentElement.style.fontSize = '200%'");
        let shown = browser.settled_at("123412");
        assert!(shown.content_width <= shown.window_width, "{shown:#?}");
        // No row of the history is cut off.
        let cut = "return [...document.querySelectorAll('#history button')].filter((b) => b.scrollHeight > b.clientHeight + 1).length";
        assert_eq!(browser.execute(cut), json!(0));
        browser.picture("large");
    });
}

#[test]
fn pieces_and_values_keep_their_colours_where_the_system_forces_others() {
    browser::run("forced-colours", |browser| {
        let program = Program::with("5x4");
        let server = Server::start(&program, &[]);
        for forced in ["none", "active"] {
            browser.wishes("forced-colors", forced);
            browser.open(&format!("{}/?board=5x4&moves=12", server.url()));
            browser.settled_at("12");
            browser.until("the history is whole", |shown| shown.plies.iter().all(|ply| ply.value.is_some()));
            let colour = |selector: &str, part: &str, property: &str| {
                let of = format!("getComputedStyle(document.querySelector('{selector}'), '{part}').{property}");
                browser.execute(&format!("return {of}")).as_str().expect("a colour").to_owned()
            };
            let colours = [
                colour(".cells", "", "backgroundColor"),
                colour(".cell", "::before", "backgroundColor"),
                colour(".cell.first", "::after", "backgroundColor"),
                colour(".cell.second", "::after", "borderTopColor"),
                colour("#history .win path", "", "fill"),
                colour("#history .lose path", "", "fill"),
                colour(".value.known", "", "backgroundColor"),
            ];
            assert_eq!(colours.iter().collect::<BTreeSet<_>>().len(), colours.len(), "{forced}: {colours:?}");
            // The rest takes the colours of the system.
            let hint = [colour(".hint", "", "color"), colour("h1", "", "color")];
            assert_eq!(hint[0] == hint[1], forced == "active", "{hint:?}");
            browser.picture(forced);
        }
    });
}
