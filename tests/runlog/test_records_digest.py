"""The digest of a run covers verdicts and values, and nothing that differs between machines."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evalkit import Assertion, Catalogue, Op, RunReport, Scenario, ToolCall, run
from evalkit.runlog.records import result_digest, run_digest

ROOT = Path(__file__).parents[2]
SUITE = """
from evalkit import Assertion, Op, Ref, Scenario, ToolCall, TransportError, _s

def add(a, b):
    return {"sum": a + b, "wide": 2**70, "text": "é\\u2028"}

def refuse():
    raise ValueError("never")

def lost():
    raise TransportError("gone")

TOOL_DISPATCH = {"add": add, "refuse": refuse, "lost": lost}

def case(name, *assertions, **fields):
    return _s(Scenario(name, tool_calls=[ToolCall("add", {"a": 1, "b": 2}, assertions)], **fields))

case("passes", Assertion("sum", Op.EQ, 3), tags=["x"])
case("wide", Assertion("wide", Op.EQ, 2**70), Assertion("text", Op.EQ, "é\\u2028"))
case("fails", Assertion("sum", Op.EQ, 4, "not four"), Assertion("nope", Op.EXISTS))
case("thrice", Assertion("sum", Op.APPROX, 3.1, tolerance=0.2), epochs=3)
case("traced", assertions=[Assertion("calls", Op.LEN_EQ, 1), Assertion("calls.0.seconds", "lt", 9)])
_s(Scenario("refused", tool_calls=[ToolCall("refuse")]))
_s(Scenario("lost", tool_calls=[ToolCall("lost")]))
_s(Scenario("chain", tool_calls=[ToolCall("add", {"a": 1, "b": 1}, save_as={"two": "sum"}),
    ToolCall("add", {"a": Ref("two"), "b": 1}, [Assertion("sum", Op.EQ, Ref("two"))])]))
_s(Scenario("talk", "Hello?", assertions=[Assertion("response", Op.EXISTS)]))
"""
Cli = Callable[..., Any]


@pytest.fixture
def suite(write: Callable[[str, str], str]) -> str:
    """A catalogue's file with scenarios of every outcome."""
    return write("suite.py", SUITE)


def test_every_door_gives_the_same_digest(suite: str, cli: Cli, folder: Path) -> None:
    """`--json`, `-o`, the report with and without a log, `report` and `grade`: one digest."""
    told = json.loads(cli(suite, "--json", "-o", "out.json").out)
    found = {
        "--json": told["digest"],
        "-o": json.loads((folder / "out.json").read_text(encoding="utf-8"))["digest"],
        "--no-log": json.loads(cli(suite, "--json", "--no-log").out)["digest"],
        "report": json.loads(cli("report", told["run_id"], "--json").out)["digest"],
        "grade": json.loads(cli("grade", told["run_id"], "--json").out)["digest"],
        "without a log": run(suite).digest,
        "with a log": run(suite, log_dir="runs").digest,
    }
    assert set(found.values()) == {told["digest"]}, found


def test_the_log_has_the_same_digest(suite: str, cli: Cli, log_of: Callable[[str], Any]) -> None:
    """What the log gives, what its summary says, and what its results come to, agree."""
    told = json.loads(cli(suite, "--json").out)
    log = log_of("latest")
    results = [log.result(key) for key in log.in_order()]
    for each in results:
        each.digest = None  # worked out anew
    anew = {(each.name, each.epoch): result_digest(each) for each in results}
    assert log.summary is not None
    assert {log.digest, log.summary["digest"], run_digest(anew)} == {told["digest"]}


@pytest.mark.parametrize(
    "options",
    [("--concurrency", "3"), ("--rate", "1000"), ("--label", "x"), ("-q",), ("--color", "always")],
)
def test_how_it_is_run_does_not_count(options: tuple[str, ...], suite: str, cli: Cli) -> None:
    """Speed, labels and what is shown are no part of it."""
    assert (
        json.loads(cli(suite, "--json", *options).out)["digest"]
        == json.loads(cli(suite, "--json").out)["digest"]
    )


