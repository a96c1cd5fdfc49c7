"""A file of lines that is run without being held: the same results as of the file as a whole."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evalkit import Assertion, CatalogueError, Op, RunReport, Scenario, ToolCall, load, run
from evalkit.asked import Asked
from evalkit.preparing import Preparation
from evalkit.runlog.reader import RunLog
from evalkit.select import Selection
from evalkit.writers import written

ROOT = Path(__file__).parents[1]
TOOLS: dict[str, Any] = {"add": lambda a, b: {"sum": a + b}, "fail": lambda: 1 / 0}
FEW = 12


def case(number: int, **fields: Any) -> Scenario:
    """A scenario that adds two numbers; every fourth is wrong about the sum."""
    total = number + (number % 4 != 3)
    call = ToolCall("add", {"a": number, "b": 1}, [Assertion("sum", Op.EQ, total)])
    tags = ["even"] if number % 2 == 0 else ["odd", "sums"]
    return Scenario(f"case_{number}", tool_calls=[call], tags=tags, **fields)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file of some scenarios, one of which is for agents, and one of several epochs."""
    found = [case(number) for number in range(FEW)]
    found[3] = found[3].but(xfail="known")
    found[5] = found[5].but(epochs=3, pass_epochs=2, difficulty="advanced")
    found.append(Scenario("talk", "Hello?", assertions=[Assertion("response", Op.EXISTS)]))
    file = tmp_path / "cases.ndjson"
    file.write_bytes(written(found, ".ndjson"))
    return file


def told(report: RunReport) -> dict[str, Any]:
    """All that a report says but for times, ids and places of logs."""
    said = report.to_dict()
    for each in (said, said["summary"], *said["scenarios"]):
        each.pop("seconds", None)
        each.pop("run_id", None)
    for each in said["scenarios"]:
        for check in each["checks"]:
            check.pop("seconds", None)
    return said


SELECTIONS: list[dict[str, Any]] = [
    {},
    {"tags": ["even"]},
    {"tags": ["sums", "not:even"]},
    {"difficulty": "advanced"},
    {"names": ["case_5", "talk"]},
    {"expr": "odd and not case_1"},
    {"shard": (2, 3)},
    {"shard": (3, 3), "tags": ["odd"]},
    {"sample": 4, "seed": 7},
]


@pytest.mark.parametrize("selection", SELECTIONS, ids=str)
def test_the_results_are_those_of_the_file_as_a_whole(
    path: Path, selection: dict[str, Any]
) -> None:
    """What is selected, run, counted and told is the same whether the file is held or not."""
    chosen = Selection(**selection)
    passing = run(path, tools=TOOLS, selection=chosen)
    whole = run(load(path), tools=TOOLS, selection=chosen)
    assert told(passing) == told(whole)
    assert passing.digest == whole.digest
    assert passing.summary["scenarios_total"] > 0


