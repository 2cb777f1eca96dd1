//! Batches of positions: read from and written to texts, arrays and the encodings of machine learning.
//!
//! [`source`] finds out what an object holds and takes it out of Python; [`encoding`] names the encodings; [`cells`] turns the
//! cells of one row into bitboards and back; [`write`] makes Python objects. [`probe`] asks a database.

pub mod cells;
pub mod encoding;
pub mod numbers;
pub mod probe;
pub mod source;
pub mod write;

use std::sync::Mutex;

use fourbase::{Board, Player, Position};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::arguments::{BoardArgument, Errors};
use crate::failure::of_row;
use crate::wait::{briefly, pool};
use encoding::Encoding;
use source::Source;

/// Stands for a row that is no position: no board has all 64 cells taken by both players.
pub const INVALID: [u64; 2] = [u64::MAX; 2];

/// The positions of a batch.
pub struct Batch {
    pub board: Board,
    /// The position of each row; the empty board where a row is none.
    pub positions: Vec<Position>,
    /// The rows that are no positions, in ascending order; empty unless they are masked.
    pub masked: Vec<usize>,
}

/// Reads positions. Without a `board`, it is that of the first `Position`, or else 7x6.
pub fn read(
    py: Python<'_>,
    board: Option<Board>,
    object: &Bound<'_, PyAny>,
    encoding: Option<&str>,
    errors: Errors,
) -> PyResult<Batch> {
    let encoding = encoding.map(Encoding::named).transpose()?;
    let (board, source) = source::take(board, object, encoding)?;
    let pool = pool()?;
    briefly(py, || pool.install(|| decode_source(board, &source, errors)))?
}

/// Turns rows into positions, on all threads.
fn decode_source(board: Board, source: &Source, errors: Errors) -> PyResult<Batch> {
    let refused = Mutex::new(Vec::new());
    let row = |row: usize| {
        source.position(board, row).unwrap_or_else(|reason| {
            refused.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((row, reason));
            Position::start(board)
        })
    };
    let positions: Vec<Position> = (0..source.len()).into_par_iter().with_min_len(256).map(row).collect();
    let mut refused = refused.into_inner().unwrap_or_default();
    refused.sort_unstable_by_key(|(row, _)| *row);
    match refused.first() {
        Some((row, reason)) if errors == Errors::Raise => Err(of_row(*row, reason)),
        _ => Ok(Batch { board, positions, masked: refused.into_iter().map(|(row, _)| row).collect() }),
    }
}

/// Reads positions of an encoding and returns their bitboards: a uint64 array (n, 2) with the pieces of the first and of the
/// second player.
///
/// Bit ``(column - 1) * rows + row`` is the cell in that column (from 1) and row (from 0 at the bottom). ``encoding`` is one of
///
/// ==============  ==========================================================================================
/// ``moves``       texts, as for `Position`: moves, bit strings or GamesmanUni's strings
/// ``positions``   a list of `Position`
/// ``bitboards``   a uint64 array (n, 2)
/// ``array``       an array (n, rows, columns), the top row first: 0 nothing, 1 the first player, 2 (or -1) the second
/// ``pettingzoo``  ``connect_four_v3``: an array (n, rows, columns, 2), the top row first: the pieces of the agent to move,
///                 and the other's
/// ``openspiel``   ``connect_four``: an array (n, 3, rows, columns) or (n, 3 * rows * columns), the bottom row first: the first
///                 player's pieces, the second's, and empty cells. With ``egocentric_obs_tensor=True`` write
///                 ``openspiel-egocentric``: the pieces of the other player, of the player to move, and empty cells
/// ``kaggle``      ``connectx``: a list of observations with ``board`` and ``mark``, or an array (n, rows * columns), the top
///                 row first
/// ``uci``         the UCI data set: texts such as ``'b,x,o,...'``, or an array (n, rows * columns) of these letters; column
///                 after column, each from the bottom up; a class in the last place is left out
/// ==============  ==========================================================================================
///
/// Without ``encoding``, texts, lists of `Position` and the first five kinds of arrays are told apart by their shape. ``board`` is
/// that of the `Position`, else 7x6. A row that is no position raises `PositionError` with its index and the reason; with
/// ``errors="mask"`` it has all bits set.
///
/// >>> fourbase.decode(["", "4", "44"], "moves").tolist()
/// [[0, 0], [262144, 0], [262144, 524288]]
/// >>> fourbase.decode([{"board": [0] * 41 + [1], "mark": 2}], "kaggle").tolist()
/// [[68719476736, 0]]
#[pyfunction]
#[pyo3(signature = (data, encoding=None, *, board=None, errors=Errors::Raise))]
#[pyo3(text_signature = "(data, encoding=None, *, board=None, errors='raise')")]
pub fn decode<'py>(
    py: Python<'py>,
    data: &Bound<'py, PyAny>,
    encoding: Option<&str>,
    board: Option<BoardArgument>,
    errors: Errors,
) -> PyResult<Bound<'py, PyArray2<u64>>> {
    let batch = read(py, board.map(|board| board.0), data, encoding, errors)?;
    bitboards(py, &batch)
}

/// Makes the array of the bitboards of a batch.
pub fn bitboards<'py>(py: Python<'py>, batch: &Batch) -> PyResult<Bound<'py, PyArray2<u64>>> {
    let mut words: Vec<[u64; 2]> =
        batch.positions.iter().map(|position| [Player::First, Player::Second].map(|of| position.pieces(of))).collect();
    for row in &batch.masked {
        words[*row] = INVALID;
    }
    PyArray1::from_vec(py, words.into_flattened()).reshape([batch.positions.len(), 2])
}

/// Writes positions in an encoding. ``positions`` is all that `decode` tells apart by itself; ``encoding`` is one of those of
/// `decode`, or ``bits`` or ``uni`` for these texts.
///
/// Arrays have the number type of their program: int8, and float32 for ``openspiel``, seen by the player to move where that makes
/// a difference. ``kaggle`` gives a list of dictionaries with ``board`` and ``mark``; ``uci``, ``moves``, ``bits`` and ``uni`` give
/// lists of texts. `decode` reads all of them but ``bits`` and ``uni``, which it reads as ``moves``.
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
    py: Python<'py>,
    positions: &Bound<'py, PyAny>,
    encoding: &str,
    board: Option<BoardArgument>,
) -> PyResult<Bound<'py, PyAny>> {
    let encoding = Encoding::named(encoding)?;
    let batch = read(py, board.map(|board| board.0), positions, None, Errors::Raise)?;
    write::write(py, &batch, encoding)
}
