"""Analysed games."""

import json
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

from fourbase._native import Position
from fourbase._types import documented

_Value: TypeAlias = Literal["win", "lose", "tie"] | None


@documented
class Step(NamedTuple):
    """A move of an analysed game. What is not decided is None."""

    number: Annotated[int, "The number of the move, from 1."]
    player: Annotated[Literal["first", "second"], "Who made it."]
    column: Annotated[int, "The column that was played, from 1."]
    value: Annotated[_Value, "What the position was worth to this player before the move."]
    remoteness: Annotated[int | None, "Plies from there to the end."]
    played_value: Annotated[_Value, "What the move is worth to this player."]
    played_remoteness: Annotated[int | None, "Plies to the end with this move, counted from before it."]
    keeps: Annotated[bool | None, "Whether the move kept the value."]
    plies_lost: Annotated[int | None, "Plies by which it wins later or loses sooner; None if the value changed."]
    columns: Annotated[list[int], "The columns of the best moves."]
    reason: Annotated[str | None, "What would have been better; None for a best move."]
    class_: Annotated[
        Literal["best", "keeps-value", "later", "sooner", "mistake", "left-open", "missed-win"] | None,
        "How good the move is; of several that fit, the last one here.",
    ]
    verdict: Annotated[str | None, "What it cost, in words; ``''`` for a best move."]
    refutation: Annotated[dict[str, Any] | None, "With ``why=True``: what a mistake allows, as ``text`` and more."]

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by the names that the JSON of the program has."""
        return {name.rstrip("_"): value for name, value in self._asdict().items()}


@documented
class GameAnalysis(NamedTuple):
    """A game with the cost of each of its moves."""

    position: Annotated[Position, "The position at the end of the game."]
    over: Annotated[bool, "Whether the game is over."]
    winner: Annotated[Literal["first", "second"] | None, "Who has won; None for a tie or an unfinished game."]
    value: Annotated[_Value, "What the last position is worth to its player to move."]
    remoteness: Annotated[int | None, "Plies from there to the end."]
    undecided_moves: Annotated[int, "How many moves were not judged within the limit."]
    steps: Annotated[tuple[Step, ...], "The moves, in order."]
    mistakes: Annotated[
        dict[str, list[dict[str, Any]]],
        "For ``'first'`` and ``'second'``, the moves that made the value worse: ``number``, ``column``, ``from``, "
        "``to`` and ``reason``.",
    ]
    accuracy: Annotated[
        dict[str, dict[str, int]],
        "For each player, how many moves ``mattered``, as some move gave the value away, and how many ``kept`` it.",
    ]
    decided_at: Annotated[int | None, "The number of the last move that changed the value; None if none did."]
    summary: Annotated[str, "The mistakes of both players in a sentence."]

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name, for JSON; the position as bits."""
        return self._asdict() | {"position": self.position.bits, "steps": [step.to_dict() for step in self.steps]}


def game_analysis(text: bytes) -> GameAnalysis:
    """Read the JSON of an analysis."""
    found = json.loads(text)
    found["position"] = Position(found["board"], found["position"]["bits"])
    found["steps"] = tuple(Step._make(step[name.rstrip("_")] for name in Step._fields) for step in found["steps"])
    return GameAnalysis._make(found[name] for name in GameAnalysis._fields)
