//! GamesmanUni's string: the player to move, an underscore, and the cells.
//!
//! The first character is `1` or `2` for the player to move, the second is `_`. The cells follow column by column from
//! the left, each column from top to bottom: `-` for an empty cell, `X` for a piece of the first player, `O` for one of
//! the second.

use super::NotationError;
use crate::{Board, Player, Position};

/// The second character, by which this notation is recognised.
pub(super) const SEPARATOR: char = '_';

/// The number of characters before the first cell.
const HEAD: usize = 2;

/// Writes a position as GamesmanUni's string.
///
/// ```
/// use fourbase::{Board, notation};
///
/// let board: Board = "4x4".parse()?;
/// let position = notation::parse(board, "121213")?;
/// assert_eq!(notation::to_uni(&position), "1_-XXX--OO---O----");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn to_uni(position: &Position) -> String {
    let board = position.board();
    let turn = match position.to_move() {
        Player::First => '1',
        Player::Second => '2',
    };
    let cells = (0..board.width()).flat_map(|column| (0..board.height()).rev().map(move |row| (column, row)));
    [turn, SEPARATOR]
        .into_iter()
        .chain(cells.map(|(column, row)| match position.piece(column, row) {
            None => '-',
            Some(Player::First) => 'X',
            Some(Player::Second) => 'O',
        }))
        .collect()
}

/// Reads GamesmanUni's string.
pub(super) fn parse(board: Board, text: &str) -> Result<Position, NotationError> {
    let mut characters = text.chars();
    let turn = match characters.next() {
        Some('1') => Player::First,
        Some('2') => Player::Second,
        found => return Err(NotationError::Turn { place: 1, expected: "'1' or '2'", found }),
    };
    match characters.next() {
        Some(SEPARATOR) => {}
        found => return Err(NotationError::Turn { place: 2, expected: "'_'", found }),
    }
    let cells = characters.as_str();
    let (mut first, mut second) = (0_u64, 0_u64);
    for (index, found) in cells.chars().take(board.cells()).enumerate() {
        let (column, row) = (index / board.height(), board.height() - 1 - index % board.height());
        let cell = 1 << board.cell(column, row);
        match found {
            '-' => {}
            'X' => first |= cell,
            'O' => second |= cell,
            _ => return Err(NotationError::Cell { place: HEAD + index + 1, column: column + 1, found }),
        }
    }
    let found = cells.chars().count();
    if found != board.cells() {
        return Err(NotationError::CellCount { found, board });
    }
    let position = Position::from_bitboards(board, first, second)?;
    if turn != position.to_move() {
        return Err(NotationError::WrongTurn { expected: position.to_move(), found: turn, ply: position.ply() });
    }
    Ok(position)
}
