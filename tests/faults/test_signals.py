"""Rows 14, 15 and 18 of the table of faults: interrupts, on every executor; the one clock."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import attrs
import pytest

import evalkit.watch
from evalkit.runlog.reader import RunLog
from evalkit.runlog.runs import runs_in

ROOT = Path(__file__).parents[2]
TOKEN = "EVALKIT_TEST_TOKEN"  # noqa: S105  - a mark that descendants inherit, no secret
LATE_S = 15.0  # five seconds are promised; this machine may be busy
WAIT_S = 60.0
MODES = {"serial": [], "threads": ["--concurrency", "3"], "processes": ["-n", "2"]}
SHOP = """
    import os, subprocess, time
    from pathlib import Path
    from evalkit import Assertion, Op, Scenario, ToolCall, _s

    BEGAN = Path(__file__).with_name("began")

    def one(n):
        return {"n": n}

    def slow(n):
        first = not BEGAN.exists()
        BEGAN.touch()
        while first:
            try:
                time.sleep(60)
            except BaseException:
                pass
        return {"n": n}

    def child(n):
        subprocess.Popen(["sleep", "600"])
        return {"n": n}

    def daemon(n):
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                os.execvp("sleep", ["sleep", "600"])
            os._exit(0)
        os.wait()
        return {"n": n}

    TOOL_DISPATCH = {"one": one, "slow": slow, "child": child, "daemon": daemon}
    KINDS = {3: "child", 5: "daemon", 20: "slow"}
    for n in range(40):
        check = Assertion("n", Op.EQ, n if n % 7 else -1)
        _s(Scenario(f"s{n}", tool_calls=[ToolCall(KINDS.get(n, "one"), {"n": n}, [check])]))
"""

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/environ").exists(), reason="looks for descendants in /proc"
)


@attrs.frozen
class Ended:
    """How a command line ended: its code, its outputs, how long after the signal."""

    code: int
    out: str
    err: str
    seconds: float

    @property
    def last(self) -> str:
        """The last line."""
        return (self.out + self.err).rstrip().rpartition("\n")[2]


@attrs.frozen
class Shop:
    """A folder with a catalogue, and a mark that all descendants of its command lines carry."""

    folder: Path
    mark: str = attrs.field(factory=lambda: uuid.uuid4().hex)

    def begin(self, *argv: str) -> subprocess.Popen[str]:
        """Start a command line, in a process group of its own."""
        return subprocess.Popen(
            [sys.executable, "-m", "evalkit", *argv],
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1", TOKEN: self.mark},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def answer(self, *argv: str) -> Ended:
        """Run a command line to its end."""
        return self.end(self.begin(*argv), lambda: None)

    def end(self, child: subprocess.Popen[str], act: Callable[[], object]) -> Ended:
        """Do something to a command line, and wait for its end."""
        began = time.monotonic()
        act()
        try:
            out, err = child.communicate(timeout=WAIT_S)
        finally:
            child.kill()
        return Ended(child.returncode, out, err, time.monotonic() - began)

    def left(self) -> list[str]:
        """The commands that still run and descend from a command line of ours."""
        found = []
        for each in Path("/proc").glob("[0-9]*"):
            try:
                marked = f"{TOKEN}={self.mark}".encode() in (each / "environ").read_bytes()
                state = (each / "stat").read_text().rpartition(")")[2].split()[0]
                if marked and state != "Z":
                    found.append((each / "cmdline").read_text().replace("\0", " "))
            except OSError:
                continue
        return found

    def log(self) -> RunLog:
        """The log of the newest run."""
        return RunLog(runs_in(self.folder / ".evalkit" / "runs")[-1])

    def wait_for(self, path: str, lines: int = 0) -> None:
        """Wait until there is a file, with so many lines."""
        until = time.monotonic() + WAIT_S
        while time.monotonic() < until:
            for found in self.folder.glob(path):
                if found.read_bytes().count(b"\n") >= lines:
                    return
            time.sleep(0.01)
        raise AssertionError(f"no {path} of {lines} lines")


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    """A shop whose tool at the middle hangs when it is called for the first time."""
    yield (made := open_shop(tmp_path))
    for each in Path("/proc").glob("[0-9]*/environ"):
        try:
            if made.mark.encode() in each.read_bytes():
                os.kill(int(each.parent.name), signal.SIGKILL)
        except OSError:
            continue


def open_shop(folder: Path) -> Shop:
    """A shop in a folder."""
    (folder / "shop.py").write_text(textwrap.dedent(SHOP), encoding="utf-8")
    return Shop(folder)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The digest of a run that is not interrupted."""
    shop = open_shop(tmp_path_factory.mktemp("whole"))
    (shop.folder / "began").touch()
    done = shop.answer("shop.py")
    assert done.code == 1, done.err
    return shop.log().digest


