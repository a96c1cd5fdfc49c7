"""How the command line keeps hold of its process: signals, what tools start, early ends."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from evalkit.cli.process import interrupts, no_early_end

ROOT = Path(__file__).parents[2]
NAMES = ("SIGINT", "SIGTERM", "SIGHUP")

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs POSIX signals")


def script(source: str, **env: str) -> tuple[int, str]:
    """Run a few lines in a process of their own: its exit code, and all that it wrote."""
    done = subprocess.run(
        [sys.executable, "-c", source],
        env={**os.environ, "PYTHONPATH": str(ROOT), **env},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=15,
    )
    return done.returncode, done.stdout


def send(number: int) -> None:
    """Get a signal, and give it a moment to arrive."""
    os.kill(os.getpid(), number)
    time.sleep(5)


@pytest.mark.parametrize("name", NAMES)
def test_a_signal_is_a_ctrl_c(name: str) -> None:
    """The first of any of these signals is what Ctrl-C is, to whoever runs."""
    with interrupts(), pytest.raises(KeyboardInterrupt):
        send(getattr(signal, name))


@pytest.mark.parametrize("name", NAMES)
def test_signals_are_given_back(name: str) -> None:
    """After a run a signal does what it did before, whether one came or not."""
    number = getattr(signal, name)
    before = signal.getsignal(number)
    with interrupts():
        assert signal.getsignal(number) is not before
    assert signal.getsignal(number) is before
    try:
        with interrupts():
            send(number)
    except KeyboardInterrupt:
        pass
    assert signal.getsignal(number) is before


def test_a_signal_that_is_ignored_stays_so() -> None:
    """What the caller told the process to ignore (nohup) is not taken up again."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with interrupts():
            os.kill(os.getpid(), signal.SIGHUP)
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


@pytest.mark.parametrize(("first", "second"), [("SIGINT", "SIGINT"), ("SIGTERM", "SIGHUP")])
def test_a_second_signal_ends_at_once(first: str, second: str) -> None:
    """Any second signal ends the process with code 2, whatever is still to be done."""
    code, out = script(f"""
import os, signal, time
from evalkit.cli.process import interrupts
with interrupts():
    try:
        os.kill(os.getpid(), signal.{first})
        time.sleep(20)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
        os.kill(os.getpid(), signal.{second})
        time.sleep(20)
""")
    assert (code, out) == (2, "interrupted\n")


def test_another_thread_has_no_signals() -> None:
    """Where the command line is answered on another thread, signals are left alone."""
    before = signal.getsignal(signal.SIGINT)
    seen: list[Any] = []

    def answer() -> None:
        with interrupts():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=answer)
    thread.start()
    thread.join(10)
    assert seen == [before]


def test_os_exit_is_given_back() -> None:
    """After a run `os._exit` is Python's own."""
    before = os._exit
    with no_early_end():
        assert os._exit is not before
    assert os._exit is before


EXITS = """
import os, sys, threading
from evalkit.cli.process import no_early_end
with no_early_end():
    {body}
"""


@pytest.mark.parametrize("code", [0, 2, 7])
def test_a_tool_that_ends_the_process_is_told_of(code: int) -> None:
    """On a thread of the run, `os._exit` of any code ends with code 3, and says what was called."""
    body = (
        f"thread = threading.Thread(target=os._exit, args=({code},)); thread.start(); thread.join()"
    )
    found, out = script(EXITS.format(body=body))
    assert found == 3
    assert f"exit 3: a tool called os._exit({code})" in out


def test_a_process_that_a_tool_forks_may_exit() -> None:
    """A child that was forked on such a thread ends with the code it means, and says nothing."""
    body = """
    def tool():
        child = os.fork()
        if not child:
            os._exit(7)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
    thread = threading.Thread(target=tool); thread.start(); thread.join()
"""
    assert script(EXITS.format(body=body.strip())) == (0, "7\n")


STARTED = '''
import os, subprocess, sys, time
from evalkit.cli.process import Started
from evalkit.result import Outline
before = subprocess.Popen(["sleep", "60"])
started = Started()
started.start(Outline(1, 1, 1))
stubborn = """
import signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print(1, flush=True)
time.sleep(60)
"""
after = [subprocess.Popen(["sleep", "60"], start_new_session=True),
         subprocess.Popen([sys.executable, "-c", stubborn], stdout=subprocess.PIPE)]
after[1].stdout.readline()
forked = os.fork()
if not forked:
    os.setsid()
    time.sleep(60)
    os._exit(0)
started.finish(None)
def ended(pid):
    try:
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    except ChildProcessError:
        return True
found = [ended(each.pid) for each in after] + [ended(forked)]
print(before.poll() is None, *found, flush=True)
before.kill()
'''


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks in /proc")
def test_what_tools_started_is_ended() -> None:
    """After a run all that was started in it ends: in another session, stubborn, or just forked.

    What was started before it, as a catalogue does when it is loaded, is left alone.
    """
    code, out = script(STARTED)
    assert (code, out.split()) == (0, ["True", "True", "True", "True"]), out
