import doctest
import importlib.metadata
import inspect
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import fourbase
import fourbase.errors
import pytest

PYTHON = Path(__file__).parents[1]
NOTEBOOK = PYTHON / "examples" / "train-a-player.ipynb"
GUIDE = PYTHON.parent / "docs" / "reference" / "python.md"
TUTORIAL = PYTHON.parent / "docs" / "tutorial" / "train-a-player.md"


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
    constants = {"Encoding", "Metric", "WIN", "TIE", "LOSE", "NO_VALUE", "NO_PLIES", "INVALID", "__version__"}
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


def notebook(page: Path) -> str:
    """Return a page as a notebook: texts become cells, and so do the examples, without their prompts and answers."""
    cells = []
    for number, part in enumerate(re.split(r"```(python\n.*?)```\n", page.read_text(), flags=re.DOTALL)):
        cell = {"cell_type": "markdown", "id": f"cell-{number}", "metadata": {}}
        text = re.sub(r"]\(\.\./", "](../../docs/", part.strip())
        if part.startswith("python\n"):
            lines = re.findall(r"^(?:>>>|\.\.\.) ?(.*)$", part, re.MULTILINE)
            cell |= {"cell_type": "code", "execution_count": None, "outputs": []}
            text = "\n".join(lines)
        cells.append(cell | {"source": text.splitlines(keepends=True)})
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    book = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(book, indent=1, ensure_ascii=False) + "\n"


def test_the_notebook_is_the_tutorial():
    if os.environ.get("FOURBASE_UPDATE"):
        NOTEBOOK.write_text(notebook(TUTORIAL))
    assert NOTEBOOK.read_text() == notebook(TUTORIAL), "write it again with FOURBASE_UPDATE=1"


def test_the_notebook_runs(monkeypatch, tmp_path):
    needed = "pip install -e './python[examples]' installs it"
    names = ("nbformat", "nbclient", "ipykernel")
    nbformat, nbclient, _ = (pytest.importorskip(name, reason=f"{name} is not installed; {needed}") for name in names)
    monkeypatch.setenv("FOURBASE_DB", str(tmp_path))
    book = nbformat.read(NOTEBOOK, as_version=4)
    nbclient.NotebookClient(book, timeout=1200, resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = [output.get("text", "") for cell in book.cells for output in cell.get("outputs", [])]
    assert any("random moves keep 48.4%" in text for text in shown)


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
