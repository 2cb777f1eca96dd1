"""The progress of `solve`, and its line in the terminal."""

import sys
from collections.abc import Callable
from typing import NamedTuple


class SolveProgress(NamedTuple):
    """How far a solve is. It goes from the full board to the empty one."""

    ply: int
    """The tier that is being solved: positions with this many pieces."""
    done: int
    """Entries that are solved."""
    entries: int
    """All entries, with mirror images once."""


def shown(
    board: str, progress: Callable[[SolveProgress], object] | bool | None
) -> tuple[Callable[[int, int, int], object] | None, Callable[[], None]]:
    """Return what the native `solve` calls with its progress, if anything, and what it calls at the end."""
    text = ""

    def show(ply: int, done: int, entries: int) -> None:
        nonlocal text
        # Spaces cover what is left of a longer line.
        line = f"{board}: ply {ply}, {done:,} of {entries:,} entries, {done / max(entries, 1):.0%}".ljust(len(text))
        if line != text:
            print(f"\r{line}", end="", file=sys.stderr, flush=True)
            text = line

    def end() -> None:
        if text:
            print(f"\r{'':<{len(text)}}\r", end="", file=sys.stderr, flush=True)

    if callable(progress):
        return lambda *seen: progress(SolveProgress(*seen)), lambda: None
    is_shown = sys.stderr is not None and sys.stderr.isatty() if progress is None else progress
    return show if is_shown else None, end
