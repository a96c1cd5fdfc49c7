"""Which file is loaded by what, and what is said of one that can't be."""

from collections.abc import Callable
from pathlib import Path

import pytest

from evalkit import CatalogueError, load

Write = Callable[..., Path]

CASE = """
from evalkit import Scenario, ToolCall, _s
_s(Scenario("a", tool_calls=[ToolCall("ping")]))
"""


def refused(path: str | Path) -> str:
    """What loading is answered with."""
    with pytest.raises(CatalogueError) as caught:
        load(path)
    return str(caught.value)


def test_a_path_may_be_a_string_or_a_path(write: Write) -> None:
    """Both ways to write a path load the same file."""
    path = write("cases.py", CASE)
    assert load(path)["a"] == load(str(path))["a"] == load("cases.py")["a"]


def test_a_missing_file_is_answered_with_the_nearest(write: Write) -> None:
    """A typo in a file's name is answered with the file beside it."""
    write("scenarios.py", CASE)
    assert (
        refused("scenaros.py") == "scenaros.py: there is no such file; did you mean 'scenarios.py'?"
    )


def test_a_name_without_its_suffix_is_answered_with_the_file(write: Write) -> None:
    """`scenarios` for `scenarios.py` is a slip that is told."""
    write("scenarios.py", CASE)
    assert "'scenarios.py'" in refused("scenarios")


def test_a_missing_file_in_a_missing_folder(write: Write) -> None:
    """Where nothing is near, the path is named and nothing is guessed."""
    assert "nowhere/scenarios.py" in refused("nowhere/scenarios.py")


def test_a_folder_is_no_catalogue(write: Write) -> None:
    """A folder is refused, and which of its files are meant is asked."""
    write("evals/scenarios.py", CASE)
    told = refused("evals")
    assert "is a folder" in told
    assert "scenarios.py" in told


@pytest.mark.parametrize("name", ["cases.txt", "cases.pyc", "cases", "cases.PY.bak"])
def test_an_unknown_kind_of_file_is_answered_with_the_known(write: Write, name: str) -> None:
    """A file of another kind is refused with its kind and what is known."""
    write(name, "")
    told = refused(name)
    assert name in told
    assert "known: .py" in told


def test_no_path_at_all(write: Write) -> None:
    """An empty path names no file."""
    assert refused("")
