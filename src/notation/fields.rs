//! Splits a line into the field that holds a position or a game, and the other fields.
//!
//! All lines are read by the same rules:
//!
//! 1. In a line with a tab, only tabs separate fields.
//! 2. In any other line, blanks and commas separate fields, but a comma after the `?` of a link does not. A blank at
//!    the beginning of the line means that its first field is empty.
//! 3. A position in bit strings takes as many fields as the board has columns. A game with move numbers takes all
//!    fields up to the end of the line.
//! 4. If the chosen field and every field after it could each be a single move, all of them are one game: `4 4 5 3`,
//!    `4,4,5,3`, `d1 d2`. So a position of one move must be separated from a score by a tab.
//! 5. A line is refused if it may be either a game, or a position and other fields:
//!    - one move, then other fields, if only some of them are moves, `4 4 win`, or if all have one character, `3 0 0`;
//!    - digits, then a letter that names a column: `4 d`;
//!    - one or more moves, then a field of several: `1 4453`. A number that may be a score or a remoteness does not
//!      count as moves: `4453 36`.

use thiserror::Error;

use super::error::EXCERPT_BYTES;
use super::spelling::{DIGITS, SpelledMove, is_move};
use crate::Board;
use crate::excerpt::excerpt;

/// A line, split into a chosen field and the fields before and after it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fields<'l> {
    /// The field, without blanks around it.
    pub chosen: &'l [u8],
    /// The byte of the line at which the chosen field begins.
    pub start: usize,
    before: Vec<&'l [u8]>,
    after: Vec<&'l [u8]>,
}

/// Says why a field of a line cannot be found.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum FieldError {
    /// The line has fewer fields than the number that was asked for.
    #[error("the line has {found} field{}, and field {number} was asked for", if *found == 1 { "" } else { "s" })]
    TooFew {
        /// How many fields the line has.
        found: usize,
        /// The number of the field that was asked for, from 1.
        number: usize,
    },
    /// The line is a game, or a position and other fields, and it is unclear which.
    #[error("\"{0}\" may be a game, or a position and other fields; separate other fields by tabs")]
    Unclear(String),
}

impl<'l> Fields<'l> {
    /// Finds field `number`, from 1, which holds a position or a game of `board`. An empty line has one empty field.
    ///
    /// # Errors
    ///
    /// The line has fewer fields, or it is unclear whether it is a game or a position with other fields.
    ///
    /// ```
    /// use fourbase::{Board, notation::Fields};
    ///
    /// let board: Board = "7x6".parse()?;
    /// let chosen = |line: &'static str| Fields::of(line.as_bytes(), 1, board).unwrap().chosen;
    /// assert_eq!(chosen("4453,-2"), b"4453");
    /// assert_eq!(chosen("4 4 5 3"), b"4 4 5 3");
    /// # Ok::<(), fourbase::BoardError>(())
    /// ```
    pub fn of(line: &'l [u8], number: usize, board: Board) -> Result<Fields<'l>, FieldError> {
        let has_tabs = line.contains(&b'\t');
        let fields = if has_tabs { line.split(|&byte| byte == b'\t').collect() } else { words(line) };
        let found = fields.len();
        let (before, rest) = fields.split_at_checked(number.saturating_sub(1)).unwrap_or_default();
        let Some(&first) = rest.first() else { return Err(FieldError::TooFew { found, number }) };
        let mut count = 1;
        if !has_tabs {
            count = words_of_position(board, first).min(rest.len());
            let unclear = || FieldError::Unclear(excerpt(&String::from_utf8_lossy(trimmed(line)), EXCERPT_BYTES));
            if has_move_number(first) || is_game(board, first, &rest[count..]).ok_or_else(unclear)? {
                count = rest.len();
            }
        }
        // Where each field begins in the line.
        let place = |field: &[u8]| field.as_ptr().addr() - line.as_ptr().addr();
        let last = rest[count - 1];
        Ok(Fields {
            chosen: trimmed(&line[place(first)..place(last) + last.len()]),
            start: place(first) + margin(first),
            before: before.to_vec(),
            after: rest[count..].to_vec(),
        })
    }

    /// Returns the field after the chosen one.
    pub fn next(&self) -> Option<&'l [u8]> {
        self.after.first().map(|field| trimmed(field))
    }

