"""A Dask cluster that runs pieces: one that is there, or one of this machine for the run alone."""

from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from importlib import import_module
from logging import CRITICAL, getLogger
from types import ModuleType
from typing import Any

from evalkit.errors import CatalogueError
from evalkit.executors.order import Order
from evalkit.executors.pools import Foreign, lost_by
from evalkit.executors.worker import greet

CONNECT_S = 10


class Dask(Foreign):
    """A Dask cluster: the one at an address, else one of this machine that ends with the run."""

    def __init__(self, address: str | None, workers: int, order: Order) -> None:
        """Connect, and see that every worker has the same versions."""
        distributed = _imported("distributed", "evalkit-dsl[dask]")
        self._cluster: Any = None
        where: Any = address
        if address is None:
            import_module("dask").config.set({"distributed.scheduler.allowed-failures": 1})
            getLogger("distributed").setLevel(CRITICAL)  # what it means is told by the run itself
            where = self._cluster = distributed.LocalCluster(
                n_workers=workers, threads_per_worker=1, dashboard_address=":0"
            )
        try:
            self._client = distributed.Client(where, set_as_default=False, timeout=CONNECT_S)
        except (OSError, ValueError) as error:
            problem = f"no Dask scheduler answers at {address}: {error}"
            raise CatalogueError("executor", problem) from error
        self._lost = distributed.scheduler.KilledWorker
        try:
            self._client.run(greet, order)
        except BaseException:
            self.close()
            raise
        count = len(self._client.scheduler_info()["workers"])
        if not count:
            raise CatalogueError("executor", f"the Dask cluster at {address} has no worker")
        super().__init__(self._client.get_executor(pure=False), count)
        self.local = self._cluster is not None

    def submit(self, function: Callable[..., bytes], /, *args: Any) -> Future[bytes]:  # noqa: ANN401
        """Have a worker call a function; a piece that ended several workers is a `LostError`."""
        inner = super().submit(function, *args)
        outer: Future[bytes] = Future()
        inner.add_done_callback(lambda done: self._handed_on(done, outer))
        return outer

    def _handed_on(self, inner: Future[bytes], outer: Future[bytes]) -> None:
        error = CancelledError() if inner.cancelled() else inner.exception()
        if error is None:
            outer.set_result(inner.result())
        elif isinstance(error, self._lost):
            outer.set_exception(lost_by(error))
        else:
            outer.set_exception(error)

    def told(self, error: BaseException) -> str:
        """Say that it was tried by several workers."""
        return f"every worker that ran it ended: {type(error.__cause__).__name__}"

    def close(self) -> None:
        """Leave the cluster, and end it where it is our own."""
        self._client.close()
        if self._cluster is not None:
            self._cluster.close()

    def kill(self) -> None:
        """Leave at once."""
        if not self.killed:
            self.killed = True
            self.close()


def _imported(name: str, install: str) -> ModuleType:
    """Import a package that only this executor needs; its absence says what to install."""
    try:
        return import_module(name)
    except ImportError as error:
        raise CatalogueError(
            "executor", f"needs the package {name!r}", f"pip install {install!r}"
        ) from error
