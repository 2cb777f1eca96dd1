"""The function `grade`."""

import os
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fourbase._fourbase import Database, Outcome, Position, encode
from fourbase._fourbase import grade as native
from fourbase.errors import OptionError

_MOST_ENTRIES = 10_000_000
"""Larger boards are sampled by default."""

_USUAL_SAMPLE = 10_000


class GradedPly(NamedTuple):
    """The moves of a player at one ply."""

    ply: int | None
    """The number of pieces on the board; None for all plies together."""
    graded: int
    """Positions where the choice matters: the legal moves do not all have the same value."""
    keeps: int
    """Moves that keep the value of the position."""
    best: int | None
    """Best moves: the earliest win, the latest loss; None in a database without remoteness."""
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

    def ask(positions: NDArray[np.uint64]) -> NDArray[np.int64]:
        if not batch:
            listed = encode(positions, "positions", board=database.board)
            return np.array([int(player(position)) for position in listed], np.int64)
        columns = np.asarray(player(encode(positions, encoding, board=database.board)))
        if columns.shape != (len(positions),) or columns.dtype.kind not in "iu":
            message = (
                f"the player returned an array {columns.shape} of {columns.dtype} for {len(positions)} positions; "
                "return one whole number each"
            )
            raise OptionError(message)
        return columns.astype(np.int64)

    plies, total, worst = native(ask, database, sample, seed)
    return Grade(
        database.board,
        GradedPly(None, *total),
        tuple(GradedPly(ply, *sums) for ply, sums in plies),
        Blunder(*worst[:-1], tuple(worst[-1])) if worst else None,
    )
