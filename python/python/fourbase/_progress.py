"""The progress of long calls, and its line in the terminal."""

import sys
import time
from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

from fourbase._types import documented


@documented
class Progress(NamedTuple):
    """How far a long call is.

    A cancelled task stops its search so:

    >>> import asyncio, threading
    >>> async def ask(position):
    ...     stop = threading.Event()
    ...     def heed(progress):
    ...         if stop.is_set():
    ...             raise InterruptedError
    ...     try:
    ...         return await asyncio.to_thread(fourbase.search, "7x6", position, progress=heed)
    ...     finally:
    ...         stop.set()
    >>> asyncio.run(ask("444443555566"))
    Outcome(value='win', remoteness=1)
    """

    unit: Annotated[
        str,
        "What is counted: ``'positions'``, ``'moves'``, ``'games'``, ``'entries'`` of the index, ``'plies'``, "
        "``'puzzles'`` or ``'nodes'``.",
    ]
    done: Annotated[int, "How many are done."]
    total: Annotated[int | None, "How many there are; None if that is unknown."]
    nodes: Annotated[int, "Nodes that searches have visited."]

    def __str__(self) -> str:
        share = f" of {self.total:,}, {self.done / max(self.total, 1):.0%}" if self.total is not None else ""
        searched = f", {self.nodes:,} nodes" if self.nodes and self.unit != "nodes" else ""
        return f"{self.done:,} {self.unit}{share}{searched}"


@documented
class SolveProgress(NamedTuple):
    """How far a solve is. It goes from the full board to the empty one."""

    ply: Annotated[int, "The tier that is being solved: positions with this many pieces."]
    done: Annotated[int, "Entries that are solved."]
    entries: Annotated[int, "All entries, with mirror images once."]

    def __str__(self) -> str:
        return f"ply {self.ply}, {Progress('entries', self.done, self.entries, 0)}"


def progress_display(board: str, kind: str, progress: Any) -> Callable[..., object] | None:
    """Return a function, or None, that shows the fields of a ``kind`` of progress; without any, it ends the display."""
    make: Callable[..., object] = Progress if kind == "Progress" else SolveProgress
    if callable(progress):
        return lambda *seen: progress(make(*seen)) if seen else None
    is_terminal = sys.stderr is not None and sys.stderr.isatty()
    text, begun = "", time.monotonic()
    # What was done when the present stage began, and when that was.
    first, all_of_it = (0, 0.0), None
    # When the next line is shown, in seconds.
    due = 2.0 if not is_terminal else 1.0 if progress is None and kind == "Progress" else 0.0

    def show(*seen: Any) -> None:
        nonlocal text, due, first, all_of_it
        line, seconds = f"{board}: {make(*seen)}" if seen else "", time.monotonic() - begun
        if seen and (seen[2] != all_of_it or seen[1] < first[0]):
            first, all_of_it = (seen[1], seconds), seen[2]
        if line == text or seconds < due:
            return
        if is_terminal:
            # Spaces cover what is left of a longer line.
            print(f"\r{line:<{len(text)}}", end="" if seen else "\r", file=sys.stderr, flush=True)
        elif seen:
            _, done, total = seen[:3]
            pace = (seconds - first[1]) / (done - first[0]) if done > first[0] else None
            left = f", about {pace * (total - done):,.0f} s left" if pace is not None and total else ""
            print(f"{line}, {seconds:,.0f} s{left}", file=sys.stderr, flush=True)
            due = seconds + 10.0
        text = line

    is_shown = sys.stderr is not None and (is_terminal if progress is None else progress)
    return show if is_shown else None
