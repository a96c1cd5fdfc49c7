"""Rows 19, 23 to 25 and 66 of the table of faults: tools and drivers that take processes along."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
import uuid
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from evalkit import RunReport, Status, run
from evalkit.runlog.reader import RunLog
from evalkit.runlog.runs import runs_in

ROOT = Path(__file__).parents[2]
TOKEN = "EVALKIT_TEST_TOKEN"  # noqa: S105  - a mark that descendants inherit, no secret
WAIT_S = 30.0
TOOLS = """
    import ctypes, os, signal, subprocess, sys, time
    from pathlib import Path
    from evalkit import Assertion, Op, Scenario, ToolCall, _s

    HERE = Path(__file__).parent

    def one():
        return {"n": 1}

    def segfault():
        os.kill(os.getpid(), signal.SIGSEGV)

    def leave():
        os._exit(0)

    def hang():
        time.sleep(60)

    def block():
        ctypes.PyDLL(None).sleep(60)

    def end_worker_once():
        marker = HERE / "marker"
        if not marker.exists():
            marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return {"n": 1}

    def end_worker():
        os.kill(os.getpid(), signal.SIGKILL)

    def stay():
        (HERE / str(os.getpid())).touch()
        time.sleep(0 if (HERE / "go").exists() else 60)
        return {"n": 1}

    def daemon():
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                time.sleep(600)
            os._exit(0)
        os.wait()
        return {"n": 1}

    def write():
        os.write(1, b"to the descriptor of stdout\\n" * 1000)
        os.write(2, b"to the descriptor of stderr\\n" * 1000)
        subprocess.run(["echo", "from a process"], check=True)
        sys.__stdout__.write("past the capture\\n")
        sys.__stdout__.flush()
        return {"n": 1}

    def chatter():
        for _ in range(200):
            print("x" * 100_000)
            print("y" * 100_000, file=sys.stderr)
        return {"n": 1}

    TOOL_DISPATCH = {each.__name__: each for each in (one, segfault, leave, hang, block,
        end_worker_once, end_worker, stay, daemon, write, chatter)}

    def case(name, *tools):
        checks = [Assertion("n", Op.EQ, 1)]
        _s(Scenario(name, tool_calls=[ToolCall(tool, {}, checks, timeout_s=LIMIT_S)
            for tool in tools]))
