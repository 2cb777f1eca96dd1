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
