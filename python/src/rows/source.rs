//! What an object of Python holds: taken out of Python, so that the rest needs no GIL.

use fourbase::{Board, Position, notation};
use numpy::{PyArrayDescrMethods, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PySlice, PyString, PyTuple};

use super::cells;
use super::encoding::Encoding;
use super::numbers::{self, Array};
use crate::failure::exception;
use crate::position;

/// The rows of a batch, not looked at yet.
pub enum Source {
    Texts(Vec<String>),
    Positions(Vec<Position>),
    Bitboards(Vec<u64>),
    Cells { encoding: Encoding, length: usize, numbers: Vec<i8>, marks: Option<Vec<i8>> },
}

impl Source {
    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        match self {
            Source::Texts(texts) => texts.len(),
            Source::Positions(positions) => positions.len(),
            Source::Bitboards(words) => words.len() / 2,
            Source::Cells { length, numbers, .. } => numbers.len() / length,
        }
    }

    /// Reads a row; the error says why it is no position.
    pub fn position(&self, board: Board, row: usize) -> Result<Position, String> {
        match self {
            Source::Texts(texts) => notation::parse(board, &texts[row]).map_err(|error| error.to_string()),
            Source::Positions(positions) => Ok(positions[row]),
            Source::Bitboards(words) => {
                Position::from_bitboards(board, words[2 * row], words[2 * row + 1]).map_err(|error| error.to_string())
            }
            Source::Cells { encoding, length, numbers, marks } => {
                let mark = marks.as_ref().map(|marks| marks[row]);
                cells::decode(board, *encoding, &numbers[row * length..(row + 1) * length], mark)
            }
        }
    }
}

/// Takes the rows of an object, and finds out their board and, where it is not given, their encoding.
pub fn take(board: Option<Board>, object: &Bound<'_, PyAny>, encoding: Option<Encoding>) -> PyResult<(Board, Source)> {
    if object.cast::<PyString>().is_ok() || object.cast::<position::Position>().is_ok() {
        return Err(PyTypeError::new_err("give a list of positions; for one position write [position], or call probe"));
    }
    let object = &listed(object)?;
    let is_array = object.cast::<numpy::PyUntypedArray>().is_ok();
    let first = if is_array { None } else { object.try_iter()?.next().transpose()? };
    if let Some(first) = &first
        && first.cast::<position::Position>().is_ok()
    {
        return positions(board, object);
    }
    let board = board.unwrap_or_else(usual_board);
    let is_text = first.is_some_and(|first| first.cast::<PyString>().is_ok());
    let source = match encoding {
        Some(Encoding::Uci) => uci(board, object, is_text)?,
        Some(Encoding::Kaggle) => kaggle(board, object)?,
        Some(Encoding::Moves | Encoding::Bits | Encoding::Uni) => texts(object)?,
        Some(Encoding::Positions) => return positions(Some(board), object),
        Some(Encoding::Bitboards) => bitboards(object)?,
        Some(encoding) => rows(board, encoding, numbers::cells(&numbers::array(object)?)?)?,
        None if is_text => texts(object)?,
        None => by_shape(board, object)?,
    };
    Ok((board, source))
}

/// Makes a list of what can be iterated over once, of columns of texts, and an array of a table of pandas.
fn listed<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    if let Ok(array) = object.cast::<numpy::PyUntypedArray>() {
        if array.ndim() == 0 {
            return Err(exception(
                "EncodingError",
                "a single number is no list of positions; see probe for one".to_owned(),
            ));
        }
        let is_column = array.ndim() == 1 && matches!(array.dtype().kind(), b'U' | b'O');
        return if is_column { object.call_method0("tolist") } else { Ok(object.clone()) };
    }
    if object.hasattr("to_numpy")? {
        return listed(&object.call_method0("to_numpy")?);
    }
    if object.is_none() {
        return Err(PyTypeError::new_err("expected positions, such as a list of texts or an array, found None"));
    }
    if object.hasattr("__len__")? { Ok(object.clone()) } else { object.py().get_type::<PyList>().call1((object,)) }
}

/// Returns the board that PettingZoo and most others play.
fn usual_board() -> Board {
    Board::new(7, 6, 4, false).unwrap_or_else(|error| unreachable!("{error}"))
}

fn positions(board: Option<Board>, object: &Bound<'_, PyAny>) -> PyResult<(Board, Source)> {
    let (mut board, mut positions) = (board, Vec::new());
    for (row, item) in object.try_iter()?.enumerate() {
        let item = item?;
        let Ok(position) = item.cast::<position::Position>() else {
            let kind = item.get_type().name()?;
            return Err(PyTypeError::new_err(format!("row {row}: expected a fourbase.Position, found {kind}")));
        };
        let position = position.get().0;
        let expected = *board.get_or_insert(position.board());
        if position.board() != expected {
            let reason = format!("the position is of board {}, expected {expected}", position.board());
            return Err(crate::failure::of_row(row, &reason));
        }
        positions.push(position);
    }
    Ok((board.unwrap_or_else(usual_board), Source::Positions(positions)))
}

fn texts(object: &Bound<'_, PyAny>) -> PyResult<Source> {
    let text = |(row, item): (usize, PyResult<Bound<'_, PyAny>>)| {
        let item = item?;
        if let Ok(text) = item.extract() {
            return Ok(text);
        }
        let kind = item.get_type().name()?;
        Err(PyTypeError::new_err(format!("row {row}: expected a text such as '4453', found {kind}")))
    };
    Ok(Source::Texts(object.try_iter()?.enumerate().map(text).collect::<PyResult<_>>()?))
}

