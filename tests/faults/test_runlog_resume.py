"""Rows 7 to 12 of the table of faults: resuming, other schemas, hostile values, bad places."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from evalkit import (
    Assertion,
    Catalogue,
    Op,
    RunLogError,
    RunReport,
    Scenario,
    Status,
    ToolCall,
    TransportError,
    run,
)
from evalkit.runlog.lines import line_of, lines_of
from evalkit.runlog.reader import RunLog
from evalkit.runlog.runs import FILE, runs_in

ROOT = Path(__file__).parents[2]
TOOLS: dict[str, Any] = {"yes": lambda: True, "say": lambda value: value}


def one(name: str, expected: Any = True, tool: str = "yes") -> Scenario:
    """A scenario of one call."""
    return Scenario(name, tool_calls=[ToolCall(tool, {}, [Assertion("", Op.EQ, expected)])])


def catalogue(*scenarios: Scenario) -> Catalogue:
    """A catalogue of these."""
    made = Catalogue("suite")
    for each in scenarios:
        made.add(each.but())
    return made


def file_of(report: RunReport) -> Path:
    """The log of a run."""
    assert report.run is not None
    return report.run / FILE


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Stand in an empty folder; leave the interpreter as it was."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    path, modules = list(sys.path), set(sys.modules)
    yield tmp_path
    sys.path[:] = path
    for name in set(sys.modules) - modules:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(tmp_path)):
            del sys.modules[name]


def attempts(report: RunReport) -> dict[str, int]:
    """How often each scenario was run, by the log."""
    entries = RunLog(file_of(report).parent).entries
    return {name: entry.attempt for (name, _), entry in entries.items()}


def test_row_07_killed_before_its_first_result(tmp_path: Path) -> None:
    """A resume that is killed before its first result loses nothing of what was there, twice."""
    suite = catalogue(*(one(name) for name in "abcd"))
    options: dict[str, Any] = {"tools": TOOLS, "log_dir": tmp_path}
    whole = run(suite, **options)
    lines = file_of(whole).read_bytes().splitlines(keepends=True)
    file_of(whole).write_bytes(b"".join(lines[:3]))
    for kept in (2, 2):
        run(suite, resume=whole.run_id, **options)
        resumed = file_of(whole).read_bytes().splitlines(keepends=True)
        until = next(at for at, each in enumerate(resumed) if at > 2 and b'"result"' in each[:60])
        file_of(whole).write_bytes(b"".join(resumed[:until]))
        assert len(RunLog(file_of(whole).parent).entries) == kept
    last = run(suite, resume=whole.run_id, **options)
    assert last.digest == whole.digest
    assert attempts(last) == dict.fromkeys("abcd", 1)


def test_row_07_a_new_run_leaves_older_ones_alone(tmp_path: Path) -> None:
    """A run that is killed before its first result hides and deletes no older run."""
    options: dict[str, Any] = {"tools": TOOLS, "log_dir": tmp_path}
    old = run(catalogue(one("a")), **options)
    before = file_of(old).read_bytes()
    new = run(catalogue(one("a")), **options)
    for content in (file_of(new).read_bytes().splitlines(keepends=True)[0], b""):
        file_of(new).write_bytes(content)
        assert run(catalogue(one("a")), resume="", **options).passed
    assert file_of(old).read_bytes() == before
    assert RunLog(file_of(old).parent).finished


EDITS = {
    "the prompt": "PROMPT",
    "an assertion": "EXPECTED",
    "the tool": "GIVEN",
    "a helper": "HELPED",
}
EDITED = """
from evalkit import Assertion, Op, Scenario, ToolCall, _s
from row_08_helper import helped
def tool(): return [GIVEN, helped()]
TOOL_DISPATCH = {"t": tool}
_s(Scenario("it", "Give PROMPT", [ToolCall("t", {}, [Assertion("", Op.EQ, [EXPECTED, 1])])]))
"""


@pytest.mark.parametrize("what", EDITS)
def test_row_08_edited_between_run_and_resume(what: str, here: Path) -> None:
    """A scenario whose prompt, assertion, tool or helper was edited is never told from memory."""
    reports: list[RunReport] = []
    for new in (False, True):
        values = {name: "2" if new and name == EDITS[what] else "1" for name in EDITS.values()}
        suite, helper = EDITED, "def helped(): return HELPED\n"
        for name, value in values.items():
            suite, helper = suite.replace(name, value), helper.replace(name, value)
        (here / "suite.py").write_text(suite, encoding="utf-8")
        (here / "row_08_helper.py").write_text(helper, encoding="utf-8")
        resume = reports[0].run_id if new else None
        reports.append(run("suite.py", log_dir="runs", resume=resume))
    assert reports[0].passed
    assert reports[1].passed is (what == "the prompt")
    assert attempts(reports[1]) == {"it": 2}


def refuse() -> None:
    """A tool that raises."""
    raise ValueError("no")


def lose() -> None:
    """A tool that is out of reach."""
    raise TransportError("gone")


@pytest.mark.parametrize(
    ("scenario", "status", "tries"),
    [
        (one("it"), Status.PASSED, 1),
        (one("it", expected=False), Status.FAILED, 1),
        (one("it", tool="refuse"), Status.FAILED, 1),
        (one("it", tool="lose"), Status.ERROR, 2),
    ],
    ids=["passed", "failed", "raised", "error"],
)
def test_row_09_outcomes_on_resume(
    scenario: Scenario, status: Status, tries: int, tmp_path: Path
) -> None:
    """What could not be measured is run again, failures are not; every attempt stays recorded."""
    tools = {**TOOLS, "refuse": refuse, "lose": lose}
    options: dict[str, Any] = {"tools": tools, "log_dir": tmp_path}
    first = run(catalogue(scenario), **options)
    second = run(catalogue(scenario), resume=first.run_id, **options)
    assert (first["it"].status, second["it"].status) == (status, status)
    assert attempts(second) == {"it": tries}
    records = [line.record or {} for line in lines_of(file_of(second))]
    assert len([each for each in records if each["kind"] == "result"]) == tries


def test_row_09_an_interrupted_scenario_is_run_again(tmp_path: Path) -> None:
    """A scenario that was under way when the run was interrupted has no result: it is run."""
    flag = str(tmp_path / "go on")

    def stop() -> bool:
        if not Path(flag).exists():
            raise KeyboardInterrupt
        return True

    options: dict[str, Any] = {"tools": {**TOOLS, "stop": stop}, "log_dir": tmp_path / "runs"}
    suite = catalogue(one("a"), one("b", tool="stop"), one("c"))
    with pytest.raises(KeyboardInterrupt):
        run(suite, **options)
    (place,) = runs_in(tmp_path / "runs")
    assert list(RunLog(place).entries) == [("a", 1)]
    assert not RunLog(place).finished
    Path(flag).touch()
    second = run(suite, resume="", **options)
    assert (second.passed, attempts(second)) == (True, {"a": 1, "b": 1, "c": 1})


@pytest.mark.parametrize("schema", [0, 2, "1", None])
def test_row_10_another_schema(schema: Any, tmp_path: Path) -> None:
    """A log of another schema is refused by every command that reads it, and left as it is."""
    whole = run(catalogue(one("a")), tools=TOOLS, log_dir=tmp_path)
    lines = file_of(whole).read_bytes().splitlines(keepends=True)
    header = next(lines_of(file_of(whole))).record or {}
    other = line_of({**header, "schema": schema})
    file_of(whole).write_bytes(other + b"".join(lines[1:]))
    with pytest.raises(RunLogError, match=f"has schema {schema}"):
        run(catalogue(one("a")), tools=TOOLS, log_dir=tmp_path, resume=whole.run_id)
    assert file_of(whole).read_bytes() == other + b"".join(lines[1:])


def test_row_10_the_log_of_every_released_version(tmp_path: Path) -> None:
    """The logs that earlier versions have written are read, and unknown fields do not disturb."""
    golden = ROOT / "tests" / "runlog" / "golden"
    assert len(RunLog(golden).entries) == 8
    shutil.copy(golden / FILE, tmp_path / FILE)
    records = [{**(line.record or {}), "later": {"a": [1]}} for line in lines_of(golden / FILE)]
    (tmp_path / FILE).write_bytes(b"".join(map(line_of, records)))
    assert RunLog(tmp_path).digest == RunLog(golden).digest


class Odd:
    """An object that is no JSON."""


LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.sampled_from([63, 64, 1000]).map(lambda size: 2**size)
    | st.sampled_from([4500, 5000]).map(lambda size: -(10**size))
    | st.floats()
    | st.text(max_size=6)
    | st.sampled_from(["\ud800", "a\udcffb", "\x00", "\u2028", "\x1b[31m", "\ufeff"])
    | st.binary(max_size=3)
    | st.builds(Odd)
)
KEYS = st.text(max_size=3) | st.integers() | st.none() | st.sampled_from(["\ud800", "\n"])
THINGS = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(KEYS, inner, max_size=3)
        | st.tuples(inner)
        | st.frozensets(st.integers(), max_size=2)
    ),
    max_leaves=6,
)


def strict(line: bytes) -> Any:
    """What a strict reader makes of a line: no NaN, no infinities, UTF-8 without halves."""

    def refuse_word(word: str) -> Any:
        raise ValueError(word)

    found = json.loads(line, parse_constant=refuse_word)
    json.dumps(found, ensure_ascii=False).encode("utf-8")
    return found


@settings(max_examples=60, deadline=None, phases=[Phase.explicit, Phase.generate, Phase.reuse])
@given(st.lists(THINGS, min_size=1, max_size=6), st.text(max_size=5))
def test_row_11_whatever_a_tool_gives(
    tmp_path_factory: pytest.TempPathFactory, values: list[Any], words: str
) -> None:
    """Each result, message and print of a tool becomes a record that a strict reader reads."""
    left = iter(values)

    def tool() -> Any:
        print(words, "\udcff")  # noqa: T201  - printing is under test
        return next(left)

    def fail() -> Any:
        raise ValueError(words, "\ud800")

    calls = [one(f"s{number}", tool="tool") for number in range(len(values))]
    suite = catalogue(*calls, one("fails", tool="fail"))
    folder = tmp_path_factory.mktemp("runs")
    report = run(suite, tools={"tool": tool, "fail": fail}, log_dir=folder)
    raw = file_of(report).read_bytes()
    assert len(list(map(strict, raw.split(b"\n")[:-1]))) == len(values) + 3
    assert {each.status for each in report.results} <= {Status.PASSED, Status.FAILED}
    assert report.digest == RunLog(file_of(report).parent).digest


def test_row_11_names_that_are_no_utf_8(tmp_path: Path) -> None:
    """A file and an option whose names are no UTF-8 are logged, and the log can be read."""
    name = os.fsdecode(b"s\xff.py")
    suite = "from evalkit import Scenario, ToolCall, _s\nTOOL_DISPATCH = {'t': lambda: 1}\n"
    suite += "_s(Scenario('one', tool_calls=[ToolCall('t')]))\n"
    try:
        (tmp_path / name).write_text(suite, encoding="utf-8")
    except OSError:
        pytest.skip("this file system has no such names")
    for argv in ((name,), ("report", "latest"), (name, "--resume", "latest")):
        done = subprocess.run(
            [sys.executable, "-m", "evalkit", *argv],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            check=False,
            timeout=60,
        )
        assert done.returncode == 0, done


MARKING = """
from pathlib import Path
from evalkit import Scenario, ToolCall, _s
TOOL_DISPATCH = {"t": lambda: Path("called").touch()}
_s(Scenario("one", tool_calls=[ToolCall("t")]))
"""


def bad_place(kind: str, folder: Path) -> str:
    """A place where no log can be."""
    (folder / "file").write_text("mine", encoding="utf-8")
    if kind == "a FIFO":
        os.mkfifo(folder / "fifo")
    if kind == "a link to nowhere":
        (folder / "link").symlink_to(folder / "nowhere" / "at" / "all")
    if kind == "a name that is too long":
        return "x" * 5000
    return {
        "a file": "file",
        "in a file": "file/runs",
        "a FIFO": "fifo",
        "a link to nowhere": "link",
        "/dev/full": "/dev/full",
        "in /dev/null": "/dev/null/runs",
        "read-only": "/proc/evalkit-runs",
    }[kind]


@pytest.mark.skipif(sys.platform != "linux", reason="these places are Linux's")
@pytest.mark.parametrize(
    "kind",
    [
        "a file",
        "in a file",
        "a FIFO",
        "a link to nowhere",
        "/dev/full",
        "in /dev/null",
        "read-only",
        "a name that is too long",
    ],
)
def test_row_12_a_place_that_can_t_be_written(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where no log can be, that is said before any scenario runs; nothing is changed there."""
    monkeypatch.chdir(tmp_path)
    place = bad_place(kind, tmp_path)
    with pytest.raises(RunLogError, match="no run can be logged"):
        run(catalogue(one("a", tool="mark")), tools={"mark": Path("called").touch}, log_dir=place)
    assert not Path("called").exists()
    assert Path("file").read_text(encoding="utf-8") == "mine"


