"""Grading, opening and closing run the author's code, and are held to a deadline as calls are."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from evalkit import (
    Assertion,
    Catalogue,
    Op,
    RunReport,
    Scenario,
    ScenarioResult,
    ToolCall,
    engine,
    operator,
    run,
)
from evalkit.catalogue import AMBIENT

Tools = dict[str, Callable[..., Any]]
LIMIT_S = 0.1


@pytest.fixture
def released() -> Iterator[threading.Event]:
    """An event that hung code waits for; it is set at the end of the test."""
    event = threading.Event()
    yield event
    event.set()


def quick() -> dict[str, bool]:
    """A tool that answers."""
    return {"ok": True}


def scenario(name: str, tool: str, **fields: Any) -> Scenario:
    """A scenario of one call that has to answer."""
    call = ToolCall(tool, {}, [Assertion("ok", Op.EQ, True)])
    return Scenario(name, tool_calls=[call], **fields)


def codes(result: ScenarioResult) -> list[str | None]:
    """The codes of the checks."""
    return [check.code for check in result.checks]


def statuses(report: RunReport) -> list[str]:
    """The statuses of the scenarios."""
    return [result.status.value for result in report.results]


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the author's code a tenth of a second to grade, to open and to close."""
    monkeypatch.setattr(engine, "OPENING_S", LIMIT_S)


@pytest.fixture
def hanging(released: threading.Event) -> Catalogue:
    """A catalogue with the operator `hanging`, which does not answer."""
    made = Catalogue("test")
    token = AMBIENT.set(made)
    operator("hanging")(lambda actual, assertion, context: released.wait(30))
    AMBIENT.reset(token)
    made.tools = {"quick": quick}
    return made


@pytest.mark.usefixtures("short")
def test_an_operator_that_hangs_is_an_error(hanging: Catalogue) -> None:
    """Grading past its deadline makes every check of its scenario ERROR, and the run goes on."""
    checks = [Assertion("ok", Op.EQ, True), Assertion("ok", "hanging"), Assertion("ok", Op.EXISTS)]
    calls = [ToolCall("quick", {}, checks, save_as={"ok": "ok"}), ToolCall("quick")]
    on_trace = [Assertion("calls", Op.LEN_EQ, 2)]
    stuck = Scenario("stuck", tool_calls=calls, tags=["t"], assertions=on_trace)
    started = time.monotonic()
    report = run([hanging.add(stuck), hanging.add(scenario("next", "quick"))])
    assert time.monotonic() - started < 5
    assert statuses(report) == ["error", "passed"]
    assert codes(report["stuck"]) == ["operator_raised"] * 6
    assert [check.step for check in report["stuck"].checks] == [0, 0, 0, 0, 1, None]
    assert {check.reason for check in report["stuck"].checks} == {"no verdict within 0.1 s"}
    assert (report["stuck"].tags, report.threads_lost) == (("t",), 1)
    trace = report["stuck"].trace
    assert trace is not None
    assert [call["result"] for call in trace["calls"]] == [{"ok": True}] * 2


@pytest.mark.usefixtures("short")
def test_a_known_failure_that_hangs_is_an_error_all_the_same(hanging: Catalogue) -> None:
    """What could not be measured is not the failure that was expected."""
    call = ToolCall("quick", {}, [Assertion("ok", "hanging")])
    report = run(hanging.add(Scenario("s", tool_calls=[call], xfail="known")))
    assert statuses(report) == ["error"]


@pytest.mark.usefixtures("short")
def test_a_hung_operator_counts_as_a_failure(hanging: Catalogue) -> None:
    """A run that stops after one failure stops after a hung operator as well."""
    call = ToolCall("quick", {}, [Assertion("ok", "hanging")])
    hanging.add(Scenario("stuck", tool_calls=[call]))
    hanging.add(scenario("next", "quick"))
    assert statuses(run(hanging, max_failures=1)) == ["error"]


@pytest.mark.usefixtures("short")
@pytest.mark.parametrize("where", ["open", "close"])
def test_tools_that_hang_in_opening_or_closing_are_an_error(
    where: str, released: threading.Event
) -> None:
    """A factory past its deadline is `tools_unavailable`; the next scenario opens its own tools."""
    opened = iter(range(9))

    @contextmanager
    def factory() -> Iterator[Tools]:
        hangs = next(opened) == 1
        if hangs and where == "open":
            released.wait(30)
        yield {"quick": quick}
        if hangs and where == "close":
            released.wait(30)

    on_trace = [Assertion("errors", Op.LEN_EQ, 0)]
    stuck = scenario("stuck", "quick", assertions=on_trace)
    report = run([stuck, scenario("next", "quick")], tools=factory)
    assert statuses(report) == ["error", "passed"]
    unavailable = [check for check in report["stuck"].checks if check.code]
    assert {check.code for check in unavailable} == {"tools_unavailable"}
    assert all("not within 0.1 s" in check.reason for check in unavailable)
