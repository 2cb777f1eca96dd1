"""The function `grade`."""

import operator
import os
from collections.abc import Callable
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fourbase._native import Database, Outcome, Position, encode
from fourbase._native import grade as native
from fourbase._progress import Progress
from fourbase._types import documented, table
from fourbase.errors import MoveError, OptionError


@documented
class GradedPly(NamedTuple):
    """The moves of a player at one ply. An interval is of 95 %; without repeats a ``complete`` one is the share."""

    ply: Annotated[int | None, "The number of pieces on the board; None for all plies together."]
    graded: Annotated[int, "Positions where the choice matters: the legal moves do not all have the same value."]
    keeps: Annotated[int, "Moves in these that keep the value of the position."]
    best: Annotated[int | None, "Best moves in these; None in a database without remoteness, and so are the next two."]
    lost: Annotated[int | None, "Lost positions whose moves do not all lose at the same time."]
    resists: Annotated[int | None, "Moves in these that lose as late as possible."]
    chance: Annotated[float | None, "The share of random moves that would keep the value; None without positions."]
    keeps_share: Annotated[float | None, "The share of moves that keep the value, in the `Grade.population`."]
    keeps_interval: Annotated[tuple[float, float] | None, "Its interval."]
    best_share: Annotated[float | None, "The share of best moves."]
    best_interval: Annotated[tuple[float, float] | None, "Its interval."]
    resists_share: Annotated[float | None, "The share of moves in lost positions that lose as late as possible."]
    resists_interval: Annotated[tuple[float, float] | None, "Its interval."]
    complete: Annotated[bool, "Whether all such positions were graded."]


