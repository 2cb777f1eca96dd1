//! Tables for people: each column is as wide as its widest cell, and two spaces separate columns.

use std::iter;

use anstream::adapter::strip_str;

/// The side of its column that a cell is aligned to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// For words.
    Left,
    /// For numbers.
    Right,
}

/// Lays out rows below the names of their columns.
pub fn with_head<const N: usize>(columns: [(&str, Side); N], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let head = columns.map(|(name, _)| name.to_owned()).to_vec();
    to_text(&columns.map(|(_, side)| side), &iter::once(head).chain(rows).collect::<Vec<_>>())
}

/// Lays out rows, one per line, with one side for each column. Cells may have colours. Lines have no spaces at the end.
pub fn to_text(sides: &[Side], rows: &[Vec<String>]) -> String {
    let width = |cell: &String| strip_str(cell).to_string().chars().count();
    let mut widths = vec![0; sides.len()];
    for row in rows {
        for (widest, cell) in widths.iter_mut().zip(row) {
            *widest = width(cell).max(*widest);
        }
    }
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(sides).zip(&widths).map(|((cell, side), widest)| {
            let space = " ".repeat(widest - width(cell));
            match side {
                Side::Left => format!("{cell}{space}"),
                Side::Right => format!("{space}{cell}"),
            }
        });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(rows: &[&[&str]]) -> Vec<Vec<String>> {
        rows.iter().map(|row| row.iter().map(|cell| (*cell).to_owned()).collect()).collect()
    }

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let rows = rows(&[&["board", "entries"], &["4x4c3m", "1"], &["5x4", "12345678"]]);
        let text = to_text(&[Side::Left, Side::Right], &rows);
        assert_eq!(text, "board    entries\n4x4c3m         1\n5x4     12345678");
    }

    #[test]
    fn colours_have_no_width_and_lines_end_without_spaces() {
        let rows = rows(&[&["\u{1b}[32mwin\u{1b}[0m", "1"], &["lose", ""]]);
        assert_eq!(to_text(&[Side::Left, Side::Left], &rows), "\u{1b}[32mwin\u{1b}[0m   1\nlose");
    }
}
