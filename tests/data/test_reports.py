"""Public bug reports of tools that do this job, on paths and operators: evalkit gets them right.

The cases on scores and means are in test_reports_scores.py.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evalkit import MISSING, Assertion, check
from evalkit.paths import compile_path

FILE = Path(__file__).parents[2] / "../shared/data/reports/cases.ndjson"
ABSENT = not FILE.exists()
KINDS = {"path", "op"}

pytestmark = pytest.mark.skipif(ABSENT, reason="../shared/data is not there")


def read() -> dict[str, dict[str, Any]]:
    """The cases about paths and operators, by id."""
    if ABSENT:
        return {}
    cases = [json.loads(line) for line in FILE.read_bytes().split(b"\n") if line]
    return {case["id"]: case for case in cases if case["kind"] in KINDS}


CASES = read()


def resolved(given: Any) -> Any:
    """What the case's path gives in its data."""
    return compile_path(given["path"]).resolve(given["data"])


def passes(assertion: Assertion, value: Any) -> bool:
    """Whether an assertion on a whole document holds."""
    return check(assertion, value).passed


def falsy(given: Any) -> list[bool]:
    """Whether paths that lead to something false or empty are found."""
    put = [
        passes(Assertion(path, op, value), given["data"]) for path, op, value in given["assertions"]
    ]
    empty = passes(Assertion("found", "len_eq", 0), {"found": []})
    values: list[Any] = [False, "", None]
    return [*put, empty, *(passes(Assertion("found", "exists"), {"found": v}) for v in values)]


def equal_pairs(given: Any) -> list[bool]:
    """Which of the pairs are equal, either way around and inside other values."""
    return [
        passes(Assertion("", "eq", left), right)
        and passes(Assertion("", "eq", right), left)
        and passes(Assertion("", "in", [[left]]), [right])
        for left, right in given["pairs"]
    ]


# id -> (how the case is put, what has to come of it)
PUT: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "path-neg-index-out-of-range": (resolved, MISSING),
    "path-digit-key": (resolved, "u"),
    "path-hash-key": (
        lambda given: [resolved(given), compile_path("A#B").resolve(given["data"])],
        [[1, 2, 3], [1, 2, 3]],
    ),
    "path-non-ascii-key": (resolved, "value"),
    "path-dotted-key": (
        lambda given: [resolved(given), compile_path("key.with.dot").resolve(given["data"])],
        ["value", "other"],
    ),
    "path-filter-string-vs-number-gt": (resolved, []),
    "path-resolves-to-falsy": (falsy, [True] * 6),
    "eq-bool-vs-int": (equal_pairs, [False, False, False, True]),
    "eq-none-expected": (
        lambda given: passes(Assertion("", "eq", given["expected"]), given["output"]),
        False,
    ),
    "list-any-order": (
        lambda given: [
            passes(Assertion("", "same_items", given["expected"]), given["actual"]),
            passes(Assertion("", "same_items", given["expected"]), given["expected"][:1] * 2),
        ],
        [True, False],
    ),
}


def test_every_case_is_put() -> None:
    """Each case about paths or operators is in the table, and no other."""
    assert sorted(PUT) == sorted(CASES)


@pytest.mark.parametrize("name", PUT)
def test_case(name: str) -> None:
    """The case gets the answer that its reporter wanted."""
    put, right = PUT[name]
    assert put(CASES[name]["input"]) == right
