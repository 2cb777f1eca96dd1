"""Times the answers that are arrays, and checks them: python python/benches/arrays.py [FOLDER].

The databases are kept in FOLDER (default: the folder of databases); missing ones are solved first.
"""

import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import fourbase
import numpy as np


def best(what: str, unit: str, count: int, call: Callable[[], object], times: int = 5) -> object:
    """Call several times, and print the best and the worst: of the clock, and of CPU seconds."""
    seconds, cpu, answer = [], [], None
    for _ in range(times):
        wall, used = time.perf_counter(), resource.getrusage(resource.RUSAGE_SELF)
        answer = call()
        seconds.append(time.perf_counter() - wall)
        after = resource.getrusage(resource.RUSAGE_SELF)
        cpu.append(after.ru_utime - used.ru_utime + after.ru_stime - used.ru_stime)
    rates = f"{count / max(seconds):,.0f} to {count / min(seconds):,.0f} {unit} a second"
    print(f"{what}: {rates}, {count / max(cpu):,.0f} to {count / min(cpu):,.0f} a CPU second", flush=True)
    return answer


def main() -> None:
    """Time everything."""
    folder = sys.argv[1] if len(sys.argv) > 1 else None
    print(f"fourbase {fourbase.__version__}, {os.cpu_count()} processors")

    db = fourbase.solve("6x5", "remoteness", db=folder)
    drawn = db.sample(1_000_000, seed=3)
    values, plies = best("probe_many, 6x5", "positions", 1_000_000, lambda: db.probe_many(drawn.positions))
    assert (values == drawn.values).all()
    assert (plies == drawn.plies).all()
    moves = best("move_values, 6x5", "positions", 200_000, lambda: db.move_values(drawn.positions[:200_000]))
    assert (moves.values.max(axis=1) == values[:200_000]).all()

    # Stored plies of a built-in database.
    db = fourbase.Database("7x6")
    drawn = db.sample(200_000, plies=range(2, 12), kind="random-play", seed=4)
    for policy in ("optimal", 1.0):
        targets = best(
            f"targets, 7x6, policy={policy}",
            "positions",
            200_000,
            lambda of=policy: db.targets(drawn.positions, policy=of),
        )
        assert (targets.values == drawn.values).all()
        assert (targets.plies == drawn.plies).all()
        assert np.allclose(targets.policy.sum(axis=1), 1)

    db = fourbase.solve("5x5", "wdl", db=folder)
    # Positions without a line, and how many more of them are won than lost: docs/data/5x5.csv, and 339,437 full boards.
    expected = (51_061_727, 17_950_814)

    def tiers() -> tuple[int, int]:
        counts = np.array([(len(chunk.values), chunk.values.sum()) for ply in range(26) for chunk in db.positions(ply)])
        return tuple(counts.sum(axis=0).tolist())

    counted = best("whole tiers, 5x5", "positions", expected[0], tiers)
    assert counted == expected

    db = fourbase.solve("5x4", "remoteness", db=folder)
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "5x4.parquet"
        rows = best("export of 5x4 to Parquet", "positions", 3_100_379, lambda: db.export(file, replace=True))
    assert rows == 3_100_379


if __name__ == "__main__":
    main()
