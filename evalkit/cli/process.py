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
"""The variable by which a program is known that a tool of this run has started."""
POLITE_S = 0.3
LATE_S = 0.1
INTERNAL = 3
PROC = Path("/proc")
OUR_OWN = b"multiprocessing.resource_tracker"
"""What Python starts for processes of its own, which ends by itself."""


class Started:
    """Ends, after a run, what its tools have started and left running, on Linux.

    A program that was started has the mark in its environment, a process that was only forked the
    pipe among its files, wherever in the tree of processes either has moved. What a catalogue
    starts when it is loaded is left alone.
    """

    def __init__(self) -> None:
        """Mark nothing yet."""
        self._pipe: tuple[int, int] | None = None

    def start(self, outline: Outline) -> None:
        """Mark what is started from now on."""
        del outline
        os.environ[MARK] = str(os.getpid())
        if PROC.is_dir():
            self._pipe = os.pipe()

    def add(self, result: ScenarioResult) -> None:
        """Need nothing of a result."""

    def finish(self, report: RunReport | None) -> None:
        """End what is left; after an interrupt also what calls under way start only now."""
        self.end()
        if report is not None and report.interrupted:
            time.sleep(LATE_S)
            self.end()
        for file in self._pipe or ():
            os.close(file)
        self._pipe = None

    def end(self) -> None:
        """End every process that carries the mark: by SIGTERM, and soon after by SIGKILL."""
        left = [] if self._pipe is None else list(self._found(self._pipe[0]))
        for number in (signal.SIGTERM, signal.SIGKILL) if left else ():
            for pid in left:
                with suppress(OSError):
                    os.kill(pid, number)
            until = time.monotonic() + POLITE_S
            while (left := [pid for pid in left if _runs(pid)]) and time.monotonic() < until:
                time.sleep(0.01)

    def _found(self, pipe: int) -> Iterator[int]:
        """Find the processes with the mark, among those that are no older than this one."""
        mark, link = f"{MARK}={os.getpid()}".encode(), Path(f"/proc/self/fd/{pipe}").readlink()
        since = int(_stat(os.getpid())[19])
        for each in PROC.glob("[0-9]*"):
            with suppress(OSError, IndexError):
                pid = int(each.name)
                younger = pid != os.getpid() and int(_stat(pid)[19]) >= since
                if younger and (_has(each, mark) or _holds(each, link)):
                    yield pid


def _end(started: Started | None) -> None:
    if started is not None:
        started.end()


def _stat(pid: int) -> list[str]:
    """Read what the system says of a process, from its state on."""
    said = (PROC / str(pid) / "stat").read_text("ascii", "replace")
    return said.rpartition(")")[2].split()


def _has(process: Path, mark: bytes) -> bool:
    marked = mark in (process / "environ").read_bytes().split(b"\0")
    return marked and OUR_OWN not in (process / "cmdline").read_bytes()


def _holds(process: Path, link: Path) -> bool:
    return any(each.readlink() == link for each in (process / "fd").iterdir())


def _runs(pid: int) -> bool:
    """Say whether a process still runs; one of ours that has ended is taken off the table."""
    with suppress(OSError):
        os.waitpid(pid, os.WNOHANG)
    try:
        return _stat(pid)[0] != "Z"
    except (OSError, IndexError):
        return False


@contextmanager
def interrupts(started: Started | None = None) -> Iterator[None]:
    """Take a signal as Ctrl-C: the first ends the run in order, the second at once."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    every = [getattr(signal, name) for name in SIGNALS if hasattr(signal, name)]
    known = [each for each in every if signal.getsignal(each) is not signal.SIG_IGN]  # nohup

    def at_once(*_: object) -> None:
        _end(started)
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
def no_early_end(started: Started | None = None) -> Iterator[None]:
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
            _end(started)
            real(INTERNAL)
        real(code)

    os._exit = told  # type: ignore[assignment]
    try:
        yield
    finally:
        os._exit = real  # type: ignore[assignment]
