"""How records get into a log: one writer, each record flushed at once, and soon on the disk."""

import json
import os
import threading
from pathlib import Path
from time import perf_counter

from evalkit.errors import RunLogError, RunLogWriteError
from evalkit.runlog.lines import sealed

SYNC_S = 0.5
LOCK = "lock"


class Lock:
    """The right to write a log: one process has it, and the system takes it back when that ends."""

    def __init__(self, run: Path) -> None:
        """Take it, or raise `RunLogError` naming who has it."""
        try:
            import fcntl  # noqa: PLC0415  - not on every system
        except ImportError as error:
            raise RunLogError("a log needs file locks, which are not here; --no-log") from error
        try:
            self._file = os.open(run / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise RunLogError(f"{str(run / LOCK)!r} can't be had: {error}") from error
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            holder = os.read(self._file, 500).decode("utf-8", "replace")
            os.close(self._file)
            raise RunLogError(f"{run} is being written by {_told(holder)}") from error
        os.ftruncate(self._file, 0)
        os.pwrite(self._file, json.dumps([os.getpid(), os.uname().nodename]).encode(), 0)
        os.register_at_fork(after_in_child=self.release)  # a child would keep it after our end

    def release(self) -> None:
        """Give it back."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


class LogWriter:
    """Appends records to a log. Safe among threads; a record is whole, or it was an error."""

    def __init__(self, path: Path, written: int = 0) -> None:
        """Open the log for appending; `written` records are in it."""
        self.path = path
        self._number = written
        self._lock = threading.Lock()
        self._synced = perf_counter()
        self._dirty = False
        self._broken = False
        try:
            self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise RunLogError(f"the log {str(path)!r} can't be written: {error}") from error

    def append_text(self, text: bytes) -> None:
        """Write one record that is JSON already: an object, to which its number is added."""
        with self._lock:
            if self._broken:
                raise RunLogWriteError(f"{self.path}: nothing more is written after a failure")
            self._number += 1
            self._write(sealed(b'%b,"seq":%d}' % (text[:-1], self._number)))
            self._dirty = True

    def sync(self, *, now: bool = False) -> None:
        """Bring what was written to the disk, if some time has passed or `now` is asked for."""
        if self._broken or not self._dirty or (not now and perf_counter() - self._synced < SYNC_S):
            return
        self._dirty = False
        try:
            os.fsync(self._file)
        except OSError as error:  # what the page cache held may be gone: trying again would lie
            self._broken = True
            raise RunLogWriteError(f"{self.path}: {error}") from error
        self._synced = perf_counter()

    def close(self) -> None:
        """Bring everything to the disk, and close."""
        try:
            self.sync(now=True)
        finally:
            os.close(self._file)

    def _write(self, line: bytes) -> None:
        """Write a line in full; a disk that takes a part of it is full."""
        try:
            done = os.write(self._file, line)
            if done < len(line):
                done += os.write(self._file, line[done:])
        except OSError as error:
            raise self._cut_off(str(error)) from error
        if done < len(line):
            raise self._cut_off(f"{done} of {len(line)} bytes were taken")

    def _cut_off(self, why: str) -> RunLogWriteError:
        self._broken = True
        return RunLogWriteError(f"{self.path}: record {self._number} is not whole: {why}")


def _told(holder: str) -> str:
    """Say who holds a lock, from what it wrote."""
    try:
        pid, host = json.loads(holder)
    except ValueError:
        return "another process"
    return f"process {pid} on {host}"
