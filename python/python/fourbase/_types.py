"""Numbers and tuples that arrays of answers are made of."""

from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from fourbase._native import Outcome, Position

#: The names of encodings: see `decode`.
Encoding: TypeAlias = (
    Literal["moves", "bits", "uni", "positions", "actions", "bitboards", "array", "planes", "pettingzoo"]
    | Literal["openspiel", "openspiel-egocentric", "kaggle", "uci"]
)

#: The value of a position in which the player to move wins.
WIN: Final = 1
#: The value of a position in which neither player can force a win.
TIE: Final = 0
#: The value of a position in which the player to move loses.
LOSE: Final = -1
#: Stands for the value of an illegal move, and of a row that is no position.
NO_VALUE: Final = -128
#: Stands for plies that are unknown, or that belong to no value.
NO_PLIES: Final = 255
#: Stands for a score that is unknown, or that there is none of.
NO_SCORE: Final = -128
#: Both bitboards of a row that is no position.
INVALID: Final = 2**64 - 1


def table(rows: Iterable[Iterable[object]]) -> str:
    """Write a table of HTML."""
    lines = ("".join(f"<td>{escape(str(cell))}</td>" for cell in row) for row in rows)
    return "<table>" + "".join(f"<tr>{line}</tr>" for line in lines) + "</table>"


class MoveValues(NamedTuple):
    """What every move of many positions is worth to the player who makes it. Row ``i`` is position ``i``."""

    #: 1 win, 0 tie, -1 lose, -128 for an illegal move; the first column has index 0.
    values: NDArray[np.int8]
    #: Plies to the end, counted from the position; 255 for an illegal move, or without remoteness in the database.
    plies: NDArray[np.uint8]
    #: Which moves are legal.
    legal: NDArray[np.bool_]

    def to_dict(self) -> dict[str, Any]:
        """Return lists by name, for JSON."""
        return {name: array.tolist() for name, array in self._asdict().items()}

    def _repr_html_(self) -> str:
        names = {WIN: "win", TIE: "tie", LOSE: "lose", NO_VALUE: ""}
        head = ["row", *(f"column {column + 1}" for column in range(self.values.shape[1]))]
        first = zip(self.values[:20].tolist(), self.plies[:20].tolist(), strict=True)
        rows = [
            [row, *(f"{names[value]} {'' if of == NO_PLIES else of}" for value, of in zip(*pair, strict=True))]
            for row, pair in enumerate(first)
        ]
        return table([head, *rows]) + (f"{len(self.values):,} rows" if len(self.values) > len(rows) else "")


class Puzzle(NamedTuple):
    """A position in which exactly one move keeps the win or the tie."""

    #: The position to solve.
    position: "Position"
    #: What it is worth to its player to move.
    outcome: "Outcome"
    #: The column, from 1, of the only move that keeps the value.
    solution: int
    #: How many replies to the solution need an answer other than completing a line.
    replies: int
    #: The lowest level that finds the solution at least half of the time; None if no level does.
    level: int | None


class Labelled(NamedTuple):
    """Positions with what they are worth to their players to move. Row ``i`` is position ``i``."""

    #: Bitboards, (n, 2): the pieces of the first player and of the second.
    positions: NDArray[np.uint64]
    #: 1 win, 0 tie, -1 lose.
    values: NDArray[np.int8]
    #: Plies to the end; 255 in a database without remoteness.
    plies: NDArray[np.uint8]

    @property
    def ply(self) -> NDArray[np.uint8]:
        """The number of pieces of each position."""
        bits = np.unpackbits(np.ascontiguousarray(self.positions).view(np.uint8), axis=1)
        return np.asarray(bits.sum(axis=1), np.uint8)

    def to_dict(self) -> dict[str, Any]:
        """Return lists by name, for JSON."""
        return {name: array.tolist() for name, array in {**self._asdict(), "ply": self.ply}.items()}


class Targets(NamedTuple):
    """What many positions and their moves are worth, as arrays for learning. Row ``i`` is position ``i``."""

    #: (n,): 1 if the player to move wins, 0 for a tie, -1 for a loss.
    values: NDArray[np.int8]
    #: (n,): plies to the end; 255 in a database without remoteness.
    plies: NDArray[np.uint8]
    #: (n,): Pons' score, the larger the sooner the win; -128 without remoteness and on misère boards.
    scores: NDArray[np.int8]
    #: (n, columns): which moves are legal; none where the game is over. The first column has index 0.
    legal: NDArray[np.bool_]
    #: (n, columns): which moves keep the value.
    keeps: NDArray[np.bool_]
    #: (n, columns): which of these win soonest or lose latest; all of them without remoteness.
    fastest: NDArray[np.bool_]
    #: (n, columns): the probability of each move; all 0 where the game is over.
    policy: NDArray[np.float32]

    def to_dict(self) -> dict[str, Any]:
        """Return lists by name, for JSON."""
        return {name: array.tolist() for name, array in self._asdict().items()}


class Strategy(NamedTuple):
    """How a rule of play fares against every reply."""

    #: ``never-loses``: some games are won and the others tied. ``undefined``: no game is lost, but the rule gave up.
    verdict: Literal["wins", "ties", "never-loses", "loses", "undefined"]
    #: The shortest game that the rule loses, the smallest among equally short ones.
    refutation: str | None
    #: The shortest game to where the rule returned None.
    undefined: str | None
    #: Different positions that were met.
    positions: int
    #: Different games.
    lines: int
    #: Games that the first player wins.
    first_wins: int
    #: Games that the second player wins.
    second_wins: int
    #: Games that end in a tie.
    ties: int
    #: Positions in which the rule was asked; None without a database, and so are the next two.
    asked: int | None = None
    #: Those in which its move keeps the value of the position.
    kept: int | None = None
    #: Positions from which the rule is sure to get the value of the position.
    secured: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name, for JSON."""
        return self._asdict()
