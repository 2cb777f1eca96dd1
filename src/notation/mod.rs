//! Positions as text: three notations for reading and writing; a drawn board and a picture for writing only.
//!
//! | notation | the position after moves in the columns 1, 1, 2 on `2x3` | reading | writing |
//! |---|---|---|---|
//! | moves | `112` | [`parse`] | [`to_moves`], the smallest order |
//! | column bit strings | `0110 0100` | [`parse`] | [`to_bits`], also `Display` |
//! | GamesmanUni's string | `2_-OX--X` | [`parse`] | [`to_uni`] |
//! | a drawn board | | | [`draw`] |
//! | a picture | | | [`draw_svg`] |
//!
//! [`parse_moves`] reads moves that are played from any position on.
//!
//! The form of a text tells which notation it is: `_` as the second character means GamesmanUni's; words of 0s and 1s as
//! long as a column means bit strings; everything else is moves, in any spelling that people use (`4 4 5 3`, `1. d1 d2`, a
//! link). The bit strings of a position always contain a `0`, either above the end of a column or, on a full board, for a
//! piece of the first player; no column is named 0.
//!
//! Columns, characters and moves in messages count from 1. Reading makes at most a few passes over the text, stops at
//! the first mistake, and repeats at most 200 characters of a link, else a few of the text, in an error.

mod bits;
mod drawing;
mod error;
mod fields;
mod moves;
mod order;
mod spelling;
mod uni;

pub use bits::to_bits;
pub use drawing::{draw, draw_svg};
pub use error::NotationError;
pub use fields::Fields;
pub use moves::{choice_of_columns, column_character, columns_to_text, parse_moves, to_moves};
pub use spelling::DIGITS;
pub use uni::to_uni;

use spelling::Link;

use crate::{Board, Position};

/// Reads a position of `board` in any notation, recognised by its form.
///
/// # Errors
///
/// [`NotationError`] names the first wrong character, column or move, or what is wrong with the pieces as a whole (see
/// [`Position::from_bitboards`]). Well-formed positions that no play reaches are not errors.
///
/// ```
/// use fourbase::{Board, notation::parse};
///
/// let board: Board = "2x3".parse()?;
/// let position = parse(board, "112")?;
/// assert_eq!(parse(board, "0110 0100")?, position);
/// assert_eq!(parse(board, "2_-OX--X")?, position);
///
/// let error = parse(board, "1111").unwrap_err();
/// assert_eq!(error.to_string(), "move 4, '1': column 1 is full up to row 3; play another column");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn parse(board: Board, text: &str) -> Result<Position, NotationError> {
    if let Some(link) = Link::of(text) {
        link.check(board)?;
        // A link within a link is none.
        let Some(start) = &link.start else { return parse_notation(board, &link.position) };
        let start = parse_notation(board, start)?;
        return Ok(parse_moves(&start, &link.position)?
            .into_iter()
            .fold(start, |position, column| position.drop_piece(column)));
    }
    parse_notation(board, text)
}

fn parse_notation(board: Board, text: &str) -> Result<Position, NotationError> {
    if text.chars().nth(1) == Some(uni::SEPARATOR) {
        uni::parse(board, text)
    } else if spelling::is_bits(board, text) {
        bits::parse(board, text)
    } else {
        moves::parse(board, &spelling::moves(&Position::start(board), text)?)
    }
}

/// Returns the board that a link names, as of the page of `fourbase serve`; `None` where the text is no link, or names none.
///
/// ```
/// use fourbase::notation::board_of_link;
/// assert_eq!(board_of_link("http://127.0.0.1:8080/?board=5x4&moves=33"), Some("5x4".parse()?));
/// assert_eq!(board_of_link("4453"), None);
/// # Ok::<(), fourbase::BoardError>(())
/// ```
#[must_use]
pub fn board_of_link(text: &str) -> Option<Board> {
    Link::of(text)?.board?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{draw, parse, to_bits, to_moves, to_uni};
    use crate::testing::{any_board, any_position};
    use crate::{Board, Position};
    use proptest::prelude::*;

    #[test]
    fn a_megabyte_of_anything_fails_with_a_short_message() {
        for board in ["4x4", "1x64", "32x2", "8x8c255"].map(|name| name.parse::<Board>().unwrap()) {
            for unit in ["1", "0", "01", " ", "10 ", "1 ", "_", "-", "1_", "é", "\0", "\u{1b}[2J", "00010 11100 "] {
                let body = unit.repeat(1_000_000 / unit.len());
                for start in ["", "1_", "1", "10000 "] {
                    let message = match parse(board, &format!("{start}{body}")) {
                        // Spaces and hyphens after a move are ignored.
                        Ok(position) if [" ", "-"].contains(&unit) => {
                            assert_eq!(position.ply(), 1);
                            continue;
                        }
                        Ok(position) => panic!("{board} {unit:?} {start:?} read as {position}"),
                        Err(error) => error.to_string(),
                    };
                    assert!(message.len() < 300 && !message.chars().any(char::is_control), "{message}");
                }
            }
        }
    }

    proptest! {
        #[test]
        fn every_notation_reads_back_what_it_wrote(position in any_position()) {
            let board = position.board();
            prop_assert_eq!(parse(board, &to_bits(&position)), Ok(position));
            prop_assert_eq!(parse(board, &to_uni(&position)), Ok(position));
            prop_assert_eq!(parse(board, &to_moves(&position).unwrap()), Ok(position));
        }

        #[test]
        fn no_text_makes_reading_panic(board in any_board(), text in "[0-9a-z_XO \\-]{0,70}|\\PC*|[12]_[-XO]*|[01 ]*") {
            if let Ok(position) = parse(board, &text) {
                prop_assert_eq!(Position::from_bitboards(
                    board,
                    position.pieces(crate::Player::First),
                    position.pieces(crate::Player::Second),
                ), Ok(position));
                prop_assert!(!draw(&position, false).is_empty());
            }
        }
    }
}
