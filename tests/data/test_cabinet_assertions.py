"""Thousands of graded assertions on the results of a real tool server, and on mutations of them."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from evalkit import Assertion, CatalogueError, check

FILE = Path(__file__).parents[2] / "../shared/data/cabinet/assertions.ndjson"
TOTAL = 4_873

pytestmark = pytest.mark.skipif(not FILE.exists(), reason="../shared/data is not there")


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    """The graded assertions, one a line."""
    return [json.loads(line) for line in FILE.read_bytes().split(b"\n") if line]


def verdict(row: dict[str, Any]) -> str:
    """What evalkit says of one: the status, or that it can't be put."""
    try:
        return check(Assertion(row["path"], row["op"], row["expected"]), row["document"]).status
    except CatalogueError as error:
        return str(error)


def test_every_one_is_graded(rows: list[dict[str, Any]]) -> None:
    """Every assertion gets the reference verdict: passed or failed, never an error."""
    words = {True: "passed", False: "failed"}
    wrong = [
        (row["id"], found, row["passes"])
        for row in rows
        for found in [verdict(row)]
        if found != words[row["passes"]]
    ]
    assert wrong == []
    assert len(rows) == TOTAL


def test_they_say_something(rows: list[dict[str, Any]]) -> None:
    """The assertions are of many operators, and both verdicts are common."""
    assert len(Counter(row["op"] for row in rows)) >= 14
    assert min(Counter(row["passes"] for row in rows).values()) > 500
