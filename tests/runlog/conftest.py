"""A folder to write catalogues in, and the command line answered there, in this process."""

import gc
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import attrs
import pytest

from evalkit.cli import main
from evalkit.runlog.reader import RunLog
from evalkit.runlog.runs import find_run


@attrs.frozen
class Done:
    """What a command line came to."""

    code: int
    out: str
    err: str


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Stand in an empty folder; leave the interpreter as it was."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    path, modules = list(sys.path), set(sys.modules)
    yield tmp_path
    gc.enable()
    gc.unfreeze()
    sys.path[:] = path
    for name in set(sys.modules) - modules:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(tmp_path)):
            del sys.modules[name]


@pytest.fixture
def write(folder: Path) -> Callable[[str, str], str]:
    """Write a file in the folder, and give its name."""

    def write_file(name: str, source: str) -> str:
        (folder / name).write_text(textwrap.dedent(source), encoding="utf-8")
        return name

    return write_file


@pytest.fixture
def cli(folder: Path, capfd: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    """Answer a command line in the folder, and give all that is shown, prints of tools too."""

    def answer(*argv: str) -> Done:
        capfd.readouterr()
        code = main(argv)
        return Done(code, *capfd.readouterr())

    return answer


@pytest.fixture
def log_of(folder: Path) -> Callable[[str], RunLog]:
    """Read a run of the command line's log directory."""

    def read(reference: str) -> RunLog:
        return RunLog(find_run(folder / ".evalkit" / "runs", reference))

    return read
