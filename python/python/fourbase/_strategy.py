"""The function `strategy`."""

import os
from collections.abc import Callable
from typing import Literal, NamedTuple

from fourbase import _fourbase
from fourbase._fourbase import Database, Position
from fourbase.errors import DatabaseMissing


class Strategy(NamedTuple):
    """How a rule of play fares against every reply."""

    verdict: Literal["wins", "ties", "never-loses", "loses", "undefined"]
    """``never-loses``: some games are won and the others tied. ``undefined``: no game is lost, but the rule gave up."""
    refutation: str | None
    """The shortest game that the rule loses, the smallest among equally short ones."""
    undefined: str | None
    """The shortest game to where the rule returned None."""
    positions: int
    """Different positions that were met."""
    lines: int
    """Different games."""
    first_wins: int
    """Games that the first player wins."""
    second_wins: int
    """Games that the second player wins."""
    ties: int
    """Games that end in a tie."""
    asked: int | None = None
    """Positions in which the rule was asked; None without a database, and so are the next two."""
    kept: int | None = None
    """Those in which its move keeps the value of the position."""
    secured: int | None = None
    """Positions from which the rule is sure to get the value of the position."""


def strategy(
    rule: Callable[[Position, int | None], int | None],
    board: str,
    *,
    player: Literal["first", "second"] = "second",
    db: str | os.PathLike[str] | None = None,
    memory: int | None = None,
) -> Strategy:
    """Prove or refute a rule of play: play every reply against it.

    ``rule(position, last)`` returns the column to play, from 1; None, or a full column, where it is undefined. ``last``
    is the opponent's last move, None on the empty board. The answer may depend on these two alone, and must be the same
    each time. ``player`` follows the rule. ``memory`` is the most bytes (default: 80 % of the free memory).

    If the folder ``db`` has a complete database of the board, the rule is compared with it too. An error of the rule,
    and Ctrl-C, stop the check.

    >>> def follow_up(position, last):
    ...     return last if last in position.legal_moves else None
    >>> result = fourbase.strategy(follow_up, "4x4")
    >>> result.verdict, result.refutation
    ('loses', '1122334')
    """
    database = None
    try:
        found = Database(board, db)
        if found.keep_plies is None and found.outcome is not None:
            database = found
    except DatabaseMissing:
        pass
    return Strategy(**_fourbase.strategy(rule, board, player, database, memory))
