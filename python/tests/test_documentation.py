import doctest
import importlib.metadata
import inspect
import re
import subprocess
import sys
from pathlib import Path

import fourbase
import fourbase.errors
import pytest

PYTHON = Path(__file__).parents[1]
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


@pytest.mark.parametrize(("name", "text"), documented().items())
def test_the_examples_run(name, text):
    examples = doctest.DocTestParser().get_doctest(text, {"fourbase": fourbase}, name, None, 0)
    runner, written = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS), []
    assert runner.run(examples, out=written.append).failed == 0, "".join(written)


def test_every_public_name_is_documented():
    constants = {"WIN", "TIE", "LOSE", "NO_VALUE", "NO_PLIES", "INVALID", "__version__"}
    assert [name for name, text in documented().items() if not text and name not in constants] == []


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
    examples = doctest.DocTestParser().get_doctest(text, {}, page.name, None, 0)
    assert len(examples.examples) > 20
    runner, written = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS), []
    assert runner.run(examples, out=written.append).failed == 0, "".join(written)


def test_the_page_about_the_learner_shows_code_of_its_notebook():
    notebook = (PYTHON / "examples" / "grade_a_learner.py").read_text()
    shown = blocks(LEARNER, "python")
    assert len(shown) == 3
    assert [block for block in shown if block not in notebook] == []


@pytest.mark.parametrize(
    "command",
    [["ruff", "check", "."], ["ruff", "format", "--check", "."], ["mypy"], ["mypy.stubtest", "fourbase"]],
    ids=lambda command: " ".join(command),
)
def test_the_code_is_formatted_and_typed(command):
    pytest.importorskip(command[0].split(".")[0], reason=f"{command[0]} is not installed")
    done = subprocess.run([sys.executable, "-m", *command], cwd=PYTHON, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
