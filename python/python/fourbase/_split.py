"""Splits and mirror images of data sets: both images of a position are on the same side of a split."""

from hashlib import blake2b
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from fourbase._native import Position, canonical, mirror
from fourbase._types import Arrays, Encoding
from fourbase.errors import EncodingError, OptionError

_Rows = TypeVar("_Rows", bound=Arrays | NDArray[Any])


def augment(rows: _Rows, *, board: str | None = None) -> _Rows:
    """Append the mirror image of each row, after all rows.

    ``rows`` are `Targets`, `MoveValues` or `Labelled`, or one array: uint64 bitboards (n, 2), which need ``board``; an
    array (n,), which is repeated; or an array (n, columns), whose columns are reversed. Encode positions afterwards.

    >>> targets = fourbase.Database("5x4").targets(["1234"])
    >>> fourbase.augment(targets).policy.tolist()
    [[0.0, 0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0, 0.0]]
    """
    if isinstance(rows, Arrays):
        return rows._make(augment(array, board=board) for array in rows)  # type: ignore[attr-defined, no-any-return]
    found: Any = np.asarray(rows)
    is_table = found.ndim == 2 and found.dtype != np.uint64
    width = Position(board).width if board and is_table else None
    if found.ndim not in (1, 2) or (is_table and (found.dtype == np.int64 or width not in (None, found.shape[1]))):
        raise EncodingError(
            f"the array has the shape {found.shape} and the type {found.dtype}; give uint64 bitboards (n, 2), an array "
            "(n,) or one (n, columns), and encode positions afterwards"
        )
    other = mirror(found, board=board) if found.dtype == np.uint64 else found[:, ::-1] if found.ndim == 2 else found
    return np.concatenate([found, other])  # type: ignore[return-value]


def split(
    data: Any, encoding: Encoding | None = None, *, test: float = 0.1, salt: str = "", board: str | None = None
) -> NDArray[np.bool_]:
    """Tell which positions belong to the test part: an array of bool, of which about the share ``test`` is True.

    A hash of the canonical form and of ``salt`` decides. So a position, its mirror image and every order of its moves
    are on the same side, in any data set, on any machine; two samples that are drawn with different seeds and split
    with the same ``salt`` share no position across. The arguments are those of `mirror`.

    >>> drawn = fourbase.Database("5x4").sample(1000, seed=1)
    >>> is_test = fourbase.split(drawn.positions, board="5x4")
    >>> 80 < sum(is_test.tolist()) < 120
    True
    """
    if not 0 <= test <= 1:
        raise OptionError(f"test={test!r:.40} is no share; write a number from 0 to 1")
    rows = canonical(data, encoding, board=board)
    state = np.full(len(rows), int.from_bytes(blake2b(salt.encode(), digest_size=8).digest(), "little"), np.uint64)
    for word in rows.T:
        state = _mixed(state ^ word)
    # The highest 53 bits are an exact float64.
    return (state >> np.uint64(11)).astype(np.float64) < test * 2.0**53


def _mixed(state: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Mix the bits of each number, as the generator SplitMix64 does (Steele, Lea and Flood, 2014)."""
    state = state + np.uint64(0x9E3779B97F4A7C15)
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return state ^ (state >> np.uint64(31))