@documented
class Blunder(NamedTuple):
    """A move that gives a value away."""

    position: Annotated[Position, "The position before the move."]
    column: Annotated[int, "The column that was played, from 1."]
    played: Annotated[Outcome, "What that is worth."]
    best: Annotated[Outcome, "What the best move is worth."]
    best_columns: Annotated[tuple[int, ...], "The best columns."]

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name, for JSON; the position as bits."""
        outcomes = {"played": self.played.to_dict(), "best": self.best.to_dict()}
        return self._asdict() | outcomes | {"position": self.position.bits}


@documented
class Grade(NamedTuple):
    """How a player's moves compare with the exact values."""

    board: Annotated[str, "The name of the board."]
    population: Annotated[
        Literal["positions", "plies"],
        "What the shares of ``total`` speak of: ``'positions'``, each with the same weight, or, for a "
        "sample, ``'plies'``: the mean of the plies, each with the same weight.",
    ]
    repeats: Annotated[int, "How many moves were asked for in each position; the counts of moves are of all of them."]
    total: Annotated[GradedPly, "All plies together."]
    plies: Annotated[tuple[GradedPly, ...], "Ply by ply, where any position was graded."]
    worst: Annotated[Blunder | None, "The worst move: a win that became a loss, if any; None if all keep the value."]

    def _rows(self) -> list[list[str]]:
        """Return the cells of a table."""

        def percent(share: float | None) -> str:
            return "-" if share is None else f"{share:.2%}"

        rows = [["ply", "positions", "keeps", "95% interval", "best", "chance", "lost", "resists"]]
        for row in [*self.plies, self.total]:
            name = row.ply if row.ply is not None else "mean" if self.population == "plies" else "all"
            low, high = row.keeps_interval or (0, 0)
            is_exact = row.complete and self.repeats == 1
            interval = "-" if row.keeps_interval is None else "exact" if is_exact else f"{low:.1%} - {high:.1%}"
            lost = "-" if row.lost is None else f"{row.lost:,}"
            keeps, best, resists = map(percent, (row.keeps_share, row.best_share, row.resists_share))
            rows.append([str(name), f"{row.graded:,}", keeps, interval, best, percent(row.chance), lost, resists])
        has_intervals = self.population == "plies" or self.repeats > 1
        return rows if has_intervals else [[*row[:3], *row[4:]] for row in rows]

    def __str__(self) -> str:
        """Write a table."""
        rows = self._rows()
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ["  ".join(map(str.rjust, row, widths)) for row in rows]
        if len(rows[0]) == 8:
            fixed = "for a player that always gives the same move; otherwise grade with repeats=2"
            lines.append(f"intervals: {fixed if self.repeats == 1 else f'of {self.repeats} moves in each position'}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return table(self._rows())

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name, for JSON."""
        plies, worst = [ply._asdict() for ply in self.plies], self.worst and self.worst.to_dict()
        return self._asdict() | {"total": self.total._asdict(), "plies": plies, "worst": worst}


def grade(
    player: Callable[[Any], Any],
    board: str | Database,
    *,
    db: str | os.PathLike[str] | None = None,
    batch: bool = False,
    encoding: Literal[
        "bitboards", "array", "pettingzoo", "openspiel", "openspiel-egocentric", "planes", "kaggle"
    ] = "bitboards",
    sample: int | None = None,
    seed: int | np.random.Generator = 1,
    repeats: int = 1,
    progress: Callable[[Progress], object] | bool | None = None,
) -> Grade:
    """Compare the moves of a player with the exact values.

    ``player(position)`` takes a `Position` and returns a column, from 1. With ``batch=True`` it takes many positions,
    in an ``encoding`` of `encode`, and returns as many columns: add 1 to what ``argmax`` finds. It is asked ``repeats``
    times about each position where the choice matters, and each lost one whose moves do not all lose at the same time.

    Boards of at most 10 million entries are graded on all legal positions, larger ones on a sample of 10,000 where
    the choice matters and the lost ones found meanwhile; ``sample`` draws that many on any board. A sample has the
    same number of positions at every ply, all equally likely, none twice; plies that have fewer are complete. Its
    total is the mean of the plies, each with the same weight, which is not the share of all positions. Intervals of
    95 % are for all legal positions of a ply, which are not those of usual games. They speak for a player that always
    gives the same move; for one that draws its moves, write ``repeats=2`` or more. They are E. B. Wilson's score
    intervals (1927), joined for the mean as by Zou, Huang and Zhang (2009). A sample that was drawn before in this
    process is not labelled again. ``progress`` is that of `Database.probe_many`.

    >>> result = fourbase.grade(lambda position: position.legal_moves[0], "4x4")
    >>> result.total.graded, result.total.keeps
    (55506, 24734)
    """
    database = board if isinstance(board, Database) else Database(board, db)
    if isinstance(repeats, bool) or not isinstance(repeats, int) or not 1 <= repeats <= 10_000:
        raise OptionError(f"repeats={repeats!r:.40} cannot be; write a whole number from 1 to 10000")
    if sample is None and (database.keep_plies is not None or database.entries > 10_000_000):
        sample = 10_000

    def column(found: Any) -> int:
        try:
            if isinstance(found, bool | np.bool_) or abs(found) >= 2**63:
                raise TypeError
            return operator.index(found)
        except (TypeError, ValueError):
            raise MoveError(f"the player returned {found!r:.40}; return a column, a whole number from 1") from None

    def ask(positions: NDArray[np.uint64]) -> NDArray[np.int64]:
        if not batch:
            listed = encode(positions, "positions", board=database.board)
            return np.array([column(player(position)) for position in listed], np.int64)
        found = player(encode(positions, encoding, board=database.board))
        columns = np.array([column(one) for one in found]) if isinstance(found, list | tuple) else np.asarray(found)
        if columns.shape != (len(positions),) or columns.dtype.kind not in "iu":
            found = f"an array {columns.shape} of {columns.dtype} for {len(positions)} positions"
            raise OptionError(f"the player returned {found}; return one whole number each")
        return columns.astype(np.int64)

    # A player that takes single positions is asked for 16 moves; then progress can be reported again.
    plies, total, worst = native(ask, 2**31 if batch else 16, database, sample, seed, repeats, progress)
    rows = [
        GradedPly._make([ply, *counts, *keeps, *best, *resists, complete])
        for ply, (counts, (keeps, best, resists), complete) in [*plies, (None, total)]
    ]
    blunder = Blunder._make([*worst[:-1], tuple(worst[-1])]) if worst else None
    return Grade(
        database.board, "positions" if sample is None else "plies", repeats, rows[-1], tuple(rows[:-1]), blunder
    )
