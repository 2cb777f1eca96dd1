"""Positions in the arrays and observations of other programs, from and to bitboards.

The native module is given `read` and `write`. It checks the positions, and reads and writes texts itself.
"""

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fourbase._native import Position
from fourbase._types import INVALID
from fourbase.errors import ArgumentError, EncodingError

_LISTS = ("moves", "bits", "uni", "positions", "actions")


class _Layout(NamedTuple):
    """How an array writes the cells of a position."""

    #: The axes of a row: "p" planes, "r" rows, "c" columns.
    axes: str
    #: Whether the top row comes first.
    is_top_first: bool = True
    #: How many planes: the pieces of one player, of the other, and empty cells. Without planes, a cell is 0, 1 or 2.
    planes: int = 0
    #: Whose pieces the first plane has: 0 those of the player to move, 1 of the other; None those of the first player.
    observer: int | None = None
    #: Whether a row has one axis. A row of any array may be read so.
    is_flat: bool = False
    number: Any = np.int8


_ARRAYS = {
    "array": _Layout("rc"),
    "bitbully": _Layout("cr", is_top_first=False),
    "planes": _Layout("pcr", is_top_first=False, planes=2),
    "nchw": _Layout("prc", planes=2, observer=0, number=np.float32),
    "pettingzoo": _Layout("rcp", planes=2, observer=0),
    "openspiel": _Layout("prc", is_top_first=False, planes=3, number=np.float32),
    "openspiel-egocentric": _Layout("prc", is_top_first=False, planes=3, observer=1, number=np.float32),
    "kaggle": _Layout("rc", is_flat=True),
    "uci": _Layout("cr", is_top_first=False, is_flat=True),
}

# The characters of columns in moves.
_COLUMNS = "123456789abcdefghijklmnopqrstuvw"

_ROWS = (list, tuple, np.ndarray)

# The last field of a row of the UCI data set.
_CLASSES = ("win", "loss", "draw")

# Rows that are converted at once: they stay in the cache of the processor.
_PART = 4096


def read(data: Any, encoding: str | None, start: Position) -> tuple[Any, Callable[[int], str | None] | None]:
    """Return lists of texts and of `Position` as they are, bitboards as an array, and anything else as bitboards.

    ``start`` is the empty board. A row that is no position of the encoding becomes `INVALID`. The second
    result explains what is wrong with a row, where the encoding matters.
    """
    reasons: dict[int, str] = {}
    if isinstance(data, Mapping):
        raise ArgumentError('a dictionary is no batch; write [data], or for PettingZoo data["observation"][None]')
    if hasattr(data, "itercolumns"):  # a table of Arrow
        columns = [np.asarray(column) for column in data.itercolumns()]
        data = columns[0] if len(columns) == 1 else np.column_stack(columns)
    if not hasattr(data, "__iter__") or isinstance(data, str | bytes):
        raise ArgumentError("give a list of positions or an array; for one position write [position], or call probe")
    if hasattr(data, "to_numpy"):
        data = np.asarray(data)  # of pandas, polars or Arrow
    if isinstance(data, np.ndarray) and (encoding == "uci" or (data.ndim == 1 and data.dtype.kind in "UO")):
        data = data.tolist()
    elif not hasattr(data, "__array__") and not isinstance(data, Sequence):
        data = list(data)
    first = next((row for row in data if row is not None), None) if isinstance(data, Sequence) else None
    if encoding is None and isinstance(first, _ROWS) and not any(isinstance(cell, _ROWS) for cell in first):
        raise EncodingError(
            'a list of lists of numbers may be moves or bitboards: write encoding="actions" for columns from 0, '
            'encoding="bitboards", or texts such as "4453" for columns from 1'
        )
    if encoding == "actions":
        return [_moves(actions, row, start, reasons) for row, actions in enumerate(data)], reasons.get
    if isinstance(first, Position) or encoding in _LISTS or (isinstance(first, str) and encoding is None):
        return data if isinstance(data, list | tuple) else list(data), None
    marks = None
    if isinstance(data, Sequence) and encoding == "uci":
        data = _letters(data, start, reasons)
    elif isinstance(first, Mapping) and (encoding == "kaggle" or (encoding is None and "observation" not in first)):
        encoding, (data, marks) = "kaggle", _observations(data, start, reasons)
    elif isinstance(first, Mapping) and encoding in (None, "pettingzoo"):
        encoding, data = "pettingzoo", [row.get("observation") if isinstance(row, Mapping) else row for row in data]
    try:
        array = np.asarray(data)
    except ValueError as error:
        if encoding in (None, "bitboards"):
            raise EncodingError(f"the rows have no common shape: {error}") from None
        array = np.full(len(data), None)
    kinds = [encoding] if encoding not in (None, "bitboards") else ["array", "pettingzoo"] if start.width > 2 else []
    if array.dtype.kind in "biuf" and array.shape in [_shape(kind, start) for kind in kinds]:
        raise EncodingError(f"the shape {array.shape} is that of one position, not of a batch; write data[None]")
    if encoding is None and array.ndim == 2 and array.shape[1] == 2 and array.dtype == np.int64 and len(array) > 0:
        raise EncodingError(
            'an array (n, 2) of int64 may be moves or bitboards: write encoding="actions" for columns from 0, or '
            'encoding="bitboards"'
        )
    if encoding is None and array.dtype.kind == "f" and array.shape == (2, start.height, start.width):
        raise EncodingError('the array may be two boards or one position of nchw: write encoding="array" or data[None]')
    # A wrong array is refused as a whole; the rows of a list are checked one by one.
    is_list = encoding is not None and isinstance(data, Sequence)
    encoding = encoding or _by_shape(array.shape)
    if encoding == "bitboards":
        return _bitboards(array), None
    try:
        rows = _rows(array, encoding, start)
    except EncodingError:
        if not is_list:
            raise
        rows = _even(data, encoding, start, reasons)
    words = np.empty((len(rows), 2), np.uint64)
    for begin in range(0, len(rows), _PART):
        words[begin : begin + _PART] = _words(rows[begin : begin + _PART], encoding, start)
    if marks is not None:
        words[(marks != 0) & (marks != 1 + _is_odd(words))] = INVALID
    words[list(reasons)] = INVALID
    return (
        words,
        lambda row: (
            reasons.get(row) or _reason(rows[row : row + 1], encoding, start, 0 if marks is None else int(marks[row]))
        ),
    )


