//! Moves: one character each, the columns `1` to `9` and then `a` to `w`; `-` or nothing for the empty board.

use super::column::{column_number, columns_to_text};
use super::error::NotationError;
use super::order::smallest_order;
use super::spelling::{self, Link};
use super::uni;
use crate::excerpt::excerpt;
use crate::{Board, Player, Position, has_line};

/// Written for the empty board, because no moves at all would be invisible.
const EMPTY_BOARD: &str = "-";

/// How much of a text an error repeats.
const EXCERPT_BYTES: usize = 80;

/// Writes a position as the smallest order of moves that reaches it, by play that stops at the first line; `-` for the
/// empty board.
///
/// *Smallest* means that the first move is the leftmost possible one, then the second, and so on. The search usually
/// takes a few microseconds, and seconds at worst.
///
/// # Errors
///
/// [`NotationError::Unreachable`] for a position that no play reaches; [`NotationError::Undecided`] if the search gives
/// up (no example is known).
///
/// ```
/// use fourbase::{Board, notation};
///
/// let board: Board = "4x4".parse()?;
/// assert_eq!(notation::to_moves(&notation::parse(board, "4231")?)?, "3142");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn to_moves(position: &Position) -> Result<String, NotationError> {
    let order = smallest_order(position)?;
    Ok(if order.is_empty() { EMPTY_BOARD.to_owned() } else { columns_to_text(order) })
}

/// Plays the moves one by one.
pub(super) fn parse(board: Board, text: &str) -> Result<Position, NotationError> {
    let start = Position::start(board);
    if let Some(position) = dropped(start, text).filter(|position| !has_any_line(position)) {
        return Ok(position);
    }
    text.chars().zip(1..).try_fold(start, |position, (found, number)| Ok(play(position, found, number)?.0))
}

/// Reads moves that are played from a position on, in any spelling, and returns their columns, from 0; `-` or nothing for no
/// move.
///
/// # Errors
///
/// The first move that cannot be played. Moves count from `start` on. [`NotationError::NoGame`] for a position in a notation
/// without the order of moves.
///
/// ```
/// use fourbase::{Board, notation};
///
/// let board: Board = "4x4".parse()?;
/// let start = notation::parse(board, "4231")?;
/// assert_eq!(notation::parse_moves(&start, "14")?, [0, 3]);
/// let error = notation::parse_moves(&start, "1111").unwrap_err();
/// assert_eq!(error.to_string(), "move 4, '1': column 1 is full up to row 4; play another column");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn parse_moves(start: &Position, text: &str) -> Result<Vec<usize>, NotationError> {
    let (board, mut position, mut columns) = (start.board(), *start, Vec::new());
    let link = Link::of(text);
    link.iter().try_for_each(|link| link.check(board))?;
    let text = link.as_ref().map_or(text, |link| &link.position);
    if spelling::is_bits(board, text) || text.contains(uni::SEPARATOR) {
        return Err(NotationError::NoGame { text: excerpt(text, EXCERPT_BYTES) });
    }
    // Ends early on any text, because after at most 64 moves every column is full.
    for (found, number) in spelling::moves(board, text)?.chars().zip(1..) {
        let (next, column) = play(position, found, number)?;
        position = next;
        columns.push(column);
    }
    Ok(columns)
}

/// Plays a move, given by its character; `ply` is its number in an error.
fn play(position: Position, found: char, ply: usize) -> Result<(Position, usize), NotationError> {
    let column = column_number(found).ok_or(NotationError::Column { ply, found, board: position.board() })?;
    let next = position.play(column).map_err(|reason| NotationError::Move { ply, found, reason })?;
    Ok((next, column))
}

/// Drops the pieces of all moves without a look at lines; `None` where a column is full or is none. A line stays
/// for ever, so if there is none at the end there was none before.
fn dropped(start: Position, text: &str) -> Option<Position> {
    text.chars().try_fold(start, |position, found| {
        let column = column_number(found).filter(|column| position.can_play(*column))?;
        Some(position.drop_piece(column))
    })
}

fn has_any_line(position: &Position) -> bool {
    [Player::First, Player::Second].into_iter().any(|player| has_line(position.board(), position.pieces(player)))
}

#[cfg(test)]
mod tests {
    use super::super::column::{column_character, column_number};
    use super::to_moves;
    use crate::Value;
    use crate::notation::parse;

    fn message(board: &str, text: &str) -> String {
        parse(board.parse().unwrap(), text).unwrap_err().to_string()
    }

    #[test]
    fn every_column_has_a_character_that_leads_back() {
        for column in 0..32 {
            assert_eq!(column_number(column_character(column).unwrap()), Some(column));
        }
        assert_eq!(column_character(32), None);
    }

    #[test]
    fn a_move_that_cannot_be_played_is_named() {
        assert!(message("4x4", "1１").starts_with("move 2 is '１' (U+FF11), which names no column"));
        assert!(message("12x4", "\u{7}").contains("the columns of 12x4 are 1 to 9, then a to c"));
        assert_eq!(
            message("4x4", "1z"),
            "move 2 is 'z', which names no column; the columns of 4x4 are 1 to 4, or a to d"
        );
        assert!(message("4x4m", "12121212").contains("the second player has won"));
        assert!(message("1x1", "11").contains("column 1 is full up to row 1"));
    }

    #[test]
    fn a_game_may_end_with_its_line() {
        let position = parse("4x4".parse().unwrap(), "1212121").unwrap();
        assert_eq!(position.primitive(), Some(Value::Lose));
        assert_eq!(to_moves(&position).unwrap(), "1212121");
    }
}
