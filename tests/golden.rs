//! Answers that others have published, each with its source.

use fourbase::{Board, Outcome, Position, Value};
use fourbase_tiers::kernel::Values;
use fourbase_tiers::plan::Plan;

use support::options::MEMORY_BYTES;
use support::solved::Solved;
use support::truth;

mod support {
    pub mod options;
    pub mod solved;
    pub mod truth;
}

/// Boards of at most so many entries are affordable.
const MOST_ENTRIES: u128 = 200_000_000;

fn board(name: &str) -> Board {
    name.parse().expect("a board")
}

fn assert_root(name: &str, value: Value, remoteness: u32) {
    let start = Position::start(board(name));
    let solved = Solved::new(board(name), Values::Remoteness);
    let database = solved.open();
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
    let mut solved = Vec::new();
    for row in rows {
        let fields: Vec<&str> = row.split(',').collect();
        let [width, height, connect, value] = fields[..4] else { panic!("a row of four fields: {row}") };
        let name = board(&format!("{width}x{height}c{connect}")).to_string();
        if solved.contains(&name) || Plan::new(board(&name), Values::Wdl, MEMORY_BYTES).entries > MOST_ENTRIES {
            continue;
        }
        let value = match value {
            "+" => Value::Win,
            "=" => Value::Tie,
            "-" => Value::Lose,
            _ => panic!("a value: {row}"),
        };
        let expected = Outcome { value, remoteness: None };
        let solved_board = Solved::new(board(&name), Values::Wdl);
        assert_eq!(solved_board.open().probe(&Position::start(board(&name))).expect("an answer"), expected, "{row}");
        solved.push(name);
    }
    assert_eq!(solved, ["4x4", "4x5", "4x6", "4x7", "5x4", "5x5", "6x4"]);
}

/// Markus Böck's opening book of 5x5, arXiv 2507.05267. Columns: `///ooo/xoxxx`, the pieces of each column from the
/// bottom up, `x` the first player's; the value for the first player, who is to move; the plies to the end.
#[test]
fn every_position_of_5x5_after_8_plies_has_its_published_value_and_remoteness() {
    let Some(rows) = truth::rows("ply8_5x5.csv.gz") else { return };
    let board = board("5x5");
    let solved = Solved::new(board, Values::Remoteness);
    let database = solved.open();
    let mut values = [0; 3];
    for row in &rows {
        let fields: Vec<&str> = row.split(',').collect();
        let [columns, value, plies] = fields[..] else { panic!("a row of three fields: {row}") };
        let (value, counted) = match value {
            "win" => (Value::Win, 0),
            "draw" => (Value::Tie, 1),
            "loss" => (Value::Lose, 2),
            _ => panic!("a value: {row}"),
        };
        values[counted] += 1;
        let expected = Outcome { value, remoteness: Some(plies.parse().expect("a number")) };
        let position = parse_columns(board, columns);
        assert_eq!(database.probe(&position).expect("an answer"), expected, "{row}");
        assert_eq!(database.probe(&position.mirror()).expect("an answer"), expected, "the mirror of {row}");
    }
    // The same author's table of values by ply says so too.
    assert_eq!((rows.len(), values), (25_060, [15_432, 6_863, 2_765]));
}

fn parse_columns(board: Board, text: &str) -> Position {
    let (mut first, mut second) = (0, 0);
    for (column, pieces) in text.split('/').enumerate() {
        for (row, piece) in pieces.chars().enumerate() {
            let bit = 1 << board.cell(column, row);
            match piece {
                'x' => first |= bit,
                'o' => second |= bit,
                _ => panic!("a piece: {text}"),
            }
        }
    }
    Position::from_bitboards(board, first, second).expect("a position")
}