def write(words: NDArray[np.uint64], encoding: str, start: Position) -> Any:
    """Return bitboards in an encoding."""
    if encoding == "bitboards":
        return words
    rows = np.empty((len(words), *_shape(encoding, start)), _ARRAYS[encoding].number)
    for begin in range(0, len(words), _PART):
        part = _turned(words[begin : begin + _PART], encoding)
        bits = _planes(np.unpackbits(part.astype("<u8").view(np.uint8), bitorder="little"), start)
        cells = _cells(rows[begin : begin + _PART], encoding, start)
        if cells.ndim == 3:
            cells[...] = bits[:, 0] + 2 * bits[:, 1]
        else:
            for plane, content in enumerate((bits[:, 0], bits[:, 1], 1 - bits[:, 0] - bits[:, 1])[: cells.shape[1]]):
                cells[:, plane] = content
    if encoding == "uci":
        return [",".join(row) for row in np.array(["b", "x", "o"])[rows].tolist()]
    if encoding == "kaggle":
        marks = (1 + _is_odd(words)).tolist()
        return [{"board": board, "mark": mark} for board, mark in zip(rows.tolist(), marks, strict=True)]
    return rows


def _shape(encoding: str, start: Position, *, is_flat: bool = False) -> tuple[int, ...]:
    """Return the shape of a row."""
    if encoding not in _ARRAYS:
        names = ", ".join([*_LISTS, "bitboards", *_ARRAYS])
        raise EncodingError(f"the encoding {encoding[:40]!r} is unknown; write one of {names}")
    layout = _ARRAYS[encoding]
    sizes = {"p": layout.planes, "r": start.height, "c": start.width}
    shape = tuple(sizes[axis] for axis in layout.axes)
    return (math.prod(shape),) if is_flat or layout.is_flat else shape


def _cells(rows: NDArray[Any], encoding: str, start: Position) -> NDArray[Any]:
    """View rows as (n, columns, rows), the bottom row first, with the planes as the second axis if there are any."""
    layout = _ARRAYS[encoding]
    sizes = {"p": layout.planes, "r": start.height, "c": start.width}
    cells = rows.reshape(len(rows), *(sizes[axis] for axis in layout.axes))
    cells = cells.transpose(0, *(1 + layout.axes.index(axis) for axis in "pcr" if axis in layout.axes))
    return cells[..., ::-1] if layout.is_top_first else cells


def _planes(bits: NDArray[Any], start: Position) -> NDArray[Any]:
    """View the bits of bitboards as (n, 2, columns, rows)."""
    return bits.reshape(-1, 2, 64)[..., : start.width * start.height].reshape(-1, 2, start.width, start.height)


