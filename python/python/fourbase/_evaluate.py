"""The function `evaluate`, which asks an agent about many positions."""

import operator
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fourbase._benchmark import Benchmark
from fourbase._evaluation import Evaluation
from fourbase._native import Database, decode, encode, graded
from fourbase._progress import Progress, progress_display
from fourbase._types import Encoding, MoveValues
from fourbase.errors import MoveError, OptionError, PositionError

# Boards of at most so many entries are graded on all positions.
_WHOLE = 5_000_000

# Positions that a batch agent gets at once, and those that are turned into objects at once for another one.
_AT_ONCE = {True: 1 << 14, False: 1 << 8}

# The samples that were drawn last: agents are graded one after the other, and labels take long.
_SAMPLES: dict[Any, Any] = {}
_MOST_SAMPLES = 4

_Progress = Callable[[Progress], object] | bool | None


def evaluate(
    agent: Callable[[Any], Any],
    positions: Any,
    *,
    db: Database | None = None,
    returns: Literal["move", "policy", "policy+value"] = "move",
    batch: bool = False,
    encoding: Encoding = "positions",
    left: Literal[0, 1] = 1,
    repeats: int = 1,
    sample: int | None = None,
    seed: int | np.random.Generator = 1,
    progress: _Progress = None,
) -> Evaluation:
    """Compare an agent with the exact values. `Evaluation` explains the metrics.

    ``positions`` is a `Benchmark`; the name of a board, or its `Database`, which means all positions where the choice
    matters and all lost ones whose moves do not all lose at the same time; or unfinished positions as `decode` reads
    them, whose values ``db`` tells. Boards of more than 5 million entries are sampled: 10,000 positions where the
    choice matters, ``sample`` of them on any board, and the lost ones found meanwhile, the same number at every ply,
    all equally likely, none twice; means are then of the plies, each with the same weight, which is not the mean of
    all positions or of usual games. A sample that was drawn before in this process is not labelled again.

    ``agent(position)`` takes a position in an ``encoding`` of `encode`, or with ``batch=True`` many of them, and
    ``returns`` a column, of which the ``left`` one is 1 or 0; the probabilities of all columns; or a tuple of these and
    of the value for the player to move, from -1 to 1. An agent that draws its moves is asked ``repeats`` times.
    Illegal moves are counted, wrong types raise `MoveError`. ``progress`` is that of `Database.probe_many`.

    >>> result = fourbase.evaluate(lambda position: position.legal_moves[0], "4x4")
    >>> round(result["keeps"].mean, 4), result["keeps"].positions
    (0.4456, 55506)
    >>> kaggle = lambda observation: observation["board"].index(0)
    >>> fourbase.evaluate(kaggle, "4x4", encoding="kaggle", left=0, sample=100)["illegal"].mean
    0.0
    """
    if isinstance(repeats, bool) or not isinstance(repeats, int) or not 1 <= repeats <= 10_000:
        raise OptionError(f"repeats={repeats!r:.40} cannot be; write a whole number from 1 to 10000")
    if returns not in ("move", "policy", "policy+value") or left not in (0, 1):
        raise OptionError(f"returns={returns!r:.40}, left={left!r:.40} are unknown; see help(fourbase.evaluate)")
    population: Literal["positions", "plies"] = "positions"
    complete: frozenset[int] = frozenset()
    if isinstance(positions, Benchmark):
        board, words, moves = positions.board, positions.positions, positions.moves
    elif isinstance(positions, str | Database):
        database = positions if isinstance(positions, Database) else db or Database(positions)
        if sample is None and (database.keep_plies is not None or database.entries > _WHOLE):
            sample = 10_000
        board, population = database.board, "positions" if sample is None else "plies"
        words, moves, complete = _drawn(database, sample, seed, progress)
    elif db is None:
        raise OptionError("the values of these positions are not known; write db=fourbase.Database(...)")
    else:
        board, words = db.board, decode(positions, board=db.board)
        moves = db.move_values(words, progress=progress)
        if not (is_open := moves.legal.any(axis=1)).all():
            row = int(np.argmin(is_open))
            raise PositionError(f"row {row}: the game is over, so no move can be judged; leave finished positions out")
    width = moves.legal.shape[1]
    policy, predicted = np.zeros((len(words), width), np.float32), np.zeros(len(words), np.float32)
    asked = repeats if returns == "move" else 1
    show = progress_display(board, "Progress", progress) or (lambda *_: None)
    for begin in range(0, len(words), _AT_ONCE[batch]):
        part = slice(begin, begin + _AT_ONCE[batch])
        for _ in range(asked):
            answers = _ask(agent, encode(words[part], encoding, board=board), batch, returns)
            if returns == "move":
                columns = _columns(answers, begin, left)
                rows = np.flatnonzero((columns >= 0) & (columns < width))
                policy[begin + rows, columns[rows]] += np.float32(1 / asked)
            else:
                policy[part], predicted[part] = _policies(answers, returns, begin, width)
        show("positions", min(part.stop, len(words)), len(words), 0)
    show()
    values = predicted if returns == "policy+value" else None
    return Evaluation(board, population, asked if returns == "move" else 0, words, moves, policy, values, complete)


