"""Databases that several tests share, and the program to compare with."""

import json
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import PIPE
from typing import Any

import fourbase
import pytest


@pytest.fixture(scope="session", autouse=True)
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Solve small boards into the default folder of this run."""
    folder = tmp_path_factory.mktemp("db")
    # Doctests and tests solve here; nothing is left in the folder that pytest was started in.
    os.environ["FOURBASE_DB"] = str(folder)
    for board in ["4x3", "4x4", "5x4"]:
        fourbase.solve(board)
    return folder


def games(board: str, count: int, seed: int) -> Iterator[tuple[fourbase.Position, int]]:
    """Yield the positions of random games, each with the column that is played next, from 0; -1 for none.

    They are the same in every run, or others with `FOURBASE_SEED=N`, which is printed.
    """
    fresh = os.environ.get("FOURBASE_SEED", "")
    print(f"FOURBASE_SEED={fresh}")
    drawn = random.Random(f"{fresh} {seed}")
    for _ in range(count):
        position = fourbase.Position(board)
        while columns := position.legal_moves:
            column = drawn.choice(columns)
            yield position, column - 1
            position = position.play(column)
        yield position, -1


def begin(code: str, folder: Path) -> subprocess.Popen[str]:
    """Start a Python program that knows a folder as `db`, and wait for its first line."""
    code = f"import sys, fourbase; db = sys.argv[1]; {code}"
    process = subprocess.Popen([sys.executable, "-c", code, folder], stdout=PIPE, stderr=PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline()
    return process


@pytest.fixture(scope="session")
def program() -> Callable[..., list[Any]]:
    """Return a function that runs `$FOURBASE_PROGRAM`, or the program of the checkout, and reads its lines of JSON."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", Path(__file__).parents[2] / "target"))
    named = os.environ.get("FOURBASE_PROGRAM")
    paths = [Path(named)] if named else [target / kind / "fourbase" for kind in ("release", "debug")]
    found = next((path for path in paths if path.is_file()), None)
    if found is None:
        pytest.skip("the program is not built: cargo build --release, or set FOURBASE_PROGRAM")

    def run(*arguments: str | Path, lines: list[str] | None = None) -> list[Any]:
        words = "\n".join(lines or [])
        asked = subprocess.run([found, *arguments], input=words, capture_output=True, text=True, check=True)
        return [json.loads(line) for line in asked.stdout.splitlines() if "--json" in arguments]

    return run
