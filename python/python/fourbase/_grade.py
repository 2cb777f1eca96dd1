"""The function `grade`."""

import os
from collections.abc import Callable, Iterator
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fourbase._fourbase import Database, Outcome, Position, encode
from fourbase._types import LOSE, NO_PLIES, WIN, MoveValues
from fourbase.errors import MoveError, OptionError

_MOST_ENTRIES = 10_000_000
"""Larger boards are sampled by default."""

_USUAL_SAMPLE = 10_000

_NAMES: dict[int, Literal["win", "lose", "tie"]] = {1: "win", 0: "tie", -1: "lose"}


class GradedPly(NamedTuple):
    """The moves of a player at one ply."""

    ply: int | None
    """The number of pieces on the board; None for all plies together."""
    graded: int
    """Positions where the choice matters: the legal moves do not all have the same value."""
    keeps: int
    """Moves that keep the value of the position."""
    best: int | None
    """Best moves: the earliest win, the latest loss; None in a database of values alone."""
    chance: float
    """The share of random moves that would keep the value."""


class Blunder(NamedTuple):
    """A move that gives a value away."""

    position: Position
    """The position before the move."""
    column: int
    """The column that was played, from 1."""
    played: Outcome
    """What that is worth."""
    best: Outcome
    """What the best move is worth."""
    best_columns: tuple[int, ...]
    """The best columns."""


class Grade(NamedTuple):
    """How a player's moves compare with the exact values."""

    board: str
    total: GradedPly
    """All plies together."""
    plies: tuple[GradedPly, ...]
    """Ply by ply, where any position was graded."""
    worst: Blunder | None
    """A win that became a loss, if there is one, the one nearest to the win; None if every move keeps the value."""

    def __str__(self) -> str:
        """Write a table."""
        rows = [f"{'ply':>5} {'positions':>11} {'keeps':>9} {'best':>9} {'chance':>9}"]
        for row in [*self.plies, self.total]:
            best = "-" if row.best is None else f"{row.best / max(row.graded, 1):.2%}"
            name = "all" if row.ply is None else row.ply
            keeps = f"{row.keeps / max(row.graded, 1):.2%}"
            rows.append(f"{name:>5} {row.graded:>11,} {keeps:>9} {best:>9} {row.chance:>9.2%}")
        return "\n".join(rows)


def grade(
    player: Callable[[Any], Any],
    board: str | Database,
    *,
    db: str | os.PathLike[str] | None = None,
    batch: bool = False,
    encoding: Literal["bitboards", "array", "pettingzoo", "openspiel", "openspiel-egocentric", "kaggle"] = "bitboards",
    sample: int | None = None,
    seed: int = 1,
) -> Grade:
    """Compare the moves of a player with the exact values, in positions where the choice matters.

    ``player(position)`` takes a `Position` and returns a column, from 1. With ``batch=True`` it takes many positions,
    in an ``encoding`` of `encode`, and returns an array of columns: add 1 to what ``argmax`` finds.

    Boards of at most 10 million entries are graded on all legal positions, larger ones on 10,000 that random play
    draws; ``sample`` draws that many on any board.

    >>> result = fourbase.grade(lambda position: position.legal_moves[0], "4x4")
    >>> result.total.graded, result.total.keeps
    (55506, 24734)
    >>> print(fourbase.grade(lambda position: position.legal_moves[0], "4x4", sample=100))  # doctest: +ELLIPSIS
      ply   positions     keeps      best    chance
    ...
    """
    database = board if isinstance(board, Database) else Database(board, db)
    if sample is None and (database.keep_plies is not None or database.entries > _MOST_ENTRIES):
        sample = _USUAL_SAMPLE
    by_ply: dict[int, GradedPly] = {}
    worst: tuple[Any, Blunder] | None = None
    for positions in _positions(database, sample, seed):
        judged = _Judged(database, positions)
        if len(judged.positions) == 0:
            continue
        judged.ask(player, encoding if batch else None)
        for row in judged.rows():
            before = by_ply.get(row.ply or 0, GradedPly(row.ply, 0, 0, 0, 0.0))
            by_ply[row.ply or 0] = _sum(row.ply, [before, row])
        blunder = judged.worst()
        if blunder is not None and (worst is None or blunder[0] < worst[0]):
            worst = blunder
    plies = tuple(by_ply[ply] for ply in sorted(by_ply))
    return Grade(database.board, _sum(None, plies), plies, worst[1] if worst else None)


def _positions(database: Database, sample: int | None, seed: int) -> Iterator[NDArray[np.uint64]]:
    """Yield all positions, or drawn ones, as bitboards."""
    if sample is not None:
        yield database.sample(sample, seed=seed, kind="choice-matters").positions
        return
    width, height = map(int, database.board.split("m")[0].split("c")[0].split("x"))
    for ply in range(width * height):
        for chunk in database.positions(ply):
            yield chunk.positions


