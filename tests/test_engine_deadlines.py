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


def test_a_call_that_returns_too_late_is_late_whoever_looks_first() -> None:
    """An answer after the deadline is `tool_timeout`, also where the watcher was not there yet."""
    calls = [ToolCall("slow", timeout_s=0.1)] * 5
    tools: Tools = {"slow": lambda: time.sleep(0.101)}
    result = run(Scenario("s", tool_calls=calls), tools=tools)["s"]
    assert codes(result) == ["tool_timeout"] * 5
    assert result.trace is not None
    assert {call["error"] and call["error"]["kind"] for call in result.trace["calls"]} == {
        "timeout"
    }


def given_up() -> None:
    """Wait until every thread that was given up has ended."""
    for thread in threading.enumerate():
        if thread.name == "evalkit":
            thread.join(5)
            assert not thread.is_alive()


def test_a_call_that_was_given_up_is_not_made_late(released: threading.Event) -> None:
    """Where time was up while the arguments were made, the tool is not called afterwards."""
    called: list[int] = []

    def second(n: int) -> None:
        called.append(n)

    waits = lambda n: released.wait(30) and n  # noqa: E731
    calls = [
        ToolCall("first", save_as={"n": "n"}),
        ToolCall("second", context_args={"n": "n"}, arg_transforms={"n": waits}, timeout_s=LIMIT_S),
    ]
    tools: Tools = {"first": lambda: {"n": 1}, "second": second}
    report = run(Scenario("s", tool_calls=calls), tools=tools)
    released.set()
    given_up()
    assert codes(report["s"]) == [None, None, "tool_timeout"]
    assert report.threads_lost == 1
    assert called == []


def test_a_call_that_was_given_up_is_not_tried_again(released: threading.Event) -> None:
    """A transport that fails after the deadline is not asked again behind the next scenario."""
    called: list[int] = []

    def failing() -> None:
        called.append(1)
        released.wait(30)
        raise ConnectionResetError

    call = ToolCall("failing", timeout_s=LIMIT_S, retry=3)
    report = run(Scenario("s", tool_calls=[call]), tools={"failing": failing})
    released.set()
    given_up()
    assert codes(report["s"]) == ["tool_timeout"]
    assert called == [1]


@pytest.mark.parametrize("raised", [GeneratorExit(), BaseException("thrown")], ids=repr)
@pytest.mark.parametrize("kind", ["sync", "async", "open", "close"])
def test_what_is_no_exception_ends_no_run(kind: str, raised: BaseException) -> None:
    """Whatever a tool or a factory throws is its outcome, and the next scenario runs."""
    opened = iter(range(9))

    def sync() -> None:
        raise raised

    async def later() -> None:
        raise raised

    @contextmanager
    def factory() -> Iterator[Tools]:
        bad = next(opened) == 1
        if bad and kind == "open":
            raise raised
        yield {"t": later if bad and kind == "async" else sync if bad and kind == "sync" else quick}
        if bad and kind == "close":
            raise raised

    on_trace = [Assertion("errors", Op.LEN_EQ, 0)]
    scenarios = [scenario("bad", "t", assertions=on_trace), scenario("next", "t")]
    report = run(scenarios, tools=factory)
    status = "failed" if kind in ("sync", "async") else "error"
    assert statuses(report) == [status, "passed"]
    assert any(type(raised).__name__ in check.reason for check in report["bad"].checks)
