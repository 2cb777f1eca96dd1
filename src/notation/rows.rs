//! Reads a drawn board: a line for each row, the top row first.
//!
//! An empty cell is `.`, `_`, `-` or `0`; a piece of the first player is `X`, `x` or `1`, one of the second `O`, `o` or
//! `2`. Blanks, bars and brackets may separate the cells of a row; they separate either all cells or none. A line with
//! the names of the columns may come before or after the rows. [`draw`](super::draw) and OpenSpiel write boards in this
//! form.

use super::NotationError;
use super::moves::COLUMN_CHARACTERS;
use crate::{Board, Position};

/// Returns the cells of each row if a text is a drawn board; `None` if it may be anything else.
///
/// A text with `.`, `_` or `X` cannot be moves, so it is taken for a drawn board even with the wrong number of rows or
/// cells.
pub(super) fn rows(board: Board, text: &str) -> Option<Vec<String>> {
    if !text.contains('\n') {
        return None;
    }
    let mut rows = text.lines().filter(|line| !line.trim().is_empty()).map(cells).collect::<Option<Vec<_>>>()?;
    if rows.len() < 2 {
        return None;
    }
    if rows.len() > board.height() {
        // If all lines consist of 0, 1 and 2, `0 1 2` may be a row of cells instead of the names.
        let may_be_row = rows.iter().all(|row| row.bytes().all(|cell| b"012".contains(&cell)));
        let is_names = |cells: &str| is_names(board, cells) && !may_be_row;
        if rows.pop_if(|last| is_names(last)).is_none() && is_names(&rows[0]) {
            rows.remove(0);
        }
    }
    let has = |wanted: fn(char) -> bool| rows.iter().any(|row| row.contains(wanted));
    // Next to letters, a 0 may stand for an O instead of an empty cell.
    let is_clear = !has(|found| found == '0') || !has(|found| !"012".contains(found));
    let is_cells = is_clear && !has(|found| !".-_0xX1oO2".contains(found));
    let is_whole = rows.len() == board.height() && rows.iter().all(|row| row.chars().count() == board.width());
    // A text of the board's size with an empty cell and a character besides `.-_` and 1 to 9 must be a drawing.
    if is_whole && has(|found| ".-_".contains(found)) && has(|found| !"123456789.-_".contains(found)) {
        return Some(rows);
    }
    // Rows of only 1 and 2 may be moves if hyphens separate them or if the board has two columns.
    let is_no_game = has(|found| !"12-".contains(found)) || board.width() > 2 && !has(|found| found == '-');
    (is_cells && (is_whole && is_no_game || has(|found| "._xX".contains(found)))).then_some(rows)
}

/// Returns the cells of a line; `None` if the line has several words and one has more than one character.
fn cells(line: &str) -> Option<String> {
    let words = || line.split([' ', '\t', '\r', '|', '[', ']']).filter(|word| !word.is_empty());
    (words().count() == 1 || words().all(|word| word.chars().count() == 1)).then(|| words().collect())
}

/// Returns whether a line names the columns, beginning with `1`, `0` or `a`.
fn is_names(board: Board, cells: &str) -> bool {
    let names = |from: u8| cells.bytes().eq((from..).take(board.width()));
    cells.bytes().eq(COLUMN_CHARACTERS.iter().copied().take(board.width())) || names(b'0') || names(b'a')
}

/// Reads the rows, the top one first.
pub(super) fn parse(board: Board, rows: &[String]) -> Result<Position, NotationError> {
    if rows.len() != board.height() {
        return Err(NotationError::RowCount { found: rows.len(), board });
    }
    let (mut first, mut second) = (0, 0);
    let has_letters = rows.iter().any(|row| row.contains(char::is_alphabetic));
    for (place, row) in rows.iter().enumerate() {
        let found = row.chars().count();
        if found != board.width() {
            return Err(NotationError::RowCells { row: place + 1, found, board });
        }
        for (column, cell) in row.chars().enumerate() {
            let bit = 1 << board.cell(column, board.height() - 1 - place);
            match cell {
                'X' | 'x' | '1' => first |= bit,
                'O' | 'o' | '2' => second |= bit,
                '.' | '-' | '_' => {}
                '0' if !has_letters => {}
                found => return Err(NotationError::RowCell { row: place + 1, found }),
            }
        }
    }
    Ok(Position::from_bitboards(board, first, second)?)
}

#[cfg(test)]
mod tests {
    use crate::notation::{draw, parse};
    use crate::position::tests::any_position;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_drawn_board_reads_back(position in any_position()) {
            prop_assert_eq!(parse(position.board(), &draw(&position, false)), Ok(position));
        }
    }
}
