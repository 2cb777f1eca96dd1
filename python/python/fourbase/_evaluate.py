"""The function `evaluate`, which asks an agent about many positions."""

import operator
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fourbase._benchmark import Benchmark, benchmark
from fourbase._evaluation import Evaluation
from fourbase._native import Database, Position, decode, encode, graded
from fourbase._progress import Progress, progress_display
from fourbase._types import NO_VALUE, Encoding, MoveValues, whole_number
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

    ``positions`` is a `Benchmark` or its name; the name of a board, or its `Database`, which means all positions where
    the choice matters and all lost ones whose moves do not all lose at the same time; or unfinished positions as
    `decode` reads them without ``encoding``, labelled by ``db``. Boards of more than 5 million entries are sampled:
    10,000 positions where the choice matters, ``sample`` of them on any board, and lost positions met while drawing.
    The sample has the same number at every ply, all equally likely, none twice, or all of them where there are fewer.
    A sample that was drawn before in this process is not labelled again.

    ``agent(position)`` takes a position in an ``encoding`` of `encode`, or with ``batch=True`` many of them, and
    ``returns`` a column, counted from ``left`` (1 or 0); the probabilities of all columns; or a tuple of these and of
    the value for the player to move, from -1 to 1. An agent that draws its moves is asked ``repeats`` times.
    Illegal moves are counted, wrong types raise `MoveError`. ``progress`` is that of `Database.probe_many`.

    >>> result = fourbase.evaluate(lambda position: position.legal_moves[0], "4x4")
    >>> round(result["keeps"].mean, 4), result["keeps"].positions
    (0.4456, 55506)

    An agent of Kaggle, and one of PettingZoo that asks for a mask:

    >>> from types import SimpleNamespace as Fields
    >>> def first_free(observation, configuration):
    ...     return observation.board.index(0)
    >>> def kaggle(observation):
    ...     return first_free(Fields(**observation), Fields(columns=4, rows=4, inarow=4))
    >>> fourbase.evaluate(kaggle, "4x4", encoding="kaggle", left=0)["keeps"] == result["keeps"]
    True
    >>> def masked(planes):
    ...     return int((planes[0].sum(axis=1) == 0).argmax())
    >>> fourbase.evaluate(masked, "4x4", encoding="pettingzoo", left=0)["illegal"].mean
    0.0
    """
    repeats = whole_number("repeats", repeats, 1, 10_000)
    if returns not in ("move", "policy", "policy+value") or left not in (0, 1) or not isinstance(batch, bool):
        shown = f"returns={returns!r:.40}, left={left!r:.40}, batch={batch!r:.40}"
        raise OptionError(f"{shown}: one of these is unknown; see help(fourbase.evaluate)")
    if isinstance(positions, str) and "-" in positions:
        positions = benchmark(positions)
    is_board = isinstance(positions, str | Database)
    if sample is not None:
        sample = whole_number("sample", sample, 1, 2**48)
        if not is_board:
            raise OptionError("sample= draws positions of a board; give a board's name or a Database")
    population: Literal["positions", "plies"] = "positions"
    complete: frozenset[int] = frozenset()
    if isinstance(positions, Benchmark):
        board, words, moves = positions.board, positions.positions, positions.moves
    elif is_board:
        database = positions if isinstance(positions, Database) else db or Database(positions)
        if isinstance(positions, str) and Position(positions).board != database.board:
            raise OptionError(f"the database is of {database.board}, not of {positions}; for positions give a list")
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
    if len(words) == 0:
        raise OptionError(f"there are no positions to ask about on {board}; give some, or another board")
    width = moves.legal.shape[1]
    policy, predicted = np.zeros((len(words), width)), np.zeros(len(words))
    asked = repeats if returns == "move" else 1
    show = progress_display(board, "Progress", progress) or (lambda *_: None)
    for begin in range(0, len(words), _AT_ONCE[batch]):
        part = slice(begin, begin + _AT_ONCE[batch])
        for _ in range(asked):
            answers = _ask(agent, encode(words[part], encoding, board=board), batch, returns, begin)
            if returns == "move":
                columns = _columns(answers, begin, left)
                rows = np.flatnonzero((columns >= 0) & (columns < width))
                policy[begin + rows, columns[rows]] += 1
            else:
                policy[part], predicted[part] = _policies(answers, returns, begin, width)
        show("positions", min(part.stop, len(words)), len(words), 0)
    show()
    policy /= asked
    values = predicted if returns == "policy+value" else None
    return Evaluation(board, population, asked if returns == "move" else 0, words, moves, policy, values, complete)


def _drawn(
    database: Database, sample: int | None, seed: int | np.random.Generator, progress: _Progress
) -> tuple[NDArray[np.uint64], MoveValues, frozenset[int]]:
    """Draw positions, or take those of an earlier call."""
    # What an unfinished database knows may grow, and a generator draws others each time.
    is_kept = database.hash and sample and not isinstance(seed, np.random.Generator)
    key = (database, sample, seed) if is_kept else None
    found: tuple[NDArray[np.uint64], MoveValues, frozenset[int]] | None = _SAMPLES.pop(key, None)
    if found is None:
        words, values, plies, complete = graded(database, sample, seed, progress)
        found = words, MoveValues(values, plies, values != NO_VALUE), frozenset(complete)
    if key is not None:
        _SAMPLES[key] = found
        while len(_SAMPLES) > _MOST_SAMPLES:
            del _SAMPLES[next(iter(_SAMPLES))]
    return found


def _ask(agent: Callable[[Any], Any], positions: Any, batch: bool, returns: str, begin: int) -> Any:
    """Return the answers for some positions: one for each; of policies with values, two such lists."""
    answers = agent(positions) if batch else [agent(position) for position in positions]
    is_pair = returns == "policy+value"
    if is_pair and not batch:
        for row, answer in enumerate(answers):
            if not isinstance(answer, tuple | list) or len(answer) != 2:
                raise MoveError(f"row {begin + row}: the agent returned {answer!r:.60}; return (policy, value)")
        return tuple(zip(*answers, strict=True))
    try:
        lengths = [len(part) for part in (answers if is_pair else [answers])]
    except TypeError:
        lengths = [-1]
    if lengths != [len(positions)] * (1 + is_pair):
        wanted = {"move": "a column", "policy": "a policy"}.get(returns, "(policies, values), one of both")
        raise OptionError(
            f"the agent returned {answers!r:.60} for {len(positions)} positions; return {wanted} for each"
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


def _policies(answers: Any, returns: str, begin: int, width: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the policies and the values, or zeros."""
    policies, values = answers if returns == "policy+value" else (answers, None)
    count = len(policies)
    try:
        policy = np.asarray(policies, np.float64)
        value = np.zeros(count) if values is None else np.asarray(values, np.float64).reshape(-1)
    except Exception as error:
        shapes = [np.shape(of) for of in policies] if isinstance(policies, list | tuple) else []
        row = next((row for row, shape in enumerate(shapes) if shape != (width,)), 0)
        remedy = f"return {width} numbers, of torch after .detach().cpu().numpy()"
        raise MoveError(f"row {begin + row}: the agent returned no policy ({error}); {remedy}") from None
    if policy.shape != (count, width) or value.shape != (count,):
        found = f"a policy of the shape {policy.shape[1:]} and values of {value.shape}"
        raise MoveError(f"row {begin}: the agent returned {found}; return {width} probabilities, also of full columns")
    sums = policy.sum(axis=1)
    is_good = (policy >= 0).all(axis=1) & (np.abs(sums - 1) < 1e-2) & (np.abs(value) <= 1 + 1e-6)
    if not is_good.all():
        row = int(np.argmin(is_good))
        shown = np.array2string(policy[row], precision=3)
        raise MoveError(
            f"row {begin + row}: the agent returned the policy {shown} and the value {value[row]:.3g}; probabilities "
            "are at least 0 and sum to 1 (apply softmax to logits), values are from -1 to 1"
        )
    # Numbers of 16 bits do not sum to 1.
    return policy / sums[:, None], value
