//! The names of columns: one character each, `1` to `9` and then `a` to `w`.

use crate::MAX_COLUMNS;

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

#[cfg(test)]
mod tests {
    use super::{column_character, column_number};

    #[test]
    fn every_column_has_a_character_that_leads_back() {
        for column in 0..32 {
            assert_eq!(column_number(column_character(column).unwrap()), Some(column));
        }
        assert_eq!(column_character(32), None);
    }
}
