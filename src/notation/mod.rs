//! Positions as text: four notations for reading and writing; a picture for writing only.
//!
//! | notation | the position after moves in the columns 1, 1, 2 on `2x3` | reading | writing |
//! |---|---|---|---|
//! | moves | `112` | [`parse`] | [`to_moves`], the smallest order |
//! | column bit strings | `0110 0100` | [`parse`] | [`to_bits`], also `Display` |
//! | GamesmanUni's string | `2_-OX--X` | [`parse`] | [`to_uni`] |
//! | a drawn board, a line for each row from the top | `. .` `O .` `X X` | [`parse`] | [`draw`] |
//! | a picture | | | [`draw_svg`] |
//!
//! [`parse_moves`] reads moves that begin from a given position.
//!
//! [`parse`] recognises the notation by the form of the text: `_` as the second character means GamesmanUni's string;
//! one line of cells for each row means a drawn board; words of 0s and 1s mean bit strings; everything else is moves,
//! in any spelling that people use (`4 4 5 3`, `1. d1 d2`, a link). It ignores blanks around the text and a byte order
//! mark before it. A `0` distinguishes bit strings from moves. Bit strings always contain a `0`: above the end of a
//! column or, on a full board, for a piece of the first player. Moves contain no `0`, because no column is named 0.
//!
//! Columns, characters and moves in messages count from 1. Reading makes at most a few passes over the text and stops
//! at the first mistake. An error quotes at most 200 characters of a link, and fewer of any other text.

mod bits;
mod drawing;
mod error;
mod fields;
mod moves;
mod order;
mod rows;
mod spelling;
mod uni;

pub use bits::to_bits;
pub use drawing::{Shape, draw, draw_svg, shapes};
pub use error::NotationError;
pub use fields::{FieldError, Fields};
pub use moves::{choice_of_columns, column_character, columns_to_text, to_moves};
pub use spelling::DIGITS;
pub use uni::to_uni;

use error::EXCERPT_BYTES;
use spelling::Link;

use crate::excerpt::excerpt;
use crate::{Board, Position};

/// Reads a position of `board` in any notation, recognised by its form.
///
/// # Errors
///
/// [`NotationError`] names the first wrong character, column or move, or what is wrong with the pieces as a whole (see
/// [`Position::from_bitboards`]). Well-formed positions that no play reaches are not errors.
///
/// ```
/// use fourbase::{Board, notation::parse};
///
/// let board: Board = "2x3".parse()?;
/// let position = parse(board, "112")?;
/// assert_eq!(parse(board, "0110 0100")?, position);
/// assert_eq!(parse(board, "2_-OX--X")?, position);
///
/// let error = parse(board, "1111").unwrap_err();
/// assert_eq!(error.to_string(), "move 4, '1': column 1 is full up to row 3; play another column");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn parse(board: Board, text: &str) -> Result<Position, NotationError> {
    let text = trimmed(text)?;
    if let Some(link) = Link::of(text) {
        link.check(board)?;
        // The position in the link is not itself read as a link.
        if link.start.is_none() && link.ply.is_none() {
            return parse_any(board, &link.position);
        }
        let start = link.start.as_ref().map_or_else(|| Ok(Position::start(board)), |start| parse_any(board, start))?;
        let columns = parse_moves(&start, &link.position)?;
        let shown = columns.get(..link.ply.unwrap_or(columns.len())).ok_or_else(|| link.unclear())?;
        return Ok(shown.iter().fold(start, |position, column| position.drop_piece(*column)));
    }
    parse_any(board, text)
}

/// Reads moves that begin from the position `start`, in any spelling, and returns their columns, from 0. The text `-`
/// or an empty text means no move.
///
/// # Errors
///
/// [`NotationError`] names the first move that cannot be played; the first move after `start` is number 1.
/// [`NotationError::NoGame`] means that the text is a position in a notation without the order of moves.
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
    let (board, text) = (start.board(), trimmed(text)?);
    let link = Link::of(text);
    link.iter().try_for_each(|link| link.check(board))?;
    let is_set_up = link.as_ref().is_some_and(|link| link.start.is_some());
    let moves = link.as_ref().map_or(text, |link| &link.position);
    if is_set_up || parse_pieces(board, moves).is_some() {
        return Err(NotationError::NoGame(excerpt(text, EXCERPT_BYTES)));
    }
    let moves = spelling::moves(start, moves)?;
    moves::parse(*start, &moves)?;
    Ok(moves.chars().filter_map(moves::column_number).collect())
}

/// Removes blanks and line ends around a text, and a byte order mark before it.
///
/// # Errors
///
/// [`NotationError::Blank`] if the text is not empty but nothing is left.
fn trimmed(text: &str) -> Result<&str, NotationError> {
    // Some programs write a byte order mark at the start of a text.
    let start = text.trim_start_matches(['\u{feff}', ' ', '\t', '\n']);
    let trimmed = start.trim_end_matches([' ', '\t', '\r', '\n']);
    if trimmed.is_empty() && !text.is_empty() { Err(NotationError::Blank) } else { Ok(trimmed) }
}

/// Reads a text that is not a link, in any notation.
fn parse_any(board: Board, text: &str) -> Result<Position, NotationError> {
    let start = Position::start(board);
    parse_pieces(board, text).unwrap_or_else(|| moves::parse(start, &spelling::moves(&start, text)?))
}

