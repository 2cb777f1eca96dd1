//! A drawn board for people: rows of `.`, `X` and `O`, the top row first, and the columns' names underneath.

use super::column::column_character;
use crate::{Player, Position};

/// Terminal sequences (ECMA-48, "select graphic rendition"): the pieces in the colours of the game as sold.
const FIRST_COLOUR: &str = "\x1b[1;31m";
const SECOND_COLOUR: &str = "\x1b[1;33m";
const NAME_COLOUR: &str = "\x1b[2m";
const PLAIN: &str = "\x1b[0m";

/// Draws a position: a line per row from the top, then a line with the columns' characters, without a final line
/// break.
///
/// `coloured` adds terminal sequences: the first player's `X` red, the second player's `O` yellow, the names of the
/// columns faint. The caller decides, from the output and from `NO_COLOR`, whether to use them.
///
/// ```
/// use fourbase::{Board, notation};
///
/// let board: Board = "4x3".parse()?;
/// let position = notation::parse(board, "2213")?;
/// assert_eq!(notation::draw(&position, false), ". . . .\n. O . .\nX X O .\n1 2 3 4");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn draw(position: &Position, coloured: bool) -> String {
    let board = position.board();
    let paint = |colour: &str, text: &str| {
        if coloured { format!("{colour}{text}{PLAIN}") } else { text.to_owned() }
    };
    let spaced = |cells: Vec<String>| cells.join(" ");
    let mut lines = Vec::with_capacity(board.height() + 1);
    for row in (0..board.height()).rev() {
        lines.push(spaced(
            (0..board.width())
                .map(|column| match position.piece(column, row) {
                    None => ".".to_owned(),
                    Some(Player::First) => paint(FIRST_COLOUR, "X"),
                    Some(Player::Second) => paint(SECOND_COLOUR, "O"),
                })
                .collect(),
        ));
    }
    let names = (0..board.width()).filter_map(column_character).map(String::from).collect();
    lines.push(paint(NAME_COLOUR, &spaced(names)));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::draw;
    use crate::notation::parse;
    use crate::testing::any_position;
    use crate::{Board, Position};
    use proptest::prelude::*;

    #[test]
    fn the_widest_board_has_a_letter_under_every_column() {
        let drawn = draw(&Position::start("32x1".parse::<Board>().unwrap()), false);
        assert!(drawn.ends_with("\n1 2 3 4 5 6 7 8 9 a b c d e f g h i j k l m n o p q r s t u v w"), "{drawn}");
    }

    #[test]
    fn colours_are_terminal_sequences_around_pieces() {
        let position = parse("2x1".parse().unwrap(), "12").unwrap();
        assert_eq!(draw(&position, true), "\x1b[1;31mX\x1b[0m \x1b[1;33mO\x1b[0m\n\x1b[2m1 2\x1b[0m");
        assert_eq!(draw(&position, false), "X O\n1 2");
    }

    proptest! {
        #[test]
        fn a_drawing_shows_every_cell(position in any_position()) {
            let board = position.board();
            let drawn = draw(&position, false);
            let rows = drawn.lines().collect::<Vec<_>>();
            prop_assert_eq!(rows.len(), board.height() + 1);
            for (index, row) in rows[..board.height()].iter().enumerate() {
                let cells = row.chars().step_by(2).collect::<Vec<_>>();
                prop_assert_eq!(cells.len(), board.width());
                for (column, cell) in cells.into_iter().enumerate() {
                    let expected = match position.piece(column, board.height() - 1 - index) {
                        None => '.',
                        Some(crate::Player::First) => 'X',
                        Some(crate::Player::Second) => 'O',
                    };
                    prop_assert_eq!(cell, expected);
                }
            }
        }
    }
}
