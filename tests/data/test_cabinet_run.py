"""A real catalogue of 202 scenarios, run on its recorded results: each notices what it misses."""

import json
import re
from collections import deque
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from evalkit import Assertion, RunReport, Scenario, ToolCall, load, run

CABINET = Path(__file__).parents[2] / ".." / "shared" / "data" / "cabinet"
ISSUES = ("no_errors", "no_warnings", "has_error", "has_warning")
Row = dict[str, Any]

pytestmark = pytest.mark.skipif(not CABINET.is_dir(), reason="the real inputs are not here")


def rows(name: str) -> list[Row]:
    """The lines of one file."""
    lines = (CABINET / name).read_bytes().split(b"\n") if CABINET.is_dir() else []
    return [json.loads(line) for line in lines if line.strip()]


def scenario_of(row: Row) -> Scenario:
    """A scenario of the catalogue, as its authors declared it."""
    calls = [
        ToolCall(
            call["tool"],
            call["args"],
            [Assertion(**assertion) for assertion in call["assertions"]],
            call["label"],
            call["save_as"],
            call["context_args"],
        )
        for call in row["tool_calls"]
    ]
    heading = (row["tags"], row["description"], row["difficulty"])
    return Scenario(row["name"], row["prompt"], calls, *heading)


ROWS = rows("catalogue.ndjson")
SCENARIOS = [scenario_of(row) for row in ROWS]
NAMES = [scenario.name for scenario in SCENARIOS]
RECORDED: dict[str, list[Row]] = {name: [] for name in NAMES}
for recorded in rows("results.ndjson"):
    RECORDED[recorded["scenario"]].append(recorded)
TOOLS = sorted({row["tool"] for each in RECORDED.values() for row in each})


def first_assertion(scenario: Scenario) -> tuple[int, Assertion]:
    """The first assertion of a scenario, and the step whose result it reads."""
    return next(
        (step, call.assertions[0])
        for step, call in enumerate(scenario.tool_calls)
        if call.assertions
    )


def without_first_leaf(scenario: Scenario) -> list[Row]:
    """The recorded calls of a scenario, with the leaf that its first assertion reads deleted."""
    kept = deepcopy(RECORDED[scenario.name])
    step, assertion = first_assertion(scenario)
    path = assertion.path
    if assertion.op in ISSUES and assertion.expected in (None, True):
        path = f"{path}.warnings" if "warn" in assertion.op else f"{path}.errors"
    elif assertion.op == "has_key" and isinstance(assertion.expected, str):
        path = f"{path}.{assertion.expected}"
    *parents, leaf = re.findall(r"[^.\[\]]+", path)
    node = kept[step]["result"]
    for parent in parents:
        node = node[int(parent) if isinstance(node, list) else parent]
    del node[int(leaf) if isinstance(node, list) else leaf]
    return kept


def recordings(broken: set[str]) -> Callable[[Scenario], dict[str, Callable[..., Any]]]:
    """A factory of tools that answer a scenario's calls with its recorded results, in order."""

    def factory(scenario: Scenario) -> dict[str, Callable[..., Any]]:
        kept = CUT[scenario.name] if scenario.name in broken else RECORDED[scenario.name]
        left = deque(kept)

        def answer(tool: str) -> Callable[..., Any]:
            def handler(**args: Any) -> Any:
                row = left.popleft()
                assert (row["tool"], row["args"]) == (tool, args)
                return row["result"]

            return handler

        return {tool: answer(tool) for tool in TOOLS}

    return factory


CUT = {scenario.name: without_first_leaf(scenario) for scenario in SCENARIOS}


def groups() -> Iterator[set[str]]:
    """Sixteen groups: for any two scenarios there is one that has the first and not the second."""
    for bit in range(len(NAMES).bit_length()):
        for wanted in (0, 1):
            yield {name for index, name in enumerate(NAMES) if index >> bit & 1 == wanted}


@pytest.fixture(scope="module")
def whole() -> RunReport:
    """The run in which nothing is missing."""
    return run(SCENARIOS, tools=recordings(set()))


def test_every_scenario_passes_on_its_recorded_results(whole: RunReport) -> None:
    """All 202 scenarios pass, each with a check for every assertion and saved value."""
    assert whole.passed
    assert whole.summary["scenarios_passed"] == len(SCENARIOS) == 202
    declared = sum(
        (len(call["assertions"]) or 1) + len(call["save_as"])
        for row in ROWS
        for call in row["tool_calls"]
    )
    assert whole.summary["checks_passed"] == whole.summary["checks_total"] == declared


def test_the_tools_get_what_was_recorded(whole: RunReport) -> None:
    """Every recorded call was made, with the arguments that were recorded, saved values put in."""
    for result in whole.results:
        assert result.trace is not None
        made = [(call["tool"], call["args"]) for call in result.trace["calls"]]
        assert made == [(row["tool"], row["args"]) for row in RECORDED[result.name]]


def test_the_file_loads_as_it_stands() -> None:
    """The NDJSON file is a catalogue: its scenarios are those that Python makes of its rows."""
    assert list(load(CABINET / "catalogue.ndjson")) == SCENARIOS


def test_the_file_has_the_digest_of_the_same_catalogue_in_python(whole: RunReport) -> None:
    """What takes no operand is written with null in the file, and without one in Python."""
    bare = {"is_true", "is_false", "no_errors", "has_error", "has_warning"}
    written = []
    for scenario in SCENARIOS:
        calls = [
            call.but(
                assertions=[
                    Assertion(each.path, each.op)
                    if each.op in bare and each.expected is None
                    else each
                    for each in call.assertions
                ]
            )
            for call in scenario.tool_calls
        ]
        written.append(scenario.but(tool_calls=calls))
    assert written != SCENARIOS
    report = run(load(CABINET / "catalogue.ndjson"), tools=recordings(set()))
    assert report.digest == whole.digest == run(written, tools=recordings(set())).digest


def test_a_missing_leaf_fails_exactly_its_scenario() -> None:
    """Of the 202 deletions, each fails its own scenario at its first assertion, and no other.

    202 runs of one deletion would show it; sixteen runs of many do as well. In every run exactly
    the scenarios of its group must fail. If a deletion failed another scenario, the run that has
    the one in its group and not the other would show it; so no failure has another's cause.
    """
    for broken in groups():
        report = run(SCENARIOS, tools=recordings(broken))
        assert {result.name for result in report.failures} == broken
        for scenario in SCENARIOS:
            if scenario.name in broken:
                step, assertion = first_assertion(scenario)
                check = next(each for each in report[scenario.name].checks if each.step == step)
                assert (check.path, check.op) == (assertion.path, assertion.op)
                assert check.code in ("unresolved_path", "wrong_value")


def test_the_groups_tell_any_two_apart() -> None:
    """The argument above holds: every ordered pair of scenarios is told apart by some group."""
    made = list(groups())
    for name in NAMES:
        apart = set().union(*(set(NAMES) - group for group in made if name in group))
        assert apart == set(NAMES) - {name}
