"""Where a scenario was registered: file and line, and which execution of that file."""

import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from evalkit.places import execution_of, forget_places, place_of

HERE = """
def inner():
    keep(frame())

for _ in range(2):
    inner()
keep(frame())
"""


def frames(source: str, filename: str = "<string>") -> list[FrameType]:
    """The frames that a source keeps while it is executed once."""
    kept: list[FrameType] = []
    names: dict[str, Any] = {"frame": lambda: sys._getframe(1), "keep": kept.append}  # noqa: SLF001
    exec(compile(source, filename, "exec"), names)  # noqa: S102
    return kept


def test_a_place_is_file_and_line() -> None:
    """The line is the one under way in the frame."""
    (frame,) = frames("\n\nkeep(frame())", "cases.py")
    assert place_of(frame).startswith("cases.py:")


def test_a_file_below_the_current_directory_is_told_from_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reader can open what a message names: a relative path where there is one."""
    monkeypatch.chdir(tmp_path)
    (frame,) = frames("keep(frame())", str(tmp_path / "evals" / "cases.py"))
    assert place_of(frame).rpartition(":")[0] == str(Path("evals") / "cases.py")


def test_a_file_elsewhere_is_told_in_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file outside of the current directory keeps its whole path."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    file = str(tmp_path / "cases.py")
    (frame,) = frames("keep(frame())", file)
    assert place_of(frame).rpartition(":")[0] == file


def test_the_current_directory_is_that_of_the_first_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One execution tells all its places alike, wherever it goes; a load looks anew."""
    file = tmp_path / "deep" / "cases.py"
    file.parent.mkdir()
    (frame,) = frames("keep(frame())", str(file))
    monkeypatch.chdir(tmp_path)
    first = place_of(frame)
    monkeypatch.chdir(file.parent)
    assert (first, place_of(frame)) == (f"{Path('deep') / 'cases.py'}:1",) * 2
    forget_places()
    assert place_of(frame) == "cases.py:1"


@pytest.mark.parametrize("name", ["<stdin>", "<string>", "<ipython-input-3-abc>"])
def test_what_is_no_file_keeps_its_name(name: str) -> None:
    """A prompt or a cell has no path to shorten."""
    (frame,) = frames("keep(frame())", name)
    assert place_of(frame).rpartition(":")[0] == name


def test_one_execution_is_one() -> None:
    """All that happens while a file is executed is one execution: its loops, and its functions."""
    first, second, third = map(execution_of, frames(HERE))
    assert first == second == third


def test_two_executions_of_one_file_are_two() -> None:
    """A file that is executed again, changed or not, is another execution."""
    (first,), (second,) = frames("keep(frame())"), frames("keep(frame())")
    assert execution_of(first) != execution_of(second)
