//! Column bit strings, the GamesCrafters form: one string per column, left to right.
//!
//! A string has one bit more than the board has rows. From the bottom up, `1` is a piece of the second player and `0`
//! one of the first. The last `1`, followed only by `0`s, marks the end of the pieces. On a board of four rows, `10100`
//! is a column with two pieces, the second player's below the first player's, and `10000` is an empty column.

use std::fmt;

use super::NotationError;
use crate::{Board, Player, Position};

/// Separates the strings of two columns.
pub(super) const SEPARATOR: char = ' ';

/// Writes a position as column bit strings, separated by single spaces.
///
/// `Display` of [`Position`] writes the same, because this is the only notation that can write every position and also
/// shows where each column ends.
///
/// ```
/// use fourbase::{Board, notation};
///
/// let board: Board = "4x4".parse()?;
/// let position = notation::parse(board, "112")?;
/// assert_eq!(notation::to_bits(&position), "01100 01000 10000 10000");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn to_bits(position: &Position) -> String {
    let board = position.board();
    let mut text = String::with_capacity(board.width() * (board.height() + 2));
    for column in 0..board.width() {
        if column > 0 {
            text.push(SEPARATOR);
        }
        text.extend((0..position.height(column)).map(|row| match position.piece(column, row) {
            Some(Player::Second) => '1',
            _ => '0',
        }));
        text.push('1');
        text.extend((position.height(column)..board.height()).map(|_| '0'));
    }
    text
}

impl fmt::Display for Position {
    /// Writes the column bit strings, as [`to_bits`] does.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&to_bits(self))
    }
}

/// Reads column bit strings with one or more spaces between them.
pub(super) fn parse(board: Board, text: &str) -> Result<Position, NotationError> {
    let strings = || text.split(SEPARATOR).filter(|string| !string.is_empty());
    let (mut first, mut second) = (0, 0);
    for (column, string) in strings().take(board.width()).enumerate() {
        let pieces = parse_column(board, column, string)?;
        first |= pieces[0] << board.cell(column, 0);
        second |= pieces[1] << board.cell(column, 0);
    }
    let found = strings().count();
    if found == 0 {
        return Err(NotationError::Blank);
    }
    if found != board.width() {
        return Err(NotationError::BitStrings { found, board });
    }
    Ok(Position::from_bitboards(board, first, second)?)
}

/// Reads the bit string of `column`, counted from 0. Returns each player's pieces in it, the bottom cell at bit 0.
fn parse_column(board: Board, column: usize, string: &str) -> Result<[u64; 2], NotationError> {
    let expected = board.height() + 1;
    // A 128-bit word, because a column of 64 rows has 65 bits.
    let mut bits = 0_u128;
    for (place, found) in string.chars().take(expected).enumerate() {
        match found {
            '0' => {}
            '1' => bits |= 1 << place,
            _ => return Err(NotationError::Bit { column: column + 1, place: place + 1, found }),
        }
    }
    let found = string.chars().count();
    if found != expected {
        return Err(NotationError::BitCount { column: column + 1, found, board });
    }
    let Some(height) = bits.checked_ilog2() else {
        return Err(NotationError::NoEndOfColumn(column + 1));
    };
    // The highest 1 marks the end of the pieces. At most 64 bits are below it.
    let pieces = (1_u128 << height) - 1;
    Ok([!bits, bits].map(|bits| (bits & pieces) as u64))
}

#[cfg(test)]
mod tests {
    use super::{parse, to_bits};
    use crate::{Board, Player};

    #[test]
    fn the_example_of_the_notation_has_six_and_five_pieces() {
        let text = "10100 10010 11010 01010";
        let position = parse("4x4".parse().unwrap(), text).unwrap();
        assert_eq!([0, 1, 2, 3].map(|column| position.height(column)), [2, 3, 3, 3]);
        assert_eq!(position.pieces(Player::First), 0b0101_0100_0110_0010);
        assert_eq!(position.pieces(Player::Second), 0b0010_0011_0001_0001);
        assert_eq!(position.to_string(), text);
    }

    #[test]
    fn spaces_may_be_many_and_a_full_column_ends_with_its_mark() {
        let board = "2x2".parse::<Board>().unwrap();
        assert_eq!(parse(board, "  010   100 "), parse(board, "010 100"));
        let board = "1x64c65".parse::<Board>().unwrap();
        let text = format!("{}1", "01".repeat(32));
        assert_eq!(to_bits(&parse(board, &text).unwrap()), text);
    }

    #[test]
    fn mistakes_are_named_with_their_place() {
        let message = |board: &str, text: &str| parse(board.parse().unwrap(), text).unwrap_err().to_string();
        assert!(message("4x4", "10000 é").contains("character 1 of the bit string of column 2 is 'é' (U+00E9)"));
        assert_eq!(
            message("4x4", "10000"),
            "1 bit string found, but 4x4 has 4 columns; write one for each column, and separate them by spaces"
        );
    }
}
