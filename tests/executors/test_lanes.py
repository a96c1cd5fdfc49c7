"""Runs side by side in this process: on threads, with one loop for all async handlers."""

import asyncio
import textwrap
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evalkit import Assertion, Op, RunReport, Scenario, Status, ToolCall, arun, run

MEET_S = 20.0
LIMIT_S = 0.3
Tools = dict[str, Callable[..., Any]]


def several(count: int, tool: str = "t", **fields: Any) -> list[Scenario]:
    """So many scenarios of one call."""
    return [Scenario(f"s{n}", tool_calls=[ToolCall(tool)], **fields) for n in range(count)]


def side_by_side(scenarios: list[Scenario], tools: Tools, workers: int, **more: Any) -> RunReport:
    """A run on threads."""
    return run(scenarios, tools=tools, executor="threads", workers=workers, **more)


def statuses(report: RunReport) -> dict[str, str]:
    """The status of each scenario."""
    return {result.name: result.status.value for result in report.results}


@pytest.mark.parametrize("workers", [2, 5])
def test_so_many_run_at_once(workers: int) -> None:
    """With N workers N calls are under way at once: each waits until all N are there."""
    meeting = threading.Barrier(workers, timeout=MEET_S)
    report = side_by_side(several(2 * workers), {"t": lambda: meeting.wait() >= 0}, workers)
    assert report.passed


def test_never_more_than_so_many() -> None:
    """With N workers no more than N calls are under way at once."""
    now, most, lock = [0], [0], threading.Lock()

    def tool() -> None:
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        time.sleep(0.005)
        with lock:
            now[0] -= 1

    assert side_by_side(several(30), {"t": tool}, 3).passed
    assert most[0] <= 3


def test_async_handlers_meet_on_one_loop() -> None:
    """Coroutines of N scenarios are under way at once, on a single loop and its one thread."""
    loops: set[int] = set()
    threads: set[int] = set()
    there: list[asyncio.Event] = []

    async def tool() -> None:
        loops.add(id(asyncio.get_running_loop()))
        threads.add(threading.get_ident())
        there.append(asyncio.Event())
        if len(there) == 8:
            for event in there:
                event.set()
        await asyncio.wait_for(there[-1].wait() if len(there) < 8 else asyncio.sleep(0), MEET_S)

    assert side_by_side(several(8), {"t": tool}, 8).passed
    assert (len(loops), len(threads)) == (1, 1)


def test_a_resource_of_a_loop_can_be_shared() -> None:
    """What one async handler opened, another one can use, whichever thread its scenario is on."""
    lock: list[asyncio.Lock] = []

    async def tool() -> None:
        if not lock:
            lock.append(asyncio.Lock())
        async with lock[0]:
            await asyncio.sleep(0.001)

    assert side_by_side(several(20), {"t": tool}, 4).passed


def test_the_caller_s_loop_is_the_one_of_arun() -> None:
    """With `arun` the handlers of all threads run on the loop of the caller."""
    loops: set[int] = set()

    async def tool() -> None:
        loops.add(id(asyncio.get_running_loop()))

    async def caller() -> bool:
        loops.add(id(asyncio.get_running_loop()))
        tools = {"t": tool}
        return (await arun(several(6), tools=tools, executor="threads", workers=3)).passed

    assert asyncio.run(caller())
    assert len(loops) == 1


def test_the_shared_loop_is_closed() -> None:
    """After a run its loop is closed: an open one is warned of when it is collected."""
    loops: list[asyncio.AbstractEventLoop] = []

    async def tool() -> None:
        loops.append(asyncio.get_running_loop())

    assert side_by_side(several(4), {"t": tool}, 2).passed
    assert all(loop.is_closed() for loop in loops)


def test_what_tools_leave_on_the_loop_is_cleaned_up() -> None:
    """A task that a tool has left behind is cancelled in the end, as it is in a serial run."""
    ended: list[str] = []

    async def background() -> None:
        try:
            await asyncio.sleep(30)
        finally:
            ended.append("cleaned up")

    tasks: list[asyncio.Task[None]] = []

    async def tool() -> None:
        tasks.append(asyncio.get_running_loop().create_task(background()))
        await asyncio.sleep(0)

    for executor in ("serial", "threads"):
        run(several(1), tools={"t": tool}, executor=executor)
    assert ended == ["cleaned up", "cleaned up"]


def test_a_tool_that_blocks_the_loop_costs_no_later_one() -> None:
    """An async tool that never yields is a timeout; async calls that begin later still run."""
    released = threading.Event()

    async def blocking() -> None:
        released.wait(MEET_S)

    async def good() -> None:
        await asyncio.sleep(0)

    bad = Scenario("bad", tool_calls=[ToolCall("blocking", timeout_s=LIMIT_S)])
    tools = {"blocking": blocking, "t": good}
    try:
        report = side_by_side([bad, *several(4)], tools, 1, timeout_s=2 * LIMIT_S)
    finally:
        released.set()
    assert statuses(report) == {"bad": "failed", "s0": "passed"} | dict.fromkeys(
        ("s1", "s2", "s3"), "passed"
    )