    /// Appends all fields but the chosen one to `text`, unchanged and in order, with a tab before each.
    pub fn push_others(&self, text: &mut Vec<u8>) {
        for field in self.before.iter().chain(&self.after) {
            text.push(b'\t');
            text.extend_from_slice(field);
        }
    }
}

/// Lists the fields of a line without tabs.
fn words(line: &[u8]) -> Vec<&[u8]> {
    // A line may end in very many blanks. Cut them off first, so that each is looked at only once.
    let end = line.iter().rposition(|byte| !is_margin(byte)).map_or(0, |last| last + 1);
    let (mut words, mut rest) = (Vec::new(), &line[..end]);
    loop {
        let mut is_link = false;
        let is_end = |byte: &u8| {
            is_link |= *byte == b'?';
            *byte == b' ' || *byte == b',' && !is_link
        };
        let (word, after) = rest.split_at(rest.iter().position(is_end).unwrap_or(rest.len()));
        words.push(word);
        if after.is_empty() {
            return words;
        }
        rest = &after[separator(after)..];
    }
}

/// Returns the length of what separates two fields: blanks, with at most one comma.
fn separator(after: &[u8]) -> usize {
    let blanks = |from: usize| after.iter().skip(from).take_while(|byte| **byte == b' ').count();
    let before = blanks(0);
    if after.get(before) == Some(&b',') { before + 1 + blanks(before + 1) } else { before }
}

/// Returns a field without the blanks and carriage returns around it.
fn trimmed(field: &[u8]) -> &[u8] {
    let start = margin(field);
    let end = field.iter().rposition(|byte| !is_margin(byte)).map_or(start, |last| last + 1);
    &field[start..end]
}

/// Returns the length of the blanks and carriage returns before a field.
fn margin(field: &[u8]) -> usize {
    field.iter().take_while(|byte| is_margin(byte)).count()
}

fn is_margin(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\r')
}

/// Returns how many words belong to the position that begins with this word: one for each column if the word is a bit
/// string, else 1. A bit string without a `0` (a full column of the second player) is recognised by its length.
fn words_of_position(board: Board, word: &[u8]) -> usize {
    let is_uni = word.get(1) == Some(&b'_');
    let is_full = word.len() == board.height() + 1 && word.iter().all(|&byte| byte == b'1');
    let is_link = word.contains(&b'?');
    if !is_uni && !is_link && (is_full || word.contains(&b'0')) { board.width() } else { 1 }
}

/// Returns whether a word begins with a move number, such as `1.`
fn has_move_number(word: &[u8]) -> bool {
    let digits = word.iter().take_while(|byte| byte.is_ascii_digit()).count();
    digits > 0 && word.get(digits) == Some(&b'.')
}