fn bitboards(object: &Bound<'_, PyAny>) -> PyResult<Source> {
    let Array { shape, numbers } = numbers::words(&numbers::array(object)?)?;
    match shape[..] {
        [_, 2] => Ok(Source::Bitboards(numbers)),
        [0] => Ok(Source::Bitboards(Vec::new())),
        _ => Err(exception("EncodingError", format!("bitboards have the shape (n, 2), not {}", shown(&shape)))),
    }
}

/// Takes the rows of an array, in one of the shapes of its encoding.
fn rows(board: Board, encoding: Encoding, Array { shape, numbers }: Array<i8>) -> PyResult<Source> {
    let (height, width) = (board.height(), board.width());
    let length = cells::row_length(board, encoding);
    let whole = match encoding {
        Encoding::PettingZoo => vec![height, width, 2],
        Encoding::OpenSpiel | Encoding::Egocentric => vec![cells::PLANES, height, width],
        Encoding::Array => vec![height, width],
        _ => vec![length],
    };
    let fits = shape.split_first().is_some_and(|(_, row)| {
        row == whole || encoding != Encoding::Array && encoding != Encoding::PettingZoo && row == [length]
    });
    if !fits && shape != [0] {
        let wanted = whole.iter().map(|size| format!(", {size}")).collect::<String>();
        let message = format!(
            "{} on {board} has the shape (n{wanted}), not {}; for another board write board=...",
            encoding.name(),
            shown(&shape)
        );
        return Err(exception("EncodingError", message));
    }
    Ok(Source::Cells { encoding, length, numbers, marks: None })
}

/// Tells arrays apart by their shape.
fn by_shape(board: Board, object: &Bound<'_, PyAny>) -> PyResult<Source> {
    let array = numbers::array(object)?;
    let encoding = match array.shape() {
        [_, 2] | [0] => return bitboards(object),
        [_, _, _] => Encoding::Array,
        [_, _, _, 2] => Encoding::PettingZoo,
        [_, 3, _, _] => Encoding::OpenSpiel,
        shape => {
            let message = format!(
                "an array of the shape {} is none that is known; give texts, bitboards (n, 2), an array (n, rows, columns), \
                 or write its encoding, such as fourbase.decode(data, \"kaggle\")",
                shown(shape)
            );
            return Err(exception("EncodingError", message));
        }
    };
    rows(board, encoding, numbers::cells(&array)?)
}

/// Takes Kaggle's observations, or their boards alone as an array.
fn kaggle(board: Board, object: &Bound<'_, PyAny>) -> PyResult<Source> {
    if object.cast::<numpy::PyUntypedArray>().is_ok() {
        return rows(board, Encoding::Kaggle, numbers::cells(&numbers::array(object)?)?);
    }
    let length = cells::row_length(board, Encoding::Kaggle);
    let (mut cells, mut marks) = (Vec::new(), Vec::new());
    for (row, item) in object.try_iter()?.enumerate() {
        let item = item?;
        let Ok(pieces) = item.get_item("board") else {
            if row == 0 {
                return rows(board, Encoding::Kaggle, numbers::cells(&numbers::array(object)?)?);
            }
            return Err(PyTypeError::new_err(format!("row {row}: an observation has a board and a mark")));
        };
        let pieces: Vec<i64> = pieces.extract()?;
        if pieces.len() != length {
            let reason = format!("the board has {} cells, {board} has {length}", pieces.len());
            return Err(crate::failure::of_row(row, &reason));
        }
        cells.extend(pieces.into_iter().map(|piece| i8::try_from(piece).unwrap_or(cells::OUTSIDE)));
        let mark: i64 = item.get_item("mark")?.extract()?;
        marks.push(i8::try_from(mark).unwrap_or(cells::OUTSIDE));
    }
    Ok(Source::Cells { encoding: Encoding::Kaggle, length, numbers: cells, marks: Some(marks) })
}

/// Takes rows of letters: texts with commas, or an array of letters. What follows the cells, the class, is left out.
fn uci(board: Board, object: &Bound<'_, PyAny>, is_text: bool) -> PyResult<Source> {
    let length = board.cells();
    if !is_text {
        let array = numbers::array(object)?;
        if let [_, columns] = array.shape()
            && *columns > length
        {
            let all = PySlice::full(object.py());
            let cells = PySlice::new(object.py(), 0, length as isize, 1);
            return letters(board, &array.get_item(PyTuple::new(object.py(), [all, cells])?)?);
        }
        return letters(board, &array);
    }
    let mut numbers = Vec::new();
    for (row, item) in object.try_iter()?.enumerate() {
        let text: String = item?.extract()?;
        let before = numbers.len();
        numbers.extend(text.trim().split(',').take(length).map(letter));
        let found = numbers.len() - before;
        if found != length {
            let reason = format!("the text has {found} letters with commas between them, {board} has {length} cells");
            return Err(crate::failure::of_row(row, &reason));
        }
    }
    Ok(Source::Cells { encoding: Encoding::Uci, length, numbers, marks: None })
}

/// Takes an array of letters.
fn letters(board: Board, array: &Bound<'_, PyAny>) -> PyResult<Source> {
    // One byte a letter. What is longer is cut and seldom a letter that counts.
    let bytes = array.call_method1("astype", ("S1",))?.call_method1("view", ("u1",))?;
    rows(board, Encoding::Uci, numbers::cells(&numbers::array(&bytes)?)?)
}

fn letter(text: &str) -> i8 {
    match text.trim().as_bytes() {
        [letter] => letter.cast_signed(),
        _ => b'?'.cast_signed(),
    }
}

fn shown(shape: &[usize]) -> String {
    let sizes = shape.iter().map(usize::to_string).collect::<Vec<_>>();
    if sizes.len() == 1 { format!("({},)", sizes.concat()) } else { format!("({})", sizes.join(", ")) }
}
