"""Databases that several tests share, and the folders of published figures."""

import os
from pathlib import Path

import fourbase
import pytest

# Doctests and tests solve here; nothing is left in the folder that pytest was started in.
SMALL = ["4x3", "4x4", "4x4m", "4x3c3", "5x4"]


@pytest.fixture(scope="session", autouse=True)
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Solve small boards into the default folder of this run."""
    folder = tmp_path_factory.mktemp("db")
    os.environ["FOURBASE_DB"] = str(folder)
    for board in SMALL:
        fourbase.solve(board)
    return folder


@pytest.fixture(scope="session")
def truth() -> Path:
    """Return the folder of published figures, which lies beside the checkout."""
    folder = Path(os.environ.get("FOURBASE_TRUTH", Path(__file__).parents[3] / "shared" / "truth"))
    if not folder.is_dir():
        pytest.skip("../shared/truth is not beside the checkout")
    return folder
