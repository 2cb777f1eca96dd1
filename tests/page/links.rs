//! Links, and the history of the browser.

use super::button;
use crate::support::browser::{self, Browser};
use crate::support::program::Program;
use crate::support::server::Server;
use crate::support::shown::Truth;

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
