"""Exact answers for Connect Four on boards of any size.

>>> import fourbase
>>> db = fourbase.Database("7x6")  # its early plies are built in
>>> db.probe("4444")
Outcome(value='win', remoteness=37)
>>> fourbase.search("5x4")  # exact, without a database
Outcome(value='tie', remoteness=20)

A board is columns x rows, then ``cK`` if K in a row count instead of 4, then ``m`` if a line loses: ``'7x6'``,
``'4x4c3'``, ``'4x4m'``. Columns count from 1 on the left. Values are for the player to move.
"""

from fourbase import _encodings, _games, _native, _progress, _types, errors
from fourbase._benchmark import Benchmark, benchmark
from fourbase._evaluate import evaluate
from fourbase._evaluation import Estimate, Evaluation, Metric, Mistake
from fourbase._games import GameAnalysis, Step
from fourbase._native import (
    Chunks,
    Database,
    Move,
    Outcome,
    Position,
    canonical,
    decode,
    encode,
    match,
    mirror,
    rejected,
    search,
    solve,
    strategy,
)
from fourbase._progress import Progress, SolveProgress
from fourbase._split import augment, split
from fourbase._types import (
    INVALID,
    LOSE,
    NO_PLIES,
    NO_SCORE,
    NO_VALUE,
    TIE,
    WIN,
    Encoding,
    Labelled,
    Match,
    MoveValues,
    Puzzle,
    Stats,
    Strategy,
    Targets,
)
from fourbase.errors import FourbaseError

__version__: str = _native.__version__

# fmt: off
__all__ = [
    "INVALID", "LOSE", "NO_PLIES", "NO_SCORE", "NO_VALUE", "TIE", "WIN", "Benchmark", "Chunks", "Database", "Encoding",
    "Estimate", "Evaluation", "FourbaseError", "GameAnalysis", "Labelled", "Match", "Metric", "Mistake", "Move",
    "MoveValues", "Outcome", "Position", "Progress", "Puzzle", "SolveProgress", "Stats", "Step", "Strategy", "Targets",
    "__version__", "augment", "benchmark", "canonical", "decode", "encode", "errors", "evaluate", "match", "mirror",
    "rejected", "search", "solve", "split", "strategy",
]

# The native module imports nothing of this package but its errors; it gets here the Python code that it calls.
_native.set_helpers(
    {
        "GameAnalysis": _games.game_analysis,
        "Labelled": Labelled,
        "Match": Match,
        "MoveValues": MoveValues,
        "Puzzle": Puzzle,
        "Stats": _types.stats,
        "Strategy": Strategy,
        "policy": _types.policy,
        "targets": _types.targets,
        "read": _encodings.read,
        "progress_display": _progress.progress_display,
        "write": _encodings.write,
    }
)
