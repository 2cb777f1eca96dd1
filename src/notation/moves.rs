//! Moves: one character each, the columns `1` to `9` and then `a` to `w`; `-` or nothing for the empty board.

use super::error::NotationError;
use super::order::smallest_order;
use super::spelling::{self, Link};
use super::{Form, trimmed};
use crate::excerpt::excerpt;
use crate::{Board, MAX_COLUMNS, Player, Position, has_line};

/// Written for the empty board, because no moves at all would be invisible.
const EMPTY_BOARD: &str = "-";

/// How much of a text an error repeats.
pub(super) const EXCERPT_BYTES: usize = 80;

/// The character of each column, by number from 0.
pub(super) const COLUMN_CHARACTERS: &[u8; MAX_COLUMNS] = b"123456789abcdefghijklmnopqrstuvw";

/// Returns the character that names `column` (from 0): `1` to `9`, then `a` to `w`; `None` beyond 31.
///
/// ```
/// use fourbase::notation::column_character;
/// assert_eq!([0, 8, 9, 31, 32].map(column_character), [Some('1'), Some('9'), Some('a'), Some('w'), None]);
/// ```
#[must_use]
pub fn column_character(column: usize) -> Option<char> {
    COLUMN_CHARACTERS.get(column).copied().map(char::from)
}

/// Returns the character of the board's last column.
pub(super) fn last_column_character(board: Board) -> char {
    char::from(COLUMN_CHARACTERS[board.width() - 1])
}

/// Returns the number of the column that `character` names, on any board.
pub(super) fn column_number(character: char) -> Option<usize> {
    match character {
        '1'..='9' => Some(character as usize - '1' as usize),
        'a'..='z' => Some(character as usize - 'a' as usize + 9),
        _ => None,
    }
}

/// Writes columns (from 0, at most 31), such as the rest of a game, as one character each. A column without a
/// character becomes `?`.
///
/// ```
/// use fourbase::notation::columns_to_text;
/// assert_eq!(columns_to_text([3, 3, 4, 2]), "4453");
/// ```
#[must_use]
pub fn columns_to_text(columns: impl IntoIterator<Item = usize>) -> String {
    columns.into_iter().map(|column| column_character(column).unwrap_or('?')).collect()
}

/// Writes columns, counted from 0, as choices: `2`, `2 or 3`, `2, 3 or b`.
///
/// ```
/// use fourbase::notation::choice_of_columns;
/// assert_eq!([choice_of_columns([]), choice_of_columns([1]), choice_of_columns([1, 2, 10])], ["", "2", "2, 3 or b"]);
/// ```
#[must_use]
pub fn choice_of_columns(columns: impl IntoIterator<Item = usize>) -> String {
    let mut names = columns.into_iter().filter_map(column_character).map(String::from).collect::<Vec<_>>();
    match (names.pop(), names.is_empty()) {
        (None, _) => String::new(),
        (Some(last), true) => last,
        (Some(last), false) => format!("{} or {last}", names.join(", ")),
    }
}

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
    let text = trimmed(text)?;
    let link = Link::of(text);
    link.iter().try_for_each(|link| link.check(board))?;
    let is_set_up = link.as_ref().is_some_and(|link| link.start.is_some());
    let moves = link.as_ref().map_or(text, |link| &link.position);
    if is_set_up || !matches!(Form::of(board, moves), Form::Moves) {
        return Err(NotationError::NoGame { text: excerpt(text, EXCERPT_BYTES) });
    }
    // Ends early on any text, because after at most 64 moves every column is full.
    for (found, number) in spelling::moves(start, moves)?.chars().zip(1..) {
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
    use super::{column_character, column_number};
    use crate::notation::parse;

    #[test]
    fn every_column_has_a_character_that_leads_back() {
        for column in 0..32 {
            assert_eq!(column_number(column_character(column).unwrap()), Some(column));
        }
        assert_eq!(column_character(32), None);
    }

    #[test]
    fn a_move_that_cannot_be_played_is_named() {
        let message = |board: &str, text: &str| parse(board.parse().unwrap(), text).unwrap_err().to_string();
        assert!(message("4x4", "1１").starts_with("move 2 is '１' (U+FF11), which names no column"));
        assert!(message("12x4", "\u{7}").contains("the columns of 12x4 are 1 to 9, then a to c"));
        assert_eq!(
            message("4x4", "1z"),
            "move 2 is 'z', which names no column; the columns of 4x4 are 1 to 4, or a to d"
        );
        assert!(message("4x4m", "12121212").contains("O (the second player) has won"));
        assert!(message("1x1", "11").contains("column 1 is full up to row 1"));
    }
}
