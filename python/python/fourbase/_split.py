"""Mirror images and splits: no position of one part of a data set comes back in the other, also not mirrored."""

from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourbase._native import Position, decode
from fourbase._types import Encoding
from fourbase.errors import OptionError


def _read(data: Any, encoding: Encoding | None, board: str | None) -> tuple[NDArray[np.uint64], Position]:
    """Return bitboards and the empty board: that of ``board``, or else of the first `Position`."""
    if board is None:
        first = next(iter(data), None) if isinstance(data, list | tuple) else None
        if not isinstance(first, Position):
            raise OptionError('the board is not known; write board="7x6"')
        board = first.board
    return decode(data, encoding, board=board), Position(board)


def mirror(data: Any, encoding: Encoding | None = None, *, board: str | None = None) -> NDArray[np.uint64]:
    """Return the mirror images of positions, as bitboards: an array (n, 2) of uint64.

    ``data`` and ``encoding`` are those of `decode`; ``board`` may be left out for a list of `Position`.

    >>> fourbase.encode(fourbase.mirror(["112"], board="5x4"), "moves", board="5x4")
    ['554']
    """
    words, start = _read(data, encoding, board)
    column = np.uint64((1 << start.height) - 1)
    mirrored = np.zeros_like(words)
    for left in range(start.width):
        right = start.width - 1 - left
        mirrored |= (words >> np.uint64(left * start.height) & column) << np.uint64(right * start.height)
    return mirrored


def canonical(data: Any, encoding: Encoding | None = None, *, board: str | None = None) -> NDArray[np.uint64]:
    """Return of each position and its mirror image the one with the smaller bitboards, as bitboards.

    Positions that are equal up to mirroring have equal rows; ``numpy.unique(..., axis=0)`` then counts them once. The
    arguments are those of `mirror`.

    >>> rows = fourbase.canonical(["112", "554", "1"], board="5x4")
    >>> bool((rows[0] == rows[1]).all()), bool((rows[0] == rows[2]).all())
    (True, False)
    """
    words, start = _read(data, encoding, board)
    other = mirror(words, "bitboards", board=start.board)
    is_less = (other[:, 0] < words[:, 0]) | (other[:, 0] == words[:, 0]) & (other[:, 1] < words[:, 1])
    return np.where(is_less[:, None], other, words)


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
