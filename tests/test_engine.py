"""Plans become results: tools opened, called and closed in order, deadlines held, runs stopped."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from evalkit import (
    Assertion,
    Op,
    Ref,
    RunReport,
    Scenario,
    ScenarioResult,
    Status,
    ToolCall,
    run,
)

Tools = dict[str, Callable[..., Any]]
LIMIT_S = 0.1


@pytest.fixture
def released() -> Iterator[threading.Event]:
    """An event that hung tools wait for; it is set at the end of the test."""
    event = threading.Event()
    yield event
    event.set()


def quick() -> dict[str, bool]:
    """A tool that answers."""
    return {"ok": True}


def scenario(name: str, *tools: str, **fields: Any) -> Scenario:
    """A scenario that calls these tools; each has to answer."""
    calls = [ToolCall(tool, {}, [Assertion("ok", Op.EQ, True)]) for tool in tools]
    return Scenario(name, tool_calls=calls, **fields)


def codes(result: ScenarioResult) -> list[str | None]:
    """The codes of the checks."""
    return [check.code for check in result.checks]


def statuses(report: RunReport) -> list[str]:
    """The statuses of the scenarios."""
    return [result.status.value for result in report.results]


class Desk:
    """A factory that notes what is done on which thread; `fails` names where it raises."""

    def __init__(self, *fails: str) -> None:
        """Take where to raise."""
        self.log: list[str] = []
        self.threads: set[int] = set()
        self.fails = fails
        self.opened = 0

    def note(self, what: str) -> None:
        """Note one act, and raise where that is due; planning, the first opening, is spared."""
        self.threads.add(threading.get_ident())
        self.log.append(what)
        if what in self.fails and self.opened > 1:
            raise RuntimeError(f"{what} failed")

    def call(self, n: int = 0) -> dict[str, bool]:
        """Be a tool."""
        self.note("call")
        return {"ok": n == 0}

    async def later(self) -> dict[str, bool]:
        """Be an async tool."""
        self.note("later")
        return {"ok": True}

    @contextmanager
    def tools(self) -> Iterator[Tools]:
        """Be a factory."""
        self.opened += 1
        self.note("open")
        try:
            yield {"call": self.call, "later": self.later, "quick": quick}
        finally:
            self.note("close")


PLANNING = ["open", "close"]


def test_open_calls_and_close_are_in_order_on_one_thread() -> None:
    """Opening, every call, sync or async, and closing happen on one thread, in this order."""
    desk = Desk()
    assert run([scenario("a", "call", "later"), scenario("b", "call")], tools=desk.tools).passed
    expected = ["open", "call", "later", "close", "open", "call", "close"]
    assert desk.log == PLANNING + expected
    assert len(desk.threads) == 1
    assert threading.get_ident() not in desk.threads


def test_tools_are_closed_after_a_failure() -> None:
    """A tool that raises leaves the rest of its scenario and the closing to happen as ever."""
    desk = Desk("call")
    report = run([scenario("a", "call", "later"), scenario("b", "later")], tools=desk.tools)
    assert statuses(report) == ["failed", "passed"]
    assert desk.log[2:] == ["open", "call", "later", "close", "open", "later", "close"]


def test_tools_are_closed_after_an_interrupt() -> None:
    """A tool that is interrupted has its tools closed before the run ends."""

    def interrupted() -> None:
        raise KeyboardInterrupt

    closed: list[str] = []

    @contextmanager
    def factory() -> Iterator[Tools]:
        try:
            yield {"t": interrupted}
        finally:
            closed.append("closed")

    with pytest.raises(KeyboardInterrupt):
        run([scenario("a", "t"), scenario("b", "t")], tools=factory)
    assert closed == ["closed", "closed"]


@pytest.mark.parametrize("where", ["open", "close"])
def test_tools_that_do_not_open_or_close_are_an_error(where: str) -> None:
    """A scenario whose tools can't be opened or closed is ERROR, with what was raised."""
    desk = Desk(where)
    on_trace = [Assertion("calls", Op.LEN_EQ, 1), Assertion("errors", Op.LEN_EQ, 0)]
    result = run(scenario("s", "call", assertions=on_trace), tools=desk.tools)["s"]
    assert result.status is Status.ERROR
    assert len(result.checks) == 3
    bad = [check for check in result.checks if check.status is Status.ERROR]
    assert {check.code for check in bad} == {"tools_unavailable"}
    assert all(f"RuntimeError: {where} failed" in check.reason for check in bad)
    assert bad


