"""What runs in another process: it loads and plans as the driver did, and runs what it is sent."""

import faulthandler
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import attrs

from evalkit.asked import Asked
from evalkit.engine import Engine
from evalkit.errors import RunLogError
from evalkit.executors.order import Order, Piece, job_digest, versions
from evalkit.jobs import Job
from evalkit.jsontext import loaded
from evalkit.preparing import Preparation
from evalkit.runlog.records import record_text
from evalkit.schedule import Schedule
from evalkit.subjects.output import captured
from evalkit.watch import Watch

if TYPE_CHECKING:
    from evalkit.result import ScenarioResult

HARD_S = 2.0
"""How long after its deadline a call that lets no other thread run costs the process."""

DRIVERS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGHUP") if hasattr(signal, name))
"""The signals that a terminal sends to all of its processes."""
ORPHAN_S = 1.0

_WORKERS: dict[str, "Worker"] = {}
_ONE = threading.Lock()
"""A process runs one scenario at a time: its stdout and its modules are shared."""


def begin_process() -> None:
    """Leave signals to the driver, which ends its workers itself; end where it is gone."""
    for each in DRIVERS:
        signal.signal(each, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, DRIVERS)
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()


def _end_with(driver: int) -> None:
    while os.getppid() == driver:
        time.sleep(ORPHAN_S)
    os._exit(1)


@contextmanager
def signals_held() -> Iterator[None]:
    """Hold back signals that are the driver's, for what is started: it knows of them too late."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, DRIVERS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def greet(order: Order) -> None:
    """Refuse a run of other versions, before anything is run."""
    if versions() != order.versions:
        here, there = (
            f"evalkit {each[0]} on Python {each[1]}" for each in (versions(), order.versions)
        )
        raise RunLogError(f"a worker has {here}, the driver {there}")


def run_piece(order: Order, piece: Piece) -> bytes:
    """Run one epoch of one scenario, and give its result as JSON text."""
    with _ONE:
        if piece.crumbs is not None:
            told = f"{os.getpid()} the catalogue was loaded\n"
            Path(piece.crumbs).write_text(told, encoding="utf-8")
        worker = _WORKERS.get(order.key)
        if worker is None:
            greet(order)
            _WORKERS.clear()
            worker = _WORKERS[order.key] = Worker(order)
        return worker.run(piece)


class Worker:
    """One process's side of a run: its jobs by name, planned once."""

    def __init__(self, order: Order) -> None:
        """Load, select and plan what the order names."""
        asked = Asked(
            order.files,
            order.tools,
            order.selection,
            order.timeout_s,
            digests=True,
            reading=order.reading,
            embed=order.embed,
            agent=order.agent,
            replay=order.replay,
        )
        watch: Watch[None] = Watch()
        preparation = Preparation(asked, watch.in_time)
        self._jobs: dict[str, Job] = {}
        with captured():
            watch.run(lambda: self._take(preparation))
        if order.expected is not None:
            for name, digest in loaded(Path(order.expected).read_bytes()).items():
                self._known(name, digest)

    def _take(self, preparation: Preparation) -> None:
        self._jobs = {job.plan.scenario.name: job for job in preparation.prepare().jobs}

    def _known(self, name: str, digest: str) -> Job:
        job = self._jobs.get(name)
        if job is None or job_digest(job) != digest:
            raise RunLogError(
                f"{name!r} is not the same on a worker: the catalogue or its tools differ"
            )
        return job

    def run(self, piece: Piece) -> bytes:
        """Run one scenario once; refuse one that is not what the driver means."""
        job = self._known(piece.name, piece.digest)
        results: list[ScenarioResult] = []
        once = attrs.evolve(job, epochs=1, needed=1, first=piece.epoch)
        watch: Watch[None] = Watch()
        watch.shortest_s = min([call.timeout_s for call in job.plan.calls], default=1.0)
        schedule = Schedule([once], results.append)
        engine = Engine(schedule, watch.tracks[0])
        with captured(), _Crumbs(piece.crumbs, engine, watch):
            watch.run(engine.run)
        (result,) = results
        result.epoch = piece.epoch
        return record_text({}, result)


class _Crumbs:
    """Notes in a file which call is under way, and ends the process where one lets nothing run."""

    def __init__(self, path: str | None, engine: Engine, watch: Watch[None]) -> None:
        self._path, self._engine, self._watch = path, engine, watch
        self._file: Any = None

    def __enter__(self) -> None:
        if self._path is not None:
            self._file = Path(self._path).open("w", encoding="utf-8")
            self._watch.make_armed = lambda: _Noted(self._file, self._engine)
            self._watch.lane.armed = self._watch.make_armed()

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            faulthandler.cancel_dump_traceback_later()
            self._file.close()
            with suppress(OSError):
                os.unlink(str(self._path))  # noqa: PTH108


class _Noted(list[float]):
    """The deadlines of a lane, of which each is noted down and backed by the hard one."""

    def __init__(self, file: Any, engine: Engine) -> None:  # noqa: ANN401
        super().__init__()
        self._file, self._engine = file, engine

    def append(self, deadline: float) -> None:
        self._file.seek(0)
        self._file.truncate()
        self._file.write(f"{os.getpid()} {self._engine.doing()}\n")
        self._file.flush()
        left = max(0.0, deadline - perf_counter()) + HARD_S
        if left < threading.TIMEOUT_MAX:
            faulthandler.dump_traceback_later(left, exit=True, file=self._file)
        super().append(deadline)

    def pop(self, index: Any = -1) -> float:  # noqa: ANN401
        deadline = super().pop(index)
        faulthandler.cancel_dump_traceback_later()
        return deadline

    def remove(self, deadline: float) -> None:
        super().remove(deadline)
        faulthandler.cancel_dump_traceback_later()