@pytest.mark.skipif(sys.platform != "linux", reason="these places are Linux's")
@pytest.mark.parametrize("kind", ["a file", "/dev/full"])
def test_row_12_exit_4_and_no_call(kind: str, tmp_path: Path) -> None:
    """The command line ends with 4, names the place and two ways out, and runs nothing."""
    (tmp_path / "suite.py").write_text(MARKING, encoding="utf-8")
    place = bad_place(kind, tmp_path)
    done = subprocess.run(
        [sys.executable, "-m", "evalkit", "suite.py", "--log-dir", place],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 4, done
    assert all(each in done.stderr for each in (place, "--log-dir", "--no-log"))
    assert not (tmp_path / "called").exists()


@pytest.mark.parametrize("what", ["log", "lock"])
def test_row_12_a_run_that_can_t_be_gone_on_with(what: str, tmp_path: Path) -> None:
    """A log or lock that is a directory is refused before anything runs."""
    whole = run(catalogue(one("a")), tools=TOOLS, log_dir=tmp_path)
    path = file_of(whole) if what == "log" else file_of(whole).parent / "lock"
    path.unlink()
    path.mkdir()
    with pytest.raises(RunLogError):
        run(catalogue(one("a")), tools=TOOLS, log_dir=tmp_path, resume=whole.run_id)