def _sum(ply: int | None, rows: Any) -> GradedPly:
    """Add rows up."""
    rows = list(rows)
    graded = sum(row.graded for row in rows)
    best = None if any(row.best is None for row in rows) else sum(row.best for row in rows)
    chance = sum(row.chance * row.graded for row in rows) / max(graded, 1)
    return GradedPly(ply, graded, sum(row.keeps for row in rows), best, chance)


class _Judged:
    """The positions of a batch where the choice matters, and the moves in them."""

    def __init__(self, database: Database, positions: NDArray[np.uint64]) -> None:
        self.board = database.board
        table = database.move_values(positions)
        highest = np.where(table.legal, table.values, LOSE - 1).max(axis=1, initial=LOSE - 1)
        lowest = np.where(table.legal, table.values, WIN + 1).min(axis=1, initial=WIN + 1)
        matters = highest > lowest
        self.positions = positions[matters]
        self.table = MoveValues(table.values[matters], table.plies[matters], table.legal[matters])
        self.best_value = highest[matters]
        # Higher is better: a win soon, then a tie, then a loss late.
        values, plies = self.table.values.astype(np.int16), self.table.plies.astype(np.int16)
        self.order = np.where(self.table.legal, values * 1000 - values * plies, np.int16(-32768))
        self.has_plies = database.values == "remoteness"
        self.columns: NDArray[np.int64] = np.zeros(len(self.positions), np.int64)
        self.played: NDArray[np.int8] = self.table.values[:, 0]

    def ask(self, player: Callable[[Any], Any], encoding: Any) -> None:
        """Let the player move."""
        if encoding is None:
            listed = encode(self.positions, "positions", board=self.board)
            columns = np.array([int(player(position)) for position in listed], np.int64)
        else:
            asked = encode(self.positions, encoding, board=self.board)
            columns = np.asarray(player(asked))
            if columns.shape != (len(self.positions),) or columns.dtype.kind not in "iu":
                message = (
                    f"the player returned an array {columns.shape} of {columns.dtype} for {len(self.positions)} "
                    "positions; return one whole number each"
                )
                raise OptionError(message)
            columns = columns.astype(np.int64)
        width = self.table.legal.shape[1]
        inside = (columns >= 1) & (columns <= width)
        legal = inside & self.table.legal[np.arange(len(columns)), np.where(inside, columns - 1, 0)]
        if not legal.all():
            row = int(np.argmin(legal))
            position = encode(self.positions[row : row + 1], "positions", board=self.board)[0]
            message = (
                f"the player plays column {columns[row]} in {position!r}, where {position.legal_moves} are legal; "
                "columns count from 1, so add 1 to what argmax finds"
            )
            raise MoveError(message)
        self.columns = columns - 1
        self.played = self.table.values[np.arange(len(columns)), self.columns]

    def rows(self) -> Iterator[GradedPly]:
        """Add the moves up by ply."""
        plies = sum(((self.positions >> np.uint64(bit)) & np.uint64(1)).sum(axis=1) for bit in range(64))
        keeps = self.played == self.best_value
        best = self.order[np.arange(len(keeps)), self.columns] == self.order.max(axis=1)
        keeping = (self.table.legal & (self.table.values == self.best_value[:, None])).sum(axis=1)
        chance = keeping / self.table.legal.sum(axis=1)
        for ply in np.unique(plies):
            here = plies == ply
            count = int(best[here].sum()) if self.has_plies else None
            yield GradedPly(int(ply), int(here.sum()), int(keeps[here].sum()), count, float(chance[here].mean()))

    def worst(self) -> tuple[Any, Blunder] | None:
        """Find the worst blunder, and what it is compared by with others."""
        rows = np.flatnonzero(self.played != self.best_value)
        if len(rows) == 0:
            return None
        places = np.arange(len(self.columns))
        best_plies = self.table.plies[places, self.order.argmax(axis=1)]
        played_plies = self.table.plies[places, self.columns]
        whole = (self.best_value == WIN) & (self.played == LOSE)
        first, second = self.positions.T
        pieces = np.array([int(one | two).bit_count() for one, two in zip(first[rows], second[rows], strict=True)])
        keys = (second[rows], first[rows], pieces, played_plies[rows], best_plies[rows], ~whole[rows])
        row = rows[np.lexsort(keys)[0]]
        position = encode(self.positions[row : row + 1], "positions", board=self.board)[0]
        best = self.order[row] == self.order[row].max()
        blunder = Blunder(
            position,
            int(self.columns[row]) + 1,
            _outcome(self.played[row], played_plies[row]),
            _outcome(self.best_value[row], best_plies[row]),
            tuple((np.flatnonzero(best) + 1).tolist()),
        )
        key = (not whole[row], int(best_plies[row]), int(played_plies[row]), position.ply, position.bitboards)
        return key, blunder


def _outcome(value: np.int8, plies: np.uint8) -> Outcome:
    return Outcome(_NAMES[int(value)], None if plies == NO_PLIES else int(plies))
