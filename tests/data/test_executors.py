"""A real catalogue of 202 scenarios, run on every executor: one digest."""

import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from evalkit import RunReport, run

CABINET = Path(__file__).parents[2] / ".." / "shared" / "data" / "cabinet"
SOURCE = """
    import json
    from collections import deque
    from pathlib import Path
    from evalkit import Assertion, Scenario, ToolCall, _s

    CABINET = Path({cabinet!r})

    def rows(name):
        lines = (CABINET / name).read_bytes().split(b"\\n")
        return [json.loads(line) for line in lines if line.strip()]

    RECORDED = {{}}
    for row in rows("results.ndjson"):
        RECORDED.setdefault(row["scenario"], []).append(row)
    TOOLS = sorted({{row["tool"] for each in RECORDED.values() for row in each}})

    def recordings(scenario):
        left = deque(RECORDED[scenario.name])

        def answer(tool):
            def handler(**args):
                row = left.popleft()
                assert (row["tool"], row["args"]) == (tool, args)
                return row["result"]
            return handler

        return {{tool: answer(tool) for tool in TOOLS}}

    TOOL_DISPATCH = recordings

    for row in rows("catalogue.ndjson"):
        calls = [
            ToolCall(call["tool"], call["args"],
                [Assertion(**assertion) for assertion in call["assertions"]],
                call["label"], call["save_as"], call["context_args"])
            for call in row["tool_calls"]
        ]
        _s(Scenario(row["name"], row["prompt"], calls, row["tags"], row["description"],
            row["difficulty"]))
"""
Run = Callable[..., RunReport]

pytestmark = pytest.mark.skipif(not CABINET.is_dir(), reason="the real inputs are not here")


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The catalogue, in a file with its tools: what other processes can load."""
    path = tmp_path_factory.mktemp("cabinet") / "cabinet_of_executors.py"
    source = textwrap.dedent(SOURCE).format(cabinet=str(CABINET.resolve()))
    path.write_text(source, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def serial(path: Path) -> RunReport:
    """The run that the others are compared with."""
    return run(path)


def test_the_serial_run_measures_all(serial: RunReport) -> None:
    """All 202 scenarios pass: what the others are compared with is no empty run."""
    assert serial.passed
    assert serial.summary["scenarios_passed"] == 202


@pytest.mark.parametrize("executor", ["threads", "processes", "dask"])
def test_every_executor_gives_one_digest(executor: str, path: Path, serial: RunReport) -> None:
    """The digest, the order and the counts are those of the serial run."""
    if executor == "dask":
        pytest.importorskip("distributed", reason="needs the extra dask")
    report = run(path, executor=executor, workers=2)
    assert report.digest == serial.digest
    assert [each.name for each in report.results] == [each.name for each in serial.results]
    assert report.summary | {"seconds": 0} == serial.summary | {"seconds": 0}
