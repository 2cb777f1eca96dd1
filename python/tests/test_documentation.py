import doctest
import importlib.metadata
import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import fourbase
import fourbase.errors
import pytest

PYTHON = Path(__file__).parents[1]
EXAMPLE = PYTHON / "examples" / "grade_a_learner.py"
GUIDE = PYTHON.parent / "docs" / "reference" / "python.md"
LEARNER = PYTHON.parent / "docs" / "notebook" / "grade-a-learner.md"
TUTORIAL = PYTHON.parent / "docs" / "tutorial" / "grade-a-program.md"


def documented() -> dict[str, str]:
    """Return the docstrings of the package: of its module, its public names, and their members."""
    found = {"fourbase": fourbase.__doc__ or ""}
    for name in fourbase.__all__:
        thing = getattr(fourbase, name)
        found[name] = inspect.getdoc(thing) or ""
        if inspect.isclass(thing):
            members = {member: of for member, of in vars(thing).items() if not member.startswith("_")}
            found |= {f"{name}.{member}": inspect.getdoc(of) or "" for member, of in members.items()}
    return found


def runs(text: str, name: str, space: dict[str, object]) -> int:
    """Run the examples of a text, and return how many they are."""
    examples = doctest.DocTestParser().get_doctest(text, space, name, None, 0)
    runner, written = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS), []
    assert runner.run(examples, out=written.append).failed == 0, "".join(written)
    return len(examples.examples)


@pytest.mark.parametrize(("name", "text"), documented().items())
def test_the_examples_run(name, text):
    runs(text, name, {"fourbase": fourbase})


def test_every_public_name_is_documented():
    constants = {"Encoding", "WIN", "TIE", "LOSE", "NO_VALUE", "NO_PLIES", "INVALID", "__version__"}
    is_missing = {name: not text or text.startswith("Alias for") for name, text in documented().items()}
    assert {name for name in is_missing if is_missing[name]} <= constants


def test_the_version_is_that_of_the_package():
    assert fourbase.__version__ == importlib.metadata.version("fourbase")


def test_the_examples_of_the_readme_run():
    text = (PYTHON / "README.md").read_text()
    code = "\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL))
    space: dict[str, object] = {}
    exec(code, space)
    for call, answer in re.findall(r"^(\S.*?)  +# ([OM]\w+\(.*\))$", code, re.MULTILINE):
        assert repr(eval(call, space)) == answer


def blocks(page: Path, language: str) -> list[str]:
    """Return the fenced blocks of a page."""
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(), re.DOTALL)


@pytest.mark.parametrize("page", [GUIDE, TUTORIAL], ids=lambda page: page.name)
def test_the_examples_of_the_guide_and_of_the_tutorial_run(page):
    text = "".join(block for block in blocks(page, "python") if block.startswith(">>>"))
    assert runs(text, page.name, {}) > 20


def test_the_page_about_the_learner_shows_code_of_its_notebook():
    notebook = EXAMPLE.read_text()
    shown = blocks(LEARNER, "python")
    assert len(shown) == 3
    assert [block for block in shown if block not in notebook] == []


def table(text: str) -> dict[str, tuple[int, float, float, float]]:
    """Return the rows of a grade: positions, and the shares of `keeps`, `best` and `chance`."""
    rows = re.findall(r"^ *(\d+|all) +([\d,]+) +([\d.]+)% +([\d.]+)% +([\d.]+)%", text, re.MULTILINE)
    return {name: (int(count.replace(",", "")), *(float(of) for of in shares)) for name, count, *shares in rows}


def test_the_notebook_grades_a_learner(monkeypatch, tmp_path):
    needed = "pip install -e './python[examples]' installs it"
    names = ("jupytext", "nbclient", "sklearn", "ipykernel")
    jupytext, nbclient, *_ = (pytest.importorskip(name, reason=f"{name} is not installed; {needed}") for name in names)
    # Threads that wait for each other would spin, which is slow on a busy machine.
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.setenv("FOURBASE_DB", str(tmp_path))
    notebook = jupytext.read(EXAMPLE)
    nbclient.NotebookClient(notebook, timeout=1200, resources={"metadata": {"path": str(tmp_path)}}).execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    shown = [output.get("text") or output.get("data", {}).get("text/plain", "") for output in outputs]
    text = "\n".join(shown)

    assert "36,000 positions" in text
    assert sum("image/svg+xml" in output.get("data", {}) for output in outputs) == 2

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
    page = table(LEARNER.read_text())
    assert {name: row[0] for name, row in page.items()} == graded
    assert page["all"] == pytest.approx(learner["all"], abs=1.5)
    # This player has learnt nothing.
    assert central["all"][1:] == (47.64, 45.72, 41.78)
    assert "Outcome(value='lose', remoteness=2); best" in text
    assert "Outcome(value='win', remoteness=1)" in text


RUFF = ["ruff check .", "ruff format --check ."]
TYPES = ["mypy", "mypy.stubtest fourbase", "pyright --verifytypes fourbase --ignoreexternal"]


@pytest.mark.parametrize("command", RUFF + TYPES)
def test_the_code_is_formatted_and_typed(command):
    module, *options = command.split()
    pytest.importorskip(module.split(".")[0], reason=f"{module} is not installed")
    # pyright looks for the package with the first python of the path.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    env = os.environ | {"PATH": path, "VIRTUAL_ENV": sys.prefix}
    done = subprocess.run([sys.executable, "-m", module, *options], cwd=PYTHON, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
