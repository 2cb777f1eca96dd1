"""The function `solve`, and its progress in the terminal."""

import os
import sys
from collections.abc import Callable
from typing import Literal, NamedTuple

from fourbase import _fourbase
from fourbase._fourbase import Database


class SolveProgress(NamedTuple):
    """How far a solve is. It goes from the full board to the empty one."""

    ply: int
    """The tier that is being solved: positions with this many pieces."""
    done: int
    """Entries that are solved."""
    entries: int
    """All entries, with mirror images once."""


def solve(
    board: str,
    values: Literal["remoteness", "wdl"] = "remoteness",
    *,
    db: str | os.PathLike[str] | None = None,
    progress: Callable[[SolveProgress], object] | bool | None = None,
    threads: int | None = None,
    memory: int | None = None,
    keep_plies: int | None = None,
    replace: bool = False,
) -> Database:
    """Solve every position of a board, and return the database.

    ``values="wdl"`` computes win, lose or tie alone. ``db`` is the folder of all databases (default:
    ``$FOURBASE_DB``, else ``db``). Where the board is solved there already, nothing is done, and an unfinished solve
    goes on; ``replace=True`` starts over.

    ``progress`` is called up to twenty times a second, on the thread of the caller; an error that it raises stops the
    solve. By default a terminal shows a line; True shows it in any case, and False never. Ctrl-C stops the solve and
    keeps finished tiers.

    ``threads`` is the number of threads (default: one for each processor), ``memory`` the most bytes (default: 80 % of
    the free memory); a board that does not fit is solved in compressed files. ``keep_plies`` stores only positions of
    at most that many pieces; later ones are then searched forward.

    >>> db = fourbase.solve("4x4")
    >>> db.outcome
    Outcome(value='tie', remoteness=16)
    """
    if progress is None:
        progress = sys.stderr is not None and sys.stderr.isatty()
    if progress is False:
        return _fourbase.solve(board, values, db, None, threads, memory, keep_plies, replace)
    if progress is not True:
        told = progress
        return _fourbase.solve(
            board, values, db, lambda *seen: told(SolveProgress(*seen)), threads, memory, keep_plies, replace
        )
    line = _Line(board)
    try:
        return _fourbase.solve(board, values, db, line.show, threads, memory, keep_plies, replace)
    finally:
        line.end()


class _Line:
    """A line of the terminal that is written over."""

    def __init__(self, board: str) -> None:
        self.board = board
        self.text = ""

    def show(self, ply: int, done: int, entries: int) -> None:
        text = f"{self.board}: ply {ply}, {done:,} of {entries:,} entries, {done / max(entries, 1):.0%}"
        if text != self.text:
            # Spaces cover what is left of a longer line.
            print(f"\r{text:<{len(self.text)}}", end="", file=sys.stderr, flush=True)
            self.text = text

    def end(self) -> None:
        if self.text:
            print(f"\r{'':<{len(self.text)}}\r", end="", file=sys.stderr, flush=True)