def _drawn(
    database: Database, sample: int | None, seed: int | np.random.Generator, progress: _Progress
) -> tuple[NDArray[np.uint64], MoveValues, frozenset[int]]:
    """Draw positions, or take those of an earlier call."""
    # What an unfinished database knows may grow, and a generator draws others each time.
    key = (database, sample, seed) if database.hash and sample and isinstance(seed, int) else None
    found: tuple[NDArray[np.uint64], MoveValues, frozenset[int]] | None = _SAMPLES.pop(key, None)
    if found is None:
        words, values, plies, complete = graded(database, sample, seed, progress)
        found = words, MoveValues(values, plies, values != np.int8(-128)), frozenset(complete)
    if key is not None:
        _SAMPLES[key] = found
        while len(_SAMPLES) > _MOST_SAMPLES:
            del _SAMPLES[next(iter(_SAMPLES))]
    return found


def _ask(agent: Callable[[Any], Any], positions: Any, batch: bool, returns: str) -> Any:
    """Return the answers for some positions: a row for each, in two columns if there are values."""
    if not batch:
        answers = [agent(position) for position in positions]
        return tuple(zip(*answers, strict=True)) if returns == "policy+value" else answers
    answers = agent(positions)
    parts = answers if returns == "policy+value" else [answers]
    try:
        lengths = [len(part) for part in parts]
    except TypeError:
        lengths = [-1]
    if lengths != [len(positions)] * (2 if returns == "policy+value" else 1):
        raise OptionError(
            f"the agent returned {answers!r:.60} for {len(positions)} positions; return {returns} for each"
        )
    return answers


def _columns(answers: Any, begin: int, left: int) -> NDArray[np.int64]:
    """Return the columns from 0; one that no board has becomes -1."""

    def column(row: int, found: Any) -> int:
        try:
            if isinstance(found, bool | np.bool_):
                raise TypeError
            number = operator.index(found) - left
        except TypeError:
            message = (
                f"row {begin + row}: the agent returned {found!r:.40}; return a column, a whole number from {left}"
            )
            raise MoveError(message) from None
        return number if 0 <= number < 64 else -1

    if isinstance(answers, np.ndarray) and answers.ndim == 1 and answers.dtype.kind in "iu":
        return answers.astype(np.int64) - left
    return np.array([column(row, found) for row, found in enumerate(answers)], np.int64)


def _policies(answers: Any, returns: str, begin: int, width: int) -> tuple[NDArray[np.float32], Any]:
    """Return the policies and the values, or zeros."""
    policies, values = answers if returns == "policy+value" else (answers, None)
    try:
        policy = np.asarray(policies, np.float64)
        value = np.zeros(len(policy)) if values is None else np.asarray(values, np.float64).reshape(len(policy))
    except (TypeError, ValueError) as error:
        raise OptionError(f"the agent returned {policies!r:.60}, which is no array: {error}") from None
    if policy.shape != (len(policy), width):
        raise OptionError(
            f"a policy has {width} probabilities, not {policy.shape[1:]}; one for each column, full or not"
        )
    is_good = (policy >= 0).all(axis=1) & (np.abs(policy.sum(axis=1) - 1) < 1e-3) & (np.abs(value) <= 1 + 1e-6)
    if not is_good.all():
        row = int(np.argmin(is_good))
        shown = np.array2string(policy[row], precision=3)
        raise MoveError(
            f"row {begin + row}: the agent returned the policy {shown} and the value {value[row]:.3g}; probabilities "
            "are at least 0 and sum to 1 (apply softmax to logits), values are from -1 to 1"
        )
    return policy.astype(np.float32), value
