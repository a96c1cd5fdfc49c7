"""What Ctrl-C does to a run: a partial report, exit 2, and an end within five seconds."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SLOW = """
import asyncio, sys, time
from evalkit import Assertion, Op, Scenario, ToolCall, _s

def quick():
    return 1

def slow():
    open("began", "w").close()
    {wait}

TOOL_DISPATCH = {{"quick": quick, "slow": slow}}
_s(Scenario("first", tool_calls=[ToolCall("quick")]))
_s(Scenario("bad", tool_calls=[ToolCall("quick", {{}}, [Assertion("", Op.EQ, 2)])]))
_s(Scenario("second", tool_calls=[ToolCall("slow")]))
_s(Scenario("third", tool_calls=[ToolCall("quick")]))
"""
WAITS = {
    "asleep": "time.sleep(60)",
    "busy": "while True: pass",
    "stubborn": """
    while True:
        try: time.sleep(60)
        except BaseException: pass""",
}

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs POSIX signals")


def interrupted(
    folder: Path, source: str, *argv: str
) -> tuple[subprocess.Popen[str], str, str, float]:
    """Interrupt a run in its slow call: the process, its outputs, and the seconds it took."""
    (folder / "cases.py").write_text(source)
    child = subprocess.Popen(
        [sys.executable, "-m", "evalkit", "cases.py", *argv],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    deadline = time.monotonic() + 20
    while not (folder / "began").exists() and time.monotonic() < deadline and child.poll() is None:
        time.sleep(0.02)
    began = time.monotonic()
    child.send_signal(signal.SIGINT)
    try:
        out, err = child.communicate(timeout=20)
    finally:
        child.kill()
    return child, out, err, time.monotonic() - began


@pytest.mark.parametrize("wait", WAITS.values(), ids=WAITS)
def test_an_interrupt_ends_with_exit_2(tmp_path: Path, wait: str) -> None:
    """A call that never returns does not hold up the end: code 2, and no traceback."""
    child, out, err, seconds = interrupted(tmp_path, SLOW.format(wait=wait))
    assert child.returncode == 2, err
    assert seconds < 5
    assert "Traceback" not in out + err
    assert (out + err).rstrip().rpartition("\n")[2].startswith("exit 2: interrupted")


def test_an_interrupt_reports_what_was_done(tmp_path: Path) -> None:
    """The failures and counts up to the interrupt are shown, and that it is not all."""
    _, out, _, _ = interrupted(tmp_path, SLOW.format(wait=WAITS["asleep"]))
    assert "FAILED  bad" in out
    assert "1 failed, 1 passed" in out
    assert "interrupted" in out


def test_an_interrupt_writes_the_partial_reports(tmp_path: Path) -> None:
    """The object of `--json` and the file of `-o` hold what was done, and say that it was cut."""
    _, out, err, _ = interrupted(
        tmp_path, SLOW.format(wait=WAITS["asleep"]), "--json", "-o", "x.json"
    )
    for text in (out, (tmp_path / "x.json").read_text()):
        found = json.loads(text)
        assert [each["name"] for each in found["scenarios"]][:2] == ["first", "bad"]
        assert found["interrupted"] is True
        assert "third" not in [each["name"] for each in found["scenarios"]]
    assert "exit 2" in err


def test_an_interrupt_while_loading_ends_with_exit_2(tmp_path: Path) -> None:
    """A file that hangs at import can be interrupted too."""
    source = "import time\nopen('began', 'w').close()\ntime.sleep(60)\n"
    child, _, err, seconds = interrupted(tmp_path, source)
    assert child.returncode == 2, err
    assert seconds < 5
    assert "Traceback" not in err
