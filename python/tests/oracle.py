"""A slow Connect Four in plain Python, which shares nothing with fourbase but the rules."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

Columns = tuple[str, ...]
"""The pieces of each column, from the bottom up: ``x`` for the first player, ``o`` for the second."""


@dataclass(frozen=True)
class Game:
    """A board and its rules."""

    width: int
    height: int
    connect: int = 4
    misere: bool = False

    @property
    def name(self) -> str:
        connect = "" if self.connect == 4 else f"c{self.connect}"
        return f"{self.width}x{self.height}{connect}{'m' if self.misere else ''}"

    @property
    def start(self) -> Columns:
        return ("",) * self.width

    def ply(self, columns: Columns) -> int:
        return sum(map(len, columns))

    def has_line(self, columns: Columns, piece: str) -> bool:
        cells = {(c, r) for c, column in enumerate(columns) for r, found in enumerate(column) if found == piece}
        steps = [(0, 1), (1, 0), (1, 1), (1, -1)]
        return any(
            all((c + k * across, r + k * up) in cells for k in range(self.connect))
            for c, r in cells
            for across, up in steps
        )

    def winner(self, columns: Columns) -> str | None:
        """Return the player who has won: ``x`` or ``o``; ``-`` for a tie; None if the game is not over."""
        just_moved = "xo"[(self.ply(columns) + 1) % 2]
        if self.ply(columns) > 0 and self.has_line(columns, just_moved):
            return "xo".replace(just_moved, "") if self.misere else just_moved
        return "-" if self.ply(columns) == self.width * self.height else None

    def legal(self, columns: Columns) -> list[int]:
        """Return the columns, from 0, that can be played."""
        if self.winner(columns) is not None:
            return []
        return [c for c, column in enumerate(columns) if len(column) < self.height]

    def play(self, columns: Columns, column: int) -> Columns:
        piece = "xo"[self.ply(columns) % 2]
        return (*columns[:column], columns[column] + piece, *columns[column + 1 :])

    def bits(self, columns: Columns) -> str:
        """Write the bit strings of the columns."""
        padded = [column.replace("x", "0").replace("o", "1") + "1" for column in columns]
        return " ".join(text.ljust(self.height + 1, "0") for text in padded)

    def bitboards(self, columns: Columns) -> tuple[int, int]:
        def board(piece: str) -> int:
            return sum(
                1 << (c * self.height + r)
                for c, column in enumerate(columns)
                for r, found in enumerate(column)
                if found == piece
            )

        return board("x"), board("o")


@cache
def value(game: Game, columns: Columns) -> tuple[int, int]:
    """Return the value (1, 0, -1) for the player to move and the plies to the end."""
    won = game.winner(columns)
    if won is not None:
        to_move = "xo"[game.ply(columns) % 2]
        return (0 if won == "-" else 1 if won == to_move else -1), 0
    return max(move_values(game, columns).values(), key=best_first)


def move_values(game: Game, columns: Columns) -> dict[int, tuple[int, int]]:
    """Return what every legal move, from column 0, is worth to its mover."""
    outcomes = {}
    for column in game.legal(columns):
        child, plies = value(game, game.play(columns, column))
        outcomes[column] = (-child, plies + 1)
    return outcomes


def best_first(outcome: tuple[int, int]) -> tuple[int, int]:
    """Order outcomes: a win soon, then a tie, then a loss late."""
    worth, plies = outcome
    return worth, -plies if worth > 0 else plies


@cache
def every_position(game: Game) -> list[Columns]:
    """List all positions that games reach, finished ones included, ply by ply."""
    found, level = [], {game.start}
    while level:
        ordered = sorted(level)
        found += ordered
        level = {game.play(columns, column) for columns in ordered for column in game.legal(columns)}
    return found
