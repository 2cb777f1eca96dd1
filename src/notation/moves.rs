//! Moves, written as the names of their columns; `-` or an empty text means the empty board. Each column is named by
//! one character, `1` to `9` and then `a` to `w`.

use super::error::NotationError;
use super::order::smallest_order;
use crate::{MAX_COLUMNS, Position};

/// The character of each column, by number from 0.
pub(super) const COLUMN_CHARACTERS: &[u8; MAX_COLUMNS] = b"123456789abcdefghijklmnopqrstuvw";

/// Returns the character that names `column` (from 0): `1` to `9`, then `a` to `w`; `None` beyond 31.
///
/// ```
/// use fourbase::notation::column_character;
/// assert_eq!([0, 8, 9, 31, 32].map(column_character), [Some('1'), Some('9'), Some('a'), Some('w'), None]);
/// ```
pub fn column_character(column: usize) -> Option<char> {
    COLUMN_CHARACTERS.get(column).copied().map(char::from)
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
pub fn columns_to_text(columns: impl IntoIterator<Item = usize>) -> String {
    columns.into_iter().map(|column| column_character(column).unwrap_or('?')).collect()
}

/// Writes the names of columns (from 0) as a choice: `2`, `2 or 3`, `2, 3 or b`.
///
/// ```
/// use fourbase::notation::choice_of_columns;
/// assert_eq!([choice_of_columns([]), choice_of_columns([1]), choice_of_columns([1, 2, 10])], ["", "2", "2, 3 or b"]);
/// ```
pub fn choice_of_columns(columns: impl IntoIterator<Item = usize>) -> String {
    let mut names = columns.into_iter().filter_map(column_character).map(String::from).collect::<Vec<_>>();
    match (names.pop(), names.is_empty()) {
        (None, _) => String::new(),
        (Some(last), true) => last,
        (Some(last), false) => format!("{} or {last}", names.join(", ")),
    }
}

/// Writes a position as the smallest order of moves that reaches it without a line before the last move; `-` for the
/// empty board.
///
/// *Smallest* means that the first move is the leftmost possible one, then the second, and so on. Finding it usually
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
    // An empty text would be invisible.
    Ok(if order.is_empty() { "-".to_owned() } else { columns_to_text(order) })
}

/// Plays moves, one character each, beginning from the position `start`. Stops early even in a long text, because every
/// column is full after at most 64 moves.
pub(super) fn parse(start: Position, text: &str) -> Result<Position, NotationError> {
    if let Some(position) = dropped(start, text).filter(|position| !position.has_any_line()) {
        return Ok(position);
    }
    text.chars().zip(1..).try_fold(start, |position, (found, ply)| {
        let column = column_number(found).ok_or(NotationError::Column { ply, found, board: position.board() })?;
        position.play(column).map_err(|reason| NotationError::Move { ply, found, reason })
    })
}

/// Drops the pieces of all moves without testing for lines; `None` if a column is full or does not exist. A line is
/// never removed, so if the last position has no line, no earlier one has.
fn dropped(start: Position, text: &str) -> Option<Position> {
    text.chars().try_fold(start, |position, found| {
        let column = column_number(found).filter(|column| position.can_play(*column))?;
        Some(position.drop_piece(column))
    })
}