def _turned(words: NDArray[np.uint64], encoding: str) -> NDArray[np.uint64]:
    """Swap the players where the encoding depends on the player to move, and has the second player first."""
    observer = _ARRAYS[encoding].observer
    return words if observer is None else np.where((_is_odd(words) != observer)[:, None], words[:, ::-1], words)


def _is_odd(words: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Return where the second player is to move."""
    bits = words[:, 0] ^ words[:, 1]
    for shift in (32, 16, 8, 4, 2, 1):
        bits = bits ^ (bits >> np.uint64(shift))
    return (bits & np.uint64(1)).astype(np.bool_)


def _by_shape(shape: tuple[int, ...]) -> str:
    """Return the encoding that arrays of this shape have. Those whose shape another board's array has must be named."""
    match shape:
        case (0,) | (_, 2):
            return "bitboards"
        case (_, _, _):
            return "array"
        case (_, _, _, 2):
            return "pettingzoo"
        case (_, 3, _, _):
            return "openspiel"
    raise EncodingError(
        f"an array of the shape {shape} is none that is known; give texts, bitboards (n, 2), an array (n, rows, "
        'columns), or write its encoding, such as fourbase.decode(data, "kaggle")'
    )


def _bitboards(array: NDArray[Any]) -> NDArray[np.uint64]:
    """Check the shape and the type of bitboards. A negative number becomes one with bits outside every board."""
    if array.shape != (0,) and (array.ndim != 2 or array.shape[1] != 2):
        raise EncodingError(f"bitboards have the shape (n, 2), not {array.shape}")
    if array.size > 0 and array.dtype not in (np.uint64, np.int64):
        raise _wrong_type(array, "uint64")
    return np.ascontiguousarray(array, np.uint64).reshape(-1, 2)


def _rows(array: NDArray[Any], encoding: str, start: Position) -> NDArray[Any]:
    """Check the shape and the type of an array."""
    shape = _shape(encoding, start)
    if array.shape != (0,) and array.shape[1:] not in (shape, _shape(encoding, start, is_flat=True)):
        wanted = "".join(f", {size}" for size in shape)
        raise EncodingError(
            f"{encoding} on {start.board} has the shape (n{wanted}), not {array.shape}; "
            "for another board write board=..."
        )
    if array.dtype.kind not in "biuf":
        raise _wrong_type(array, "int8")
    return np.ascontiguousarray(array).reshape(len(array), *shape)


def _wrong_type(array: NDArray[Any], wanted: str) -> EncodingError:
    hint = "; give rows of equal length" if array.dtype.kind == "O" else ""
    return EncodingError(f'the array has numbers of type {array.dtype}; convert it with .astype("{wanted}"){hint}')


def _moves(actions: Any, row: int, start: Position, reasons: dict[int, str]) -> str:
    """Return the text of columns that count from 0."""
    try:
        columns = [operator.index(action) for action in actions]
        # operator.index takes True for 1.
        is_wrong = any(isinstance(action, bool) for action in actions)
    except TypeError:
        is_wrong = True
    if is_wrong:
        reasons[row] = f"actions are a list of columns from 0, not {str(actions)[:60]!r}"
        return "?"
    for column in columns:
        if not 0 <= column < start.width:
            reasons[row] = f"the action {column} is no column; those of {start.board} are 0 to {start.width - 1}"
            return "?"
    return "".join(_COLUMNS[column] for column in columns)


def _letters(rows: Sequence[Any], start: Position, reasons: dict[int, str]) -> NDArray[Any]:
    """Take the letters of texts such as ``'b,x,o'`` or of lists; a class may follow. They may be quoted, as in ARFF."""
    cells = start.width * start.height
    taken = []
    for row, text in enumerate(rows):
        if isinstance(text, _ROWS):
            text = ",".join(cell.decode("latin1") if isinstance(cell, bytes) else str(cell) for cell in text)
        plain = str(text).strip().translate({ord(sign): None for sign in " '\"\ufeff"})
        letters, rest = plain[: 2 * cells - 1], plain[2 * cells - 1 :]
        is_whole = len(letters) == 2 * cells - 1 and rest[:1] in ("", ",")
        if not is_whole or letters[1::2] != "," * (cells - 1) or not isinstance(text, str):
            reasons[row] = f"{str(text)[:60]!r} is not {cells} letters b, x or o with commas between them"
        elif rest and rest[1:].lower() not in _CLASSES:
            reasons[row] = f"{rest[:40]!r} follows the {cells} cells of {start.board}; only win, loss or draw may"
        taken.append("?" * cells if row in reasons else letters[::2])
    return np.array(taken, "U").view("U1").view(np.uint32).reshape(-1, cells)


def _even(data: Sequence[Any], encoding: str, start: Position, reasons: dict[int, str]) -> NDArray[Any]:
    """Stack the rows of a list in which some rows have another shape or no numbers; these get a reason."""
    shape = _shape(encoding, start)
    rows = np.full((len(data), *shape), 9.0)
    for number, row in enumerate(data):
        try:
            cells = np.asarray(row)
        except ValueError:
            reasons[number] = "the row has lists of unequal length"
            continue
        if cells.shape not in (shape, _shape(encoding, start, is_flat=True)):
            reasons[number] = f"the row has the shape {cells.shape}; {encoding} on {start.board} has {shape}"
        elif cells.dtype.kind not in "biuf":
            reasons[number] = "a cell is no number"
        else:
            rows[number] = cells.reshape(shape)
    return rows


def _observations(data: Sequence[Any], start: Position, reasons: dict[int, str]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Take boards and marks of Kaggle's observations. Where a mark is missing, it is 0."""
    cells = start.width * start.height
    boards, marks = np.full((len(data), cells), 9.0), np.zeros(len(data), np.int64)
    for row, of in enumerate(data):
        try:
            board, mark = of["board"], of.get("mark")
            marks[row] = 0 if mark is None else operator.index(mark) or -1
            if len(board) == cells:
                # An array of whole numbers would cut off fractions, so the cells are read as floats.
                boards[row] = np.fromiter(board, np.float64, cells)
            else:
                reasons[row] = f"the board has {len(board)} cells, {start.board} has {cells}"
        except (AttributeError, KeyError, OverflowError, TypeError, ValueError):
            reasons[row] = "an observation has a board, whose cells are numbers, and a mark"
    return boards, marks


def _words(rows: NDArray[Any], encoding: str, start: Position) -> NDArray[np.uint64]:
    """Return the bitboards of rows."""
    nothing, first, second = map(ord, "bxo") if encoding == "uci" else (0, 1, 2)
    bits = np.zeros(len(rows) * 128, np.uint8)
    planes = _planes(bits, start)
    ones = rows == first
    valid = ones | (rows == nothing)
    cells = _cells(ones, encoding, start)
    if cells.ndim == 4:
        planes[:, 0], planes[:, 1] = cells[:, 0], cells[:, 1]
        if cells.shape[1] == 3:
            one, two, three = ones.view(np.int8).swapaxes(0, 1)
            valid = valid & (one + two + three == 1)[:, None]
    else:
        twos = (rows == second) | (rows == -1)
        valid |= twos
        planes[:, 0], planes[:, 1] = cells, _cells(twos, encoding, start)
    words = np.packbits(bits, bitorder="little").view("<u8").reshape(-1, 2)
    if not valid.all():
        words[~valid.reshape(len(rows), -1).all(axis=1)] = INVALID
    return _turned(words, encoding)


def _reason(rows: NDArray[Any], encoding: str, start: Position, mark: int) -> str | None:
    """Explain why one row is no position; None if the check of its bitboards says why. A mark of 0 is missing."""
    cells = _cells(rows, encoding, start)[0]
    is_wrong: Any
    if encoding == "uci":
        cells = np.vectorize(chr)(cells)
        is_wrong, needs = ~np.isin(cells, list("bxo")), "write b for nothing, x for the first player, o for the second"
    elif cells.ndim == 2:
        is_wrong = ~np.isin(cells, (0, 1, 2, -1))
        needs = "write 0 for nothing, 1 for the first player, 2 or -1 for the second"
    else:
        is_wrong, needs = ~np.isin(cells, (0, 1)).all(axis=0), "each plane has 0 or 1"
        if len(cells) == 3:
            is_wrong, needs = is_wrong | (cells.sum(axis=0) != 1), "exactly one of the planes has a 1, the others 0"
    for column, row in np.argwhere(is_wrong)[:1]:
        found = cells[..., column, row].tolist()
        return f"column {column + 1}, row {row + 1} (from the bottom) has {found!r}; {needs}"
    if (observer := _ARRAYS[encoding].observer) is not None:
        mine, other = cells[:2].sum(axis=(1, 2), dtype=np.int64)[:: -1 if observer else 1]
        if mine not in (other, other - 1):
            return (
                f"the observer has {mine} pieces and the other player {other}; "
                "give the observation of the agent to move, who has as many or one less"
            )
    to_move = 1 + np.count_nonzero(cells) % 2
    if mark not in (0, to_move):
        return f"mark is {mark}, but by the number of pieces {to_move} is to move; give the observation of that agent"
    return None
