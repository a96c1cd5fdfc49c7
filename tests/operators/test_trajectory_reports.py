"""The public bug reports on trajectories: each comes out as it should have."""

import json
from pathlib import Path
from typing import Any

import pytest

from evalkit import Assertion, Op, check

CASES = Path(__file__).parents[2] / "../shared/data/reports/cases.ndjson"
OPS = {"exact": Op.CALLS_EXACTLY, "any_order": Op.CALLS_ANY_ORDER, None: Op.CALLS_EXACTLY}
FOREIGN = {"traj-tool-definitions-as-calls"}
"""What is about the traces of other frameworks."""


def cases() -> list[Any]:
    """The cases on trajectories."""
    lines = CASES.read_text("utf-8").splitlines() if CASES.is_file() else []
    found = [json.loads(line) for line in lines]
    chosen = [each for each in found if each["kind"] == "trajectory" and each["id"] not in FOREIGN]
    reason = "../shared/data is not there"
    return [pytest.param(each, id=each["id"]) for each in chosen] or [
        pytest.param(None, marks=pytest.mark.skip(reason=reason))
    ]


def call_of(value: Any, named: bool) -> dict[str, Any]:
    """A call, from any of the ways in which the reports write one."""
    if isinstance(value, str):
        return {"tool": value, "args": {}}
    if "name" in value:
        return {"tool": value["name"], "args": value["args"], "id": value.get("id")}
    if named:
        ((name, args),) = value.items()
        return {"tool": name, "args": args}
    return {"tool": "t", "args": value}


def wanted(value: Any, named: bool) -> dict[str, Any]:
    """An expected call; a list of lists of accepted values is the first of each."""
    call = call_of(value, named)
    args = {
        name: each[0] if named and isinstance(each, list) else each
        for name, each in call["args"].items()
    }
    return {"tool": call["tool"], "args": args}


@pytest.mark.parametrize("case", cases())
def test_a_report(case: dict[str, Any]) -> None:
    """The verdict is the one that the report asks for."""
    given = case["input"]
    expected, actual = given["expected"], given["actual"]
    expected, actual = (each if isinstance(each, list) else [each] for each in (expected, actual))
    named = all(
        isinstance(each, dict)
        and "name" not in each
        and isinstance(next(iter(each.values())), dict)
        for each in expected
    )
    op = OPS[given.get("mode")]
    operands = [wanted(each, named) for each in expected]
    found = check(Assertion("", op, operands), [call_of(each, named) for each in actual])
    said = case["expected"]
    assert found.passed == (said == 1.0 or str(said).startswith("match"))
    if not found.passed:
        assert all(name in found.reason for name in ("base",) if name in str(said))


def test_one_of_two_is_half() -> None:
    """What `traj-duplicates` says of one call made in place of two: a score of a half."""
    found = check(Assertion("", Op.CALLS_ANY_ORDER, ["s", "s"]), [{"tool": "s", "args": {}}])
    assert (found.passed, found.score) == (False, 0.5)
