//! The keys.

use fantoccini::key::Key;

use crate::support::browser;
use crate::support::program::Program;
use crate::support::server::Server;
use crate::support::shown::Truth;

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
