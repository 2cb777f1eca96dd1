"""Numbers and tuples that arrays of answers are made of."""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

WIN: Final = 1
"""The value of a position in which the player to move wins."""

TIE: Final = 0
"""The value of a position in which neither player can force a win."""

LOSE: Final = -1
"""The value of a position in which the player to move loses."""

NO_VALUE: Final = -128
"""Stands for the value of an illegal move, and of a row that is no position."""

NO_PLIES: Final = 255
"""Stands for plies that are unknown, or that belong to no value."""

INVALID: Final = 2**64 - 1
"""Both bitboards of a row that is no position."""


class MoveValues(NamedTuple):
    """What every move of many positions is worth to the player who makes it. Row ``i`` is position ``i``."""

    values: NDArray[np.int8]
    """1 win, 0 tie, -1 lose, -128 for an illegal move; the first column has index 0."""
    plies: NDArray[np.uint8]
    """Plies to the end, counted from the position; 255 for an illegal move, or where a database has values alone."""
    legal: NDArray[np.bool_]
    """Which moves are legal."""


class Labelled(NamedTuple):
    """Positions with what they are worth to their players to move. Row ``i`` is position ``i``."""

    positions: NDArray[np.uint64]
    """Bitboards, (n, 2): the pieces of the first player and of the second."""
    values: NDArray[np.int8]
    """1 win, 0 tie, -1 lose."""
    plies: NDArray[np.uint8]
    """Plies to the end; 255 in a database of values alone."""
