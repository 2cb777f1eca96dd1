//! Reads batches of positions from texts, `Position`s and arrays, and writes them.
//!
//! `fourbase/_encodings.py` reads and writes the arrays of other programs with numpy. This module checks every row.

use std::cmp;
use std::collections::BTreeMap;

use fourbase::{Board, Position, notation};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::arguments::{BoardArgument, named};
use crate::failure::{exception, of_row};
use crate::work::{pool, without_gil};
use crate::{call_python, position};

/// Stands for a row that is no position: no board has all 64 cells taken by both players.
const INVALID: [u64; 2] = [u64::MAX; 2];

/// The positions of a batch.
pub struct Batch {
    pub board: Board,
    /// The position of each row; `None` for a masked row, which is no position.
    pub positions: Vec<Option<Position>>,
}

impl Batch {
    /// Returns the bitboards of each row.
    pub fn bitboards(&self) -> Vec<[u64; 2]> {
        self.positions.iter().map(|position| position.as_ref().map_or(INVALID, Position::bitboards)).collect()
    }

    /// Makes the array of the bitboards.
    pub fn to_array<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u64>>> {
        PyArray1::from_vec(py, self.bitboards().into_flattened()).reshape([self.positions.len(), 2])
    }
}

/// A row, taken out of Python and not checked.
enum Row {
    Position(Position),
    Text(String),
    Bitboards([u64; 2]),
    /// An object of another kind; the error says which.
    Other(String),
}

impl Row {
    /// Returns the position; the error says why there is none.
    fn position(&self, board: Board) -> Result<Position, String> {
        match self {
            Row::Position(position) if position.board() == board => Ok(*position),
            Row::Position(position) => Err(format!("the position is of board {}, expected {board}", position.board())),
            Row::Other(reason) => Err(reason.clone()),
            Row::Text(text) => notation::parse(board, text).map_err(|error| error.to_string()),
            Row::Bitboards([first, second]) => {
                Position::from_bitboards(board, *first, *second).map_err(|error| error.to_string())
            }
        }
    }
}

/// Reads positions. Without `board`, the board is that of the first row if this row is a `Position`, else 7x6.
pub fn read(board: Option<Board>, object: &Bound<'_, PyAny>, encoding: Option<&str>, errors: &str) -> PyResult<Batch> {
    let is_masked = named("errors", errors, &[("raise", false), ("mask", true)])?;
    let (board, rows, explain) = read_rows(board, object, encoding)?;
    if !is_masked && let Some((row, Err(reason))) = rows.iter().enumerate().find(|(_, position)| position.is_err()) {
        return Err(of_row("PositionError", row, &explained(&explain, row, reason)?));
    }
    Ok(Batch { board, positions: rows.into_iter().map(Result::ok).collect() })
}

/// Lists the rows that are no positions: a dictionary from the index of each to the reason. Its ``len`` is the number of rows that
/// ``errors="mask"`` would mask. The arguments are those of `decode`.
///
/// >>> fourbase.rejected(["4453", "4453,-2", "48"], "moves")[2]
/// "move 2, '8': column 8 is outside the board; play a column from 1 to 7"
#[pyfunction]
#[pyo3(signature = (data, encoding=None, *, board=None))]
pub fn rejected(
    data: &Bound<'_, PyAny>,
    encoding: Option<&str>,
    board: Option<BoardArgument>,
) -> PyResult<BTreeMap<usize, String>> {
    let (_, rows, explain) = read_rows(board.map(|board| board.0), data, encoding)?;
    let wrong = rows.iter().enumerate().filter_map(|(row, position)| Some((row, position.as_ref().err()?)));
    wrong.map(|(row, reason)| Ok((row, explained(&explain, row, reason)?))).collect()
}

/// Returns why a row is no position: the reason in terms of its encoding if `explain` gives one, else `reason`.
fn explained(explain: &Bound<'_, PyAny>, row: usize, reason: &str) -> PyResult<String> {
    let of_encoding: Option<String> = if explain.is_none() { None } else { explain.call1((row,))?.extract()? };
    Ok(of_encoding.unwrap_or_else(|| reason.to_owned()))
}

/// The board where none is named.
pub fn usual_board() -> Board {
    Board::new(7, 6, 4, false).unwrap_or_else(|error| unreachable!("{error}"))
}

/// The board; for each row its position or why it is none; and the Python function, or None, that explains wrong rows of the
/// encoding.
type Rows<'py> = (Board, Vec<Result<Position, String>>, Bound<'py, PyAny>);

