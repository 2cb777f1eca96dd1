//! Batches of positions as Python objects.

use fourbase::{Player, Position, notation};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use rayon::prelude::*;

use super::encoding::Encoding;
use super::{Batch, bitboards, cells};
use crate::failure::of_row;
use crate::position;
use crate::wait::{briefly, pool};

/// After how many rows of a list Python is asked for Ctrl-C.
const ROWS_BETWEEN_SIGNALS: usize = 1 << 14;

/// Writes positions in an encoding.
pub fn write<'py>(py: Python<'py>, batch: &Batch, encoding: Encoding) -> PyResult<Bound<'py, PyAny>> {
    let (count, height, width) = (batch.positions.len(), batch.board.height(), batch.board.width());
    match encoding {
        Encoding::Positions => {
            let positions = batch.positions.iter().map(|position| position::Position(*position).into_bound_py_any(py));
            list(py, positions)
        }
        Encoding::Bitboards => Ok(bitboards(py, batch)?.into_any()),
        Encoding::Moves => texts(py, batch, |position| {
            position::moves(position).ok_or_else(|| "no game reaches this position; write it as \"bits\"".to_owned())
        }),
        Encoding::Bits => texts(py, batch, |position| Ok(notation::to_bits(position))),
        Encoding::Uni => texts(py, batch, |position| Ok(notation::to_uni(position))),
        Encoding::Uci => texts(py, batch, |position| Ok(uci(position))),
        Encoding::Array => {
            Ok(PyArray1::from_vec(py, numbers(py, batch, encoding)?).reshape([count, height, width])?.into_any())
        }
        Encoding::PettingZoo => {
            Ok(PyArray1::from_vec(py, numbers(py, batch, encoding)?).reshape([count, height, width, 2])?.into_any())
        }
        Encoding::OpenSpiel | Encoding::Egocentric => {
            let numbers = numbers(py, batch, encoding)?;
            let numbers: Vec<f32> = briefly(py, || numbers.into_iter().map(f32::from).collect())?;
            Ok(PyArray1::from_vec(py, numbers).reshape([count, cells::PLANES, height, width])?.into_any())
        }
        Encoding::Kaggle => {
            let numbers = numbers(py, batch, encoding)?;
            let rows = batch.positions.iter().zip(numbers.chunks_exact(batch.board.cells()));
            let observations = rows.map(|(position, board)| {
                let observation = PyDict::new(py);
                observation.set_item("board", PyList::new(py, board)?)?;
                observation.set_item("mark", if position.to_move() == Player::First { 1 } else { 2 })?;
                Ok(observation.into_any())
            });
            list(py, observations)
        }
    }
}

/// Writes all rows, one after the other, on all threads.
fn numbers(py: Python<'_>, batch: &Batch, encoding: Encoding) -> PyResult<Vec<i8>> {
    let length = cells::row_length(batch.board, encoding);
    let pool = pool()?;
    briefly(py, || {
        let mut numbers = vec![0; length * batch.positions.len()];
        pool.install(|| {
            let rows = numbers.par_chunks_exact_mut(length).with_min_len(256);
            rows.zip(&batch.positions).for_each(|(row, position)| cells::encode(position, encoding, row));
        });
        numbers
    })
}

fn texts<'py>(
    py: Python<'py>,
    batch: &Batch,
    text: impl Fn(&Position) -> Result<String, String> + Sync,
) -> PyResult<Bound<'py, PyAny>> {
    let pool = pool()?;
    let texts: Vec<_> = briefly(py, || pool.install(|| batch.positions.par_iter().map(&text).collect()))?;
    let texts = texts.into_iter().enumerate();
    list(py, texts.map(|(row, text)| text.map_err(|reason| of_row(row, &reason))?.into_bound_py_any(py)))
}

/// Makes a list. Ctrl-C stops it.
fn list<'py>(py: Python<'py>, items: impl Iterator<Item = PyResult<Bound<'py, PyAny>>>) -> PyResult<Bound<'py, PyAny>> {
    let list = PyList::empty(py);
    for (row, item) in items.enumerate() {
        if row.is_multiple_of(ROWS_BETWEEN_SIGNALS) {
            py.check_signals()?;
        }
        list.append(item?)?;
    }
    Ok(list.into_any())
}

fn uci(position: &Position) -> String {
    let mut row = vec![0; position.board().cells()];
    cells::encode(position, Encoding::Uci, &mut row);
    let letters: Vec<String> = row.into_iter().map(|letter| char::from(letter.cast_unsigned()).to_string()).collect();
    letters.join(",")
}
