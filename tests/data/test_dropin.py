"""A catalogue in the DSL of an earlier generation runs as it stands, with the verdicts expected."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evalkit import Scenario, load, run

ROOT = Path(__file__).parents[2]
DROPIN = ROOT / ".." / "shared" / "data" / "dropin"
FILE = DROPIN / "scenarios.py"

pytestmark = pytest.mark.skipif(not FILE.is_file(), reason="the real inputs are not here")

EXPECTED: dict[str, Any] = (
    json.loads((DROPIN / "expected.json").read_bytes()) if FILE.is_file() else {"scenarios": {}}
)
NAMES = sorted(EXPECTED["scenarios"])


@pytest.fixture(scope="module")
def scenarios() -> Iterator[dict[str, Scenario]]:
    """The scenarios of the file, by name."""
    path, bytecode = list(sys.path), sys.dont_write_bytecode
    sys.dont_write_bytecode = True
    yield {scenario.name: scenario for scenario in load(FILE)}
    sys.path[:], sys.dont_write_bytecode = path, bytecode


@pytest.fixture(scope="module")
def by_run(scenarios: dict[str, Scenario]) -> dict[str, Any]:
    """What `run` gives."""
    return run(FILE).to_dict()


@pytest.fixture(scope="module")
def finished() -> subprocess.CompletedProcess[str]:
    """The command line, called beside the file."""
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        [sys.executable, "-m", "evalkit", FILE.name, "--json"],
        cwd=DROPIN,
        env=env,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.fixture(params=["run", "command line"])
def report(
    request: pytest.FixtureRequest,
    by_run: dict[str, Any],
    finished: subprocess.CompletedProcess[str],
) -> dict[str, Any]:
    """The report by either way."""
    written: dict[str, Any] = by_run if request.param == "run" else json.loads(finished.stdout)
    return written


def declared(scenario: Scenario, row: dict[str, Any]) -> list[bool]:
    """The verdicts on the assertions that the author declared, in order."""
    verdicts = []
    for step, call in enumerate(scenario.tool_calls):
        checks = [check for check in row["checks"] if check["step"] == step]
        verdicts += [check["passed"] for check in checks[: len(call.assertions)]]
    return verdicts


def test_it_has_the_scenarios_that_are_expected(report: dict[str, Any]) -> None:
    """Every scenario of the file is run, and none besides."""
    assert sorted(row["name"] for row in report["scenarios"]) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_every_declared_assertion_has_its_verdict(
    name: str, report: dict[str, Any], scenarios: dict[str, Scenario]
) -> None:
    """Each scenario and each assertion of it passes or fails as expected."""
    (row,) = [row for row in report["scenarios"] if row["name"] == name]
    expected = EXPECTED["scenarios"][name]
    assert (row["status"] == "passed") is expected["passed"]
    assert declared(scenarios[name], row) == expected["assertions"]


def test_the_command_line_says_that_something_failed(
    finished: subprocess.CompletedProcess[str],
) -> None:
    """Some scenarios are wrong on purpose: exit code 1, and the reason on stderr."""
    assert finished.returncode == 1
    assert "exit 1" in finished.stderr


def test_its_tags_are_known(by_run: dict[str, Any]) -> None:
    """The tags of the file are those expected, sorted."""
    assert list(by_run["by_tag"]) == EXPECTED["all_tags"]