def check_resumed(shop: Shop, whole: str) -> None:
    """See that the run goes on, anywhere, to the result of one that was never cut."""
    (shop.folder / "began").touch()
    before = len(shop.log().entries)
    done = shop.answer("shop.py", "--resume", "--json")
    assert done.code == 1, done.err
    assert json.loads(done.out)["digest"] == shop.log().digest == whole
    records = (shop.log().run / "run.ndjson").read_bytes().count(b'"kind":"result"')
    assert records == len(shop.log().entries) == 40 >= before
    assert len(runs_in(shop.folder / ".evalkit" / "runs")) == 1


CASES = [*((mode, "SIGINT") for mode in MODES), ("serial", "SIGTERM"), ("threads", "SIGHUP")]


@pytest.mark.parametrize(("mode", "name"), CASES)
def test_a_signal_ends_a_run_in_order(shop: Shop, whole: str, mode: str, name: str) -> None:
    """Exit 2 soon, nothing that a tool started is left, and the log is good to go on with."""
    child = shop.begin("shop.py", *MODES[mode])
    shop.wait_for("began")
    ended = shop.end(child, lambda: child.send_signal(getattr(signal, name)))
    assert ended.code == 2, ended.err
    assert ended.seconds < LATE_S
    assert "Traceback" not in ended.err
    assert ended.last.startswith("exit 2: interrupted")
    assert shop.left() == []
    assert not shop.log().finished
    check_resumed(shop, whole)
    assert shop.left() == []


@pytest.mark.parametrize("lines", [1, 12])
def test_a_signal_at_any_moment(shop: Shop, whole: str, lines: int) -> None:
    """While processes are being started, or results come in, an interrupt is an interrupt."""
    source = shop.folder / "shop.py"
    source.write_text(source.read_text().replace('5: "daemon"', '5: "one"'), encoding="utf-8")
    child = shop.begin("shop.py", *MODES["processes"])
    shop.wait_for(".evalkit/runs/*/run.ndjson", lines)
    ended = shop.end(child, lambda: child.send_signal(signal.SIGINT))
    assert ended.code == 2, ended.err
    assert "Traceback" not in ended.err
    assert shop.left() == []
    check_resumed(shop, whole)


def test_ctrl_c_reaches_workers_too(shop: Shop) -> None:
    """At a terminal every process gets the Ctrl-C, those that just start too: none complains."""
    child = shop.begin("shop.py", "-n", "4")
    shop.wait_for(".evalkit/runs/*/run.ndjson", 1)
    time.sleep(0.1)
    ended = shop.end(child, lambda: os.killpg(child.pid, signal.SIGINT))
    assert ended.code == 2, ended.err
    assert "Traceback" not in ended.err
    assert shop.left() == []


def test_a_second_interrupt_ends_at_once(shop: Shop, whole: str) -> None:
    """Who presses Ctrl-C twice does not wait for a report; the log is good all the same."""
    child = shop.begin("shop.py")
    shop.wait_for("began")

    def twice() -> None:
        child.send_signal(signal.SIGINT)
        time.sleep(0.1)
        child.send_signal(signal.SIGINT)

    ended = shop.end(child, twice)
    assert ended.code == 2, ended.err
    assert ended.seconds < LATE_S
    assert "Traceback" not in ended.err
    assert shop.left() == []
    check_resumed(shop, whole)


def test_what_was_measured_is_told(shop: Shop) -> None:
    """A run that was cut short tells what it has, and that it is not all."""
    child = shop.begin("shop.py", "--json")
    shop.wait_for("began")
    ended = shop.end(child, lambda: child.send_signal(signal.SIGTERM))
    told = json.loads(ended.out)
    assert told["interrupted"] is True
    assert [each["name"] for each in told["scenarios"]] == [f"s{n}" for n in range(20)]


def test_nohup_is_kept(shop: Shop) -> None:
    """A signal that the caller has told the process to ignore is ignored."""
    (shop.folder / "began").touch()
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        child = shop.begin("shop.py", "--rate", "60/s")
    finally:
        signal.signal(signal.SIGHUP, before)
    shop.wait_for(".evalkit/runs/*/run.ndjson", 3)
    ended = shop.end(child, lambda: child.send_signal(signal.SIGHUP))
    assert ended.code == 1, ended.err


def test_deadlines_are_on_one_clock_that_nobody_sets() -> None:
    """The clock of deadlines is told where they are kept; no change of the date moves it."""
    clock = time.get_clock_info("perf_counter")
    assert clock.monotonic
    assert not clock.adjustable
    told = evalkit.watch.__doc__ or ""
    assert "time.perf_counter" in told
    assert "sleeps" in told
