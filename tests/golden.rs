//! Answers that others have published, each with its source.

use fourbase::{Outcome, Position, Value};

use crate::support::board::board;
use crate::support::long;
use crate::support::openings;
use crate::support::shared::shared;
use crate::support::solves::MEMORY_BYTES;
use crate::support::tiers::{Plan, Values};
use crate::support::truth;

/// Boards of at most so many entries are affordable in the long run.
const MOST_ENTRIES: u128 = 200_000_000;

/// As many in the ordinary run.
const FEW_ENTRIES: u128 = 20_000_000;

/// More than any affordable board has cells.
const MOST_CELLS: usize = 30;

fn assert_root(name: &str, value: Value, remoteness: u32) {
    let start = Position::start(board(name));
    let database = shared(board(name), Values::Remoteness);
    let expected = Outcome { value, remoteness: Some(remoteness) };
    assert_eq!(database.probe(&start).expect("an answer"), expected, "{name}");
    let line = database.best_line(&start).expect("a line").expect("a line where remoteness is known");
    assert_eq!(line.len(), remoteness as usize, "{name}: the length of the best line");
}

/// Values: John Tromp, <https://tromp.github.io/c4/c4.html>. A tie lasts until the board is full; that the second player
/// needs the whole of 6x4 to win has no source, but follows from every position of it (`consistency.rs`).
#[test]
fn the_empty_board_has_its_published_value_and_remoteness() {
    assert_root("4x4", Value::Tie, 16);
    assert_root("5x4", Value::Tie, 20);
    assert_root("5x5", Value::Tie, 25);
    assert_root("6x4", Value::Lose, 24);
    assert_root("4x6", Value::Tie, 24);
}

/// Values and the move on which a perfect game ends: Christophe Steininger, c4.
#[test]
#[ignore = "takes a minute and 2 GiB of memory"]
fn the_empty_board_of_larger_boards_has_its_published_value_and_remoteness() {
    assert_root("5x6", Value::Tie, 30);
    assert_root("6x5", Value::Tie, 30);
    assert_root("7x4", Value::Tie, 28);
}

/// Columns: w, h, k, value for the first player as `+`, `=` or `-`, and fields that these boards leave empty.
#[test]
fn every_affordable_board_has_its_published_value() {
    let Some(rows) = truth::rows("values.csv") else { return };
    let most = long::scale(FEW_ENTRIES, MOST_ENTRIES);
    long::skips("the values of boards of more than 20 million entries");
    let mut solved = Vec::new();
    for row in rows {
        let fields: Vec<&str> = row.split(',').collect();
        let [width, height, connect, value] = fields[..4] else { panic!("a row of four fields: {row}") };
        let name = board(&format!("{width}x{height}c{connect}")).to_string();
        // A plan of a large board takes its time, and none of more cells is affordable.
        if solved.contains(&name)
            || board(&name).cells() > MOST_CELLS
            || Plan::new(board(&name), Values::Wdl, MEMORY_BYTES).entries() > most
        {
            continue;
        }
        let value = match value {
            "+" => Value::Win,
            "=" => Value::Tie,
            "-" => Value::Lose,
            _ => panic!("a value: {row}"),
        };
        let expected = Outcome { value, remoteness: None };
        let database = shared(board(&name), Values::Wdl);
        assert_eq!(database.probe(&Position::start(board(&name))).expect("an answer"), expected, "{row}");
        solved.push(name);
    }
    let all = ["4x4", "4x5", "4x6", "4x7", "5x4", "5x5", "6x4"];
    assert_eq!(solved, long::scale(&["4x4", "4x5", "4x6", "5x4"][..], &all));
}

/// Markus Böck's opening book of 5x5.
#[test]
fn every_position_of_5x5_after_8_plies_has_its_published_value_and_remoteness() {
    let board = board("5x5");
    let Some(openings) = openings::openings(board) else { return };
    let database = shared(board, Values::Remoteness);
    for (position, expected) in &openings {
        assert_eq!(database.probe(position).expect("an answer"), *expected, "{position}");
        assert_eq!(database.probe(&position.mirror()).expect("an answer"), *expected, "the mirror of {position}");
    }
    // The same author's table of values by ply says so too.
    let counts = [Value::Win, Value::Tie, Value::Lose]
        .map(|value| openings.iter().filter(|(_, expected)| expected.value == value).count());
    assert_eq!((openings.len(), counts), (25_060, [15_432, 6_863, 2_765]));
}