def test_it_is_the_same_in_another_place_and_process(suite: str, folder: Path) -> None:
    """Another folder, another process, another hash seed, other clocks: the same digest."""
    found = {run(suite).digest}
    for number in "12":
        place = folder / f"place{number}"
        place.mkdir()
        (place / suite).write_text("\n" * int(number) + SUITE, encoding="utf-8")
        code = f"from evalkit import run; print(run({suite!r}, log_dir='runs').digest)"
        env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": number, "TZ": "Asia/Tokyo"}
        argv = [sys.executable, "-c", code]
        done = subprocess.run(argv, cwd=place, env=env, capture_output=True, text=True, check=True)
        found.add(done.stdout.strip())
    assert len(found) == 1


def digest(value: Any = 1, *assertions: Assertion, **fields: Any) -> str:
    """The digest of a run of one scenario whose tool gives a value."""
    catalogue = Catalogue("suite")
    name = fields.pop("name", "one")
    put = assertions or (Assertion("", Op.EQ, 1),)
    catalogue.add(Scenario(name, tool_calls=[ToolCall("t", {}, put)], **fields))
    return run(catalogue, tools={"t": lambda: value}).digest


def test_verdicts_and_values_count() -> None:
    """Another verdict, value, expectation, path, operator or name is another digest."""
    one = Assertion("a", Op.EQ, 1)
    found = [
        digest(),
        digest(2),
        digest(name="other"),
        digest({"a": 1}, one),
        digest({"a": 2}, one),
        digest({"a": True}, one),
        digest({"a": 1}, one.but(expected=2)),
        digest({"a": 1}, one.but(op=Op.NE)),
        digest({"a": 1}, one.but(path="b")),
        digest({"a": 1}, one.but(op=Op.GTE)),
        digest({"a": 1}, one, one),
        digest({"a": 2}, one, xfail="known"),
        digest({"a": 2}, one.but(severity="warn")),
        digest({"a": 2}, one, epochs=2),
        digest({"a": 2**70}, one),
        digest({"a": 2**70 + 1}, one),
    ]
    assert len(set(found)) == len(found)


@pytest.mark.parametrize(
    "assertion",
    [
        Assertion("calls.0.seconds", Op.LT, 9),
        Assertion("calls[0].seconds", Op.LT, 9),
        Assertion('calls[0]["seconds"]', Op.LT, 9),
        Assertion("$.calls[0]['seconds']", Op.LT, 9),
        Assertion("calls[*].seconds", Op.LT, 9, each="all"),
        Assertion("calls..seconds", Op.LT, 9, each="all"),
        Assertion("calls[0:1].seconds", Op.LT, 9, each="all"),
        Assertion("calls[?(@.seconds < 9)]", Op.LEN_EQ, 1),
        Assertion("calls", Op.LEN_EQ, 1),
        Assertion("calls[0]", Op.HAS_KEY, "seconds"),
        Assertion("seconds", Op.LT, 9),
    ],
    ids=lambda each: str(each.path),
)
def test_times_do_not_count_wherever_a_path_leads(assertion: Assertion) -> None:
    """An assertion on the trace may look at times, by any path: they are no part of the digest."""
    scenario = Scenario("one", tool_calls=[ToolCall("t")], assertions=[assertion])
    catalogue = Catalogue("suite")
    catalogue.add(scenario)
    pauses = (0.0, 0.003)
    reports = [run(catalogue, tools={"t": lambda at=at: time.sleep(at)}) for at in pauses]
    assert all(report.passed for report in reports)
    assert reports[0].digest == reports[1].digest


def test_a_tool_s_own_seconds_count() -> None:
    """A value that a tool calls seconds is a value, in its own document."""
    one = Assertion("seconds", Op.GT, 0)
    assert digest({"seconds": 1}, one) != digest({"seconds": 2}, one)


def test_the_order_of_scenarios_does_not_count() -> None:
    """The same results in another order are the same run."""

    def report(*names: str) -> RunReport:
        catalogue = Catalogue("suite")
        for name in names:
            catalogue.add(Scenario(name, tool_calls=[ToolCall("t")]))
        return run(catalogue, tools={"t": bool})

    assert report("a", "b", "c").digest == report("c", "a", "b").digest
    assert report("a", "b", "c").digest != report("a", "b").digest


def test_a_run_of_nothing_has_a_digest() -> None:
    """A run without results has one, too, and so has every set of results its own."""
    assert len({run_digest({}), run_digest({("a", 1): "x"}), run_digest({("a", 2): "x"})}) == 3