fn read_rows<'py>(board: Option<Board>, object: &Bound<'py, PyAny>, encoding: Option<&str>) -> PyResult<Rows<'py>> {
    let py = object.py();
    let start = position::Position(Position::start(board.unwrap_or_else(usual_board)));
    let read = call_python(py, "read", (object, encoding, start))?;
    let (data, explain): (Bound<'_, PyAny>, Bound<'_, PyAny>) = read.extract()?;
    let rows: Vec<Row> = match data.cast::<PyArray2<u64>>() {
        Ok(words) => words.readonly().as_slice()?.as_chunks().0.iter().copied().map(Row::Bitboards).collect(),
        Err(_) => data.try_iter()?.map(|item| row(&item?)).collect::<PyResult<_>>()?,
    };
    let board = match (board, rows.first()) {
        (None, Some(Row::Position(first))) => first.board(),
        _ => start.0.board(),
    };
    let pool = pool()?;
    let positions = without_gil(py, || {
        pool.install(|| rows.par_iter().with_min_len(256).map(|row| row.position(board)).collect())
    })?;
    Ok((board, positions, explain))
}

/// Turns an item of a list into a row.
fn row(item: &Bound<'_, PyAny>) -> PyResult<Row> {
    if let Ok(position) = item.cast::<position::Position>() {
        return Ok(Row::Position(position.get().0));
    }
    item.extract().map(Row::Text).or_else(|_| {
        let kind = item.get_type().name()?;
        Ok(Row::Other(format!("expected a text such as '4453' or a fourbase.Position, found {kind}")))
    })
}

/// Reads positions of an encoding and returns their bitboards: a uint64 array (n, 2) with the pieces of the first and of the
/// second player.
///
/// Bit ``(column - 1) * rows + row`` is the cell in that column (from 1) and row (from 0 at the bottom). ``encoding`` is one of
///
/// ==============  ==========================================================================================
/// ``moves``       texts in any notation: moves, bit strings, GamesmanUni's string, a drawn board, or a link
/// ``actions``     lists of columns from 0, as PettingZoo and OpenSpiel have them
/// ``positions``   a list of `Position`
/// ``bitboards``   a uint64 array (n, 2)
/// ``array``       an array (n, rows, columns), the top row first: 0 nothing, 1 the first player, 2 (or -1) the second
/// ``planes``      an array (n, 2, columns, rows), the bottom row first: the first player's pieces, and the second's
/// ``nchw``        an array (n, 2, rows, columns), the top row first, as images: the pieces of the player to move, and the other's
/// ``bitbully``    ``Board.to_array()``: an array (n, columns, rows), the bottom row first, with numbers as in ``array``
/// ``pettingzoo``  ``connect_four_v3``: an array (n, rows, columns, 2), the top row first: the pieces of the agent to move,
///                 and the other's
/// ``openspiel``   ``connect_four``: an array (n, 3, rows, columns), the bottom row first: the first player's
///                 pieces, the second's, and empty cells. With ``egocentric_obs_tensor=True`` write
///                 ``openspiel-egocentric``: the pieces of the other player, of the player to move, and empty cells
/// ``kaggle``      ``connectx``: a list of observations with ``board`` and, if known, ``mark``, or an array (n, rows * columns), the
///                 top row first
/// ``uci``         the UCI data set: texts such as ``'b,x,o,...'``, or an array (n, rows * columns) of these letters; column
///                 after column, each from the bottom up; ``win``, ``loss`` or ``draw`` may follow
/// ==============  ==========================================================================================
///
/// A row of any of these arrays may be flat, as (n, 3 * rows * columns). Without ``encoding``, texts, lists of `Position`, observations
/// of ``kaggle``, and ``bitboards``, ``array``, ``pettingzoo`` and ``openspiel`` are told apart by their shape; flat rows and the others
/// must be named, because another board's array has the same shape. ``board`` is that of the `Position`, else 7x6. A row that is no
/// position raises `PositionError` with its index and the reason; with ``errors="mask"`` it has all bits set, and `rejected` says why.
///
/// >>> fourbase.decode(["", "4", "44"], "moves").tolist()
/// [[0, 0], [262144, 0], [262144, 524288]]
/// >>> fourbase.decode([{"board": [0] * 41 + [1], "mark": 2}], "kaggle").tolist()
/// [[68719476736, 0]]
#[pyfunction]
#[pyo3(signature = (data, encoding=None, *, board=None, errors="raise"))]
pub fn decode<'py>(
    data: &Bound<'py, PyAny>,
    encoding: Option<&str>,
    board: Option<BoardArgument>,
    errors: &str,
) -> PyResult<Bound<'py, PyArray2<u64>>> {
    read(board.map(|board| board.0), data, encoding, errors)?.to_array(data.py())
}

/// Reads positions whose board is known: from `board`, or because the first one is a `Position`.
fn read_known(data: &Bound<'_, PyAny>, encoding: Option<&str>, board: Option<BoardArgument>) -> PyResult<Batch> {
    let is_position = |first: Bound<'_, PyAny>| first.cast::<position::Position>().is_ok();
    if board.is_none() && !data.get_item(0).is_ok_and(is_position) {
        return Err(exception("OptionError", "the board is not known; write board=\"7x6\"".to_owned()));
    }
    read(board.map(|board| board.0), data, encoding, "raise")
}

