"""The tables of the documentation are the tables of the code: neither can drift from the other."""

import json
import re
import subprocess
import sys
from pathlib import Path
from string import ascii_lowercase
from typing import Any, NamedTuple

import pytest

from evalkit import MISSING, Assertion, Op, Services, check
from evalkit.result import CODES
from evalkit.trace import KEYS

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
NOTHING = "—"
ISSUES = {Op.NO_ERRORS, Op.NO_WARNINGS, Op.HAS_ERROR, Op.HAS_WARNING}


class Row(NamedTuple):
    """One row of the operators' tables."""

    op: str
    expected: str
    holds: str
    fails: str


def rows(page: str, columns: int) -> list[list[str]]:
    """The rows of the tables of a page that begin with a code word and have so many columns."""
    found = re.findall(r"^\| `[^`]+`.*\|$", (DOCS / page).read_text(encoding="utf-8"), re.MULTILINE)
    cells = [[cell.strip() for cell in row.strip("|").split(" | ")] for row in found]
    return [row for row in cells if len(row) == columns]


OPERATORS = [Row(row[0].strip("`").lower(), *row[2:]) for row in rows("operators.md", 5)]


def value(cell: str) -> Any:
    """The JSON value in a cell."""
    return json.loads(cell.strip("`"))


def letters(texts: list[str]) -> list[list[float]]:
    """Vectors by which texts of the same letters are alike."""
    return [[text.lower().count(letter) for letter in ascii_lowercase] for text in texts]


SERVICES = Services(embed=letters)


def put(row: Row, cell: str) -> bool:
    """Whether the operator of a row holds for the value in a cell."""
    expected = MISSING if row.expected == NOTHING else value(row.expected)
    if row.op in ISSUES:
        return check(Assertion("", row.op, expected), value(cell)).passed
    document = {"value": value(cell)}
    return check(Assertion("value", row.op, expected), document, services=SERVICES).passed


def test_every_operator_has_its_row() -> None:
    """The tables name each operator once, and no other."""
    assert sorted(row.op for row in OPERATORS) == sorted(op.value for op in Op)


@pytest.mark.parametrize("row", OPERATORS, ids=lambda row: row.op)
def test_operator_holds_as_documented(row: Row) -> None:
    """Each row's first value passes and its second does not."""
    assert put(row, row.holds)
    assert row.fails == NOTHING or not put(row, row.fails)


@pytest.mark.parametrize("row", OPERATORS, ids=lambda row: row.op)
def test_operator_fails_on_nothing(row: Row) -> None:
    """No operator passes where its path does not resolve."""
    expected = MISSING if row.expected == NOTHING else value(row.expected)
    found = check(Assertion("absent", row.op, expected), {}, services=SERVICES)
    assert (found.passed, found.code) == (False, "unresolved_path")


def test_every_code_has_its_row() -> None:
    """The table of codes is that of the code, word for word."""
    documented = {row[0].strip("`"): (row[1], row[2]) for row in rows("outcomes.md", 3)}
    assert documented == {name: (code.family, code.meaning) for name, code in CODES.items()}


def test_every_key_of_the_trace_is_named() -> None:
    """The page of the trace names each of its keys."""
    page = (DOCS / "trace.md").read_text(encoding="utf-8")
    assert [key for key in sorted(KEYS) if f"`{key}`" not in page] == []


def test_every_flag_has_its_row() -> None:
    """The page of the command line names each flag that `--help` names, and no other."""
    commands = ["run", "list", "validate", "show", "report", "grade", "convert", "schema"]
    told = {flag for command in commands for flag in flags(help_of(command))}
    page = (DOCS / "command-line.md").read_text(encoding="utf-8")
    table = "\n".join(re.findall(r"^\| `-.*\|$", page, re.MULTILINE))
    assert flags(table) == told


def help_of(command: str) -> str:
    """What `--help` of a command prints."""
    done = subprocess.run(
        [sys.executable, "-m", "evalkit", command, "--help"],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    return done.stdout


def flags(text: str) -> set[str]:
    """The flags that a text names."""
    return set(re.findall(r"(?<![\w-])--?[a-zA-Z][\w-]*", text))
