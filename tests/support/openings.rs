//! Markus Böck's opening books, arXiv 2507.05267: every position after 8 plies, mirror images apart.
//!
//! A row is `///ooo/xoxxx,win,9`: the pieces of each column from the bottom up, `x` the first player's; the value for
//! the first player, who is to move; the plies to the end.

use fourbase::{Board, Outcome, Position, Value};

use super::truth;

/// A position and what it is worth to the player to move, with the remoteness.
pub type Opening = (Position, Outcome);

/// Reads the opening book of a board; `None`, with a message, where it is absent.
pub fn openings(board: Board) -> Option<Vec<Opening>> {
    let rows = truth::rows(&format!("ply8_{board}.csv.gz"))?;
    Some(rows.iter().map(|row| parse(board, row)).collect())
}

fn parse(board: Board, row: &str) -> Opening {
    let fields: Vec<&str> = row.split(',').collect();
    let [columns, value, plies] = fields[..] else { panic!("a row of three fields: {row}") };
    let value = match value {
        "win" => Value::Win,
        "draw" => Value::Tie,
        "loss" => Value::Lose,
        _ => panic!("a value: {row}"),
    };
    let outcome = Outcome { value, remoteness: Some(plies.parse().expect("a number")) };
    (parse_columns(board, columns), outcome)
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