/// Returns whether a word is a number from 1 to `most`.
fn is_number_up_to(most: usize, word: &[u8]) -> bool {
    let number = str::from_utf8(word).ok().filter(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
    number.and_then(|number| number.parse().ok()).is_some_and(|number: usize| (1..=most).contains(&number))
}

/// Returns whether a field and all `others` after it are one game; `None` if that is unclear.
fn is_game(board: Board, field: &[u8], others: &[&[u8]]) -> Option<bool> {
    let Some(next) = others.first() else { return Some(false) };
    let mut all = std::iter::once(field).chain(others.iter().copied());
    // It is unclear whether the words are columns, some written with two digits, or a position and other numbers.
    let is_column = |word: &[u8]| is_number_up_to(board.width(), word);
    if board.width() > DIGITS && all.clone().all(is_column) && all.any(|word| word.len() > 1) {
        return None;
    }
    let is_move = |word: &[u8]| str::from_utf8(word).is_ok_and(|word| is_move(board, word));
    let is_number = |word: &[u8]| is_number_up_to(board.cells(), word);
    let has_moves_next = !is_number(next) && is_moves(board, next);
    // A letter or square continues a game, but a single digit may be a score.
    let is_letter = |word: &[u8]| word.first().is_some_and(u8::is_ascii_alphabetic);
    let has_move_next = is_letter(next) && is_move(next) && is_letter(field);
    if has_moves_next && (is_move(field) || is_moves(board, field)) || has_move_next && is_moves(board, field) {
        return None;
    }
    if !is_move(field) {
        return Some(false);
    }
    let words = others.iter().copied().filter(|word| *word != b"-").collect::<Vec<_>>();
    let moves = words.iter().filter(|word| is_move(word)).count();
    // If digits and letters name the same columns, a game uses only digits or only letters.
    let is_mixed = board.width() <= DIGITS
        && words.iter().any(|word| is_move(word) && word[0].is_ascii_digit() != field[0].is_ascii_digit());
    let may_be_columns = words.len() > 1 && words.iter().all(|word| word.len() == 1);
    if is_mixed || moves < words.len() && (moves > 0 || may_be_columns) {
        return None;
    }
    Some(moves > 0)
}

/// Returns whether a word is several moves: characters or squares, with nothing or hyphens between them. On boards
/// where letters name the columns from 10 on, a word of only letters does not count as moves: it may be any word.
fn is_moves(board: Board, word: &[u8]) -> bool {
    let Ok(word) = str::from_utf8(word) else { return false };
    if word.contains('-') {
        return word.split('-').all(|part| is_move(board, part));
    }
    let (mut rest, mut moves) = (word, 0);
    while let Some(next) = SpelledMove::first(board, rest) {
        if next.column.is_none() {
            return false;
        }
        (rest, moves) = (next.rest, moves + 1);
    }
    moves > 1 && (board.width() <= DIGITS || word.contains(|found: char| found.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns the field, and the others with `|` between them.
    fn cut(line: &str, number: usize) -> Result<(String, String), FieldError> {
        let fields = Fields::of(line.as_bytes(), number, "3x2".parse().unwrap())?;
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let mut others = Vec::new();
        fields.push_others(&mut others);
        let others = text(others.get(1..).unwrap_or_default()).replace('\t', "|");
        assert!(line.as_bytes()[fields.start..].starts_with(fields.chosen));
        Ok((text(fields.chosen), others))
    }

    fn pair(chosen: &str, others: &str) -> (String, String) {
        (chosen.to_owned(), others.to_owned())
    }

    #[test]
    fn fields_lie_between_blanks_commas_or_tabs() {
        for (line, number, chosen, others) in [
            ("12 -1", 1, "12", "-1"),
            ("12,-1", 1, "12", "-1"),
            ("12 , -1,,x,", 1, "12", "-1||x|"),
            ("12   7 ", 1, "12", "7"),
            ("id 12 7", 2, "12", "id|7"),
            ("id,12,3", 2, "12", "id|3"),
            ("12\ta b\t\t", 1, "12", "a b||"),
            ("a b\t 12 \tc", 2, "12", "a b|c"),
            ("12\t1,2", 1, "12", "1,2"),
            ("?moves=1,2 3", 1, "?moves=1,2", "3"),
            ("", 1, "", ""),
            ("   ", 1, "", ""),
            // Some published books begin with the empty board, as an empty field.
            ("  12 7", 1, "", "12|7"),
            ("\t1", 1, "", "1"),
            (",1", 1, "", "1"),
            // Bit strings take a field for each column.
            ("010 100 100 5 x", 1, "010 100 100", "5|x"),
            ("x 111 001 100", 2, "111 001 100", "x"),
            ("010  100 ", 1, "010  100", ""),
            ("1_-X---- 5", 1, "1_-X----", "5"),
            ("11 5", 1, "11", "5"),
            ("010 100 100\t5", 1, "010 100 100", "5"),
        ] {
            assert_eq!(cut(line, number), Ok(pair(chosen, others)), "{line:?}");
        }
        let few = |found, number| Err(FieldError::TooFew { found, number });
        assert_eq!([cut("1\t2", 3), cut("12 2", 3), cut("", 2)], [few(2, 3), few(2, 3), few(1, 2)]);
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
                Err(error) => prop_assert_eq!(error, FieldError::TooFew { found: parts.len(), number }),
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
