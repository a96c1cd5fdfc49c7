"""A real catalogue in a file, as it stands: it loads, runs, and is the one written in Python."""

import json
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evalkit import Assertion, RunReport, Scenario, ToolCall, load, run
from evalkit.writers import written

CABINET = Path(__file__).parents[2] / ".." / "shared" / "data" / "cabinet"
FILE = CABINET / "catalogue.ndjson"
WITHOUT_OPERAND = {
    "is_true",
    "is_false",
    "has_key",
    "has_error",
    "has_warning",
}
"""The operators that need none: null is written for it in the file."""

pytestmark = pytest.mark.skipif(not CABINET.is_dir(), reason="the real inputs are not here")


def rows(name: str) -> list[dict[str, Any]]:
    """The lines of one file."""
    lines = (CABINET / name).read_bytes().split(b"\n") if CABINET.is_dir() else []
    return [json.loads(line) for line in lines if line.strip()]


RECORDED: dict[str, list[dict[str, Any]]] = {}
for recorded in rows("results.ndjson"):
    RECORDED.setdefault(recorded["scenario"], []).append(recorded)
TOOLS = sorted({row["tool"] for each in RECORDED.values() for row in each})


def as_written(assertion: dict[str, Any]) -> Assertion:
    """An assertion as a Python author writes it: without an operand where none is taken."""
    said = dict(assertion)
    if said["expected"] is None and said["op"] in WITHOUT_OPERAND:
        del said["expected"]
    return Assertion(**said)


def in_python() -> list[Scenario]:
    """The catalogue, written in Python."""
    found = []
    for row in rows("catalogue.ndjson"):
        calls = [
            ToolCall(
                call["tool"],
                call["args"],
                [as_written(each) for each in call["assertions"]],
                call["label"],
                call["save_as"],
                call["context_args"],
            )
            for call in row["tool_calls"]
        ]
        heading = (row["tags"], row["description"], row["difficulty"])
        found.append(Scenario(row["name"], row["prompt"], calls, *heading))
    return found


def recordings(scenario: Scenario) -> dict[str, Callable[..., Any]]:
    """Tools that answer a scenario's calls with its recorded results, in order."""
    left = deque(RECORDED[scenario.name])

    def answer(tool: str) -> Callable[..., Any]:
        def handler(**args: Any) -> Any:
            row = left.popleft()
            assert (row["tool"], row["args"]) == (tool, args)
            return row["result"]

        return handler

    return {tool: answer(tool) for tool in TOOLS}


@pytest.fixture(scope="module")
def whole() -> RunReport:
    """The run of the catalogue that is written in Python."""
    return run(in_python(), tools=recordings)


def test_it_passes_as_it_stands(whole: RunReport) -> None:
    """The file is run without being held: all 202 scenarios pass, with the digest of Python's."""
    report = run(FILE, tools=recordings)
    assert report.passed
    assert report.summary["scenarios_passed"] == 202
    assert report.summary["checks_total"] == whole.summary["checks_total"]
    assert report.digest == whole.digest


def test_it_is_the_catalogue_as_a_whole(whole: RunReport) -> None:
    """Loaded as a catalogue it gives the same digest."""
    assert run(load(FILE), tools=recordings).digest == whole.digest


@pytest.mark.parametrize("suffix", [".yaml", ".json"])
def test_it_is_the_same_in_another_form(suffix: str, tmp_path: Path, whole: RunReport) -> None:
    """Written as another kind of file, it is equal and runs to the same digest."""
    found = list(load(FILE))
    path = tmp_path / f"catalogue{suffix}"
    path.write_bytes(written(found, suffix))
    again = load(path)
    assert list(again) == found
    assert run(again, tools=recordings).digest == whole.digest


def test_a_scenario_is_found_at_its_line() -> None:
    """Each scenario's place is its line in the file."""
    for number, scenario in enumerate(load(FILE), 1):
        assert scenario.source == f"{FILE}:{number}"
