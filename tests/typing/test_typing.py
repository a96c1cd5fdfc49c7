"""The types are a product: what users write is accepted, what they mistype is refused."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PASS, FAIL = HERE / "pass.py", HERE / "fail.py"

pytestmark = pytest.mark.slow


def mypy(path: Path) -> set[int]:
    """The lines of a file that mypy refuses."""
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--no-error-summary",
        "--hide-error-context",
        str(path),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode in {0, 1}, done.stdout + done.stderr
    found = re.findall(rf"^[^:\n]*{path.name}:(\d+):.* error: ", done.stdout, re.MULTILINE)
    return {int(line) for line in found}


def pyright(path: Path) -> set[int]:
    """The lines of a file that pyright refuses."""
    command = [sys.executable, "-m", "pyright", "--outputjson", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode in {0, 1}, done.stdout + done.stderr
    found = json.loads(done.stdout)["generalDiagnostics"]
    return {entry["range"]["start"]["line"] + 1 for entry in found if entry["severity"] == "error"}


def marked(path: Path) -> set[int]:
    """The lines of a file that must be refused."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return {number for number, line in enumerate(lines, 1) if line.endswith("# expect-error")}


Checker = Callable[[Path], set[int]]
CHECKERS: list[Checker] = [mypy, pyright]


@pytest.mark.parametrize("checker", CHECKERS)
def test_what_users_write_is_accepted(checker: Checker) -> None:
    """Every line of pass.py has the types that it says."""
    assert checker(PASS) == set()


@pytest.mark.parametrize("checker", CHECKERS)
def test_what_users_mistype_is_refused(checker: Checker) -> None:
    """The marked lines of fail.py are refused, and no others."""
    assert checker(FAIL) == marked(FAIL) != set()
