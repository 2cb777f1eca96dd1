//! A game as text: its moves, and the two lines of a saved game, `board 5x4` and `moves 3321`.
//!
//! Uses nothing else of the program, so that the properties of the fuzzer include this file alone.

use fourbase::notation::{self, column_character, columns_to_text};
use fourbase::{Board, excerpt};

/// How much of a wrong text the error repeats.
const EXCERPT_BYTES: usize = 80;

/// Reads the moves of a game and returns their columns, from 0; `-` or an empty text means the empty board.
///
/// # Errors
///
/// The reason, on one line: the first move that cannot be played, or a position in a notation without the order of moves.
pub fn columns(board: Board, moves: &str) -> Result<Vec<usize>, String> {
    if moves.contains(['0', '_', ' ']) {
        let text = excerpt(moves, EXCERPT_BYTES);
        return Err(format!("\"{text}\" is not a game; write its moves, one column each, such as 4453"));
    }
    // Reading the position finds every error in the text. Then the columns are read again.
    notation::parse(board, moves).map_err(|error| error.to_string())?;
    let column = |character| (0..board.width()).find(|&column| column_character(column) == Some(character));
    Ok(moves.chars().filter_map(column).collect())
}

/// Writes a game as it is saved.
pub fn to_saved(board: Board, columns: &[usize]) -> String {
    let moves = if columns.is_empty() { "-".to_owned() } else { columns_to_text(columns.iter().copied()) };
    format!("board {board}\nmoves {moves}\n")
}

/// Reads a saved game: its board, and the columns of its moves. Further lines do not count.
///
/// # Errors
///
/// The reason, on one line: it is not a saved game, or has a board or a move that is wrong.
pub fn from_saved(text: &str) -> Result<(Board, Vec<usize>), String> {
    let mut lines = text.lines();
    let mut field = |word: &str| lines.next().and_then(|line| line.strip_prefix(word)).map(str::trim);
    let (Some(board), Some(moves)) = (field("board "), field("moves ")) else {
        return Err("not a saved game, whose lines are \"board 5x4\" and \"moves 3321\"".to_owned());
    };
    let board = board.parse::<Board>().map_err(|error| error.to_string())?;
    Ok((board, columns(board, moves)?))
}
