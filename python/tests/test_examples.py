"""The notebook of examples/, run as a reader would."""

import re
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[1] / "examples" / "grade_a_learner.py"


def outputs(notebook):
    """Return the texts that the cells wrote or show, in order."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            yield output.get("text") or output.get("data", {}).get("text/plain", "")


def table(text: str) -> dict[str, tuple[int, float, float, float]]:
    """Return the rows of a grade: positions, and the shares of `keeps`, `best` and `chance`."""
    rows = re.findall(r"^ *(\d+|all) +([\d,]+) +([\d.]+)% +([\d.]+)% +([\d.]+)%$", text, re.MULTILINE)
    return {name: (int(count.replace(",", "")), *(float(of) for of in shares)) for name, count, *shares in rows}


def test_the_notebook_grades_a_learner(monkeypatch, tmp_path):
    needed = "pip install -e './python[examples]' installs it"
    jupytext = pytest.importorskip("jupytext", reason=f"jupytext is not installed; {needed}")
    nbclient = pytest.importorskip("nbclient", reason=f"nbclient is not installed; {needed}")
    for name in ("sklearn", "ipykernel"):
        pytest.importorskip(name, reason=f"{name} is not installed; {needed}")
    # Threads that wait for each other would spin, which is slow on a busy machine.
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.setenv("FOURBASE_DB", str(tmp_path))
    notebook = jupytext.read(EXAMPLE)
    nbclient.NotebookClient(notebook, timeout=1200, resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = list(outputs(notebook))
    text = "\n".join(shown)

    assert "36,000 positions" in text
    outputs_of = [of for cell in notebook.cells for of in cell.get("outputs", [])]
    assert len([of for of in outputs_of if "image/svg+xml" in of.get("data", {})]) == 2

    learner, central = (table(of) for of in shown if of.lstrip().startswith("ply"))
    # Which positions these are does not depend on the player.
    graded = {name: row[0] for name, row in learner.items()}
    assert graded == {name: row[0] for name, row in central.items()}
    assert graded["all"] == 1_709_487
    assert (graded["0"], graded["1"], graded["2"]) == (1, 2, 21)
    _, keeps, best, chance = learner["all"]
    assert 90 < keeps < 97
    assert keeps - 3 < best <= keeps
    assert chance == pytest.approx(41.78, abs=0.01)
    # The page about it shows the same table; another scikit-learn may learn a little else.
    page = table((EXAMPLE.parents[2] / "docs" / "notebook" / "grade-a-learner.md").read_text())
    assert {name: row[0] for name, row in page.items()} == graded
    assert page["all"] == pytest.approx(learner["all"], abs=1.5)
    # This player has learnt nothing.
    assert central["all"][1:] == (47.64, 45.72, 41.78)
    assert "Outcome(value='lose', remoteness=2); best" in text
    assert "Outcome(value='win', remoteness=1)" in text
