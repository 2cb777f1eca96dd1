//! A game as text: its moves, and the two lines of a saved game, `board 5x4` and `moves 3321`.
//!
//! Uses nothing else of the program, so that the properties of the fuzzer include this file alone.

use fourbase::notation::{self, columns_to_text};
use fourbase::{Board, Position, excerpt};

/// How much of a wrong text the error repeats.
const EXCERPT_BYTES: usize = 80;

/// Reads the moves of a game from a position on and returns their columns, from 0; `-` or an empty text means no move.
///
/// # Errors
///
/// The reason, on one line: the first move that cannot be played, or a position in a notation without the order of moves.
pub fn columns(start: &Position, moves: &str) -> Result<Vec<usize>, String> {
    if moves.contains(['0', '_', ' ']) {
        let text = excerpt(moves, EXCERPT_BYTES);
        return Err(format!("\"{text}\" is not a game; write its moves, one column each, such as 4453"));
    }
    notation::parse_moves(start, moves).map_err(|error| error.to_string())
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
    Ok((board, columns(&Position::start(board), moves)?))
}
