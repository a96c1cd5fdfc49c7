"""Records get into a log whole or not at all, by one writer at a time."""

import json
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path
from textwrap import dedent

import pytest

from evalkit import RunLogError
from evalkit.errors import RunLogWriteError
from evalkit.runlog.lines import lines_of
from evalkit.runlog.writer import Lock, LogWriter

ROOT = Path(__file__).parents[2]


def child(code: str, folder: Path) -> str:
    """What a process of its own prints, in a folder."""
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", dedent(code)],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env=env,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_each_record_is_in_the_file_at_once(tmp_path: Path) -> None:
    """After an append the record can be read by others, before any sync or close."""
    writer = LogWriter(tmp_path / "log")
    for number in range(1, 4):
        writer.append_text(b'{"n":%d}' % number)
        found = [line.record for line in lines_of(tmp_path / "log")]
        assert [record and record["n"] for record in found] == list(range(1, number + 1))
    writer.close()


def test_records_are_numbered_from_what_is_there(tmp_path: Path) -> None:
    """Numbers go on where the earlier writer left off, so that a lost record is noticed."""
    first = LogWriter(tmp_path / "log")
    first.append_text(b'{"n":1}')
    first.close()
    second = LogWriter(tmp_path / "log", 1)
    second.append_text(b'{"n":2}')
    second.close()
    assert [line.record and line.record["seq"] for line in lines_of(tmp_path / "log")] == [1, 2]


def test_threads_do_not_mix_their_records(tmp_path: Path) -> None:
    """Records of many threads are whole, and numbered in the order of the file."""
    writer = LogWriter(tmp_path / "log")

    def append(name: int) -> None:
        for at in range(50):
            writer.append_text(json.dumps({"who": name, "at": at, "text": "x" * 3000}).encode())

    threads = [threading.Thread(target=append, args=(name,)) for name in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    writer.close()
    records = [line.record for line in lines_of(tmp_path / "log")]
    assert [record and record["seq"] for record in records] == list(range(1, 201))


@pytest.mark.parametrize("name", ["folder", "folder/that/is/not/there/log"])
def test_a_log_that_can_t_be_opened_is_refused(name: str, tmp_path: Path) -> None:
    """A path that can't be appended to is a RunLogError that names it."""
    (tmp_path / "folder").mkdir()
    with pytest.raises(RunLogError, match="can't be written") as caught:
        LogWriter(tmp_path / name)
    assert name in str(caught.value)


FULL = """
    import resource, sys
    from pathlib import Path
    from evalkit.errors import RunLogWriteError
    from evalkit.runlog.writer import LogWriter
    writer = LogWriter(Path("log"))
    writer.append_text(b'{"n":1}')
    resource.setrlimit(resource.RLIMIT_FSIZE, (200, resource.RLIM_INFINITY))
    for text in (b'{"n":2,"text":"%s"}' % (b"x" * 500), b'{"n":3}'):
        try:
            writer.append_text(text)
        except RunLogWriteError as error:
            print("refused", error)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, resource.RLIM_INFINITY))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no limits on the size of files")
def test_a_record_that_does_not_fit_is_an_error(tmp_path: Path) -> None:
    """A disk that takes a part of a record is full: a RunLogWriteError, which is an OSError."""
    assert "refused" in child(FULL, tmp_path)
    assert issubclass(RunLogWriteError, OSError)


@pytest.mark.skipif(sys.platform == "win32", reason="no limits on the size of files")
def test_nothing_is_written_after_a_record_that_is_cut_off(tmp_path: Path) -> None:
    """When there is room again, no record is put behind half of one: it would damage both."""
    child(FULL, tmp_path)
    lines = list(lines_of(tmp_path / "log"))
    assert lines[0].record is not None
    assert [line.damage for line in lines if not line.torn and line.damage] == []


def test_what_is_written_reaches_the_disk_when_it_is_closed(tmp_path: Path) -> None:
    """Closing brings everything to the disk, asking for it once."""
    code = """
        import os
        from pathlib import Path
        from evalkit.runlog.writer import LogWriter
        asked = []
        real = os.fsync
        os.fsync = lambda file: (asked.append(file), real(file))
        writer = LogWriter(Path("log"))
        writer.append_text(b'{"n":1}')
        writer.close()
        print(len(asked))
    """
    assert child(code, tmp_path) == "1\n"


def test_a_second_writer_is_refused_by_name(tmp_path: Path) -> None:
    """Who has the lock is named, by process and host."""
    lock = Lock(tmp_path)
    with pytest.raises(RunLogError, match="is being written by") as caught:
        Lock(tmp_path)
    assert f"process {os.getpid()} on {socket.gethostname()}" in str(caught.value)
    lock.release()


def test_a_lock_can_be_had_again(tmp_path: Path) -> None:
    """One that was given back is free, a long name of an earlier holder notwithstanding."""
    (tmp_path / "lock").write_text(json.dumps([10**30, "x" * 300]), encoding="utf-8")
    for _ in range(2):
        lock = Lock(tmp_path)
        with pytest.raises(RunLogError, match=f"process {os.getpid()} on"):
            Lock(tmp_path)
        lock.release()


def test_a_lock_dies_with_its_process(tmp_path: Path) -> None:
    """What a process that was killed has left behind keeps nobody out."""
    code = """
        import os, signal
        from pathlib import Path
        from evalkit.runlog.writer import Lock
        if os.fork() == 0:
            Lock(Path("."))
            os.kill(os.getpid(), signal.SIGKILL)
        os.wait()
    """
    child(code, tmp_path)
    assert (tmp_path / "lock").stat().st_size
    Lock(tmp_path).release()


def test_a_lock_that_can_t_be_taken_is_refused(tmp_path: Path) -> None:
    """A place where no lock can be is a RunLogError, as all that is wrong with a log."""
    (tmp_path / "lock").mkdir()
    with pytest.raises(RunLogError):
        Lock(tmp_path)
