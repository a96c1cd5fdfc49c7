"""Which report a file gets, and how it is written: whole, or not at all."""

import os
import stat
from pathlib import Path

import pytest

from evalkit import CatalogueError, Scenario, ToolCall, run
from evalkit.reports.files import report_to, write_whole


def test_a_file_is_written_whole(tmp_path: Path) -> None:
    """The content is there, and nothing else is left in the folder."""
    path = tmp_path / "x.json"
    write_whole(path, b"one")
    write_whole(path, b"two")
    assert path.read_bytes() == b"two"
    assert list(tmp_path.iterdir()) == [path]


def test_what_can_not_be_put_in_place_leaves_nothing(tmp_path: Path) -> None:
    """Where the place is taken by a folder, no half-written file stays behind."""
    (tmp_path / "x.json").mkdir()
    with pytest.raises(OSError, match=r"x\.json"):
        write_whole(tmp_path / "x.json", b"one")
    assert list(tmp_path.iterdir()) == [tmp_path / "x.json"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    """A report that is written through a symbolic link goes to where it points."""
    real, link = tmp_path / "real.json", tmp_path / "link.json"
    real.write_bytes(b"old")
    link.symlink_to(real)
    write_whole(link, b"new")
    assert link.is_symlink()
    assert real.read_bytes() == b"new"


def test_a_file_keeps_its_permissions(tmp_path: Path) -> None:
    """Who could read the old report can read the new one."""
    path = tmp_path / "x.json"
    path.write_bytes(b"old")
    path.chmod(0o644)
    write_whole(path, b"new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o644


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("x.jsn", "did you mean '.json'?"),
        ("x", "known: '.json'"),
        ("no/x.json", "no such folder"),
        ("", ""),
    ],
)
def test_a_place_that_is_none_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, told: str
) -> None:
    """An unknown suffix or folder is refused beforehand, with the path and the nearest."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CatalogueError) as caught:
        report_to(Path(name))
    assert told in str(caught.value)
    assert f"-o {Path(name)}" in str(caught.value)


def test_a_place_is_where_the_run_began(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tool that changes the current directory does not move the report."""
    monkeypatch.chdir(tmp_path)
    sink = report_to(Path("x.json"))
    (tmp_path / "elsewhere").mkdir()

    def move() -> None:
        os.chdir("elsewhere")

    run(Scenario("s", tool_calls=[ToolCall("move")]), tools={"move": move}, sinks=[sink])
    assert (tmp_path / "x.json").exists()
    assert list((tmp_path / "elsewhere").iterdir()) == []
