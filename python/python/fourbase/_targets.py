"""What a network learns: values, scores, good moves and policies of many positions."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fourbase._native import Database, Position, decode
from fourbase._types import LOSE, NO_PLIES, NO_VALUE, TIE, WIN, Encoding
from fourbase.errors import OptionError

#: Stands for a score that is unknown, or that there is none of.
NO_SCORE = -128


class Targets(NamedTuple):
    """What many positions and their moves are worth, as arrays for learning. Row ``i`` is position ``i``."""

    #: (n,): 1 if the player to move wins, 0 for a tie, -1 for a loss.
    values: NDArray[np.int8]
    #: (n,): plies to the end; 255 in a database without remoteness.
    plies: NDArray[np.uint8]
    #: (n,): Pons' score, the larger the sooner the win; -128 without remoteness and on misère boards.
    scores: NDArray[np.int8]
    #: (n, columns): which moves are legal; none where the game is over. The first column has index 0.
    legal: NDArray[np.bool_]
    #: (n, columns): which moves keep the value.
    keeps: NDArray[np.bool_]
    #: (n, columns): which of these win soonest or lose latest; all of them without remoteness.
    fastest: NDArray[np.bool_]
    #: (n, columns): the probability of each move; all 0 where the game is over.
    policy: NDArray[np.float32]

    def to_dict(self) -> dict[str, Any]:
        """Return lists by name, for JSON."""
        return {name: array.tolist() for name, array in self._asdict().items()}


def targets(
    database: Database, positions: Any, encoding: Encoding | None, policy: Any, nodes: Any, progress: Any
) -> Targets:
    """Do the work of `Database.targets`."""
    is_number = isinstance(policy, float | int) and not isinstance(policy, bool)
    if policy not in ("optimal", "fastest") and not (is_number and 0 < policy < float("inf")):
        raise OptionError(f'policy={policy!r:.40} is unknown; write "optimal", "fastest" or a temperature such as 1.0')
    start = Position(database.board)
    words = decode(positions, encoding, board=database.board)
    moves = database.move_values(words, encoding="bitboards", nodes=nodes, progress=progress)
    order = _order(moves.values, moves.plies)
    best = order.max(axis=1, initial=np.iinfo(np.int16).min)
    fastest = moves.legal & (order == best[:, None])
    # The moves have the outcome of the position from the place of a best one.
    row, column = np.arange(len(words)), fastest.argmax(axis=1)
    values, plies = moves.values[row, column], moves.plies[row, column]
    is_over = ~moves.legal.any(axis=1)
    if is_over.any():
        values[is_over], plies[is_over] = database.probe_many(words[is_over], encoding="bitboards")
    keeps = moves.legal & (moves.values == values[:, None])
    pieces = np.unpackbits(words.view(np.uint8), axis=1).sum(axis=1)
    if is_number:
        of_moves = _scores(moves.values, moves.plies, pieces[:, None], start).astype(np.float64)
        if (of_moves[moves.legal] == NO_SCORE).any():
            raise OptionError('a temperature needs scores, which this database has none of; write policy="optimal"')
        weights = np.where(moves.legal, np.exp((of_moves - of_moves.max(axis=1, keepdims=True)) / policy), 0)
    else:
        weights = (keeps if policy == "optimal" else fastest).astype(np.float64)
    shares = weights / np.maximum(weights.sum(axis=1, keepdims=True), np.finfo(np.float64).tiny)
    scores = _scores(values, plies, pieces, start)
    return Targets(values, plies, scores, moves.legal, keeps, fastest, shares.astype(np.float32))


def _order(values: NDArray[np.int8], plies: NDArray[np.uint8]) -> NDArray[np.int16]:
    """Return numbers that are larger for better outcomes: wins, the soonest first, ties, losses, the latest first."""
    sooner = 1000 - plies.astype(np.int16)
    return np.select([values == WIN, values == TIE, values == LOSE], [sooner, 0 * sooner, -sooner], -2000)


def _scores(values: Any, plies: Any, pieces: Any, start: Position) -> NDArray[np.int8]:
    """Return Pons' scores: half of the cells that are empty after the last move but one, rounded down."""
    left = (start.width * start.height + 2 - pieces.astype(np.int16) - plies) // 2
    known = (values != NO_VALUE) & ((plies != NO_PLIES) | (values == TIE))
    if start.board.endswith("m"):
        known = np.zeros_like(known)
    return np.where(known, values * left, NO_SCORE).astype(np.int8)
