"""Rows 16, 19 to 22, 27 and 33 of the table of faults, as they concern agents."""

import asyncio
import json
import os
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evalkit import Assertion, Op, RunReport, Scenario, Status, run

ROOT = Path(__file__).parents[2]
LIMIT_S = 0.15
Turns = list[dict[str, Any]]


@pytest.fixture
def released() -> Iterator[threading.Event]:
    """An event that hung agents wait for; it is set at the end of the test."""
    event = threading.Event()
    yield event
    event.set()


def said(conversation: Turns) -> str:
    """What the user said last."""
    return str(conversation[-1]["content"])


def before_and_after(agent: Any, tools: Any = None, **fields: Any) -> RunReport:
    """A run of one scenario between two of which an agent makes nothing."""

    def careful(conversation: Turns, ctx: Any) -> Any:
        return agent(conversation, ctx) if said(conversation) == "it" else "ok"

    async def careful_async(conversation: Turns, ctx: Any) -> Any:
        return await agent(conversation, ctx) if said(conversation) == "it" else "ok"

    scenarios = [
        Scenario(name, name, answers=["ok"], **(fields if name == "it" else {}))
        for name in ("before", "it", "after")
    ]
    chosen = careful_async if asyncio.iscoroutinefunction(agent) else careful
    return run(scenarios, agent=chosen, tools=tools or {"ping": int}, timeout_s=LIMIT_S)


FAILED_ALONE = {"before": Status.PASSED, "it": Status.FAILED, "after": Status.PASSED}


def statuses(report: RunReport) -> dict[str, Status]:
    """The status of each scenario."""
    return {result.name: result.status for result in report.results}


def ended(report: RunReport) -> str | None:
    """Why the scenario in the middle did not come to its end, by the code of that check."""
    (check,) = [check for check in report["it"].checks if check.path == "stop_cause"]
    return check.code


def busy(conversation: Turns, ctx: Any) -> str:
    """Keep the interpreter busy."""
    until = time.monotonic() + 1
    while time.monotonic() < until:
        pass
    return "ok"


def asleep(conversation: Turns, ctx: Any) -> str:
    """Sleep."""
    time.sleep(1)
    return "ok"


async def asleep_async(conversation: Turns, ctx: Any) -> str:
    """Wait on the loop."""
    await asyncio.sleep(1)
    return "ok"


async def blocking(conversation: Turns, ctx: Any) -> str:
    """Block the loop."""
    time.sleep(1)  # noqa: ASYNC251  - so do agents
    return "ok"


async def stubborn(conversation: Turns, ctx: Any) -> str:
    """Swallow being cancelled."""
    until = time.monotonic() + 1
    while time.monotonic() < until:
        try:
            await asyncio.sleep(0.05)
        except asyncio.CancelledError:
            continue
    return "ok"


def in_a_tool(conversation: Turns, ctx: Any) -> str:
    """Hang in a tool."""
    return str(ctx.tools["hang"]())


@pytest.mark.parametrize("agent", [busy, asleep, asleep_async, blocking, stubborn, in_a_tool])
def test_an_agent_that_hangs_costs_itself_alone(agent: Any) -> None:
    """Faults 19 to 21: past its deadline it is given up, and the others are as ever."""
    started = time.perf_counter()
    report = before_and_after(agent, {"hang": lambda: time.sleep(1)})
    assert time.perf_counter() - started < 1
    assert statuses(report) == FAILED_ALONE
    assert ended(report) == "agent_timeout"


def test_a_hang_in_a_tool_is_told() -> None:
    """Faults 19 and 20: the call that did not return is named, and stands in the trace."""
    trace = before_and_after(in_a_tool, {"hang": lambda: time.sleep(1)})["it"].trace
    assert trace is not None
    (error,) = [error for error in trace["errors"] if error["call"] is None]
    assert error["message"].endswith("; it was in hang")
    (call,) = trace["calls"]
    assert (call["tool"], call["result"]) == ("hang", None)
    assert call["error"] is not None
    assert call["error"]["kind"] == "timeout"


def test_what_a_given_up_agent_does_later_is_nobody_s(released: threading.Event) -> None:
    """Fault 19: an agent that goes on after its deadline changes no trace and calls no tool."""
    called: list[str] = []
    over = threading.Event()

    def late(conversation: Turns, ctx: Any) -> str:
        released.wait(5)
        try:
            ctx.tools["ping"](name="late")
        finally:
            over.set()
        return "ok"

    tools = {"ping": lambda name: called.append(name)}  # noqa: PLW0108  - called by name
    report = before_and_after(late, tools)
    trace = json.dumps(report["it"].trace)
    released.set()
    assert over.wait(5)
    assert called == []
    assert json.dumps(report["it"].trace) == trace
    assert statuses(report) == FAILED_ALONE


SCRIPT = """
    import time
    from evalkit import Scenario, run
    def agent(conversation, ctx):
        {body}
        return "ok"
    report = run(Scenario("it", "it", answers=["ok"]), agent=agent, timeout_s=0.2)
    print(report["it"].status.value, flush=True)
"""


def child(body: str) -> "subprocess.CompletedProcess[str]":
    """What a program prints that runs an agent; 20 seconds are too long."""
    source = textwrap.dedent(SCRIPT).replace("{body}", body)
    return subprocess.run(
        [sys.executable, "-c", source],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=20,
    )


