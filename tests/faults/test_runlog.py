"""Rows 1 to 6 of the table of faults: a run log that is cut off, damaged, full, or held."""

import gc
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evalkit import Assertion, Catalogue, Op, RunLogError, RunReport, Scenario, ToolCall, run
from evalkit.cli import main
from evalkit.runlog.lines import lines_of
from evalkit.runlog.reader import RunLog
from evalkit.runlog.runs import FILE, find_run, runs_in

ROOT = Path(__file__).parents[2]
MANY = 200
TOOLS = {"double": lambda n: {"n": 2 * n}}
SUITE = f"""
import os, signal, time
from pathlib import Path
from evalkit import Assertion, Op, Scenario, ToolCall, _s

def double(n):
    with Path("calls").open("ab") as file:
        file.write(b".")
    if Path("calls").stat().st_size == int(os.environ.get("DIE_AT", "0")):
        os.kill(os.getpid(), signal.SIGKILL)
    if "WAIT" in os.environ and n == 1:
        Path("waiting").touch()
        time.sleep(60)
    return {{"n": 2 * n}}

TOOL_DISPATCH = {{"double": double}}
for n in range({MANY}):
    _s(Scenario(f"s{{n}}", tool_calls=[ToolCall("double", {{"n": n}}, [
        Assertion("n", Op.EQ, 2 * n + (n % 7 == 0))])]))
"""


def suite(number: int) -> Catalogue:
    """A catalogue of so many scenarios; every seventh fails."""
    made = Catalogue("suite")
    for n in range(number):
        wanted = [Assertion("n", Op.EQ, 2 * n + (n % 7 == 0))]
        made.add(Scenario(f"s{n}", tool_calls=[ToolCall("double", {"n": n}, wanted)]))
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
    gc.enable()
    gc.unfreeze()
    sys.path[:] = path
    for name in set(sys.modules) - modules:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(tmp_path)):
            del sys.modules[name]


def evalkit(folder: Path, *argv: str, **env: str) -> subprocess.CompletedProcess[str]:
    """Answer a command line in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "evalkit", *argv],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1", **env},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.mark.slow
def test_row_01_killed_after_each_record(tmp_path: Path) -> None:
    """A run of 200 scenarios that ends after any record goes on to the digest of a whole one."""
    catalogue = suite(MANY)
    whole = run(catalogue, tools=TOOLS, log_dir=tmp_path)
    log = file_of(whole)
    lines = log.read_bytes().splitlines(keepends=True)
    assert len(lines) == MANY + 2
    for keep in range(1, MANY + 2):
        log.write_bytes(b"".join(lines[:keep]))
        resumed = run(catalogue, tools=TOOLS, log_dir=tmp_path, resume=whole.run_id)
        assert resumed.digest == whole.digest, keep
        assert log.read_bytes().startswith(b"".join(lines[:keep])), keep


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_row_01_killed_for_real(tmp_path: Path) -> None:
    """SIGKILL at some calls, one after the other: each time all that was recorded is still there.

    In the end every scenario was called once, but for those under way when it was killed.
    """
    (tmp_path / "suite.py").write_text(SUITE, encoding="utf-8")
    deaths = (1, 60, 131, 203)
    for death in deaths:
        done = evalkit(tmp_path, "suite.py", "--resume", DIE_AT=str(death))
        assert done.returncode == -signal.SIGKILL, done
        place = find_run(tmp_path / ".evalkit" / "runs", "latest")
        assert len(RunLog(place).entries) == death - deaths.index(death) - 1
    assert evalkit(tmp_path, "suite.py", "--resume").returncode == 1
    (place,) = runs_in(tmp_path / ".evalkit" / "runs")
    assert RunLog(place).digest == run(suite(MANY), tools=TOOLS).digest
    assert (tmp_path / "calls").stat().st_size == MANY + len(deaths)


@pytest.mark.slow
@pytest.mark.parametrize("last", ["result", "summary", "header"])
def test_row_02_torn_at_every_byte(last: str, tmp_path: Path) -> None:
    """A last record that is cut off at any byte is dropped with one note, and cut away first."""
    catalogue = Catalogue("suite")
    for name in "ab":
        catalogue.add(Scenario(name, tool_calls=[ToolCall("t")]))
    options: dict[str, Any] = {"tools": {"t": bool}, "log_dir": tmp_path}
    whole = run(catalogue, **options)
    log = file_of(whole)
    keep = {"header": 0, "result": 2, "summary": 3}[last]
    lines = log.read_bytes().splitlines(keepends=True)
    good = b"".join(lines[:keep])
    step = 1 if last == "result" else 17
    for cut in range(1, len(lines[keep]), step):
        log.write_bytes(good + lines[keep][:cut])
        resumed = run(catalogue, resume=whole.run_id, **options)
        assert resumed.digest == whole.digest, cut
        assert len([note for note in resumed.notes if "cut off" in note]) == 1, cut
        written = log.read_bytes()
        assert written.startswith(good), cut
        assert written.endswith(b"}\n"), cut
        assert RunLog(log.parent).notes == [], cut


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """The directory of a finished run of two scenarios."""
    return file_of(run(suite(2), tools=TOOLS, log_dir=tmp_path)).parent


def test_row_03_every_flipped_byte(small: Path) -> None:
    """Whichever byte changes, the log is refused, naming line and byte; only its end may be torn.

    What is salvaged has all results but those of the line that was hit, and says so.
    """
    raw = (small / FILE).read_bytes()
    names: list[set[str]] = [
        {line.record["name"]} if line.record and "name" in line.record else set()
        for line in lines_of(small / FILE)
    ]
    everything = set().union(*names)
    for at in range(len(raw) - 1):
        flipped = raw[at] ^ (0x01, 0x20, 0x80, 0xFF)[at % 4]
        (small / FILE).write_bytes(raw[:at] + bytes([flipped]) + raw[at + 1 :])
        number = raw.count(b"\n", 0, at)
        start = raw.rfind(b"\n", 0, at) + 1
        hit = names[number] | (names[number + 1] if raw[at] == ord("\n") else set())
        with pytest.raises(RunLogError, match=rf"line {number + 1}, byte {start}\b.*--salvage"):
            RunLog(small)
        if at % 5 == 0:
            salvaged = RunLog(small, salvage=True)
            assert {name for name, _ in salvaged.entries} == everything - hit, at
            assert salvaged.notes, at


def test_row_03_a_log_without_its_last_byte_is_torn(small: Path) -> None:
    """The last newline is all that tells a whole record: without it, that record is torn."""
    raw = (small / FILE).read_bytes()
    (small / FILE).write_bytes(raw[:-1] + b"\x0b")
    log = RunLog(small)
    assert log.torn is not None
    assert (len(log.entries), log.finished, len(log.notes)) == (2, False, 1)


@pytest.mark.parametrize("place", [0, 2, 4])
def test_row_03_salvage_goes_on(place: int, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With `--salvage` the rest is kept, what was hit is run again, and the digest is the same."""
    (here / "suite.py").write_text(SUITE.replace(str(MANY), "3"), encoding="utf-8")
    whole = run("suite.py", log_dir="runs")
    lines = file_of(whole).read_bytes().splitlines(keepends=True)
    lines[place] = lines[place].replace(b"e", b"X", 1)
    file_of(whole).write_bytes(b"".join(lines))
    argv = ["suite.py", "--log-dir", "runs", "--resume", "latest"]
    assert main(argv) == 4
    assert "--salvage" in capsys.readouterr().err
    assert file_of(whole).read_bytes() == b"".join(lines)
    assert main([*argv, "--salvage"]) == 1
    log = RunLog(file_of(whole).parent)
    assert (log.digest, log.finished) == (whole.digest, True)
    assert (log.run / "damaged-0.ndjson").read_bytes() == b"".join(lines)