/// Reads a position in a notation without the order of moves; returns `None` if the text must be moves.
fn parse_pieces(board: Board, text: &str) -> Option<Result<Position, NotationError>> {
    if text.chars().nth(1) == Some(uni::SEPARATOR) && !text.contains('\n') {
        Some(uni::parse(board, text))
    } else if let Some(rows) = rows::rows(board, text) {
        Some(rows::parse(board, &rows))
    } else {
        spelling::is_bits(board, text).then(|| bits::parse(board, text))
    }
}

/// Returns the board that a link names, for example a link to the page of `fourbase serve`. `None` if the text is not
/// a link, or if the link names no valid board.
///
/// ```
/// use fourbase::notation::board_of_link;
/// assert_eq!(board_of_link("http://127.0.0.1:8080/?board=5x4&moves=33"), Some("5x4".parse()?));
/// assert_eq!(board_of_link("4453"), None);
/// # Ok::<(), fourbase::BoardError>(())
/// ```
pub fn board_of_link(text: &str) -> Option<Board> {
    Link::of(text)?.board?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{DIGITS, Fields, NotationError, moves, parse, to_bits, to_moves, to_uni};
    use crate::position::tests::any_position;
    use crate::{Board, Game, Position};
    use proptest::prelude::*;

    /// Reads an entry of `tests/data/spellings.tsv`: a text, or a line with several fields.
    fn read(kind: &str, board: Board, text: &str) -> Result<Position, String> {
        if kind == "text" {
            return parse(board, text).map_err(|error| error.to_string());
        }
        let fields = Fields::of(text.as_bytes(), 1, board).map_err(|error| error.to_string())?;
        match std::str::from_utf8(fields.chosen).unwrap() {
            "" => Err("the line is blank, or the field is blank".to_owned()),
            field => parse(board, field).map_err(|error| error.to_string()),
        }
    }

    #[test]
    fn every_listed_spelling_is_read_or_refused_as_listed() {
        let lines = include_str!("../../tests/data/spellings.tsv").lines().filter(|line| !line.starts_with('#'));
        let mut games = 0;
        for line in lines {
            let [kind, board, text, meaning] = line.split('\t').collect::<Vec<_>>().try_into().unwrap();
            let text = text.replace("\\n", "\n").replace("\\t", "\t").replace("\\r", "\r");
            let (board, found) = (board.parse().unwrap(), read(kind, board.parse().unwrap(), &text));
            match meaning.split_at(2) {
                ("= ", moves) => {
                    let position = parse(board, moves).unwrap();
                    assert_eq!(found, Ok(position), "{line}");
                    // A text is also a game that comes there, or has no order of moves.
                    let game = Game::parse(board, &text);
                    let is_game = game.as_ref().is_ok_and(|game| game.positions().contains(&position));
                    assert!(kind == "line" || is_game || matches!(game, Err(NotationError::NoGame(_))), "{line}");
                    games += u32::from(kind == "text" && is_game);
                }
                (_, reason) => assert!(found.as_ref().is_err_and(|found| found.contains(reason)), "{line}: {found:?}"),
            }
        }
        assert_eq!(games, 37, "texts that are games");
    }

    proptest! {
        #[test]
        fn every_notation_reads_back_what_it_wrote(position in any_position()) {
            let board = position.board();
            prop_assert_eq!(parse(board, &to_bits(&position)), Ok(position));
            prop_assert_eq!(parse(board, &to_uni(&position)), Ok(position));
            let moves = to_moves(&position).unwrap();
            prop_assert_eq!(parse(board, &moves), Ok(position));
            for link in [format!("?board={board}&moves={moves}"), format!("http://h/?pos={}#x", to_uni(&position))] {
                prop_assert_eq!(parse(board, &link), Ok(position), "{}", link);
            }
            prop_assume!(position.ply() > 0);
            let (mut at, mut numbered, mut squares) = (Position::start(board), Vec::new(), Vec::new());
            for name in moves.chars() {
                let column = moves::column_number(name).unwrap();
                let number = if at.ply().is_multiple_of(2) { format!("{}. ", at.ply() / 2 + 1) } else { String::new() };
                squares.push(format!("{number}{}{}", (b'a' + column as u8) as char, at.height(column) + 1));
                numbered.push(format!("{number}{name}"));
                at = at.drop_piece(column);
            }
            let mut spellings = vec![numbered.join(" ")];
            spellings.extend((board.width() <= DIGITS).then(|| squares.join("\r\n")));
            for separator in [" ", ",", "-", ", ", " - ", "\n"] {
                spellings.push(moves.chars().map(String::from).collect::<Vec<_>>().join(separator));
            }
            for spelling in spellings {
                prop_assert_eq!(parse(board, &spelling), Ok(position), "{}", spelling);
            }
        }

        #[test]
        fn what_is_read_as_a_position_of_several_moves_is_read_as_a_field_of_a_line(position in any_position(), score in -99_i32..99) {
            let (board, moves) = (position.board(), to_moves(&position).unwrap());
            // A number too large for a score may be read as moves.
            prop_assume!(position.ply() > 1 && score <= position.board().cells() as i32);
            // On boards with ten or more columns, both words may be column numbers of two digits.
            let is_column = |number: &str| number.parse().is_ok_and(|number| (1..=board.width()).contains(&number));
            let is_unclear = board.width() > DIGITS && is_column(&moves) && is_column(&score.to_string());
            for (separator, is_unclear) in [(" ", is_unclear), (",", is_unclear), ("\t", false)] {
                let line = format!("{moves}{separator}{score}");
                prop_assert_eq!(read("line", board, &line).ok(), (!is_unclear).then_some(position), "{}", line);
                prop_assert!(parse(board, &line).is_err());
            }
        }
    }
}
