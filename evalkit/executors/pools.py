"""Who runs pieces elsewhere: processes of this machine, a Dask cluster, a pool of the caller's."""

import os
import signal
from collections.abc import Callable, Mapping
from concurrent.futures import BrokenExecutor, CancelledError, Future
from contextlib import suppress
from importlib import import_module
from multiprocessing import get_context, resource_tracker
from typing import Any, Protocol

from evalkit.errors import EvalkitError
from evalkit.executors.order import Order
from evalkit.executors.worker import begin_process, signals_held

JOIN_S = 2.0


class LostError(Exception):
    """A worker ended before it gave a result."""


LOST: tuple[type[BaseException], ...] = (LostError, BrokenExecutor, CancelledError)
"""What a future raises whose worker is gone."""


class Pool(Protocol):
    """A pool of workers, by the protocol of `concurrent.futures`, that can also be ended at once.

    `local` says that workers share this machine's files.
    """

    workers: int
    local: bool
    killed: bool

    def submit(self, function: Callable[..., bytes], /, *args: Any) -> Future[bytes]:  # noqa: ANN401
        """Have a worker call a function."""
        ...

    def drop(self, future: Future[bytes]) -> None:
        """Take a piece for lost whose process is gone; its future then says so."""
        ...

    def told(self, error: BaseException) -> str:
        """Say how a worker ended."""
        ...

    def close(self) -> None:
        """End the workers, which have nothing left to do."""
        ...

    def kill(self) -> None:
        """End the workers at once, whatever they do."""
        ...


class Processes:
    """Processes of this machine, by pebble: one that ends takes only its own piece with it."""

    local = True

    def __init__(self, workers: int) -> None:
        """Start nothing yet: workers start as there is work."""
        pebble = import_module("pebble")
        resource_tracker.ensure_running()  # which would let signals through to the workers later
        self.workers = workers
        self.killed = False
        self._inner: dict[Future[bytes], Any] = {}
        self._pool = pebble.ProcessPool(
            max_workers=workers, context=get_context("spawn"), initializer=begin_process
        )

    def submit(self, function: Callable[..., bytes], /, *args: Any) -> Future[bytes]:  # noqa: ANN401
        """Have a worker call a function; a worker that ends is a `LostError`."""
        try:
            with signals_held():  # the first piece starts the workers
                inner = self._pool.schedule(function, args=args)
        except RuntimeError as error:
            hint = "a script that runs processes needs: if __name__ == '__main__':"
            raise EvalkitError(f"the pool of processes broke down: {error}; {hint}") from error
        outer: Future[bytes] = Future()
        self._inner[outer] = inner
        inner.add_done_callback(lambda done: self._handed_on(done, outer))
        return outer

    def _handed_on(self, inner: Any, outer: Future[bytes]) -> None:  # noqa: ANN401
        """Hand on what a future of pebble's came to."""
        self._inner.pop(outer, None)
        if outer.done():
            return
        error = CancelledError() if inner.cancelled() else inner.exception()
        if error is None:
            outer.set_result(inner.result())
        elif hasattr(error, "exitcode"):
            outer.set_exception(lost_by(error))
        else:
            outer.set_exception(error)

    def drop(self, future: Future[bytes]) -> None:
        """Take a piece for lost whose process ended by exit code 0, which pebble takes for done."""
        inner = self._inner.pop(future, None)
        if inner is not None and not future.done():
            future.set_exception(LostError("exit code 0"))
            inner.cancel()

    def told(self, error: BaseException) -> str:
        """Say by what exit code or signal the process ended."""
        code = getattr(error.__cause__, "exitcode", 0)
        if isinstance(code, int) and code < 0:
            with suppress(ValueError):
                return f"its process was ended by {signal.Signals(-code).name}"
        return f"its process ended with exit code {code}"

    def close(self) -> None:
        """End the workers, which have nothing left to do."""
        self._pool.close()
        self._pool.join(JOIN_S)

    def kill(self) -> None:
        """End the workers at once, whatever the pool makes of it: it may be at work on them."""
        self.killed = True
        for end in (self._pool.stop, lambda: self._pool.join(JOIN_S)):
            with suppress(Exception):
                end()


def lost_by(error: BaseException) -> LostError:
    """Give what says that a worker is gone, with the pool's own word for it as the cause."""
    lost = LostError(str(error))
    lost.__cause__ = error
    return lost


class Foreign:
    """A pool of the caller's own, which stays the caller's."""

    local = False

    def __init__(self, pool: Any, workers: int | None) -> None:  # noqa: ANN401
        """Take an executor by the protocol of `concurrent.futures`."""
        self._pool = pool
        self.workers = workers or getattr(pool, "_max_workers", None) or os.cpu_count() or 1
        self.killed = False

    def submit(self, function: Callable[..., bytes], /, *args: Any) -> Future[bytes]:  # noqa: ANN401
        """Have a worker call a function."""
        try:
            future: Future[bytes] = self._pool.submit(function, *args)
        except BrokenExecutor as error:
            raise EvalkitError(f"the pool is broken: {error}") from error
        return future

    def drop(self, future: Future[bytes]) -> None:
        """Do nothing: such a pool notices by itself."""

    def told(self, error: BaseException) -> str:
        """Say what the pool says."""
        return f"its worker is gone: {type(error).__name__}: {error}"

    def close(self) -> None:
        """Leave the pool to its owner."""

    def kill(self) -> None:
        """Leave the pool to its owner; what it still runs is not waited for."""
        self.killed = True


def pool_for(execution: Any, order: Order, pieces: int) -> Pool:  # noqa: ANN401
    """Make the pool that is asked for, of no more workers than there are pieces."""
    makers: Mapping[str, Callable[[], Pool]] = {
        "processes": lambda: Processes(_count(execution, pieces)),
        "dask": lambda: import_module("evalkit.executors.cluster").Dask(
            execution.address, _count(execution, pieces), order
        ),
        "pool": lambda: Foreign(execution.pool, execution.workers),
    }
    return makers[execution.kind]()


def _count(execution: Any, pieces: int) -> int:  # noqa: ANN401
    return min(execution.workers or os.cpu_count() or 1, pieces)
