"""How the command line keeps hold of its process: signals, what tools start, early ends."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from evalkit.reports.run_report import INTERRUPTED, RunReport
from evalkit.result import Outline, ScenarioResult

SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")
MARK = "EVALKIT_STARTED_BY"
"""The variable by which a process is known that a tool of this run has started."""
POLITE_S = 0.3
INTERNAL = 3


@contextmanager
def interrupts() -> Iterator[None]:
    """Take a signal as Ctrl-C: the first ends the run in order, the second at once."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    known = [getattr(signal, name) for name in SIGNALS if hasattr(signal, name)]

    def at_once(*_: object) -> None:
        end_started()
        os._exit(INTERRUPTED)

    def in_order(*_: object) -> None:
        for each in known:
            signal.signal(each, at_once)
        raise KeyboardInterrupt

    before = {each: signal.signal(each, in_order) for each in known}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


@contextmanager
def no_early_end() -> Iterator[None]:
    """See to it that a tool that calls `os._exit` does not end the run as if all were well."""
    real: Callable[[int], Any] = os._exit
    own = os.getpid()

    def told(code: int) -> None:
        if os.getpid() == own and threading.current_thread() is not threading.main_thread():
            sys.__stderr__.write(  # type: ignore[union-attr]
                f"exit {INTERNAL}: a tool called os._exit({code}), which ends the process; "
                "-n 1 runs tools in a process of their own\n"
            )
            sys.__stderr__.flush()  # type: ignore[union-attr]
            end_started()
            real(INTERNAL)
        real(code)

    os._exit = told  # type: ignore[assignment]
    try:
        yield
    finally:
        os._exit = real  # type: ignore[assignment]


class Started:
    """Ends, after a run, what its tools have started and left running, on Linux.

    What a catalogue starts when it is loaded is left alone.
    """

    def start(self, outline: Outline) -> None:
        """Mark what is started from now on."""
        del outline
        os.environ[MARK] = str(os.getpid())

    def add(self, result: ScenarioResult) -> None:
        """Need nothing of a result."""

    def finish(self, report: RunReport) -> None:
        """End what is left."""
        del report
        end_started()


def end_started() -> None:
    """End every process that carries this run's mark: by SIGTERM, and soon after by SIGKILL."""
    left = _started()
    for number in (signal.SIGTERM, signal.SIGKILL) if left else ():
        for pid in left:
            with suppress(OSError):
                os.kill(pid, number)
        until = time.monotonic() + POLITE_S
        while (left := [pid for pid in left if _runs(pid)]) and time.monotonic() < until:
            time.sleep(0.01)


def _started() -> list[int]:
    """Find the processes with the mark, wherever they have moved in the tree of processes."""
    mark = f"{MARK}={os.getpid()}".encode()
    found = []
    for each in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            pid = int(each.parent.name)
            if pid != os.getpid() and mark in each.read_bytes().split(b"\0"):
                found.append(pid)
    return found


def _runs(pid: int) -> bool:
    """Say whether a process still runs; one of ours that has ended is taken off the table."""
    with suppress(OSError):
        os.waitpid(pid, os.WNOHANG)
    try:
        state = (
            Path(f"/proc/{pid}/stat").read_text("ascii", "replace").rpartition(")")[2].split()[0]
        )
    except (OSError, IndexError):
        return False
    return state != "Z"
