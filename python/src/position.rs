//! The class `Position`.

use fourbase::{Board, Game, Player, notation};
use pyo3::prelude::*;
use pyo3::types::{PyAny, PyString, PyType};

use crate::arguments::BoardArgument;
use crate::failure::exception;

/// A board with pieces on it. It never changes: `play` returns another one.
///
/// ``board`` is columns x rows, then ``cK`` if K in a row count instead of 4, then ``m`` if a line loses: ``'7x6'``,
/// ``'4x4c3'``, ``'4x4m'``. ``position`` is a text in any notation:
///
/// - moves: ``'4453'``, one character for each column played, ``1`` to ``9`` and then ``a`` to ``w``;
/// - the bit strings of the columns: ``'10100 10010 11010 01010'``;
/// - GamesmanUni's string: ``'1_-XXX--OO---O----'``;
/// - a drawn board, as `print` shows it;
/// - a link: ``'https://connect4.gamesolver.org/?pos=4453'``.
///
/// >>> position = fourbase.Position("7x6", "4453")
/// >>> position.ply, position.to_move, position.legal_moves
/// (4, 'first', [1, 2, 3, 4, 5, 6, 7])
/// >>> print(position.play(4))
/// . . . . . . .
/// . . . . . . .
/// . . . . . . .
/// . . . X . . .
/// . . . O . . .
/// . . O X X . .
/// 1 2 3 4 5 6 7
/// >>> position == fourbase.Position("7x6", "5443")
/// False
/// >>> fourbase.Position("7x6", "9")
/// Traceback (most recent call last):
///     ...
/// fourbase.errors.PositionError: move 1, '9': column 9 is outside the board; play a column from 1 to 7
#[pyclass(frozen, eq, hash, module = "fourbase")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Position(pub fourbase::Position);

#[pymethods]
impl Position {
    #[new]
    #[pyo3(signature = (board, position=""))]
    fn new(board: BoardArgument, position: &str) -> PyResult<Position> {
        Ok(Position(parse(board.0, position)?))
    }

    /// Makes a position from the pieces of each player: bit ``(column - 1) * rows + row`` for the piece in that column
    /// (from 1) and row (from 0 at the bottom).
    ///
    /// >>> fourbase.Position.from_bitboards("7x6", 0b1, 0b10)
    /// Position('7x6', '11')
    #[classmethod]
    fn from_bitboards(_class: &Bound<'_, PyType>, board: BoardArgument, first: u64, second: u64) -> PyResult<Position> {
        let made = fourbase::Position::from_bitboards(board.0, first, second);
        made.map(Position).map_err(|error| exception("PositionError", error.to_string()))
    }

    /// The name of the board, such as ``'7x6'``.
    #[getter]
    fn board(&self) -> String {
        self.0.board().to_string()
    }

    /// The number of columns.
    #[getter]
    fn width(&self) -> usize {
        self.0.board().width()
    }

    /// The number of rows.
    #[getter]
    fn height(&self) -> usize {
        self.0.board().height()
    }

    /// The number of pieces on the board.
    #[getter]
    fn ply(&self) -> usize {
        self.0.ply()
    }