LIMITED = """
import resource, sys
from evalkit.cli import main
resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size}))
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no limits on the size of files")
@pytest.mark.parametrize("size", [10, 5_000, 30_011])
def test_row_04_full_disk(size: int, here: Path) -> None:
    """A log that can't grow ends the run with exit 3; what is there is read, and gone on with."""
    (here / "suite.py").write_text(SUITE, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", LIMITED.format(size=size), "suite.py"],
        cwd=here,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 3, done
    assert "the run log could not be written" in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr
    (place,) = runs_in(here / ".evalkit" / "runs")
    log = RunLog(place)
    assert (log.finished, len(log.entries) > 0) == (False, size > 2_000)
    resumed = run("suite.py", log_dir=place.parent, resume=log.id)
    assert resumed.digest == run(suite(MANY), tools=TOOLS).digest


FAILING_FSYNC = """
import errno, os, sys
from evalkit.cli import main
asked = []
def fsync(file):
    asked.append(file)
    if len(asked) >= {failing}:
        open("asked", "w").write(str(len(asked)))
        raise OSError(errno.EIO, "Input/output error")
os.fsync = fsync
sys.exit(main(sys.argv[1:]))
"""
SLOW = """
import time
from evalkit import Scenario, ToolCall, _s
TOOL_DISPATCH = {"t": lambda: time.sleep(0.15)}
for n in range(20):
    _s(Scenario(f"s{n}", tool_calls=[ToolCall("t")]))
"""


@pytest.mark.parametrize("failing", [1, 2])
def test_row_05_a_failing_fsync_is_fatal(failing: int, tmp_path: Path) -> None:
    """What may be lost is not claimed: the run stops with exit 3, and asks no second time."""
    (tmp_path / "suite.py").write_text(SLOW, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", FAILING_FSYNC.format(failing=failing), "suite.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 3, done
    assert "Input/output error" in done.stderr.splitlines()[-1]
    (place,) = runs_in(tmp_path / ".evalkit" / "runs")
    assert not RunLog(place).finished
    assert len(RunLog(place).entries) < 20
    assert (tmp_path / "asked").read_text(encoding="utf-8") == str(failing)


@pytest.fixture
def holder(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process that is in the middle of a run of suite.py."""
    (tmp_path / "suite.py").write_text(SUITE, encoding="utf-8")
    process = subprocess.Popen(
        [sys.executable, "-m", "evalkit", "suite.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "WAIT": "1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    until = time.monotonic() + 30
    while not (tmp_path / "waiting").exists() and time.monotonic() < until:
        time.sleep(0.01)
    yield process
    process.kill()
    process.wait()


@pytest.mark.skipif(sys.platform == "win32", reason="no flock")
def test_row_06_two_writers(holder: subprocess.Popen[bytes], tmp_path: Path) -> None:
    """A second writer is refused at once, by process and host, and writes not a byte.

    When the first one is killed, its lock is free, and the run goes on.
    """
    place = find_run(tmp_path / ".evalkit" / "runs", "latest")
    before = (place / FILE).read_bytes()
    for argv in (("--resume", "latest"), ("--resume", place.name, "--force", "--salvage")):
        refused = evalkit(tmp_path, "suite.py", *argv)
        assert refused.returncode == 4, refused
        told = f"process {holder.pid} on {socket.gethostname()}"
        assert told in refused.stderr.splitlines()[-1]
    assert (place / FILE).read_bytes() == before
    holder.kill()
    holder.wait()
    assert evalkit(tmp_path, "suite.py", "--resume", "latest").returncode == 1
    assert RunLog(place).digest == run(suite(MANY), tools=TOOLS).digest
