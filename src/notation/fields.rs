//! The field of a line that holds the position or the game, and the other fields.
//!
//! A line with a tab has fields between tabs. Any other line has fields between spaces; then a position in bit strings
//! takes as many fields as the board has columns.

use crate::Board;

/// A line, cut around one field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fields<'l> {
    /// The field, without blanks around it.
    pub chosen: &'l [u8],
    /// Where it begins in the line.
    pub start: usize,
    before: Option<&'l [u8]>,
    after: Option<&'l [u8]>,
    separator: u8,
}

impl<'l> Fields<'l> {
    /// Finds field `number`, from 1, in a line. The field is a position of `board` if that is given, which may be several words;
    /// else it is one word. An empty line has one empty field.
    ///
    /// # Errors
    ///
    /// How many fields the line has, where these are too few.
    pub fn of(line: &'l [u8], number: usize, board: Option<Board>) -> Result<Fields<'l>, usize> {
        if line.contains(&b'\t') {
            return Fields::between_tabs(line, number);
        }
        let (mut at, mut found) = (skip(line, 0, true), 0);
        if at == line.len() && number == 1 {
            return Ok(Fields { chosen: &[], start: 0, before: None, after: None, separator: b' ' });
        }
        while at < line.len() {
            found += 1;
            let start = at;
            let mut end = skip(line, start, false);
            if found == number {
                let words = board.map_or(1, |board| words_of_position(board, &line[start..end]));
                for _ in 1..words {
                    end = skip(line, skip(line, end, true), false);
                }
                // The last words may be missing; then blanks follow.
                let chosen = trimmed(&line[start..end]);
                return Ok(Fields {
                    chosen,
                    start,
                    before: Some(&line[..start]),
                    after: Some(&line[end..]),
                    separator: b' ',
                });
            }
            at = skip(line, end, true);
        }
        Err(found)
    }

    fn between_tabs(line: &'l [u8], number: usize) -> Result<Fields<'l>, usize> {
        let mut start = 0;
        for (place, field) in line.split(|&byte| byte == b'\t').enumerate() {
            let end = start + field.len();
            if place + 1 == number {
                let blanks = skip(field, 0, true);
                let chosen = trimmed(field);
                return Ok(Fields {
                    chosen,
                    start: start + blanks.min(field.len()),
                    before: start.checked_sub(1).map(|end| &line[..end]),
                    after: line.get(end + 1..),
                    separator: b'\t',
                });
            }
            start = end + 1;
        }
        Err(line.split(|&byte| byte == b'\t').count())
    }

    /// Appends the other fields, in their order and as they are, each after a tab.
    pub fn push_others(&self, text: &mut Vec<u8>) {
        for side in [self.before, self.after].into_iter().flatten() {
            // Between tabs, an empty field is one.
            for field in
                side.split(|&byte| byte == self.separator).filter(|of| self.separator == b'\t' || !of.is_empty())
            {
                text.push(b'\t');
                text.extend_from_slice(field);
            }
        }
    }
}

/// Returns where blanks, or other bytes, end that begin at `from`.
fn skip(line: &[u8], from: usize, blanks: bool) -> usize {
    let rest = line.get(from..).unwrap_or_default();
    rest.iter().position(|&byte| (byte == b' ') != blanks).map_or(line.len(), |length| from + length)
}

fn trimmed(field: &[u8]) -> &[u8] {
    let field = &field[skip(field, 0, true)..];
    let end = field.iter().rposition(|&byte| byte != b' ').map_or(0, |last| last + 1);
    &field[..end]
}

/// Returns how many words a position has that begins with this one: bit strings have a `0` in every column that is not
/// full, and a column of ones is too long to be moves.
fn words_of_position(board: Board, word: &[u8]) -> usize {
    let is_uni = word.get(1) == Some(&b'_');
    let is_full = word.len() == board.height() + 1 && word.iter().all(|&byte| byte == b'1');
    if !is_uni && (is_full || word.contains(&b'0')) { board.width() } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The field, and the others with `|` between them.
    fn cut(line: &str, number: usize) -> Result<(String, String), usize> {
        let board = "3x2".parse().unwrap();
        let fields = Fields::of(line.as_bytes(), number, Some(board))?;
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let mut others = Vec::new();
        fields.push_others(&mut others);
        let others = text(others.get(1..).unwrap_or_default()).replace('\t', "|");
        assert!(line.as_bytes()[fields.start..].starts_with(fields.chosen));
        Ok((text(fields.chosen), others))
    }

    #[test]
    fn fields_lie_between_blanks_or_tabs_and_bit_strings_take_one_for_each_column() {
        for (line, number, chosen, others) in [
            ("12 -1", 1, "12", "-1"),
            ("  12   7 ", 1, "12", "7"),
            ("id 12 7", 2, "12", "id|7"),
            ("12\ta b\t\t", 1, "12", "a b||"),
            ("a b\t 12 \tc", 2, "12", "a b|c"),
            ("", 1, "", ""),
            ("   ", 1, "", ""),
            ("\t1", 1, "", "1"),
            ("010 100 100 5 x", 1, "010 100 100", "5|x"),
            ("x 111 001 100", 2, "111 001 100", "x"),
            ("010  100 ", 1, "010  100", ""),
            ("1_-X---- 5", 1, "1_-X----", "5"),
            ("11 5", 1, "11", "5"),
            ("010 100 100\t5", 1, "010 100 100", "5"),
        ] {
            assert_eq!(cut(line, number), Ok((chosen.to_owned(), others.to_owned())), "{line:?}");
        }
        assert_eq!((cut("1 2", 3), cut("1\t2", 3), cut("", 2)), (Err(2), Err(2), Err(0)));
    }

    proptest! {
        #[test]
        fn every_byte_of_a_line_with_tabs_is_kept(line in "[0-9a\t ]{0,30}", number in 1_usize..5) {
            prop_assume!(line.contains('\t'));
            let parts = line.split('\t').collect::<Vec<_>>();
            match cut(&line, number) {
                Ok((chosen, others)) => {
                    let mut rest = parts.clone();
                    prop_assert_eq!(rest.remove(number - 1).trim_matches(' '), chosen);
                    prop_assert_eq!(rest.join("|"), others);
                }
                Err(found) => prop_assert!(found == parts.len() && number > found),
            }
        }

        #[test]
        fn no_word_of_a_line_with_blanks_is_lost(line in "[0-9a ]{0,30}", number in 1_usize..5) {
            if let Ok((chosen, others)) = cut(&line, number) {
                let mut words = [&chosen, &others].iter().flat_map(|text| text.split([' ', '|'])).collect::<Vec<_>>();
                let mut expected = line.split(' ').collect::<Vec<_>>();
                for words in [&mut words, &mut expected] {
                    words.retain(|word| !word.is_empty());
                    words.sort_unstable();
                }
                prop_assert_eq!(words, expected);
            }
        }
    }
}