    /// The player to move: ``'first'`` or ``'second'``.
    #[getter]
    #[expect(clippy::wrong_self_convention, reason = "the name of a property: whose turn it is")]
    fn to_move(&self) -> &'static str {
        match self.0.to_move() {
            Player::First => "first",
            Player::Second => "second",
        }
    }

    /// The value for the player to move if the game is over, else ``None``.
    ///
    /// >>> fourbase.Position("4x4", "1212121").primitive
    /// 'lose'
    #[getter]
    fn primitive(&self) -> Option<&'static str> {
        self.0.primitive().map(fourbase::Value::name)
    }

    /// The columns that can be played, from 1; none once the game is over.
    #[getter]
    fn legal_moves(&self) -> Vec<usize> {
        self.0.moves().map(|column| column + 1).collect()
    }

    /// The pieces of the first and of the second player, as in `from_bitboards`.
    #[getter]
    fn bitboards(&self) -> (u64, u64) {
        self.0.bitboards().into()
    }

    /// The first order of moves that leads here, ``''`` for the empty board; ``None`` if no game does.
    ///
    /// >>> fourbase.Position("7x6", "4453").moves
    /// '4354'
    #[getter]
    fn moves(&self) -> Option<String> {
        moves(&self.0)
    }

    /// The bit strings of the columns: from the bottom up 0 for the first player and 1 for the second, then a 1, then 0s.
    ///
    /// >>> fourbase.Position("4x3", "12").bits
    /// '0100 1100 1000 1000'
    #[getter]
    fn bits(&self) -> String {
        notation::to_bits(&self.0)
    }

    /// GamesmanUni's string.
    ///
    /// >>> fourbase.Position("4x3", "12").uni
    /// '1_--X--O------'
    #[getter]
    fn uni(&self) -> String {
        notation::to_uni(&self.0)
    }

    /// Returns the position after a move in ``column``, from 1.
    ///
    /// >>> fourbase.Position("4x3").play(2).play(2)
    /// Position('4x3', '22')
    fn play(&self, column: i64) -> PyResult<Position> {
        // A number below 1, or too large for `usize`, is outside every board.
        let Some(column) = column.checked_sub(1).and_then(|column| usize::try_from(column).ok()) else {
            let columns = self.width();
            let message = format!("column {column} is outside the board; play a column from 1 to {columns}");
            return Err(exception("MoveError", message));
        };
        self.0.play(column).map(Position).map_err(|error| exception("MoveError", error.to_string()))
    }

    /// Returns the mirror image: the columns in reverse order.
    ///
    /// >>> fourbase.Position("4x3", "12").mirrored()
    /// Position('4x3', '43')
    fn mirrored(&self) -> Position {
        Position(self.0.mirror())
    }

    fn __str__(&self) -> String {
        notation::draw(&self.0, false)
    }

    fn __repr__(&self) -> String {
        let text = moves(&self.0).unwrap_or_else(|| self.bits());
        if text.is_empty() {
            format!("Position('{}')", self.board())
        } else {
            format!("Position('{}', '{text}')", self.board())
        }
    }

    fn _repr_svg_(&self) -> String {
        notation::draw_svg(&self.0)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, (String, String)) {
        (py.get_type::<Position>(), (self.board(), self.bits()))
    }
}

/// Returns the smallest text of moves that leads to the position, empty for the empty board; `None` if no game reaches it.
pub fn moves(position: &fourbase::Position) -> Option<String> {
    if position.ply() == 0 { Some(String::new()) } else { notation::to_moves(position).ok() }
}

/// Reads a position from its text.
pub fn parse(board: Board, text: &str) -> PyResult<fourbase::Position> {
    notation::parse(board, text).map_err(|error| exception("PositionError", error.to_string()))
}

/// Reads a position from a text or from a `Position`, which must be of `board`.
pub fn read(board: Board, object: &Bound<'_, PyAny>) -> PyResult<fourbase::Position> {
    if let Ok(position) = object.cast::<Position>() {
        let position = position.get().0;
        if position.board() == board {
            return Ok(position);
        }
        let found = position.board();
        let message = format!(
            "the position is of board {found}, not of {board}; write \"{found}\" as the board of the call or of the database"
        );
        return Err(exception("PositionError", message));
    }
    if let Ok(text) = object.cast::<PyString>() {
        return parse(board, &text.to_cow()?);
    }
    let kind = object.get_type().name()?;
    Err(exception("ArgumentError", format!("a position is a text such as '4453' or a fourbase.Position, not {kind}")))
}

/// Reads a game from the text of its moves.
pub fn read_game(start: fourbase::Position, object: &Bound<'_, PyAny>) -> PyResult<Game> {
    let Ok(moves) = object.cast::<PyString>() else {
        let kind = object.get_type().name()?;
        return Err(exception("ArgumentError", format!("a game is a text of moves such as '4453', not {kind}")));
    };
    Game::parse_from(start, &moves.to_cow()?).map_err(|error| exception("PositionError", error.to_string()))
}
