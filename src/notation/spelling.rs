//! Moves as people write them, read as one character a move.
//!
//! | written | read as |
//! |---|---|
//! | `4 4 5 3`, `4,4,5,3`, `4-4-5-3` | `4453` |
//! | `1. 4 4 2. 5 3`, with numbers of moves | `4453` |
//! | `d d e c` or `D1 d2 e1 c1`, as books write them, on boards of at most nine columns | `4453` |
//! | `https://connect4.gamesolver.org/?pos=4453`, or a link of the page of `fourbase serve` | `4453` |
//!
//! Either all moves form one word, or each move is a word of its own. Blanks, a comma or a hyphen separate words. So
//! `4453,-2` and `4453 2`, which are moves and a score, are refused.
//!
//! On wider boards the letters `a` to `w` name the columns from 10 on, so the spelling of books cannot be used there.

use std::borrow::Cow;

use super::error::NotationError;
use super::moves::{column_character, column_number};
use crate::excerpt::excerpt;
use crate::{Board, MAX_CELLS, Position};

/// The number of columns that a digit can name. On boards with at most this many, letters name the same columns.
pub const DIGITS: usize = 9;

/// Returns whether a text is bit strings and not moves. It must contain a `0`. It must also have either a word of 0s
/// and 1s with the length of a bit string of this board, or several words, all of 0s and 1s, one of which is longer
/// than one character.
pub(super) fn is_bits(board: Board, text: &str) -> bool {
    let words = || text.split(' ').filter(|word| !word.is_empty());
    let is_of_bits = |word: &str| word.bytes().all(|found| matches!(found, b'0' | b'1'));
    text.contains('0')
        && (words().any(|word| word.len() == board.height() + 1 && is_of_bits(word))
            || words().nth(1).is_some() && words().any(|word| word.len() > 1) && words().all(is_of_bits))
}

/// Reads moves in any spelling, beginning from the position `start`; stops after more moves than a game can have.
/// Returns one character for each move, `1` to `9` and then `a` to `w`.
///
/// # Errors
///
/// [`NotationError`] for the first of these faults:
///
/// - there are several words, and one of them is not a single move;
/// - a character names no column;
/// - a move number is wrong;
/// - a piece does not fall to the square that the move names;
/// - there are only move numbers.
///
/// This function does not check for full columns and lines.
pub(super) fn moves<'t>(start: &Position, text: &'t str) -> Result<Cow<'t, str>, NotationError> {
    let board = start.board();
    let is_plain = |byte: &u8| matches!(byte, b'1'..=b'9') || (board.width() > DIGITS && byte.is_ascii_lowercase());
    if text.as_bytes().iter().all(is_plain) {
        return Ok(text.into());
    }
    if text == "-" {
        return Ok("".into());
    }
    let not_one_move = |found: &str| NotationError::Words { found: excerpt(found, 16), board };
    let heights = (0..board.width()).map(|column| start.height(column)).collect();
    let text = &*text.replace("\r\n", "\n");
    let (mut read, mut rest) = (MoveReader { board, text: String::new(), heights, is_lettered: None }, text);
    while !rest.is_empty() && read.text.len() <= MAX_CELLS {
        let (word, after) = rest.split_at(rest.find(SEPARATORS).unwrap_or(rest.len()));
        let next = after.trim_start_matches(SEPARATORS);
        let moves = read.without_number(word)?;
        let has_others = !read.text.is_empty() || !after.is_empty();
        if has_others && SpelledMove::first(board, moves).is_some_and(|first| !first.rest.is_empty()) {
            return Err(not_one_move(word));
        }
        // `1.5` alone is more likely a decimal number than a move.
        let is_decimal = moves.len() < word.len() && moves.starts_with(|found: char| found.is_ascii_digit());
        if is_decimal && !has_others {
            return Err(NotationError::NoGame(excerpt(text, 16)));
        }
        let between = &after[..after.len() - next.len()];
        let is_sign = moves.is_empty() && between.contains('-');
        if word.is_empty() || is_sign || !after.is_empty() && (next.is_empty() || !is_join(between)) {
            return Err(not_one_move(rest[word.len()..].trim_start()));
        }
        read.word(moves)?;
        rest = next;
    }
    if read.text.is_empty() {
        return Err(NotationError::NoGame(excerpt(text, 16)));
    }
    Ok(read.text.into())
}

