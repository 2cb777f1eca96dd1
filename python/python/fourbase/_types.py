"""Numbers and tuples that arrays of answers are made of."""

import json
from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, NamedTuple, TypeAlias, TypeVar

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


_Tuple = TypeVar("_Tuple")


def documented(kind: type[_Tuple]) -> type[_Tuple]:
    """Give the fields of a named tuple the texts of their annotations, which `help` then shows."""
    for name, annotation in kind.__annotations__.items():
        getattr(kind, name).__doc__ = annotation.__metadata__[0]
    return kind


def table(rows: Iterable[Iterable[object]]) -> str:
    """Write a table of HTML."""
    lines = ("".join(f"<td>{escape(str(cell))}</td>" for cell in row) for row in rows)
    return "<table>" + "".join(f"<tr>{line}</tr>" for line in lines) + "</table>"


@documented
class MoveValues(NamedTuple):
    """What every move of many positions is worth to the player who makes it. Row ``i`` is position ``i``."""

    values: Annotated[NDArray[np.int8], "1 win, 0 tie, -1 lose, -128 illegal; the first column has index 0."]
    plies: Annotated[NDArray[np.uint8], "Plies to the end, from the position; 255 if illegal or without remoteness."]
    legal: Annotated[NDArray[np.bool_], "Which moves are legal."]

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


@documented
class Puzzle(NamedTuple):
    """A position in which exactly one move keeps the win or the tie."""

    position: Annotated["Position", "The position to solve."]
    outcome: Annotated["Outcome", "What it is worth to its player to move."]
    solution: Annotated[int, "The column, from 1, of the only move that keeps the value."]
    replies: Annotated[int, "How many replies to the solution need an answer other than completing a line."]
    level: Annotated[int | None, "The lowest level that solves it at least half of the time; None if none does."]


@documented
class Labelled(NamedTuple):
    """Positions with what they are worth to their players to move. Row ``i`` is position ``i``."""

    positions: Annotated[NDArray[np.uint64], "Bitboards, (n, 2): the pieces of the first player and of the second."]
    values: Annotated[NDArray[np.int8], "1 win, 0 tie, -1 lose."]
    plies: Annotated[NDArray[np.uint8], "Plies to the end; 255 in a database without remoteness."]

    @property
    def ply(self) -> NDArray[np.uint8]:
        """The number of pieces of each position."""
        bits = np.unpackbits(np.ascontiguousarray(self.positions).view(np.uint8), axis=1)
        return np.asarray(bits.sum(axis=1), np.uint8)

    def to_dict(self) -> dict[str, Any]:
        """Return lists by name, for JSON."""
        return {name: array.tolist() for name, array in {**self._asdict(), "ply": self.ply}.items()}


@documented
class Targets(NamedTuple):
    """What many positions and their moves are worth, as arrays for learning. Row ``i`` is position ``i``."""

    values: Annotated[NDArray[np.int8], "(n,): 1 if the player to move wins, 0 for a tie, -1 for a loss."]
    plies: Annotated[NDArray[np.uint8], "(n,): plies to the end; 255 in a database without remoteness."]
    scores: Annotated[NDArray[np.int8], "(n,): Pons' score; -128 without remoteness and on misère boards."]
    legal: Annotated[NDArray[np.bool_], "(n, columns): which moves are legal; none where the game is over."]
    keeps: Annotated[NDArray[np.bool_], "(n, columns): which moves keep the value."]
    fastest: Annotated[
        NDArray[np.bool_], "(n, columns): which of these win soonest or lose latest, if remoteness is known."
    ]
    policy: Annotated[NDArray[np.float32], "(n, columns): the probability of each move; all 0 where the game is over."]

    def to_dict(self) -> dict[str, Any]:
        """Return lists by name, for JSON."""
        return {name: array.tolist() for name, array in self._asdict().items()}


@documented
class Strategy(NamedTuple):
    """How a rule of play fares against every reply."""

    verdict: Annotated[
        Literal["wins", "ties", "never-loses", "loses", "undefined"],
        "``never-loses``: some games are won and the others tied. ``undefined``: no game is lost, but the "
        "rule gave up.",
    ]
    refutation: Annotated[str | None, "The shortest game that the rule loses, the smallest among equally short ones."]
    undefined: Annotated[str | None, "The shortest game to where the rule returned None."]
    positions: Annotated[int, "Different positions that were met."]
    lines: Annotated[int, "Different games."]
    first_wins: Annotated[int, "Games that the first player wins."]
    second_wins: Annotated[int, "Games that the second player wins."]
    ties: Annotated[int, "Games that end in a tie."]
    asked: Annotated[int | None, "Positions in which the rule was asked; these three are None without a database."] = (
        None
    )
    kept: Annotated[int | None, "Those in which its move keeps the value of the position."] = None
    secured: Annotated[int | None, "Positions from which the rule is sure to get the value of the position."] = None

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name, for JSON."""
        return self._asdict()


@documented
class Stats(NamedTuple):
    """How many legal positions a board has. Item ``n`` of an array counts the positions with ``n`` pieces."""

    legal: Annotated[NDArray[np.uint64], "All positions, the finished ones and mirror images too."]
    primitive: Annotated[NDArray[np.uint64], "Those in which the game is over."]
    win: Annotated[NDArray[np.uint64], "Those that the player to move wins."]
    tie: Annotated[NDArray[np.uint64], "Those that are tied."]
    lose: Annotated[NDArray[np.uint64], "Those that the player to move loses."]
    outcomes: Annotated[
        list[dict[str, Any]],
        "How many positions of a ``ply`` have a ``value`` and ``remoteness``: ``legal``, with an ``example`` as moves.",
    ]

    def to_dict(self) -> dict[str, Any]:
        """Return lists by name, for JSON."""
        return {name: np.asarray(items).tolist() for name, items in self._asdict().items()}


def stats(text: bytes) -> Stats:
    """Read the JSON of counts."""
    plies = json.loads(text)["plies"]
    arrays = [np.array([ply[name] for ply in plies], np.uint64) for name in Stats._fields[:-1]]
    return Stats._make([*arrays, [{"ply": ply["ply"], **of} for ply in plies for of in ply["outcomes"]]])
