"""Numbers and tuples that arrays of answers are made of."""

import importlib
import json
import operator
import sys
from collections.abc import Iterable, Iterator
from html import escape
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from fourbase.errors import FourbaseError, OptionError

if TYPE_CHECKING:
    from fourbase._native import Outcome, Position

#: The names of encodings: see `decode`.
Encoding: TypeAlias = (
    Literal["moves", "bits", "uni", "positions", "actions", "bitboards", "array", "planes", "pettingzoo"]
    | Literal["nchw", "bitbully", "openspiel", "openspiel-egocentric", "kaggle", "uci"]
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


class Arrays:
    """The methods of a named tuple of arrays, which have a row for each position."""

    __slots__ = ()

    def _arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays by name."""
        return self._asdict()  # type: ignore[attr-defined, no-any-return]

    def to_dict(self) -> dict[str, Any]:
        """Return lists by name, for JSON."""
        return {name: array.tolist() for name, array in self._arrays().items()}

    def to_frame(self) -> Any:
        """Return a data frame of pandas or polars; the columns of an array (n, k) are ``values_1`` to ``values_k``."""
        return frame(self._arrays())

    def _rows(self) -> list[list[str]]:
        return [[name, str(array.dtype), str(array.shape)] for name, array in self._arrays().items()]

    def __repr__(self) -> str:
        """Write the types and the shapes."""
        return f"{type(self).__name__}({', '.join(f'{name}: {of} {shape}' for name, of, shape in self._rows())})"

    def _repr_html_(self) -> str:
        return table(self._rows())


def pieces(words: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """Count the pieces of each row of bitboards."""
    bits = np.unpackbits(np.ascontiguousarray(words).view(np.uint8), axis=1)
    return np.asarray(bits.sum(axis=1), np.uint8)


def whole_number(name: str, number: Any, least: int, most: int) -> int:
    """Return an argument that is a whole number in some range."""
    try:
        found = least - 1 if isinstance(number, bool) else operator.index(number)
    except TypeError:
        found = least - 1
    if not least <= found <= most:
        raise OptionError(f"{name}={number!r:.40} is out of range; write a whole number from {least} to {most}")
    return found


def frame(arrays: dict[str, NDArray[Any]]) -> Any:
    """Return a data frame of pandas or polars: of the one that is imported, else of the one that is installed.

    The columns of an array (n, k) are named ``values_1`` to ``values_k``.
    """
    columns: dict[str, NDArray[Any]] = {}
    for name, array in arrays.items():
        parts = [array] if array.ndim == 1 else array.T
        columns |= {name if array.ndim == 1 else f"{name}_{number}": part for number, part in enumerate(parts, 1)}
    for name in sorted(["pandas", "polars"], key=lambda name: name not in sys.modules):
        try:
            return importlib.import_module(name).DataFrame(columns)
        except ImportError:
            continue
    raise FourbaseError("to_frame needs pandas or polars; write pip install pandas")


@documented
class _MoveValues(NamedTuple):
    values: Annotated[NDArray[np.int8], "1 win, 0 tie, -1 lose, -128 illegal; the first column has index 0."]
    plies: Annotated[NDArray[np.uint8], "Plies to the end, from the position; 255 if illegal or without remoteness."]
    legal: Annotated[NDArray[np.bool_], "Which moves are legal."]


class MoveValues(Arrays, _MoveValues):
    """What every move of many positions is worth to the player who makes it. Row ``i`` is position ``i``."""

    __slots__ = ()

    def _worth(self) -> NDArray[np.int16]:
        """Return a number for each move: higher for better ones, in plies where the value is the same."""
        worth = self.values.astype(np.int16) * (1000 - self.plies.astype(np.int16))
        return np.where(self.legal, worth, np.int16(-2000))

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
class _Labelled(NamedTuple):
    positions: Annotated[NDArray[np.uint64], "Bitboards, (n, 2): the pieces of the first player and of the second."]
    values: Annotated[NDArray[np.int8], "1 win, 0 tie, -1 lose."]
    plies: Annotated[NDArray[np.uint8], "Plies to the end; 255 in a database without remoteness."]


class Labelled(Arrays, _Labelled):
    """Positions with what they are worth to their players to move. Row ``i`` is position ``i``."""

    __slots__ = ()

    @property
    def ply(self) -> NDArray[np.uint8]:
        """The number of pieces of each position."""
        return pieces(self.positions)

    def _arrays(self) -> dict[str, NDArray[Any]]:
        return {**self._asdict(), "ply": self.ply}


@documented
class _Targets(NamedTuple):
    values: Annotated[NDArray[np.int8], "(n,): 1 if the player to move wins, 0 for a tie, -1 for a loss."]
    plies: Annotated[NDArray[np.uint8], "(n,): plies to the end; 255 in a database without remoteness."]
    scores: Annotated[NDArray[np.int8], "(n,): Pons' score; -128 without remoteness and on misère boards."]
    legal: Annotated[NDArray[np.bool_], "(n, columns): which moves are legal; none where the game is over."]
    keeps: Annotated[NDArray[np.bool_], "(n, columns): which moves keep the value."]
    fastest: Annotated[
        NDArray[np.bool_], "(n, columns): which of these win soonest or lose latest, if remoteness is known."
    ]
    policy: Annotated[NDArray[np.float32], "(n, columns): the probability of each move; all 0 where the game is over."]


class Targets(Arrays, _Targets):
    """What many positions and their moves are worth, as arrays for learning. Row ``i`` is position ``i``."""

    __slots__ = ()

    def batches(
        self,
        size: int,
        inputs: NDArray[Any] | None = None,
        *,
        shuffle: int | None = None,
        drop_last: bool = False,
        shard: tuple[int, int] = (0, 1),
    ) -> Iterator[Any]:
        """Iterate over `Targets` of ``size`` rows; with ``inputs``, a row for each position, over pairs of both.

        A number as ``shuffle`` is the seed of the order. ``drop_last`` leaves out a last batch that is smaller. With
        ``shard=(index, count)``, each of ``count`` workers gets other rows. So PyTorch trains on it::

            class Batches(torch.utils.data.IterableDataset):
                def __iter__(self):
                    worker = torch.utils.data.get_worker_info()
                    shard = (worker.id, worker.num_workers) if worker else (0, 1)
                    for boards, rows in targets.batches(256, inputs, shuffle=epoch, shard=shard):
                        yield torch.from_numpy(boards), torch.from_numpy(rows.policy)

            loader = torch.utils.data.DataLoader(Batches(), batch_size=None, num_workers=2)
        """
        index, count = shard
        if size < 1 or not 0 <= index < count:
            raise OptionError(f"size={size}, shard={shard} cannot be; write a size from 1, an index from 0 below count")
        if isinstance(shuffle, bool):
            raise OptionError(f"shuffle={shuffle} is no seed; write a number such as shuffle=epoch, or None")
        if inputs is not None and len(inputs) != len(self.values):
            raise OptionError(f"there are {len(inputs)} inputs for {len(self.values)} rows; give one for each")
        rows = np.arange(len(self.values))
        rows = (rows if shuffle is None else np.random.default_rng(shuffle).permutation(rows))[index::count]
        last = len(rows) - len(rows) % size if drop_last else len(rows)
        parts = (rows[begin : begin + size] for begin in range(0, last, size))
        batches = ((part, Targets(*map(operator.itemgetter(part), self))) for part in parts)
        return (batch if inputs is None else (inputs[part], batch) for part, batch in batches)


def policy(name: Any) -> Any:
    """Check the argument ``policy`` of `Database.targets`."""
    if name is None or (isinstance(name, str) and name in ("optimal", "fastest")):
        return name or "optimal"
    try:
        temperature = 0.0 if isinstance(name, str | bool) else float(name)
    except (TypeError, ValueError, OverflowError):
        temperature = 0.0
    if not 0 < temperature < float("inf"):
        known = '"optimal", "fastest" or a temperature such as 1.0'
        raise OptionError(f"policy={name!r:.40} is unknown; write {known}")
    return temperature


def targets(
    values: NDArray[np.int8],
    plies: NDArray[np.uint8],
    left: NDArray[np.int16],
    ends: NDArray[np.int8],
    has_plies: bool,
    is_misere: bool,
    policy: Any,
) -> Targets:
    """Make `Targets` of the moves of positions with ``left`` empty cells; ``ends`` has the values of finished games."""

    def scores(value: NDArray[np.int8], plies: NDArray[np.uint8], left: NDArray[np.int16]) -> NDArray[np.int8]:
        score = value * (np.maximum(left + 2 - plies.astype(np.int16), 0) // 2)
        is_unknown = is_misere | ((plies == NO_PLIES) & (value != TIE))
        return np.where(is_unknown, NO_SCORE, score).astype(np.int8)

    moves = MoveValues(values, plies, values != NO_VALUE)
    worth, is_over, rows = moves._worth(), ends != NO_VALUE, np.arange(len(ends))
    best = worth.argmax(axis=1)
    value = np.where(is_over, ends, values[rows, best])
    end = np.where(is_over, np.uint8(0 if has_plies else NO_PLIES), plies[rows, best])
    score, keeps = scores(value, end, left), moves.legal & (values == value[:, None])
    fastest = moves.legal & (worth == worth[rows, best][:, None])
    weights = {"optimal": keeps, "fastest": fastest}.get(policy)
    if weights is None:
        of_moves = scores(values, plies, left[:, None])
        if (moves.legal & (of_moves == NO_SCORE)).any():
            raise OptionError('a temperature needs scores, which this database has none of; write policy="optimal"')
        distance = of_moves.astype(np.float64) - score[:, None]
        weights = np.where(moves.legal, np.exp(np.where(moves.legal, distance, 0) / policy), 0)
    sums = np.maximum(weights.sum(axis=1, keepdims=True), np.finfo(np.float32).tiny)
    return Targets(value, end, score, moves.legal, keeps, fastest, (weights / sums).astype(np.float32))


@documented
class Match(NamedTuple):
    """The games of two players, ``a`` and ``b``."""

    wins: Annotated[int, "Games that a wins."]
    ties: Annotated[int, "Ties."]
    losses: Annotated[int, "Games that a loses."]
    first: Annotated[tuple[int, int, int], "Wins, ties and losses of a in the games in which it moves first."]
    second: Annotated[tuple[int, int, int], "Those in the others."]
    points: Annotated[float, "The mean of the points of a: 1 for a win, 1/2 for a tie."]
    interval: Annotated[tuple[float, float], "Its interval of 95 %, if the games are drawn independently."]
    illegal: Annotated[tuple[int, int], "How many games a and b lose by an illegal move."]
    games: Annotated[list[str], "The moves of each game, before an illegal one. a moves first in the game 0, 2, 4, ..."]

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name, for JSON."""
        return self._asdict()


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