/// What may be between two words.
const SEPARATORS: [char; 4] = [' ', '\n', ',', '-'];

/// Returns whether `between` may separate two moves: blanks, a comma, or a hyphen that is not a minus sign.
fn is_join(between: &str) -> bool {
    let is_blank_at = |end: Option<char>| end.is_some_and(char::is_whitespace);
    match between.trim() {
        "" | "," => true,
        "-" => is_blank_at(between.chars().next()) == is_blank_at(between.chars().last()),
        _ => false,
    }
}

/// A move at the beginning of a word: a character and, on boards where letters name all columns, perhaps a row.
pub(super) struct SpelledMove<'w> {
    pub found: char,
    /// The column that the character names, if the board has it.
    pub column: Option<usize>,
    row: &'w str,
    /// The rest of the word, after the move.
    pub rest: &'w str,
}

impl<'w> SpelledMove<'w> {
    /// Reads the first move of a word; `None` at its end.
    pub fn first(board: Board, word: &'w str) -> Option<SpelledMove<'w>> {
        let found = word.chars().next()?;
        let after = &word[found.len_utf8()..];
        let letter = found.to_ascii_lowercase();
        let (column, rest) = if board.width() <= DIGITS && letter.is_ascii_lowercase() {
            (Some(letter as usize - 'a' as usize), after.trim_start_matches(|found: char| found.is_ascii_digit()))
        } else {
            (column_number(found), after)
        };
        let column = column.filter(|column| *column < board.width());
        Some(SpelledMove { found, column, row: &after[..after.len() - rest.len()], rest })
    }
}

/// Returns whether a word is a single move in a column of the board.
pub(super) fn is_move(board: Board, word: &str) -> bool {
    SpelledMove::first(board, word).is_some_and(|first| first.rest.is_empty() && first.column.is_some())
}

/// The moves read so far.
struct MoveReader {
    board: Board,
    text: String,
    /// The number of pieces in each column.
    heights: Vec<usize>,
    /// Whether the first move is a letter, on boards where digits and letters name the same columns.
    is_lettered: Option<bool>,
}

impl MoveReader {
    /// Returns a word without the move number at its start: `4` for `12.4`, an empty text for `12.` or `12...`.
    fn without_number<'w>(&self, word: &'w str) -> Result<&'w str, NotationError> {
        let rest = word.trim_start_matches(|found: char| found.is_ascii_digit());
        if rest.len() == word.len() || !rest.starts_with('.') {
            return Ok(word);
        }
        let (moves, number) = (rest.trim_start_matches('.'), self.text.len() / 2 + 1);
        let dots = if self.text.len().is_multiple_of(2) { "." } else { "..." };
        let (found, expected) = (&word[..word.len() - moves.len()], format!("{number}{dots}"));
        if found != expected {
            return Err(NotationError::MoveNumber { expected, found: excerpt(found, 8) });
        }
        Ok(moves)
    }

    /// Reads the moves of one word.
    fn word(&mut self, mut word: &str) -> Result<(), NotationError> {
        let (board, has_letters) = (self.board, self.board.width() <= DIGITS);
        while let Some(SpelledMove { found, column, row, rest }) =
            SpelledMove::first(board, word).filter(|_| self.text.len() <= MAX_CELLS)
        {
            let (ply, is_letter) = (self.text.len() + 1, found.is_ascii_alphabetic());
            if has_letters && column.is_some() && *self.is_lettered.get_or_insert(is_letter) != is_letter {
                return Err(NotationError::Mixed { ply, found });
            }
            if found == '0' {
                return Err(NotationError::Zero { ply, board });
            }
            // A digit beyond the board is kept as a move; the caller reports that it cannot be played.
            let is_beyond = || column_number(found).is_some() && !(has_letters && is_letter);
            let name = column.and_then(column_character).or_else(|| is_beyond().then_some(found));
            self.text.push(name.ok_or(NotationError::Column { ply, found, board })?);
            if let Some(height) = column.and_then(|column| self.heights.get_mut(column)) {
                *height += 1;
                if !row.is_empty() && row.parse() != Ok(*height) {
                    let (found, expected) = (excerpt(&format!("{found}{row}"), 16), *height);
                    return Err(NotationError::Square { ply, found, expected });
                }
            }
            word = rest;
        }
        Ok(())
    }
}

