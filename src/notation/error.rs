//! What can be wrong with the text of a position or a game.

use thiserror::Error;

use super::moves::COLUMN_CHARACTERS;
use crate::excerpt::{name_character, name_found};
use crate::{Board, MoveError, PiecesError, Player};

/// The longest excerpt of a text in an error, in bytes.
pub(super) const EXCERPT_BYTES: usize = 80;

/// Says why a text is not a position, or why a position has no moves to write. Columns, characters and moves count
/// from 1.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum NotationError {
    /// A character of the moves names no column.
    #[error("move {ply} is {}, which names no column; the columns of {board} are {}", name_character(*found), columns_of(*board))]
    Column {
        /// Which move.
        ply: usize,
        /// The character.
        found: char,
        /// The board.
        board: Board,
    },
    /// A move is 0.
    #[error(
        "move {ply} is 0, but columns count from 1: those of {board} are {}; \
         to write a position as bit strings, give {} strings of {} bits, one for each column",
        columns_of(*board), board.width(), board.height() + 1
    )]
    Zero {
        /// Which move.
        ply: usize,
        /// The board.
        board: Board,
    },
    /// There are several words, and one is not a single move; the text may be moves and a score, or two-digit numbers.
    #[error(
        "\"{found}\" is not one move, and the text has more words; write one move a word, such as 4 4 5 3, or all in one, 4453, \
         and other fields of a line after a tab; the columns of {board} are {}", columns_of(*board)
    )]
    Words {
        /// The word, escaped and cut.
        found: String,
        /// The board.
        board: Board,
    },
    /// A move names a square, but the piece falls to another one.
    #[error("move {ply} is {found}, but the piece falls to row {expected}; write moves in the order of play")]
    Square {
        /// Which move.
        ply: usize,
        /// The square, such as `d2`.
        found: String,
        /// The row, from 1.
        expected: usize,
    },
    /// Some columns are named by letters and others by digits.
    #[error("move {ply} is {}; write all columns as digits, or all as letters", name_character(*found))]
    Mixed {
        /// Which move.
        ply: usize,
        /// The character.
        found: char,
    },
    /// A move number is wrong.
    #[error("{found} is not the next move, which is {expected}; write a game from its first move")]
    MoveNumber {
        /// The number of the next move: `2.` for the first player, `2...` for the second.
        expected: String,
        /// The number in the text, cut.
        found: String,
    },
    /// A link names another board.
    #[error("the link \"{text}\" is of {found} and not of {expected}; give the board of the link")]
    OtherBoard {
        /// The board.
        expected: Board,
        /// The board of the link, escaped and cut.
        found: String,
        /// The link, escaped and cut.
        text: String,
    },
    /// A link has several positions, no position, or fewer moves than its ply says.
    #[error(
        "the link \"{0}\" has not one position; give it one field pos, position or moves, and a ply that is in its game"
    )]
    Link(String),
    /// A move names a column but cannot be played.
    #[error("move {ply}, {}: {reason}", name_character(*found))]
    Move {
        /// Which move.
        ply: usize,
        /// Its character.
        found: char,
        /// Why it cannot be played.
        reason: MoveError,
    },
    /// A character in the bit string of a column is not a bit.
    #[error(
        "character {place} of the bit string of column {column} is {}, expected 0 or 1",
        name_character(*found)
    )]
    Bit {
        /// The column.
        column: usize,
        /// The place of the character in the bit string.
        place: usize,
        /// The character.
        found: char,
    },
    /// The bit string of a column has the wrong length.
    #[error(
        "the bit string of column {column} has {found} bit{}, expected {} on {board}, one more than rows; \
         separate columns by spaces and fill the top with 0s",
        plural(*found), board.height() + 1
    )]
    BitCount {
        /// The column.
        column: usize,
        /// How many bits it has.
        found: usize,
        /// The board.
        board: Board,
    },
    /// The bit string of a column is all 0s.
    #[error("the bit string of column {0} has no end; put a 1 above its pieces and 0s above that")]
    NoEndOfColumn(usize),
    /// There are more or fewer bit strings than columns.
    #[error(
        "{found} bit string{} found, but {board} has {} column{}; \
         write one for each column, and separate them by spaces",
        plural(*found), board.width(), plural(board.width())
    )]
    BitStrings {
        /// How many strings there are.
        found: usize,
        /// The board.
        board: Board,
    },
    /// The text is in a notation without the order of moves.
    #[error("\"{0}\" is not a game; write its moves, one column each, such as 4453")]
    NoGame(String),
    /// The text has nothing but spaces.
    #[error("the text is blank; write - for the empty board")]
    Blank,
    /// A GamesmanUni string does not begin with the player to move.
    #[error(
        "character {place} is {}, expected {expected}; a GamesmanUni string begins with the player to move, 1_ or 2_",
        name_found(*found)
    )]
    Turn {
        /// Which character.
        place: usize,
        /// What was expected there.
        expected: &'static str,
        /// What was found there; `None` at the end of the text.
        found: Option<char>,
    },
    /// A character of a GamesmanUni string is not a cell.
    #[error(
        "character {place} (column {column}) is {}, expected '-', 'X' or 'O'; \
         write empty cells as -, and X, who moves first, and O as they are drawn",
        name_character(*found)
    )]
    Cell {
        /// Which character.
        place: usize,
        /// The column that the cell would be in.
        column: usize,
        /// The character.
        found: char,
    },
    /// A GamesmanUni string has more or fewer cells than the board.
    #[error(
        "{found} cell{} found, but {board} has {}; write column by column, each from top to bottom",
        plural(*found), board.cells()
    )]
    CellCount {
        /// How many there are.
        found: usize,
        /// The board.
        board: Board,
    },
    /// A drawn board has more or fewer rows than the board.
    #[error("{found} row{} found, but {board} has {}; draw each row as a line, the top row first", plural(*found), board.height())]
    RowCount {
        /// How many there are.
        found: usize,
        /// The board.
        board: Board,
    },
    /// A character of a drawn board is not a cell.
    #[error("row {row} has {}; write . for an empty cell, X for the first player and O for the second", name_character(*found))]
    RowCell {
        /// Which row, from the top.
        row: usize,
        /// The character.
        found: char,
    },
    /// A row of a drawn board has more or fewer cells than the board has columns.
    #[error("row {row} has {found} cell{}, but {board} has {} columns; write . for an empty cell, X and O", plural(*found), board.width())]
    RowCells {
        /// Which row, from the top.
        row: usize,
        /// How many cells it has.
        found: usize,
        /// The board.
        board: Board,
    },
    /// The first character of a GamesmanUni string names one player to move, and the number of pieces implies the
    /// other.
    #[error(
        "character 1 says that {} is to move, but the number of pieces, {ply}, makes it {}; correct the turn or the pieces",
        found.mark(), expected.mark()
    )]
    WrongTurn {
        /// The player to move according to the pieces.
        expected: Player,
        /// The player to move according to the first character.
        found: Player,
        /// The number of pieces.
        ply: usize,
    },
    /// The pieces do not make a position.
    #[error(transparent)]
    Position(#[from] PiecesError),
    /// No order of moves reaches the position.
    #[error("no play reaches this position, so it has no moves to write; write it as bit strings")]
    Unreachable,
    /// The search for an order of moves gave up. No position is known for which this happens.
    #[error("no order of moves found before {0} dead ends; write the position as bit strings")]
    Undecided(usize),
}

/// Returns the names of all columns of a board as a phrase, such as `1 to 7, or a to g`.
fn columns_of(board: Board) -> String {
    let last = char::from(COLUMN_CHARACTERS[board.width() - 1]);
    match board.width() {
        1 => "only 1".to_owned(),
        width @ 2..=9 => format!("1 to {width}, or a to {}", char::from(b'a' + width as u8 - 1)),
        10 => "1 to 9 and a".to_owned(),
        _ => format!("1 to 9, then a to {last}"),
    }
}

/// Returns the plural ending of a noun after a number: empty for 1, else `s`.
fn plural(number: usize) -> &'static str {
    if number == 1 { "" } else { "s" }
}
