"""Where scenarios run: on one lane of this process, on several, in other processes or machines."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

import attrs

from evalkit.asked import Asked
from evalkit.errors import CatalogueError
from evalkit.executors.lanes import on_lanes
from evalkit.jobs import Jobs
from evalkit.jsonvalue import brief
from evalkit.loops import OwnLoop, SharedLoop
from evalkit.registry import hint_for
from evalkit.schedule import Schedule
from evalkit.watch import Watch

WORKERS = 4
"""How many, where a number is not given."""


@attrs.frozen(eq=False, repr=False)
class Execution:
    """Which executor runs a run: its row in the table, how many workers, and where.

    `pool` is one of the caller's own, by the protocol of `concurrent.futures`.
    """

    kind: str = "serial"
    workers: int | None = None
    address: str | None = None
    pool: Any = None

    @property
    def local(self) -> bool:
        """Say whether workers share the files of this machine."""
        return self.kind == "processes" or (self.kind == "dask" and self.address is None)


def execution_of(executor: Any = "serial", workers: int | None = None) -> Execution:  # noqa: ANN401
    """Read what a caller writes: `serial`, `threads`, `processes`, `dask[=ADDRESS]`, or a pool."""
    if isinstance(executor, Execution):
        return executor
    if not isinstance(executor, str):
        if not callable(getattr(executor, "submit", None)):
            hint = f"one of {', '.join(map(repr, NAMED))}, or a concurrent.futures.Executor"
            raise CatalogueError("executor", f"got {brief(executor)}", hint)
        if type(executor).__name__ == "ThreadPoolExecutor":
            raise CatalogueError("executor", "threads of one's own", "say executor='threads'")
        return Execution("pool", workers, None, executor)
    kind, _, address = executor.partition("=")
    if kind not in NAMED or (address and kind != "dask"):
        raise CatalogueError("executor", f"unknown executor {executor!r}", hint_for(kind, NAMED))
    if workers is not None and kind == "serial":
        raise CatalogueError("workers", "serial has one", "say executor='threads' or 'processes'")
    return Execution(kind, workers, address or None)


def refuse_unsendable(execution: Execution, asked: Asked) -> None:
    """Raise `CatalogueError` where a run can't be sent to the workers that are asked for."""
    if execution.kind not in IN_PROCESS:
        import_module("evalkit.executors.order").order_of(asked, "")


def execute(
    execution: Execution,
    asked: Asked,
    jobs: Jobs,
    schedule: Schedule,
    watch: Watch[None],
) -> None:
    """Run a schedule to its end, on the executor that is asked for; called on the watch's lane."""
    EXECUTORS[execution.kind](execution, asked, jobs, schedule, watch)


def _serial(
    _execution: Execution,
    _asked: Asked,
    _jobs: Jobs,
    schedule: Schedule,
    watch: Watch[None],
) -> None:
    on_lanes(schedule, watch, 1)


def _threads(
    execution: Execution,
    asked: Asked,
    jobs: Jobs,
    schedule: Schedule,
    watch: Watch[None],
) -> None:
    """Run on threads; where async handlers have no loop of the caller's, they share one.

    Agents do not: many an async one blocks its loop while it waits for a model.
    """
    shared = SharedLoop()
    if watch.make_awaiter is OwnLoop and asked.agent is None:
        watch.make_awaiter = shared.lane
        watch.lane.awaiter = shared.lane()
        watch.on_lost = shared.renew
    try:
        epochs = jobs.epochs
        on_lanes(schedule, watch, min(execution.workers or WORKERS, max(1, epochs)))
    finally:
        shared.close()


def _elsewhere(
    execution: Execution,
    asked: Asked,
    jobs: Jobs,
    schedule: Schedule,
    watch: Watch[None],
) -> None:
    """Run in other processes; what that needs is imported only here, for few runs do."""
    remote = import_module("evalkit.executors.remote")
    remote.on_pool(execution, asked, jobs, schedule, watch)


NAMED = ("serial", "threads", "processes", "dask")
"""The executors that have a name; a pool of the caller's comes as it is."""
IN_PROCESS = frozenset({"serial", "threads"})
"""The executors that need nothing to be sent."""

EXECUTORS: Mapping[str, Callable[..., None]] = {
    "serial": _serial,
    "threads": _threads,
    "processes": _elsewhere,
    "dask": _elsewhere,
    "pool": _elsewhere,
}