/// Returns the mirror images of positions, as bitboards: an array (n, 2) of uint64.
///
/// ``data`` and ``encoding`` are those of `decode`; ``board`` may be left out for a list of `Position`.
///
/// >>> fourbase.encode(fourbase.mirror(["112"], board="5x4"), "moves", board="5x4")
/// ['554']
#[pyfunction]
#[pyo3(signature = (data, encoding=None, *, board=None))]
pub fn mirror<'py>(
    data: &Bound<'py, PyAny>,
    encoding: Option<&str>,
    board: Option<BoardArgument>,
) -> PyResult<Bound<'py, PyArray2<u64>>> {
    let mut batch = read_known(data, encoding, board)?;
    batch.positions.iter_mut().flatten().for_each(|position| *position = position.mirror());
    batch.to_array(data.py())
}

/// Returns of each position and its mirror image the one with the smaller bitboards, as bitboards.
///
/// Positions that are equal up to mirroring have equal rows; ``numpy.unique(..., axis=0)`` then counts them once. The
/// arguments are those of `mirror`.
///
/// >>> rows = fourbase.canonical(["112", "554", "1"], board="5x4")
/// >>> bool((rows[0] == rows[1]).all()), bool((rows[0] == rows[2]).all())
/// (True, False)
#[pyfunction]
#[pyo3(signature = (data, encoding=None, *, board=None))]
pub fn canonical<'py>(
    data: &Bound<'py, PyAny>,
    encoding: Option<&str>,
    board: Option<BoardArgument>,
) -> PyResult<Bound<'py, PyArray2<u64>>> {
    let mut batch = read_known(data, encoding, board)?;
    for position in batch.positions.iter_mut().flatten() {
        *position = cmp::min_by_key(*position, position.mirror(), Position::bitboards);
    }
    batch.to_array(data.py())
}

/// Writes positions in an encoding. ``positions`` is anything that `decode` reads without ``encoding``; ``encoding`` is one of
/// those of `decode`, or ``bits`` or ``uni`` for these texts.
///
/// Arrays have the number type of their program: float32 for ``openspiel`` and ``nchw``, else int8. Encodings that depend on the observer are
/// written for the player to move. ``kaggle`` gives a list of dictionaries with ``board`` and ``mark``; ``uci``, ``moves``,
/// ``bits`` and ``uni`` give lists of texts. `decode` reads all of them but ``bits`` and ``uni``, which it reads as ``moves``.
///
/// >>> fourbase.encode(["4453"], "pettingzoo").shape
/// (1, 6, 7, 2)
/// >>> fourbase.encode(["12"], "uci", board="4x3")
/// ['x,b,b,o,b,b,b,b,b,b,b,b']
/// >>> fourbase.encode(fourbase.decode(["12", "21"], board="4x4"), "bits", board="4x4")
/// ['01000 11000 10000 10000', '11000 01000 10000 10000']
#[pyfunction]
#[pyo3(signature = (positions, encoding, *, board=None))]
pub fn encode<'py>(
    positions: &Bound<'py, PyAny>,
    encoding: &str,
    board: Option<BoardArgument>,
) -> PyResult<Bound<'py, PyAny>> {
    let (py, batch) = (positions.py(), read(board.map(|board| board.0), positions, None, "raise")?);
    let positions: Vec<Position> = batch.positions.iter().flatten().copied().collect();
    match encoding {
        "positions" => positions.into_iter().map(position::Position).collect::<Vec<_>>().into_bound_py_any(py),
        "moves" => texts(py, &positions, position::moves),
        "actions" => texts(py, &positions, |position| {
            let columns = position::moves(position)?;
            Some(columns.chars().filter_map(|column| column.to_digit(36)?.checked_sub(1)).collect::<Vec<u32>>())
        }),
        "bits" => texts(py, &positions, |position| Some(notation::to_bits(position))),
        "uni" => texts(py, &positions, |position| Some(notation::to_uni(position))),
        _ => {
            let start = position::Position(Position::start(batch.board));
            call_python(py, "write", (batch.to_array(py)?, encoding, start))
        }
    }
}

/// After how many rows a loop that holds the GIL hears Ctrl-C.
const SIGNAL_ROWS: usize = 1 << 14;

/// Writes texts or lists, on all threads. `text` returns `None` for a position that no game reaches.
fn texts<'py, T: Send + IntoPyObject<'py>>(
    py: Python<'py>,
    positions: &[Position],
    text: impl Fn(&Position) -> Option<T> + Sync,
) -> PyResult<Bound<'py, PyAny>> {
    let pool = pool()?;
    let texts: Vec<_> = without_gil(py, || pool.install(|| positions.par_iter().map(&text).collect()))?;
    let reason = "no game reaches this position; write it as \"bits\"";
    let texts = texts.into_iter().enumerate().map(|(row, text)| {
        if row % SIGNAL_ROWS == 0 {
            py.check_signals()?;
        }
        text.ok_or_else(|| of_row("PositionError", row, reason))
    });
    texts.collect::<PyResult<Vec<_>>>()?.into_bound_py_any(py)
}
