"""One run from start to end: who is told of it, how it is interrupted, what it leaves behind."""

import asyncio
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from evalkit import Assertion, Op, RunReport, Scenario, ScenarioResult, ToolCall, arun, run
from evalkit.result import Outline

Tools = dict[str, Callable[..., Any]]


class Notes:
    """A sink that keeps what it is told."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.events: list[str] = []
        self.reports: list[RunReport] = []

    def start(self, outline: Outline) -> None:
        """Note the beginning, and how much is to come."""
        self.events.append(f"start {outline.selected} of {outline.total}")

    def add(self, result: ScenarioResult) -> None:
        """Note a result."""
        self.events.append(f"{result.name} {result.status}")

    def finish(self, report: RunReport) -> None:
        """Note the end."""
        self.events.append("finish")
        self.reports.append(report)


def interrupt() -> None:
    """A tool that is interrupted, as by Ctrl-C."""
    raise KeyboardInterrupt


def scenario(name: str, tool: str, expected: Any = True) -> Scenario:
    """A scenario of one call."""
    return Scenario(name, tool_calls=[ToolCall(tool, {}, [Assertion("", Op.EQ, expected)])])


TOOLS: Tools = {"yes": lambda: True, "stop": interrupt}
THREE = [scenario("a", "yes"), scenario("b", "yes", expected=False), scenario("c", "yes")]


def test_sinks_are_told_in_order() -> None:
    """Every sink hears the start, each result as it comes, and the end, in the same order."""
    sinks = [Notes(), Notes()]
    run(THREE, tools=TOOLS, sinks=sinks)
    for sink in sinks:
        assert sink.events == ["start 3 of 3", "a passed", "b failed", "c passed", "finish"]


def test_a_sink_may_print() -> None:
    """What a sink prints is no tool's output: it is shown, and in no trace."""

    class Printer(Notes):
        def add(self, result: ScenarioResult) -> None:
            print("told of", result.name)  # noqa: T201  - printing is under test

    report = run(THREE, tools=TOOLS, sinks=[Printer()])
    for result in report.results:
        assert result.trace is not None
        assert [call["output"] for call in result.trace["calls"]] == [""]


def test_a_sink_s_print_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    """What a sink prints arrives where the caller's prints do."""

    class Printer(Notes):
        def add(self, result: ScenarioResult) -> None:
            print("told of", result.name)  # noqa: T201  - printing is under test

    run(THREE, tools=TOOLS, sinks=[Printer()])
    assert capsys.readouterr().out == "told of a\ntold of b\ntold of c\n"


@pytest.mark.parametrize("keep", [True, False])
def test_results_need_not_be_kept(keep: bool) -> None:
    """Without `keep_results` only sinks have the results; counts and verdict are the same."""
    sink = Notes()
    report = run(THREE, tools=TOOLS, sinks=[sink], keep_results=keep)
    assert len(report.results) == (3 if keep else 0)
    assert (report.exit_code, report.summary["scenarios_total"]) == (1, 3)
    assert len(sink.events) == 5


def test_a_run_that_passes_passes_without_its_results() -> None:
    """The verdict needs no results to be kept."""
    assert run(THREE[0], tools=TOOLS, keep_results=False).passed


def test_an_interrupted_run_reports_what_it_has() -> None:
    """A KeyboardInterrupt stops the run and is raised; the sinks first get the partial report."""
    sink = Notes()
    with pytest.raises(KeyboardInterrupt):
        run([THREE[0], scenario("stop", "stop"), THREE[2]], tools=TOOLS, sinks=[sink])
    assert sink.events == ["start 3 of 3", "a passed", "finish"]
    (report,) = sink.reports
    assert report.interrupted
    assert (report.passed, report.exit_code) == (False, 2)


class Full(Notes):
    """A sink that can't take the second result."""

    def add(self, result: ScenarioResult) -> None:
        """Note a result, and fail at the second."""
        super().add(result)
        if result.name == "b":
            raise OSError("no space left")


def test_a_run_that_breaks_off_reports_what_it_has() -> None:
    """Where a sink fails, the sinks are told of the end, and the error goes on."""
    sink = Full()
    with pytest.raises(OSError, match="no space left"):
        run(THREE, tools=TOOLS, sinks=[sink])
    assert sink.events == ["start 3 of 3", "a passed", "b failed", "finish"]
    assert sink.reports[0].interrupted


