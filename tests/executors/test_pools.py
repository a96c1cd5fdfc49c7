"""Who runs pieces elsewhere: what each pool makes of a worker that ends, fails or hangs."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from evalkit import CatalogueError
from evalkit.asked import Asked
from evalkit.errors import EvalkitError
from evalkit.executors import Execution
from evalkit.executors.order import order_of
from evalkit.executors.pools import LOST, Foreign, LostError, Processes, pool_for

WAIT_S = 30.0
pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs POSIX signals")


def running(pid: int) -> bool:
    """Whether a process is there."""
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True


def gone(pid: int) -> bool:
    """Whether a process is gone, at the latest after a while."""
    until = time.monotonic() + WAIT_S
    while running(pid) and time.monotonic() < until:
        time.sleep(0.02)
    return not running(pid)


def pid_in(path: Path) -> int:
    """The number that another process writes into a file, once it is there."""
    until = time.monotonic() + WAIT_S
    while not (path.exists() and path.read_text()) and time.monotonic() < until:
        time.sleep(0.02)
    return int(path.read_text())


@pytest.fixture(scope="module")
def processes() -> Iterator[Processes]:
    """A pool of one process, which is ended in the end."""
    pool = Processes(1)
    yield pool
    pool.close()


def text(number: int) -> bytes:
    """Be work that answers."""
    return b"%d" % number


def refuse() -> bytes:
    """Be work that raises."""
    raise LookupError("no such order")


def end(number: int) -> bytes:
    """Be work in which the process ends by a signal."""
    os.kill(os.getpid(), number)
    return b""


def leave(code: int) -> bytes:
    """Be work that ends the process by itself."""
    os._exit(code)


def hang(path: str) -> bytes:
    """Be work that never ends, and leave a note of the process."""
    Path(path).write_text(str(os.getpid()))
    time.sleep(600)
    return b""


def test_work_gives_what_it_returns(processes: Processes) -> None:
    """What a worker returns comes back, whichever piece is done first."""
    futures = [processes.submit(text, n) for n in range(20)]
    assert [future.result(WAIT_S) for future in futures] == [b"%d" % n for n in range(20)]


def test_work_raises_what_it_raises(processes: Processes) -> None:
    """An error of a worker's own is no lost worker."""
    with pytest.raises(LookupError, match="no such order") as caught:
        processes.submit(refuse).result(WAIT_S)
    assert not isinstance(caught.value, LOST)


@pytest.mark.parametrize(
    ("work", "given", "told"),
    [
        (end, int(getattr(signal, "SIGKILL", 9)), "SIGKILL"),
        (end, int(signal.SIGSEGV), "SIGSEGV"),
        (leave, 3, "exit code 3"),
    ],
)
def test_a_process_that_ends_is_lost_alone(
    processes: Processes, work: Callable[[int], bytes], given: int, told: str
) -> None:
    """The piece it ended in is lost, with how it ended; what was waiting behind it is done."""
    lost, after = processes.submit(work, given), processes.submit(text, 7)
    with pytest.raises(LostError) as caught:
        lost.result(WAIT_S)
    assert told in processes.told(caught.value)
    assert after.result(WAIT_S) == b"7"


def test_a_dropped_piece_is_lost() -> None:
    """A piece whose process is known to be gone can be taken for lost; its future says so."""
    pool = Processes(1)
    try:
        future = pool.submit(leave, 0)
        pool.drop(future)
        with pytest.raises(LostError):
            future.result(WAIT_S)
    finally:
        pool.kill()


def test_to_kill_ends_a_worker_that_hangs(tmp_path: Path) -> None:
    """Workers that never come back are ended at once, and none is left."""
    pool = Processes(2)
    notes = [tmp_path / "one", tmp_path / "two"]
    for note in notes:
        pool.submit(hang, str(note))
    pids = [pid_in(note) for note in notes]
    pool.kill()
    assert all(map(gone, pids))


def test_to_kill_twice_is_to_kill_once(tmp_path: Path) -> None:
    """An interrupt and the end of the run may both end the workers, at the same time."""
    pool = Processes(2)
    pool.submit(hang, str(tmp_path / "pid"))
    pid = pid_in(tmp_path / "pid")
    raised: list[BaseException] = []

    def kill() -> None:
        try:
            pool.kill()
        except Exception as error:  # noqa: BLE001  - whatever it raises is what is looked for
            raised.append(error)

    threads = [threading.Thread(target=kill) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(WAIT_S)
    assert raised == []
    assert gone(pid)


def test_a_pool_that_did_nothing_can_be_closed() -> None:
    """A pool that was never given work has nothing to end."""
    Processes(2).close()
    Processes(2).kill()


def test_a_pool_of_the_caller_s_is_left_to_the_caller() -> None:
    """Neither the end of a run nor an interrupt ends a pool that is not ours."""
    with ProcessPoolExecutor(1, get_context("spawn")) as theirs:
        for ending in (Foreign.close, Foreign.kill):
            pool = Foreign(theirs, None)
            assert pool.submit(text, 1).result(WAIT_S) == b"1"
            ending(pool)
        assert theirs.submit(text, 2).result(WAIT_S) == b"2"


def test_a_broken_pool_is_told_of() -> None:
    """A pool whose worker ended takes nothing more, and the run says why it ends."""
    with ProcessPoolExecutor(1, get_context("spawn")) as theirs:
        pool = Foreign(theirs, None)
        with pytest.raises(BrokenExecutor):
            pool.submit(leave, 1).result(WAIT_S)
        with pytest.raises(EvalkitError, match="pool is broken"):
            pool.submit(text, 1)


class Sized:
    """A pool that says how many workers it has."""

    def __init__(self, **fields: Any) -> None:
        """Take what to say."""
        vars(self).update(fields)

    def submit(self, function: Any, /, *args: Any) -> Future[Any]:
        """Do the work at once."""
        future: Future[Any] = Future()
        future.set_result(function(*args))
        return future


def test_how_many_workers_a_pool_has() -> None:
    """What is asked for counts, else what the pool says, else one for each processor."""
    assert Foreign(Sized(_max_workers=3), 5).workers == 5
    assert Foreign(Sized(_max_workers=3), None).workers == 3
    assert Foreign(Sized(), None).workers >= 1


@pytest.mark.parametrize(("workers", "pieces", "made"), [(8, 3, 3), (2, 100, 2)])
def test_no_more_workers_than_pieces(workers: int, pieces: int, made: int) -> None:
    """Processes that would have nothing to do are not started."""
    pool = pool_for(Execution("processes", workers), order_of(Asked(()), "key"), pieces)
    assert pool.workers == made
    pool.close()


def test_a_package_that_is_absent_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the package of an executor is not installed, the refusal says how to get it."""
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(CatalogueError, match=r"'distributed'; pip install 'evalkit-dsl\[dask\]'"):
        pool_for(Execution("dask", 1), order_of(Asked(()), "key"), 1)
