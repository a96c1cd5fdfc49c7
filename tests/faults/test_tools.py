"""Rows 17 to 25 of the table of faults: clocks that jump, tools that hang, exit or print."""

import asyncio
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from evalkit import (
    Assertion,
    Op,
    RunReport,
    Scenario,
    ScenarioResult,
    Status,
    ToolCall,
    run,
)

ROOT = Path(__file__).parents[2]
Tools = dict[str, Callable[..., Any]]
LIMIT_S = 0.1
DAY_S = 86_400


@pytest.fixture
def released() -> Iterator[threading.Event]:
    """An event that hung tools wait for; it is set at the end of the test."""
    event = threading.Event()
    yield event
    event.set()


def quick() -> dict[str, bool]:
    """A tool that answers."""
    return {"ok": True}


def once(name: str, tool: str, **fields: Any) -> Scenario:
    """A scenario of one call, which must give `ok`."""
    return Scenario(name, tool_calls=[ToolCall(tool, {}, [Assertion("ok", Op.EQ, True)], **fields)])


def before_and_after(tool: Callable[[], Any]) -> RunReport:
    """A run of one tool between two that answer, each in a scenario of its own."""
    scenarios = [once("before", "quick"), once("it", "tool"), once("after", "quick")]
    return run(scenarios, tools={"quick": quick, "tool": tool}, timeout_s=LIMIT_S)


def statuses(report: RunReport) -> dict[str, Status]:
    """The status of each scenario."""
    return {result.name: result.status for result in report.results}


def codes(result: ScenarioResult) -> list[str | None]:
    """The codes of the checks."""
    return [check.code for check in result.checks]


FAILED_ALONE = {"before": Status.PASSED, "it": Status.FAILED, "after": Status.PASSED}


def command_line(folder: Path, source: str, *options: str) -> subprocess.CompletedProcess[str]:
    """What the command line makes of a catalogue's source; 20 seconds are too long for any."""
    (folder / "scenarios.py").write_text(source, encoding="utf-8")
    return subprocess.run(
        [sys.executable, "-m", "evalkit", "scenarios.py", *options],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=20,
    )


def test_row_17_the_wall_clock_jumps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Durations and deadlines do not follow a wall clock that jumps a day back and forth."""
    jumps = iter(range(1, 10**9))
    monkeypatch.setattr(time, "time", lambda: DAY_S * (-1) ** next(jumps) + 1e9)

    async def slow() -> dict[str, bool]:
        await asyncio.sleep(0.02)
        time.time()
        return {"ok": True}

    report = before_and_after(slow)
    assert report.passed
    assert 0.02 <= report["it"].seconds < 1
    assert report.summary["seconds"] < 2


HANGING = """
import asyncio, time
from evalkit import Assertion, Op, Scenario, ToolCall, _s

def sleeping(): time.sleep(600)
def busy():
    while True: pass
async def swallowing():
    while True:
        try: await asyncio.sleep(600)
        except BaseException: continue
def quick(): return {"ok": True}

TOOL_DISPATCH = {f.__name__: f for f in (sleeping, busy, swallowing, quick)}
for tool in TOOL_DISPATCH:
    calls = [ToolCall(each, {}, [Assertion("ok", Op.EQ, True)]) for each in (tool, "quick")]
    _s(Scenario(tool, tool_calls=calls))
