"""How a caller says where to run, and what is refused."""

from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest

from evalkit import CatalogueError
from evalkit.executors import EXECUTORS, IN_PROCESS, Execution, execution_of

ADDRESS = "tcp://10.0.0.1:8786"


class Queue:
    """What can `submit`."""

    def __init__(self) -> None:
        """Hold nothing."""
        self.held: list[Any] = []

    def submit(self, function: Any, /, *args: Any) -> Future[Any]:
        """Take work."""
        self.held.append((function, args))
        return Future()


@pytest.mark.parametrize(
    ("said", "workers", "kind", "address"),
    [
        ("serial", None, "serial", None),
        ("threads", 8, "threads", None),
        ("processes", 2, "processes", None),
        ("dask", None, "dask", None),
        (f"dask={ADDRESS}", 4, "dask", ADDRESS),
    ],
)
def test_an_executor_by_its_name(
    said: str, workers: int | None, kind: str, address: str | None
) -> None:
    """A name says where a run goes, with an address for Dask alone."""
    execution = execution_of(said, workers)
    assert (execution.kind, execution.workers, execution.address) == (kind, workers, address)


def test_serial_is_what_runs_otherwise() -> None:
    """Without a word, a run is serial."""
    assert execution_of().kind == Execution().kind == "serial"


def test_a_pool_of_the_caller_s_own() -> None:
    """Whatever can `submit` is a pool, and stays the caller's object."""
    pool = Queue()
    execution = execution_of(pool, 3)
    assert (execution.kind, execution.pool, execution.workers) == ("pool", pool, 3)


def test_an_execution_is_taken_as_it_is() -> None:
    """What was read once is not read again."""
    execution = Execution("threads", 2)
    assert execution_of(execution) is execution


@pytest.mark.parametrize(
    ("said", "near"),
    [("process", "did you mean 'processes'"), ("thread", "'threads'"), ("daks=x:1", "'dask'")],
)
def test_a_wrong_name_is_answered_with_the_nearest(said: str, near: str) -> None:
    """A mistyped executor is a catalogue error that names the one that was meant."""
    with pytest.raises(CatalogueError, match="unknown executor") as caught:
        execution_of(said)
    assert near in str(caught.value)


@pytest.mark.parametrize("said", ["", "threads=4", "serial=1", "pool", "pool=x", "DASK"])
def test_what_names_no_executor(said: str) -> None:
    """Nothing else is taken for an executor: no empty name, no address where there is none."""
    with pytest.raises(CatalogueError, match="executor"):
        execution_of(said)


@pytest.mark.parametrize("said", [None, 4, object(), ["threads"], {"submit": 1}])
def test_what_is_no_pool(said: Any) -> None:
    """An object that can't `submit` is refused, and told what would do."""
    with pytest.raises(CatalogueError, match=r"concurrent\.futures"):
        execution_of(said)


def test_threads_of_one_s_own_are_refused() -> None:
    """A pool of threads in this process is what `threads` is for; they would share one stdout."""
    with ThreadPoolExecutor(1) as pool, pytest.raises(CatalogueError, match="'threads'"):
        execution_of(pool)


def test_the_table_has_a_row_for_every_kind() -> None:
    """Each kind that can be asked for runs; those that need nothing sent are among them."""
    assert {"serial", "threads", "processes", "dask", "pool"} == set(EXECUTORS)
    assert {"serial", "threads"} == IN_PROCESS