/// A link to a position or a game.
pub(super) struct Link<'t> {
    /// The board that the link names.
    pub board: Option<String>,
    /// The set-up position from which the moves begin.
    pub start: Option<String>,
    /// The moves, or a position in any notation; empty if the link has neither.
    pub position: String,
    /// How many of the moves lead to the position that the link shows.
    pub ply: Option<usize>,
    /// Whether the link is clear: at most one position, no field twice and, without a position, no unknown field.
    is_clear: bool,
    text: &'t str,
}

/// The fields of a link that hold its position or its moves.
const POSITION_FIELDS: [&str; 3] = ["pos", "position", "moves"];

/// The other fields of a link. Each may occur at most once.
const OTHER_FIELDS: [&str; 3] = ["board", "start", "ply"];

impl<'t> Link<'t> {
    /// Reads a link; `None` if the text is not a link.
    pub fn of(text: &'t str) -> Option<Link<'t>> {
        if text.contains(char::is_whitespace) {
            return None;
        }
        let (address, query) = text.split_once('?').unwrap_or((text, ""));
        let query = query.split('#').next().unwrap_or_default();
        let fields = form_urlencoded::parse(query.as_bytes()).collect::<Vec<_>>();
        let value = |name: &str| fields.iter().find(|(found, _)| found == name).map(|(_, value)| value.to_string());
        let [board, start, ply] = OTHER_FIELDS.map(value);
        let position = POSITION_FIELDS.into_iter().find_map(value);
        let count = |wanted: &[&str]| fields.iter().filter(|(name, _)| wanted.contains(&name.as_ref())).count();
        let positions = count(&POSITION_FIELDS);
        let is_once =
            OTHER_FIELDS.iter().all(|name| count(&[name]) < 2) && ply.iter().all(|ply| ply.parse::<usize>().is_ok());
        // A browser treats `?moves` like `?moves=`, which means the empty board. Here `?moves` is refused, because
        // someone may have forgotten the moves.
        let has_value = !query.split('&').any(|field| POSITION_FIELDS.contains(&field));
        let is_clear = is_once
            && has_value
            && (positions == 1 || positions == 0 && !fields.is_empty() && count(&OTHER_FIELDS) == fields.len());
        if board.is_none() && start.is_none() && position.is_none() && !address.contains("://") {
            return None;
        }
        let of_solver = || address.contains("gamesolver.org").then(|| "7x6".to_owned());
        Some(Link {
            board: board.or_else(of_solver),
            start,
            position: position.unwrap_or_default(),
            ply: ply.and_then(|ply| ply.parse().ok()),
            is_clear,
            text,
        })
    }

    /// Returns the error for a link that does not name exactly one position.
    pub fn unclear(&self) -> NotationError {
        NotationError::Link(excerpt(self.text, 200))
    }

    /// Checks that the link is clear and that it names `board` or no board.
    pub fn check(&self, board: Board) -> Result<(), NotationError> {
        if !self.is_clear {
            return Err(self.unclear());
        }
        match &self.board {
            Some(found) if found.parse() != Ok(board) => {
                let (found, text) = (excerpt(found, 16), excerpt(self.text, 200));
                Err(NotationError::OtherBoard { expected: board, found, text })
            }
            _ => Ok(()),
        }
    }
}
