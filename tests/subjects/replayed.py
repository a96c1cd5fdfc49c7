"""How runs are recorded and given again, for the tests of that; and tools to be run."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from evalkit import Scenario, ScenarioResult
from evalkit.plan import Plan
from evalkit.planning import Planner
from evalkit.recordings import Recorder, Recordings
from evalkit.subjects.kinds import Kind
from evalkit.subjects.replay import ReplaySubject
from evalkit.trace import Trace

UNSEEN = ("seconds", "cost_usd")


def planned(scenario: Scenario, kind: Kind, operators: Any = None) -> Plan:
    """The plan of a scenario for recordings of a kind of subject."""
    (plan,) = Planner(None, operators or {}, kind=kind).plan([scenario]).plans
    return plan


def timeless(trace: Any) -> dict[str, Any]:
    """A trace without what a recording does not tell."""
    calls = [
        {**call, "seconds": 0, "attempts": [each["error"] for each in call["attempts"]]}
        for call in trace["calls"]
    ]
    observed = [name for name in trace["observed"] if name not in UNSEEN]
    return {**trace, "calls": calls, "observed": observed, "seconds": 0, "cost_usd": None}


def recorded(folder: Path, results: Iterable[ScenarioResult]) -> ReplaySubject:
    """What is recorded of results."""
    recorder = Recorder(folder)
    for result in results:
        if result.trace is not None:
            assert recorder.add(result.name, result.epoch, result.trace) is None
    recorder.close()
    return ReplaySubject(Recordings(folder))


def codes(result: ScenarioResult) -> list[Any]:
    """The verdict of each check."""
    return [(check.status, check.code, check.score, check.reason) for check in result.checks]


def missed(trace: Trace) -> str:
    """What is said to be missing, which is all that the trace tells."""
    (error,) = (each for each in trace["errors"] if each["kind"] == "no_recording")
    assert error["call"] is None
    assert trace["response"] is None
    return error["message"]


def find(id: int) -> dict[str, Any]:  # noqa: A002  - the name that is sent
    """Find an order."""
    print("looking")  # noqa: T201  - printing is under test
    return {"id": id, "cents": [100, 250]}


def refund(id: int, cents: int) -> dict[str, Any]:  # noqa: A002  - the name that is sent
    """Refund an order, or say why not."""
    if cents > 200:
        raise ValueError("that is too much")
    return {"refunded": cents}


TOOLS: dict[str, Callable[..., Any]] = {"find": find, "refund": refund}