"""


@pytest.fixture(scope="module")
def hanging(tmp_path_factory: pytest.TempPathFactory) -> subprocess.CompletedProcess[str]:
    """One run of tools that never return, from the command line."""
    folder = tmp_path_factory.mktemp("hanging")
    return command_line(folder, HANGING, "--json", "--timeout", "0.2")


@pytest.mark.parametrize("tool", ["sleeping", "busy", "swallowing"])
def test_row_19_a_tool_hangs(tool: str, hanging: subprocess.CompletedProcess[str]) -> None:
    """A tool that sleeps, or is busy, for good is `tool_timeout`; the next call answers."""
    rows = {row["name"]: row for row in json.loads(hanging.stdout)["scenarios"]}
    assert [check["code"] for check in rows[tool]["checks"]] == ["tool_timeout", None]
    assert tool in rows[tool]["checks"][0]["reason"]
    assert rows["quick"]["status"] == "passed"


def test_row_19_the_process_ends(hanging: subprocess.CompletedProcess[str]) -> None:
    """The process ends by itself, with exit code 1, though threads of it still hang."""
    assert hanging.returncode == 1


def test_row_20_an_async_tool_hangs() -> None:
    """A coroutine that does not return is cancelled and `tool_timeout`; others continue."""
    cleaned: list[str] = []

    async def hang() -> None:
        try:
            await asyncio.sleep(30)
        finally:
            cleaned.append("up")

    report = before_and_after(hang)
    assert statuses(report) == FAILED_ALONE
    assert codes(report["it"]) == ["tool_timeout"]
    assert (cleaned, report.threads_lost) == (["up"], 0)


@pytest.mark.parametrize("ends", ["never", "with an answer", "with an error"])
def test_row_20_an_async_tool_swallows_its_cancellation(
    ends: str, released: threading.Event
) -> None:
    """A coroutine that does not let itself be cancelled is `tool_timeout` all the same."""

    async def stubborn() -> dict[str, bool]:
        while not released.is_set():
            try:
                await asyncio.sleep(0.02)
            except asyncio.CancelledError:
                if ends == "with an answer":
                    return {"ok": True}
                if ends == "with an error":
                    raise ValueError("late") from None
        return {"ok": True}

    report = before_and_after(stubborn)
    assert statuses(report) == FAILED_ALONE
    assert codes(report["it"]) == ["tool_timeout"]
    assert report.threads_lost == (ends == "never")


def test_row_21_an_async_tool_blocks_its_loop(released: threading.Event) -> None:
    """A coroutine that blocks its thread is `tool_timeout`, by its name; others continue."""

    async def blocking() -> None:
        released.wait(30)

    report = before_and_after(blocking)
    assert statuses(report) == FAILED_ALONE
    assert codes(report["it"]) == ["tool_timeout"]
    assert report["it"].checks[0].reason.startswith("TimeoutError: tool ")


def recurse() -> None:
    """Call itself without an end."""
    recurse()


def raising(error: BaseException) -> Callable[[], None]:
    """A tool that raises."""

    def tool() -> None:
        raise error

    return tool


def later(tool: Callable[[], None]) -> Callable[[], Any]:
    """The same as an async tool."""

    async def handler() -> None:
        await asyncio.sleep(0)
        tool()

    return handler


class UnspeakableError(Exception):
    """An exception that can't be written."""

    def __str__(self) -> str:
        """Raise instead."""
        raise SystemExit(0)


OUTCOMES: dict[str, Callable[[], None]] = {
    "Exception": raising(Exception("x")),
    "SystemExit": raising(SystemExit(0)),
    "RecursionError": recurse,
    "MemoryError": raising(MemoryError()),
    "StopIteration": raising(StopIteration()),
    "ExceptionGroup": raising(ExceptionGroup("x", [ValueError("y")])),
    "CancelledError": raising(asyncio.CancelledError()),
    "UnspeakableError": raising(UnspeakableError()),
}
ASYNC_AS = {"StopIteration": "RuntimeError", "CancelledError": "RuntimeError"}