"""

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs POSIX signals")


def catalogue(folder: Path, cases: str, limit_s: float = 30.0) -> Path:
    """A catalogue of these cases, in a file."""
    path = folder / f"tools_{uuid.uuid4().hex[:8]}.py"
    head = f"LIMIT_S = {limit_s}\n"
    source = head + textwrap.dedent(TOOLS) + textwrap.dedent(cases)
    path.write_text(source, encoding="utf-8")
    return path


def begun(path: Path, *argv: str) -> subprocess.Popen[str]:
    """A command line on a catalogue's file."""
    return subprocess.Popen(
        [sys.executable, "-m", "evalkit", path.name, *argv],
        cwd=path.parent,
        env={**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1", TOKEN: path.stem},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def done(path: Path, *argv: str) -> tuple[int, str, str]:
    """What a command line came to: its code, its stdout, its stderr."""
    child = begun(path, *argv)
    try:
        out, err = child.communicate(timeout=WAIT_S)
    finally:
        child.kill()
    return child.returncode, out, err


def left(path: Path) -> dict[int, str]:
    """The processes that still run and descend from a command line on that file."""
    found = {}
    for each in Path("/proc").glob("[0-9]*"):
        try:
            marked = f"{TOKEN}={path.stem}".encode() in (each / "environ").read_bytes()
            state = (each / "stat").read_text().rpartition(")")[2].split()[0]
            if marked and state != "Z":
                found[int(each.name)] = (each / "cmdline").read_text().replace("\0", " ")
        except OSError:
            continue
    return found


def end(path: Path) -> None:
    """End them, where a test has failed to see them end."""
    for pid in left(path):
        with suppress(OSError):
            os.kill(pid, signal.SIGKILL)


def statuses(report: RunReport) -> dict[str, str]:
    """The status of each scenario."""
    return {result.name: result.status.value for result in report.results}


POISONS = """
    for tool in ("segfault", "leave", "hang", "block"):
        case(f"before_{tool}", "one")
        case(tool, "one", tool, "one")
    case("last", "one")
"""


@pytest.fixture(scope="module")
def poisoned(tmp_path_factory: pytest.TempPathFactory) -> RunReport:
    """A run in two processes, of tools that end or hold them, with good ones between."""
    path = catalogue(tmp_path_factory.mktemp("poison"), POISONS, 0.5)
    return run(path, executor="processes", workers=2)


def test_a_tool_that_ends_its_process_costs_its_own_scenario(poisoned: RunReport) -> None:
    """Segfault, `os._exit(0)`, sleep, a block in C: the others pass, and none of these does."""
    bad = {"segfault": "error", "leave": "error", "hang": "failed", "block": "failed"}
    good = [f"before_{tool}" for tool in bad]
    assert statuses(poisoned) == bad | dict.fromkeys([*good, "last"], "passed")


@pytest.mark.parametrize(
    ("name", "told"), [("segfault", "SIGSEGV"), ("leave", "exit code 0")], ids=["signal", "exit"]
)
def test_row_23_says_what_ended_the_process(poisoned: RunReport, name: str, told: str) -> None:
    """The error is the instrument's, of its own code; it names signal or exit code, and step."""
    result = poisoned[name]
    assert [check.code for check in result.checks] == ["crashed"] * 3
    assert result.trace is not None
    message = result.trace["errors"][0]["message"]
    assert told in message
    assert f"step 1, {name!r}" in message


@pytest.mark.parametrize("name", ["hang", "block"])
def test_row_19_a_block_is_a_timeout(poisoned: RunReport, name: str) -> None:
    """A call that does not return is a timeout, also where it lets no other thread run."""
    result = poisoned[name]
    assert [check.code for check in result.checks if check.step == 1] == ["tool_timeout"]
    assert len(result.checks) == 3
    assert result.status is Status.FAILED


@pytest.mark.parametrize("mode", [[], ["--concurrency", "2"]], ids=["serial", "threads"])
def test_row_23_an_exit_in_this_process_is_no_success(tmp_path: Path, mode: list[str]) -> None:
    """A tool that calls `os._exit(0)` in the run's own process does not make it exit 0."""
    path = catalogue(tmp_path, "case('first', 'one')\ncase('leaves', 'leave')\ncase('c', 'one')")
    code, _, err = done(path, *mode)
    assert code not in (0, 1, 2)
    assert err.rstrip().rpartition("\n")[2].startswith(f"exit {code}: ")
    assert "os._exit(0)" in err
    assert RunLog(runs_in(tmp_path / ".evalkit" / "runs")[0]).finished is False


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks in /proc")
@pytest.mark.parametrize("mode", [[], ["-n", "1"]], ids=["serial", "processes"])
def test_row_24_a_daemon_does_not_hold_the_run(tmp_path: Path, mode: list[str]) -> None:
    """A daemon that holds stdout is ended with the run: who reads to the end gets the end."""
    path = catalogue(tmp_path, "case('forks', 'daemon')\ncase('after', 'one')")
    try:
        code, _, err = done(path, *mode)
        assert code == 0, err
        assert left(path) == {}
    finally:
        end(path)


@pytest.mark.parametrize("mode", [[], ["-n", "1"]], ids=["serial", "processes"])
def test_row_25_stdout_is_the_report_s_alone(tmp_path: Path, mode: list[str]) -> None:
    """Whatever a tool writes, by whatever way, `--json` is one JSON object and nothing else."""
    path = catalogue(tmp_path, "case('writes', 'write')\ncase('chats', 'chatter')")
    code, out, err = done(path, *mode, "--json")
    assert code == 0, err[-500:]
    assert [each["status"] for each in json.loads(out)["scenarios"]] == ["passed", "passed"]


@pytest.mark.parametrize("executor", ["threads", "processes"])
def test_row_25_what_is_printed_is_capped(tmp_path: Path, executor: str) -> None:
    """Of 40 MB that a tool prints the first 64 kB are kept, and how much more there was."""
    path = catalogue(tmp_path, "case('chats', 'chatter')\ncase('after', 'one')")
    report = run(path, executor=executor, workers=1)
    outputs = [each.trace["calls"][0]["output"] for each in report.results if each.trace]
    assert 65_536 <= len(outputs[0]) < 66_000
    assert outputs[0].endswith("more characters")
    assert outputs[1] == ""


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks in /proc")
def test_row_66_a_driver_that_is_killed_leaves_nobody(tmp_path: Path) -> None:
    """After kill -9 of the driver its workers end, and a resume counts every scenario once."""
    path = catalogue(
        tmp_path, "for n in range(30): case(f's{n}', 'stay' if n in (9, 11) else 'one')", 2.0
    )
    child = begun(path, "-n", "2")
    until = time.monotonic() + WAIT_S
    while not any(each.name.isdigit() for each in tmp_path.iterdir()):
        assert time.monotonic() < until
        time.sleep(0.02)
    child.kill()
    child.communicate(timeout=WAIT_S)
    (tmp_path / "go").touch()
    while left(path) and time.monotonic() < until:
        time.sleep(0.05)
    assert left(path) == {}
    code, _, err = done(path, "--resume")
    assert code == 0, err
    log = RunLog(runs_in(tmp_path / ".evalkit" / "runs")[-1])
    assert log.finished
    assert log.digest == run(path).digest
    assert len(log.entries) == 30


class Heard:
    """A sink that keeps the keys it is told."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.keys: list[tuple[str, int]] = []

    def start(self, outline: Any) -> None:
        """Take how many there are."""
        assert outline.epochs

    def add(self, result: Any) -> None:
        """Keep its key."""
        self.keys.append((result.name, result.epoch))

    def finish(self, report: Any) -> None:
        """Take the report."""
        assert not report.interrupted


@pytest.mark.slow
def test_row_66_two_thousand_on_dask_with_a_worker_killed(tmp_path: Path) -> None:
    """2,000 scenarios on two workers, one killed in the middle: each counted once, one digest."""
    pytest.importorskip("distributed", reason="needs the extra dask")
    path = catalogue(
        tmp_path,
        "for n in range(2000): case(f's{n}', 'end_worker_once' if n == 1000 else 'one')",
    )
    heard = Heard()
    report = run(path, executor="dask", workers=2, log_dir=tmp_path / "runs", sinks=[heard])
    assert (tmp_path / "marker").exists()
    assert heard.keys == [(f"s{n}", 1) for n in range(2000)]
    assert report.run is not None
    assert (report.run / "run.ndjson").read_bytes().count(b'"kind":"result"') == 2000
    assert report.digest == run(path).digest
    assert report.passed


def test_row_66_a_poison_scenario_is_isolated_on_dask(tmp_path: Path) -> None:
    """A scenario that ends every worker it gets to is an ERROR; the others are not."""
    pytest.importorskip("distributed", reason="needs the extra dask")
    path = catalogue(
        tmp_path, "for n in range(8): case(f's{n}', 'end_worker' if n == 3 else 'one')"
    )
    found = statuses(run(path, executor="dask", workers=2))
    assert found == {f"s{n}": "error" if n == 3 else "passed" for n in range(8)}
