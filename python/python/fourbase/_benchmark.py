"""Fixed positions with exact labels, to measure agents by."""

import importlib.resources
from hashlib import blake2b
from typing import Annotated, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fourbase._split import split
from fourbase._types import NO_VALUE, MoveValues, documented
from fourbase.errors import OptionError

_NAMES = ("5x4-v1", "7x6-v1")


@documented
class Benchmark(NamedTuple):
    """Positions with what their moves are worth, the same for everybody and for ever. `benchmark` loads them."""

    name: Annotated[str, "Such as ``'7x6-v1'``. Other positions or labels would have another name."]
    board: Annotated[str, "The name of the board."]
    positions: Annotated[NDArray[np.uint64], "Bitboards, (n, 2)."]
    moves: Annotated[MoveValues, "What every move is worth."]
    hash: Annotated[str, "The BLAKE2b of positions, values and plies as they are in memory: 32 hexadecimal digits."]


def benchmark(name: str, half: Literal["test", "train"] = "test") -> Benchmark:
    """Load a benchmark: ``'7x6-v1'`` or ``'5x4-v1'``.

    Its positions are legal, unfinished, and drawn at random, all equally likely at a ply; the player to move can't
    complete a line at once. They are stratified: at each ply at most as many positions for each value and each number
    of good moves (1, 2, 3 and more), which keep a win or a tie, or lose as late as possible. No position comes
    twice, also not mirrored. `split` with the name as its salt decides which ``half`` a position is in, so no position,
    mirror image or order of moves is in both: report the test half, and leave its positions out where you train, by
    ``split(data, test=0.5, salt=name)``. The positions and their labels may be used freely (CC0). `evaluate` takes it.

    >>> bench = fourbase.benchmark("7x6-v1")
    >>> result = fourbase.evaluate(fourbase.Database("7x6").player("pomakis:4"), bench)
    """
    if name not in _NAMES or half not in ("test", "train"):
        raise OptionError(
            f"the benchmark {name!r:.40}, {half!r:.40} is unknown; there are {_NAMES}, 'test' and 'train'"
        )
    with (importlib.resources.files("fourbase") / "data" / f"{name}.npz").open("rb") as file, np.load(file) as data:
        positions, values, plies = data["positions"], data["values"], data["plies"]
    board = name.partition("-")[0]
    is_here = split(positions, "bitboards", board=board, test=0.5, salt=name) == (half == "test")
    rows = [np.ascontiguousarray(array[is_here]) for array in (positions, values, plies)]
    digest = blake2b(b"".join(array.astype(array.dtype.newbyteorder("<")).tobytes() for array in rows), digest_size=16)
    moves = MoveValues(rows[1], rows[2], rows[1] != NO_VALUE)
    return Benchmark(name, board, rows[0], moves, digest.hexdigest())