@pytest.mark.parametrize("executor", ["threads", "processes"])
def test_the_results_do_not_depend_on_the_executor(
    path: Path, executor: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever it is run, a file that is not held gives the same digest."""
    monkeypatch.chdir(path.parent)
    Path("their_tools.py").write_text("TABLE = {'add': lambda a, b: {'sum': a + b}}\n")
    found = run(path, tools="their_tools:TABLE", executor=executor, workers=2)
    assert found.digest == run(path, tools=TOOLS).digest
    assert found.summary["scenarios_total"] == FEW + 1


@pytest.mark.parametrize(
    ("selection", "message"),
    [
        ({"tags": ["eevn"]}, "unknown tag 'eevn'; did you mean 'even'?"),
        ({"tags": ["not:eevn"]}, "unknown tag 'eevn'"),
        ({"names": ["case_5", "case5"]}, "unknown name 'case5'; did you mean 'case_5'?"),
        ({"difficulty": "hard"}, "unknown difficulty 'hard'"),
    ],
)
def test_what_is_nobody_s_is_told_as_of_the_file_as_a_whole(
    path: Path, selection: dict[str, Any], message: str
) -> None:
    """A typo in a selection is the same error, and nothing is run."""
    chosen = Selection(**selection)
    errors = []
    for target in (path, load(path)):
        with pytest.raises(CatalogueError) as caught:
            run(target, tools=TOOLS, selection=chosen)
        errors.append(str(caught.value))
    assert message in errors[0]
    assert errors[0] == errors[1]


def test_an_expression_that_fits_nobody_runs_nothing(path: Path) -> None:
    """Nothing that is selected is exit code 5, as ever."""
    assert run(path, tools=TOOLS, selection=Selection(expr="nobody")).exit_code == 5


def lines(path: Path) -> list[str]:
    """The lines of a file."""
    return path.read_text().split("\n")[:-1]


def write(path: Path, found: list[str]) -> None:
    """Write the lines of a file."""
    path.write_text("".join(f"{line}\n" for line in found))


def counting() -> tuple[dict[str, Callable[..., Any]], list[int]]:
    """Tools that note each call."""
    calls: list[int] = []

    def add(a: int, b: int) -> dict[str, int]:
        calls.append(a)
        return {"sum": a + b}

    return {"add": add, "fail": lambda: calls.append(-1)}, calls


@pytest.mark.parametrize("at", [0, 6, FEW])
@pytest.mark.parametrize(
    "line",
    [
        "{broken",
        '{"name": "x", "tol_calls": []}',
        '{"name": "x", "tool_calls": [{"tool": "ad", "args": {"a": 1, "b": 2}}]}',
        '{"name": "x", "tool_calls": [{"tool": "add", "args": {"c": 1}}]}',
        '{"name": "x"}',
        "5",
    ],
    ids=["json", "field", "tool", "argument", "nothing", "number"],
)
def test_one_bad_line_runs_nothing(path: Path, at: int, line: str) -> None:
    """Wherever it stands, a line that is wrong is told with its place before the first call."""
    found = lines(path)
    found.insert(at, line)
    write(path, found)
    tools, calls = counting()
    with pytest.raises(CatalogueError) as caught:
        run(path, tools=tools)
    place = str(path) if (at, line) == (0, "5") else f"{path}:{at + 1}:"
    assert all(str(each).startswith(place) for each in caught.value.problems)
    assert calls == []


@pytest.mark.parametrize("name", ["case_2", "CASE_2"])
def test_a_name_that_comes_twice_names_both_lines(path: Path, name: str) -> None:
    """Two scenarios of one name are found though none is held, and told with both lines."""
    found = lines(path)
    found.append(found[7].replace("case_7", name))
    write(path, found)
    tools, calls = counting()
    with pytest.raises(CatalogueError) as caught:
        run(path, tools=tools)
    (problem,) = caught.value.problems
    assert str(problem).startswith(f"{path}:{FEW + 2}")
    assert f"taken by 'case_2' at {path}:3" in str(problem)
    assert calls == []


def test_names_are_held_against_all_that_is_not_selected_too(path: Path) -> None:
    """A name that comes twice is refused whatever is selected."""
    found = lines(path)
    write(path, [*found, found[0]])
    with pytest.raises(CatalogueError, match="the name is taken"):
        run(path, tools=TOOLS, selection=Selection(names=["case_5"]))


def test_a_file_without_tools_is_told_as_of_the_file_as_a_whole(path: Path) -> None:
    """Where there are no tools, that is said, also where the first scenario needs none."""
    found = lines(path)
    write(path, [found[-1], *found[:-1]])
    errors = []
    for target in (path, load(path)):
        with pytest.raises(CatalogueError) as caught:
            run(target)
        errors.append(str(caught.value))
    assert "has no tools to run against" in errors[0]
    assert errors[0] == errors[1]


def test_a_run_that_was_cut_is_gone_on_with(path: Path, tmp_path: Path) -> None:
    """A log that ends in the middle is gone on with: the same digest, and only the rest is run."""
    logs = tmp_path / "runs"
    tools, calls = counting()
    whole = run(path, tools=tools, log_dir=logs, label="it")
    assert len(calls) == FEW + 2
    log = next(logs.glob("*/run.ndjson"))
    log.write_bytes(b"".join(log.read_bytes().splitlines(keepends=True)[: 1 + 5]))
    calls.clear()
    again = run(path, tools=tools, log_dir=logs, resume="it")
    assert again.digest == whole.digest
    assert again.summary["scenarios_total"] == FEW + 1
    assert sorted(calls) == [5, 5, 5, *range(6, FEW)]


def test_the_log_is_that_of_the_file_as_a_whole(path: Path, tmp_path: Path) -> None:
    """The header has the same digest of the catalogue and of the tools."""
    headers = []
    for target, name in ((path, "passing"), (load(path), "whole")):
        report = run(target, tools=TOOLS, log_dir=tmp_path / name)
        assert report.run is not None
        headers.append(RunLog(report.run).header)
    for key in ("catalogue", "tools", "scenarios"):
        assert headers[0].get(key) == headers[1].get(key), key
    assert headers[0].keys() == headers[1].keys()


def test_warnings_are_told_once(path: Path) -> None:
    """What is doubtful is found while checking, and not again while running."""
    doubtful = ToolCall("add", {"a": 1, "b": 2}, [Assertion("sum", Op.GTE, 0)])
    path.write_bytes(written([Scenario("a", tool_calls=[doubtful])], ".ndjson"))
    passing, whole = run(path, tools=TOOLS), run(load(path), tools=TOOLS)
    assert len(passing.warnings) == 1
    assert list(map(str, passing.warnings)) == list(map(str, whole.warnings))


def test_a_factory_is_opened_as_often_as_for_the_file_as_a_whole(path: Path) -> None:
    """Once to plan, and once for each scenario and epoch."""
    opened: list[int] = []

    def factory() -> dict[str, Any]:
        opened[-1] += 1
        return TOOLS

    for target in (path, load(path)):
        opened.append(0)
        run(target, tools=factory)
    assert opened == [1 + FEW + 2] * 2


def test_the_jobs_can_be_gone_through_again(path: Path) -> None:
    """What was prepared is a job for each scenario, made anew each time."""
    asked = Asked((path,), TOOLS)
    prepared = Preparation(asked, lambda _doing, _limit_s, act: act()).prepare()
    names = [[job.plan.scenario.name for job in prepared.jobs] for _ in range(2)]
    assert names[0] == names[1] == [each.name for each in load(path)]
    assert len(prepared.jobs) == prepared.total == FEW + 1
    assert prepared.outline.epochs == FEW + 1 + 2


PEAK = """
import json, resource, sys
from evalkit import run

class Counting:
    count = 0
    def start(self, outline): pass
    def add(self, result): Counting.count += result.status.value == "passed"
    def finish(self, report): pass

count = int(sys.argv[1])
with open("many.ndjson", "w") as file:
    for number in range(count):
        call = {"tool": "same", "args": {"n": number}, "assertions": [["n", "eq", number]]}
        file.write(json.dumps({"name": f"case {number}", "tool_calls": [call]}) + "\\n")
report = run("many.ndjson", tools={"same": lambda n: {"n": n}}, sinks=[Counting()],
             keep_results=False)
assert Counting.count == report.summary["scenarios_passed"] == count
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def peak_kb(folder: Path, count: int) -> int:
    """The most memory that a run of so many scenarios has taken, in kB."""
    done = subprocess.run(
        [sys.executable, "-c", PEAK, str(count)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


@pytest.mark.slow
def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    """Ten times the scenarios take the same memory, within 2 MB: held, they take 15 more."""
    assert peak_kb(tmp_path, 8_000) - peak_kb(tmp_path, 800) < 2_000