def test_without_tools_no_call_is_made_and_every_check_is_an_error() -> None:
    """Where the tools do not open, every check of the scenario is there, as ERROR."""
    desk = Desk("open")
    calls = [
        ToolCall("call", {}, [Assertion("ok", Op.EQ, True)], save_as={"ok": "ok"}),
        ToolCall("call", {"n": Ref("ok")}, expect_error=True),
    ]
    result = run(Scenario("s", tool_calls=calls), tools=desk.tools)["s"]
    assert codes(result) == ["tools_unavailable"] * 3
    assert "call" not in desk.log


def test_a_failed_scenario_whose_tools_do_not_close_is_failed() -> None:
    """FAILED outranks ERROR, also where it is the closing that failed."""
    desk = Desk("call", "close")
    assert run(scenario("s", "call"), tools=desk.tools)["s"].status is Status.FAILED


@pytest.mark.parametrize("where", ["open", "close"])
def test_the_next_scenario_opens_its_own_tools(where: str) -> None:
    """Tools that fail to open or close for one scenario leave the next one to its own."""
    failing = iter([False, True, False])

    @contextmanager
    def factory() -> Iterator[Tools]:
        fails = next(failing)
        if fails and where == "open":
            raise SystemExit(0)
        yield {"quick": quick}
        if fails and where == "close":
            raise SystemExit(0)

    report = run([scenario("a", "quick"), scenario("b", "quick")], tools=factory)
    assert statuses(report) == ["error", "passed"]


def hang(kind: str, event: threading.Event) -> Callable[[], Any]:
    """A tool that does not answer, of one kind, until the event is set."""

    async def later() -> None:
        await asyncio.sleep(30)

    async def stubborn() -> None:
        while not event.is_set():
            try:
                await asyncio.sleep(0.01)
            except asyncio.CancelledError:
                continue

    async def blocking() -> None:
        event.wait(30)

    kinds: Tools = {
        "sync": lambda: event.wait(30),
        "async": later,
        "stubborn": stubborn,
        "blocking": blocking,
    }
    return kinds[kind]


