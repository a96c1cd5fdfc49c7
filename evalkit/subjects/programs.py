"""How a program is run to its end: its outputs in files, its children ended with it, in time."""

import os
import signal
import subprocess
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from time import monotonic, sleep
from typing import BinaryIO

import attrs

from evalkit.errors import TransportError

MOST_BYTES = 1_000_000
MOST_ERRORS = 64_000_000
"""What a program may write to stderr, of which only the end is ever shown."""
POLITE_S = 2.0
STEP_S = 0.1
WINDOWS = os.name == "nt"
PROC = Path("/proc")


class CommandError(RuntimeError):
    """A program that ran, and failed: its exit code and the end of its stderr, or its signal."""


class LateCommandError(RuntimeError):
    """A program that was stopped at its deadline; no TimeoutError, which stands for a transport."""


@attrs.frozen(eq=False)
class Output:
    """What a program writes: a file, since a pipe stays open as long as any child of it lives.

    It is read by a handle of its own: two that share one would share the place in the file.
    """

    writer: BinaryIO
    reader: BinaryIO

    @property
    def size(self) -> int:
        """Give how many bytes have been written."""
        return os.fstat(self.reader.fileno()).st_size


def opened(path: Path, files: ExitStack) -> Output:
    """Open a new file for an output, until `files` are closed."""
    writer = files.enter_context(path.open("wb"))
    return Output(writer, files.enter_context(path.open("rb")))


def run_command(  # noqa: PLR0913  - a command, its three streams, its environment, its deadline
    command: str,
    *,
    stdin: BinaryIO,
    out: Output,
    err: Output,
    environment: Mapping[str, str],
    seconds: float,
) -> int:
    """Run a shell's command to its end, and give its exit code; below 0 it is a signal's number.

    `LateCommandError` where it took longer than `seconds`, `CommandError` where it writes more than
    is read, `TransportError` where there is no shell. Whatever comes, nothing of its session runs
    on.
    """
    until = monotonic() + seconds
    if seconds <= 0:
        raise LateCommandError("was given no time")
    process = _start(command, stdin, out, err, environment)
    try:
        while process.poll() is None:
            left = until - monotonic()
            if left <= 0:
                raise LateCommandError(f"did not end within {seconds:.3g} s")
            _check_sizes(out, err)
            with suppress(subprocess.TimeoutExpired):
                process.wait(min(left, STEP_S))
    finally:
        _end(process)
    _check_sizes(out, err)
    return int(process.returncode)


def _start(
    command: str, stdin: BinaryIO, out: Output, err: Output, environment: Mapping[str, str]
) -> "subprocess.Popen[bytes]":
    """Start a command in a session of its own, by which all that it starts can be ended."""
    try:
        return subprocess.Popen(  # noqa: S603  - the author's own command
            command if WINDOWS else ["/bin/sh", "-c", command],
            shell=WINDOWS,
            stdin=stdin,
            stdout=out.writer,
            stderr=err.writer,
            env=environment,
            start_new_session=True,
        )
    except OSError as error:
        raise TransportError(f"could not be started: {error}") from error


def _check_sizes(out: Output, err: Output) -> None:
    for name, output, most in (("stdout", out, MOST_BYTES), ("stderr", err, MOST_ERRORS)):
        if output.size > most:
            raise CommandError(f"wrote more than {most:,} bytes to {name}")


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End a program and what it has started: by SIGTERM, and two seconds after by SIGKILL."""
    if WINDOWS:
        process.kill()
        process.wait()
        return
    for number in (signal.SIGTERM, signal.SIGKILL):
        until = monotonic() + POLITE_S
        if _lives(process):
            with suppress(OSError):
                os.killpg(process.pid, number)
        while _lives(process) and monotonic() < until:
            sleep(0.01)


def _lives(process: "subprocess.Popen[bytes]") -> bool:
    """Say whether a program runs, or anything in its group.

    A child that has ended and waits to be seen off is not running: in a container there may be
    nobody who does that.
    """
    if process.poll() is None:
        return True
    try:
        os.killpg(process.pid, 0)
    except OSError:
        return False
    return not PROC.is_dir() or any(_runs(each, process.pid) for each in PROC.glob("[0-9]*"))


def _runs(process: Path, group: int) -> bool:
    try:
        state, _, found = (process / "stat").read_bytes().rpartition(b")")[2].split()[:3]
    except (OSError, ValueError):  # it has gone meanwhile
        return False
    return int(found) == group and state != b"Z"