@pytest.mark.parametrize("kind", ["sync", "async", "stubborn"])
def test_a_hung_tool_costs_its_own_scenario_alone(kind: str) -> None:
    """Of many that run side by side, only the one that hangs fails, as a timeout."""
    released = threading.Event()

    async def hang() -> None:
        await asyncio.sleep(MEET_S)

    async def swallow() -> None:
        while not released.is_set():
            try:
                await asyncio.sleep(0.05)
            except asyncio.CancelledError:
                continue

    hanging = {"sync": lambda: released.wait(MEET_S), "async": hang, "stubborn": swallow}[kind]
    bad = Scenario("bad", tool_calls=[ToolCall("hang", timeout_s=LIMIT_S), ToolCall("t")])
    scenarios = [*several(3), bad, *several(8)[3:]]
    try:
        report = side_by_side(scenarios, {"hang": hanging, "t": lambda: 1}, 3)
    finally:
        released.set()
    assert [check.code for check in report["bad"].checks] == ["tool_timeout", None]
    assert [result.name for result in report.failures] == ["bad"]
    assert len(report.results) == len(scenarios)


def test_results_are_in_the_catalogue_s_order() -> None:
    """The slow first ones are told first, though all others were done before them."""
    done: list[str] = []

    def tool(n: int) -> None:
        time.sleep(0.2 if n == 0 else 0)
        done.append(f"s{n}")

    scenarios = [Scenario(f"s{n}", tool_calls=[ToolCall("t", {"n": n})]) for n in range(10)]
    report = side_by_side(scenarios, {"t": tool}, 3)
    assert done[-1] == "s0"
    assert [result.name for result in report.results] == [f"s{n}" for n in range(10)]


def test_what_a_tool_prints_is_its_own() -> None:
    """Of tools that print at the same time, each call notes what it printed itself."""
    meeting = threading.Barrier(4, timeout=MEET_S)

    def tool(n: int) -> None:
        print("before", n)  # noqa: T201
        meeting.wait()
        print("after", n)  # noqa: T201

    scenarios = [Scenario(f"s{n}", tool_calls=[ToolCall("t", {"n": n})]) for n in range(4)]
    report = side_by_side(scenarios, {"t": tool}, 4)
    for n, result in enumerate(report.results):
        assert result.trace is not None
        assert result.trace["calls"][0]["output"] == f"before {n}\nafter {n}\n"


HELPER = "NAME = {name!r}\n"
CASES = """
    import threading
    from evalkit import Assertion, Op, Scenario, ToolCall, _s

    def who():
        from helper_of_lanes import NAME
        return {{"name": NAME}}

    TOOL_DISPATCH = {{"who": who}}
    for n in range(6):
        check = Assertion("name", Op.EQ, {name!r})
        _s(Scenario(f"{name}_{{n}}", tool_calls=[ToolCall("who", {{}}, [check])]))
"""


def test_files_with_equally_named_helpers(tmp_path: Path) -> None:
    """Two files whose helpers share a name run on threads, and each gets its own helper."""
    paths = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "helper_of_lanes.py").write_text(HELPER.format(name=name))
        paths.append(tmp_path / name / f"cases_{name}.py")
        paths[-1].write_text(textwrap.dedent(CASES.format(name=name)))
    report = run(paths, executor="threads", workers=4)
    assert [result.status for result in report.results] == [Status.PASSED] * 12
    seen = [result.checks[0].actual for result in report.results]
    assert seen == ["one"] * 6 + ["two"] * 6


def test_nothing_new_after_the_first_failure() -> None:
    """With `max_failures` the threads begin nothing more; what they were in is told."""
    calls: list[int] = []

    def tool(n: int) -> int:
        calls.append(n)
        time.sleep(0.02)
        return n

    scenarios = [
        Scenario(f"s{n}", tool_calls=[ToolCall("t", {"n": n}, [Assertion("", Op.GT, 0)])])
        for n in range(60)
    ]
    report = side_by_side(scenarios, {"t": tool}, 3, max_failures=1)
    assert report.results[0].status is Status.FAILED
    assert len(report.results) == len(calls) < 30


def test_an_error_of_ours_ends_all_threads() -> None:
    """A sink that fails ends the run with its own error, whichever thread it was on."""

    class Full:
        """A sink whose disk is full."""

        def start(self, outline: Any) -> None:
            """Take what is about to run."""

        def add(self, result: Any) -> None:
            """Fail."""
            raise OSError("no space left", result.name)

        def finish(self, report: Any) -> None:
            """Take the report."""

    with pytest.raises(OSError, match="no space left"):
        side_by_side(several(50), {"t": lambda: time.sleep(0.001)}, 4, sinks=[Full()])


def test_a_rate_is_kept_by_all_threads_together() -> None:
    """However many threads there are, calls begin at the rate that is asked for."""
    began: list[float] = []
    tools = {"t": lambda: began.append(time.monotonic())}
    assert side_by_side(several(10), tools, 5, rate=40.0).passed
    assert began[-1] - began[0] >= 9 / 40 - 0.05