KINDS = ["sync", "async", "stubborn", "blocking"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_hung_call_of_a_shared_table_costs_only_itself(
    kind: str, released: threading.Event
) -> None:
    """A call past its deadline is `tool_timeout`; later steps and scenarios run all the same."""
    tools: Tools = {"hang": hang(kind, released), "quick": quick}
    scenarios = [scenario("a", "quick", "hang", "quick"), scenario("b", "quick")]
    started = time.monotonic()
    report = run(scenarios, tools=tools, timeout_s=LIMIT_S)
    assert time.monotonic() - started < 5
    assert codes(report["a"]) == [None, "tool_timeout", None]
    assert statuses(report) == ["failed", "passed"]
    assert "hang" in report["a"].checks[1].reason
    assert "0.1 s" in report["a"].checks[1].reason


@pytest.mark.parametrize("kind", ["sync", "stubborn"])
def test_a_hung_call_of_own_tools_ends_its_scenario(kind: str, released: threading.Event) -> None:
    """A scenario's own tools are lost with a hung call: the rest is `not_run`, the next opens."""
    tables: list[Tools] = []

    def factory() -> Tools:
        tables.append({"hang": hang(kind, released), "quick": quick})
        return tables[-1]

    scenarios = [scenario("a", "quick", "hang", "quick"), scenario("b", "quick")]
    report = run(scenarios, tools=factory, timeout_s=LIMIT_S)
    assert codes(report["a"]) == [None, "tool_timeout", "not_run"]
    assert statuses(report) == ["failed", "passed"]
    assert len(tables) == 3


def test_a_call_that_comes_back_late_keeps_its_tools(released: threading.Event) -> None:
    """An async call that ends when it is told to stop is `tool_timeout`, and its tools go on."""
    tools: Tools = {"hang": hang("async", released), "quick": quick}
    report = run(scenario("a", "hang", "quick"), tools=lambda: tools, timeout_s=LIMIT_S)
    assert codes(report["a"]) == ["tool_timeout", None]
    assert report.threads_lost == 0


def test_lost_threads_are_counted_and_said(released: threading.Event) -> None:
    """Threads that are left behind are counted in the report, and a note says so."""
    tools: Tools = {"hang": hang("sync", released)}
    report = run(scenario("a", "hang", "hang"), tools=tools, timeout_s=LIMIT_S)
    assert report.threads_lost == 2
    assert any("2" in note for note in report.notes)


def test_dependents_of_a_hung_call_are_not_run(released: threading.Event) -> None:
    """A value that a hung call should have saved is not there; its step fails `unsaved_value`."""
    calls = [
        ToolCall("hang", save_as={"ok": "ok"}),
        ToolCall("quick", {"x": Ref("ok")}),
        ToolCall("quick"),
    ]
    tools: Tools = {"hang": hang("sync", released), "quick": lambda **_: quick()}
    report = run(Scenario("s", tool_calls=calls), tools=tools, timeout_s=LIMIT_S)
    assert codes(report["s"]) == ["tool_timeout", "unsaved_value", "unsaved_value", None]


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_the_trace_tells_of_a_hung_call(kind: str, released: threading.Event) -> None:
    """A hung call is noted with its arguments, how long it took, and what it had printed."""
    waits = hang(kind, released)

    def talkative(n: int) -> Any:
        print("about to wait")  # noqa: T201  - printing is under test
        return waits()

    call = ToolCall("hang", {"n": 1}, timeout_s=LIMIT_S)
    trace = run(Scenario("s", tool_calls=[call]), tools={"hang": talkative})["s"].trace
    assert trace is not None
    (made,) = trace["calls"]
    assert made["args"] == {"n": 1}
    assert made["error"] is not None
    assert made["error"]["kind"] == "timeout"
    assert LIMIT_S <= made["seconds"] < 5
    assert made["output"] == "about to wait\n"


def test_a_call_says_its_own_timeout(released: threading.Event) -> None:
    """`timeout_s` of a call goes before the run's."""
    calls = [ToolCall("hang", timeout_s=LIMIT_S), ToolCall("slow", timeout_s=30)]
    tools: Tools = {"hang": hang("sync", released), "slow": lambda: time.sleep(0.3)}
    report = run(Scenario("s", tool_calls=calls), tools=tools, timeout_s=0.2)
    assert codes(report["s"]) == ["tool_timeout", None]


def test_a_scenario_bounds_its_calls_together(released: threading.Event) -> None:
    """Past the scenario's deadline the call under way times out and the rest is not begun."""
    calls = [
        ToolCall("quick"),
        ToolCall("hang", {}, [Assertion("a", Op.EQ, 1), Assertion("b", Op.EQ, 1)]),
        ToolCall("quick", save_as={"ok": "ok"}),
    ]
    tools: Tools = {"hang": hang("sync", released), "quick": quick}
    limited = Scenario("s", tool_calls=calls, timeout_s=LIMIT_S)
    report = run([limited, scenario("t", "quick")], tools=tools)
    late, skipped = ["tool_timeout"] * 2, ["scenario_timeout", "unsaved_value"]
    assert codes(report["s"]) == [None, *late, *skipped]
    assert "scenario's 0.1 s" in report["s"].checks[1].reason
    assert statuses(report) == ["failed", "passed"]


def test_a_scenario_that_is_in_time_is_not_touched() -> None:
    """A scenario's deadline that is not reached changes nothing."""
    assert run(scenario("s", "quick", "quick", timeout_s=30), tools={"quick": quick}).passed


@pytest.mark.parametrize(("limit", "ran"), [(1, 1), (2, 3), (3, 4), (None, 4)])
def test_a_run_stops_after_so_many_failures(limit: int | None, ran: int) -> None:
    """`max_failures` ends a run with the failure that is one too many; passed ones don't count."""
    tools: Tools = {"bad": lambda: {"ok": False}, "quick": quick}
    names = ["bad", "quick", "bad", "bad"]
    scenarios = [scenario(f"s{index}", tool) for index, tool in enumerate(names)]
    assert len(run(scenarios, tools=tools, max_failures=limit).results) == ran


@pytest.mark.parametrize("own", [False, True])
def test_a_hung_call_counts_as_a_failure(own: bool, released: threading.Event) -> None:
    """A run that stops after one failure stops after a hung call as well."""
    tools: Tools = {"hang": hang("sync", released), "quick": quick}
    scenarios = [scenario("a", "hang"), scenario("b", "quick"), scenario("c", "quick")]
    given = (lambda: tools) if own else tools
    report = run(scenarios, tools=given, timeout_s=LIMIT_S, max_failures=1)
    assert [result.name for result in report.results] == ["a"]


def test_what_closing_prints_is_not_the_next_call_s() -> None:
    """Text printed while tools open or close belongs to no call of another scenario."""

    @contextmanager
    def factory() -> Iterator[Tools]:
        yield {"quick": quick}
        print("closing")  # noqa: T201  - printing is under test

    report = run([scenario("a", "quick"), scenario("b", "quick")], tools=factory)
    for result in report.results:
        assert result.trace is not None
        assert [call["output"] for call in result.trace["calls"]] == [""]