@pytest.mark.parametrize("kind", ["sync", "async"])
@pytest.mark.parametrize("name", OUTCOMES)
def test_row_22_what_a_tool_raises_is_an_outcome(name: str, kind: str) -> None:
    """Whatever a tool raises, but for an interrupt, fails its call and nothing else."""
    tool = OUTCOMES[name]
    report = before_and_after(later(tool) if kind == "async" else tool)
    assert statuses(report) == FAILED_ALONE
    assert codes(report["it"]) == ["tool_raised"]
    assert report["it"].checks[0].reason.startswith((name, ASYNC_AS.get(name, name)))


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_row_22_an_interrupt_stops_the_run(kind: str) -> None:
    """A KeyboardInterrupt in a tool stops the run, and is raised to the caller."""
    tool = raising(KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        before_and_after(later(tool) if kind == "async" else tool)


LEAVING = """
import sys
from evalkit import Assertion, Op, Scenario, ToolCall, _s, operator

def tool(): WHERE_TOOL; return {"n": 1}
def echo(n): return n
@operator("leaving")
def leaving(actual, assertion, context): WHERE_OPERATOR; return True
def transform(value): WHERE_TRANSFORM; return value

TOOL_DISPATCH = {"tool": tool, "echo": echo}
_s(Scenario("s", tool_calls=[
    ToolCall("tool", {}, [Assertion("n", "leaving")], save_as={"n": "n"}),
    ToolCall("echo", {}, context_args={"n": "n"}, arg_transforms={"n": transform}),
]))
"""


@pytest.mark.parametrize("where", ["TOOL", "OPERATOR", "TRANSFORM"])
def test_row_22_an_exit_is_never_a_success(where: str, tmp_path: Path) -> None:
    """`sys.exit(0)` in anything of the author's that a run calls does not make it exit 0."""
    source = LEAVING.replace(f"WHERE_{where}", "sys.exit(0)")
    for other in ("TOOL", "OPERATOR", "TRANSFORM"):
        source = source.replace(f"WHERE_{other};", "")
    finished = command_line(tmp_path, source, "--json")
    assert finished.returncode == 1
    assert json.loads(finished.stdout)["summary"]["scenarios_total"] == 1


PRINTING = """
import logging, sys, threading, warnings
from contextlib import contextmanager
from evalkit import Assertion, Op, Scenario, ToolCall, _s, operator

print("at import")

def loud():
    for _ in range(60):
        print("x" * 1_000_000)
    return {"ok": True}

def talking(word):
    print("printed", word)
    print("complained", word, file=sys.stderr)
    logging.getLogger("tool").error("logged")
    warnings.warn("warned")
    thread = threading.Thread(target=print, args=("from a thread",))
    thread.start()
    thread.join()
    return {"ok": True}

@operator("talking")
def judge(actual, assertion, context):
    print("in an operator")
    return True

@contextmanager
def TOOL_DISPATCH():
    print("opening")
    yield {"loud": loud, "talking": talking}
    print("closing")

_s(Scenario("talking", tool_calls=[
    ToolCall("talking", {"word": word}, [Assertion("ok", "talking")]) for word in ("a", "b")
], assertions=[Assertion("calls[*].output", Op.MATCHES, "printed", each="all")]))
_s(Scenario("loud", tool_calls=[ToolCall("loud")], assertions=[
    Assertion("calls[0].output", Op.LEN_LTE, 70_000),
    Assertion("calls[0].output", Op.LEN_GTE, 1_000),
]))
"""


def test_row_25_prints_never_reach_the_json_report(tmp_path: Path) -> None:
    """Whatever prints, and however much: stdout is one JSON object, calls have their text."""
    finished = command_line(tmp_path, PRINTING, "--json")
    report = json.loads(finished.stdout)
    assert finished.returncode == 0, report
    assert report["summary"]["scenarios_passed"] == 2
    assert len(finished.stdout) < 200_000


def test_row_25_prints_are_attributed(capsys: pytest.CaptureFixture[str]) -> None:
    """What a call prints to either stream is noted with that call, and not shown."""

    def talking(word: str) -> None:
        print("printed", word)  # noqa: T201  - printing is under test
        print("complained", word, file=sys.stderr)  # noqa: T201  - printing is under test

    calls = [ToolCall("talking", {"word": word}) for word in "ab"]
    trace = run(Scenario("s", tool_calls=calls), tools={"talking": talking})["s"].trace
    assert trace is not None
    expected = [f"printed {word}\ncomplained {word}\n" for word in "ab"]
    assert [call["output"] for call in trace["calls"]] == expected
    assert capsys.readouterr() == ("", "")
