"""A folder with a small catalogue in it, and the command line: in this process, or in its own."""

import gc
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import attrs
import pytest

from evalkit.cli import main

ROOT = Path(__file__).parents[2]
SHOP = """
from evalkit import Assertion, Op, Scenario, ToolCall, _s

def add(a: int, b: int):
    print("adding", a, b)
    return {"sum": a + b}

TOOL_DISPATCH = {"add": add}

def case(name, total, *tags, difficulty="standard", **fields):
    call = ToolCall("add", {"a": 1, "b": 2}, [Assertion("sum", Op.EQ, total)])
    return Scenario(name, "1 + 2?", [call], tags, "", difficulty, **fields)

_s(case("small_sum", 3, "sums", "small", difficulty="basic"))
_s(case("large_sum", 3, "sums", "large"))
_s(case("wrong_sum", 4, "wrong", "sums", difficulty="advanced"))
_s(case("other_wrong", 5, "wrong"))
_s(Scenario("talk", "Hello?", tags=["chat"], assertions=[Assertion("response", Op.EXISTS)]))
"""


@attrs.frozen
class Done:
    """What a command line came to."""

    code: int
    out: str
    err: str

    @property
    def last(self) -> str:
        """The last line that was written: of stdout, or of stderr where that is empty."""
        return (self.out.rstrip("\n") or self.err.rstrip("\n")).rpartition("\n")[2]


@pytest.fixture(autouse=True)
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Stand in a folder with shop.py; leave the interpreter as it was."""
    (tmp_path / "shop.py").write_text(SHOP, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.delenv("COLUMNS", raising=False)
    path, modules = list(sys.path), set(sys.modules)
    yield tmp_path
    gc.enable()
    gc.unfreeze()
    sys.path[:] = path
    for name in set(sys.modules) - modules:
        if name in ("shop", "cases", "tables"):
            del sys.modules[name]


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    """Answer a command line in this process."""

    def answer(*argv: str) -> Done:
        capsys.readouterr()
        code = main(argv)
        return Done(code, *capsys.readouterr())

    return answer


@pytest.fixture
def process(tmp_path: Path) -> Callable[..., Done]:
    """Answer a command line as `python -m evalkit` does."""

    def answer(*argv: str, **env: str) -> Done:
        kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
        done = subprocess.run(
            [sys.executable, "-m", "evalkit", *argv],
            cwd=tmp_path,
            env={**kept, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1", **env},
            capture_output=True,
            check=False,
            timeout=60,
            stdin=subprocess.DEVNULL,
        )
        return Done(done.returncode, done.stdout.decode(), done.stderr.decode())

    return answer


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str], str]:
    """Write a file in the folder, and give its name."""

    def write_file(name: str, source: str) -> str:
        (tmp_path / name).write_text(textwrap.dedent(source), encoding="utf-8")
        return name

    return write_file