@pytest.mark.parametrize("body", ["time.sleep(60)", "while True: pass"])
def test_the_process_ends(body: str) -> None:
    """Fault 19: an agent that hangs for ever does not keep the program from ending."""
    done = child(body)
    assert (done.stdout.strip(), done.returncode) == ("failed", 0)


RAISED: list[BaseException] = [
    *(ValueError("x"), RecursionError("x"), MemoryError("x"), SystemExit(0), SystemExit("x")),
    *(GeneratorExit(), StopIteration(), AssertionError(), asyncio.CancelledError()),
]


@pytest.mark.parametrize("error", RAISED, ids=lambda error: f"{type(error).__name__}")
def test_whatever_an_agent_raises_is_its_own_fault(error: BaseException) -> None:
    """Fault 22: each class of exception fails the scenario, and ends no run."""

    def raising(conversation: Turns, ctx: Any) -> str:
        raise error

    report = before_and_after(raising)
    assert statuses(report) == FAILED_ALONE
    assert ended(report) == "agent_raised"


@pytest.mark.parametrize("error", RAISED, ids=lambda error: f"{type(error).__name__}")
def test_whatever_an_async_agent_raises_is_its_own_fault(error: BaseException) -> None:
    """Fault 22: on a loop as well."""

    async def raising(conversation: Turns, ctx: Any) -> str:
        await asyncio.sleep(0)
        raise error

    report = before_and_after(raising)
    assert statuses(report) == FAILED_ALONE
    assert ended(report) == "agent_raised"


@pytest.mark.parametrize("error", RAISED, ids=lambda error: f"{type(error).__name__}")
def test_whatever_its_tools_raise_reaches_the_agent(error: BaseException) -> None:
    """Fault 22: an agent may go on from what a tool raised, which is noted as that call's."""

    def breaking() -> None:
        raise error

    def patient(conversation: Turns, ctx: Any) -> str:
        try:
            ctx.tools["break"]()
        except BaseException as raised:  # noqa: BLE001  - so are agents
            return "ok" if raised is error or type(raised) is RuntimeError else repr(raised)
        return "nothing was raised"

    report = before_and_after(patient, {"break": breaking})
    assert statuses(report)["it"] is Status.PASSED
    trace = report["it"].trace
    assert trace is not None
    (call,) = trace["calls"]
    assert call["error"] is not None
    assert call["error"]["kind"] == "raised"


@pytest.mark.parametrize("place", ["agent", "tool"])
def test_an_interrupt_ends_the_run(place: str) -> None:
    """Fault 22: a real Ctrl-C is the user's, wherever it comes."""

    def interrupted() -> None:
        raise KeyboardInterrupt

    def agent(conversation: Turns, ctx: Any) -> str:
        if place == "agent":
            interrupted()
        return str(ctx.tools["stop"]())

    with pytest.raises(KeyboardInterrupt):
        run(Scenario("it", "it", answers=["ok"]), agent=agent, tools={"stop": interrupted})


class Answer:
    """What no answer is."""

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]


NO_ANSWERS: list[Any] = [
    *(0, True, 1.5, b"ok", {"ok"}, object(), Answer(), Exception("ok"), iter(["ok"])),
    *({}, {"content": "ok"}, {"role": "user", "content": "ok"}, ["ok"], [None], (), [[]]),
]


@pytest.mark.parametrize("answer", NO_ANSWERS, ids=lambda answer: type(answer).__name__)
def test_what_is_no_answer_passes_nothing(answer: Any) -> None:
    """Faults 27 and 29: what is no reply is the agent's fault, and is told by its type."""
    report = before_and_after(lambda conversation, ctx: answer)
    assert statuses(report) == FAILED_ALONE
    assert ended(report) == "agent_raised"


def test_an_agent_is_let_go_of_whatever_happens() -> None:
    """Fault 16: what a factory has opened is closed after a raise, an exit and a cut alike."""
    log: list[str] = []

    def factory() -> Iterator[Any]:
        log.append("open")

        def agent(conversation: Turns, ctx: Any) -> str:
            kind = said(conversation)
            if kind == "raise":
                raise ValueError
            if kind == "exit":
                raise SystemExit(0)
            while kind == "loop":
                ctx.tools["ping"]()
            return "ok"

        try:
            yield agent
        finally:
            log.append("close")

    kinds = ("raise", "exit", "loop", "end")
    scenarios = [Scenario(kind, kind, answers=["ok"]) for kind in kinds]
    report = run(scenarios, agent=factory, tools={"ping": lambda: 1})
    assert log == ["open", "close"] * len(kinds)
    assert [result.status.value for result in report.results] == [*["failed"] * 3, "passed"]


def test_an_assertion_on_what_was_not_reached_fails() -> None:
    """Fault 33: of an agent that did not come to its end, nothing it would have said passes."""

    def raising(conversation: Turns, ctx: Any) -> str:
        raise ValueError("lost")

    asserted = [
        Assertion("response", Op.NOT_CONTAINS, "sorry"),
        Assertion("response", Op.NE, "no"),
        Assertion("responses[0]", Op.NE, "no"),
    ]
    result = before_and_after(raising, assertions=asserted)["it"]
    assert [check.passed for check in result.checks if check.path.startswith("response")] == (
        [False] * 5
    )
