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

#[cfg(test)]
mod tests {
    use super::{parse, to_uni};
    use crate::Player;

    #[test]
    fn the_example_of_the_notation_has_three_pieces_each() {
        let text = "1_-XXX--OO---O----";
        let position = parse("4x4".parse().unwrap(), text).unwrap();
        assert_eq!(position.pieces(Player::First), 0b0111);
        assert_eq!(position.pieces(Player::Second), 0b0001_0011_0000);
        assert_eq!(to_uni(&position), text);
    }

    #[test]
    fn mistakes_are_named_with_their_place() {
        let message = |board: &str, text: &str| parse(board.parse().unwrap(), text).unwrap_err().to_string();
        assert!(message("1x1", "").starts_with("character 1 is the end of the text, expected '1' or '2'"));
        assert!(message("1x1", "1").starts_with("character 2 is the end of the text, expected '_'"));
        assert!(message("1x1", "1-").starts_with("character 2 is '-', expected '_'"));
        assert!(message("2x2", "1_-О--").starts_with("character 4 (column 1) is 'О' (U+041E), expected"));
        for (found, text) in [("0 cells", "1_"), ("1 cell", "1_-"), ("5 cells", "1_-----")] {
            assert!(message("2x2", text).starts_with(&format!("{found} found, but 2x2 has 4; ")));
        }
        assert!(message("4x2", "1_OXOXOXOX").contains("both players have a line"));
        assert!(message("5x2", "1_-XOXOX-XOO").contains("X is to move and has a line already"));
    }
}