def test_an_async_tool_that_is_interrupted_stops_the_run() -> None:
    """A KeyboardInterrupt in a coroutine stops the run as in a function."""

    async def stop() -> None:
        raise KeyboardInterrupt

    sink = Notes()
    with pytest.raises(KeyboardInterrupt):
        run([scenario("s", "stop"), THREE[0]], tools={**TOOLS, "stop": stop}, sinks=[sink])
    assert sink.events == ["start 2 of 2", "finish"]


def test_a_refused_run_tells_nobody() -> None:
    """A run that is refused before its first call never starts for a sink."""
    sink = Notes()
    with pytest.raises(ValueError, match="yess"):
        run(scenario("a", "yess"), tools=TOOLS, sinks=[sink])
    assert sink.events == []


def test_streams_are_the_caller_s_again() -> None:
    """After a run, whatever came of it, stdout and stderr are what they were."""
    before = (sys.stdout, sys.stderr)
    run(THREE, tools=TOOLS)
    with pytest.raises(KeyboardInterrupt):
        run(scenario("s", "stop"), tools=TOOLS)
    assert (sys.stdout, sys.stderr) == before


def test_streams_are_the_caller_s_again_after_runs_side_by_side() -> None:
    """Two runs that overlap leave stdout and stderr as they were before both."""
    before = (sys.stdout, sys.stderr)
    first, second = threading.Event(), threading.Event()

    def overlapping(mine: threading.Event, other: threading.Event, last_s: float) -> bool:
        mine.set()
        together = other.wait(5)
        time.sleep(last_s)
        return together

    async def both() -> list[RunReport]:
        tools: list[Tools] = [
            {"t": lambda: overlapping(first, second, 0)},
            {"t": lambda: overlapping(second, first, 0.1)},
        ]
        runs = (arun(scenario("s", "t"), tools=each) for each in tools)
        return list(await asyncio.gather(*runs))

    try:
        assert all(report.passed for report in asyncio.run(both()))
        assert (sys.stdout, sys.stderr) == before
    finally:
        sys.stdout, sys.stderr = before


def test_runs_side_by_side_keep_their_output_apart() -> None:
    """What the tools of two overlapping runs print is noted with the run that printed it."""
    first, second = threading.Event(), threading.Event()

    def say(word: str, mine: threading.Event, other: threading.Event) -> bool:
        print(word)  # noqa: T201  - printing is under test
        mine.set()
        other.wait(5)
        print(word)  # noqa: T201  - printing is under test
        return True

    async def both() -> list[RunReport]:
        tools: list[Tools] = [
            {"t": lambda: say("one", first, second)},
            {"t": lambda: say("two", second, first)},
        ]
        runs = (arun(scenario("s", "t"), tools=each) for each in tools)
        return list(await asyncio.gather(*runs))

    before = (sys.stdout, sys.stderr)
    try:
        traces = [report["s"].trace for report in asyncio.run(both())]
    finally:
        sys.stdout, sys.stderr = before
    assert [trace and trace["calls"][0]["output"] for trace in traces] == ["one\n" * 2, "two\n" * 2]


def test_what_an_async_tool_prints_is_kept_on_the_caller_s_loop_too() -> None:
    """`arun` notes what an async tool prints with its call, as `run` does."""

    async def say() -> bool:
        print("hello")  # noqa: T201  - printing is under test
        return True

    trace = asyncio.run(arun(scenario("s", "t"), tools={"t": say}))["s"].trace
    assert trace is not None
    assert trace["calls"][0]["output"] == "hello\n"


def test_a_cancelled_run_stops_after_the_scenario_under_way() -> None:
    """An `arun` whose task is cancelled makes no more calls than those of its scenario."""
    called: list[str] = []
    began = threading.Event()

    def slow(name: str) -> bool:
        called.append(name)
        began.set()
        time.sleep(0.1)
        return True

    async def caller() -> None:
        calls = [[ToolCall("slow", {"name": name})] for name in "abc"]
        scenarios = [Scenario(each[0].args["name"], tool_calls=each) for each in calls]
        task = asyncio.create_task(arun(scenarios, tools={"slow": slow}))
        await asyncio.to_thread(began.wait, 5)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(caller())
    time.sleep(0.2)
    assert called == ["a"]


def test_no_thread_is_left_behind() -> None:
    """A run that lost no call leaves no thread."""
    before = threading.active_count()
    for _ in range(3):
        run(THREE, tools=TOOLS)
    deadline = time.monotonic() + 2
    while threading.active_count() > before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threading.active_count() <= before
