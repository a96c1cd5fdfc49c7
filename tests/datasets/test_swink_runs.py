"""A case of Swink, run against agents that are told what to do."""

import json
from pathlib import Path
from typing import Any

import pytest

from evalkit import Reply, ScenarioResult, Status, load, run
from tests.datasets.test_swink import CASE, JUDGED, TRAJECTORY

FIND: dict[str, Any] = {"tool": "find", "args": {"id": 7}, "result": 1}
REFUND: dict[str, Any] = {"tool": "refund", "args": {"why": "late"}, "result": 2}
OTHER: dict[str, Any] = {"tool": "log", "args": {}, "result": 3}
WHOLE = CASE | {"expected_trajectory": TRAJECTORY, "budget": {"max_turns": 3}}


def result(folder: Path, reply: Reply, **changes: Any) -> ScenarioResult:
    """How the case comes out, in a set, with some fields changed."""
    path = folder / "set.json"
    held = {"id": "s", "name": "S", "cases": [WHOLE | changes]}
    path.write_text(json.dumps(held), encoding="utf-8")
    (found,) = run(load(path), agent=lambda _: reply).results
    return found


@pytest.mark.parametrize(
    ("reply", "status"),
    [
        (Reply("In Oslo.", calls=[FIND, REFUND]), Status.PASSED),
        (Reply("In Oslo.", calls=[OTHER, FIND, OTHER, REFUND], turns=3), Status.PASSED),
        (Reply("In Oslo.", calls=[FIND]), Status.FAILED),
        (Reply("In Oslo.", calls=[REFUND, FIND]), Status.FAILED),
        (Reply("In Oslo.", calls=[{**FIND, "args": {"id": 8}}, REFUND]), Status.FAILED),
        (Reply("In Rome.", calls=[FIND, REFUND]), Status.FAILED),
        (Reply("in oslo", calls=[FIND, REFUND]), Status.FAILED),
        (Reply("In Oslo.", calls=[FIND, REFUND], turns=3), Status.PASSED),
        (Reply("In Oslo.", calls=[FIND, REFUND], turns=4), Status.FAILED),
    ],
)
def test_verdicts(tmp_path: Path, reply: Reply, status: Status) -> None:
    """Calls in order, the response and the budget decide, as in Swink."""
    assert result(tmp_path, reply).status is status


def test_evaluators_decide_what_decides(tmp_path: Path) -> None:
    """What the evaluators leave out may be wrong."""
    reply = Reply("In Rome.", calls=[FIND, REFUND])
    assert result(tmp_path, reply, evaluators=["trajectory"]).status is Status.PASSED
    assert result(tmp_path, reply, evaluators=["response"]).status is Status.FAILED


def test_a_state_that_nobody_captures(tmp_path: Path) -> None:
    """A state without its capture is an error, and never passes."""
    reply = Reply("In Oslo.", calls=[FIND, REFUND])
    found = result(tmp_path, reply, expected_environment_state=[{"name": "db", "state": 1}])
    assert found.status is Status.ERROR


def test_what_is_for_a_judge(tmp_path: Path) -> None:
    """A case that needs a judge is SKIPPED, and says by which field."""
    reply = Reply("In Oslo.", calls=[FIND, REFUND])
    found = result(tmp_path, reply, expected_assertion=JUDGED)
    assert (found.status, found.reason) == (
        Status.SKIPPED,
        "needs a judge: expected_assertion",
    )


def test_nothing_but_a_judge(tmp_path: Path) -> None:
    """A case with nothing else is SKIPPED as well, and not refused."""
    nothing = dict.fromkeys(("expected_trajectory", "expected_response", "budget"))
    found = result(tmp_path, Reply("x"), **nothing, expected_assertion=JUDGED)
    assert found.status is Status.SKIPPED
