"""Stdout belongs to the report, down to the file descriptor."""

import io
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from evalkit.cli.streams import own_stdout, write_bytes

ROOT = Path(__file__).parents[2]
STRAY = """
import os, subprocess, sys
from evalkit.cli.streams import own_stdout
print("before")
with own_stdout() as stdout:
    {stray}
    stdout.write("report\\n")
print("after")
"""


def python(code: str, stdout: int = subprocess.PIPE) -> subprocess.CompletedProcess[str]:
    """What comes of a program."""
    return subprocess.run(
        [sys.executable, "-c", code],
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        timeout=30,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


@pytest.mark.parametrize(
    "stray",
    [
        "print('stray')",
        "print('stray', file=sys.__stdout__, flush=True)",
        "os.write(1, b'stray\\n')",
        "os.system('echo stray')",
        "subprocess.run(['echo', 'stray'])",
    ],
)
def test_all_else_goes_to_stderr(stray: str) -> None:
    """Python's prints, the descriptor's bytes and child processes: none is on stdout."""
    done = python(STRAY.format(stray=stray))
    assert done.returncode == 0, done.stderr
    assert done.stdout == "before\nreport\nafter\n"
    assert done.stderr.strip() == "stray"


def test_stdout_is_given_back_after_a_failure() -> None:
    """What is printed after the report is on stdout again, also where the report failed."""
    code = "import sys\nfrom evalkit.cli.streams import own_stdout\n"
    code += "try:\n    with own_stdout():\n        int('x')\nexcept ValueError:\n    print('after')"
    assert python(code).stdout == "after\n"


def test_without_a_stdout_nothing_is_lost_but_the_report() -> None:
    """A process that was started without streams has somewhere to write to."""
    code = (
        "import sys\nsys.stdout = sys.stderr = None\nfrom evalkit.cli.streams import own_stdout\n"
    )
    code += "with own_stdout() as stdout:\n    print('x')\n    stdout.write('report')"
    assert python(code).returncode == 0


def test_a_stream_that_is_no_file_is_used_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where stdout has no descriptor, as under a test's capture, the report goes there."""
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stdout", stream)
    with own_stdout() as stdout:
        stdout.write("report")
    assert stream.getvalue() == "report"


@pytest.mark.parametrize("encoding", ["ascii", "utf-8", "utf-16"])
def test_bytes_are_written_as_they_are(encoding: str) -> None:
    """A report in UTF-8 stays what it is on a stream of any encoding."""
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding)
    write_bytes(stream, "Grüße".encode())
    assert raw.getvalue() == "Grüße".encode()


def test_bytes_are_written_to_a_text_stream() -> None:
    """A stream without bytes gets the text."""
    stream = io.StringIO()
    write_bytes(stream, "Grüße".encode())
    assert stream.getvalue() == "Grüße"


def test_a_reader_that_has_gone_is_no_error() -> None:
    """Nobody reads any more: that is the end of writing, not of the program."""
    reading, writing = os.pipe()
    os.close(reading)
    stream = os.fdopen(writing, "w", encoding="utf-8")
    write_bytes(stream, b"x" * 100_000)
    with suppress(BrokenPipeError):
        stream.close()


def test_stdout_may_be_kept_to_the_end() -> None:
    """Without `give_back`, what a process prints while it ends is not on stdout either."""
    code = STRAY.replace("own_stdout()", "own_stdout(give_back=False)").format(stray="pass")
    done = python(code)
    assert done.returncode == 0, done.stderr
    assert (done.stdout, done.stderr) == ("before\nreport\n", "after\n")
