"""How a driver keeps workers busy: a bounded window of pieces, one counted result for each."""

import os
from concurrent.futures import FIRST_COMPLETED, Future, wait
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import attrs

from evalkit.asked import Asked
from evalkit.executors.order import Order, Piece, digests_of, order_of
from evalkit.executors.pools import LOST, Pool, pool_for
from evalkit.executors.worker import run_piece
from evalkit.grading import grade
from evalkit.jobs import Jobs
from evalkit.jsontext import dumped, loaded
from evalkit.plan import BoundCall
from evalkit.result import ScenarioResult
from evalkit.runlog.records import result_of
from evalkit.runlog.runs import new_run_id
from evalkit.schedule import Schedule, Task
from evalkit.subjects.kinds import AGENTS
from evalkit.subjects.progress import (
    Progress,
    call_note,
    note,
    note_error,
    nothing_yet,
    skip,
    trace_of,
)
from evalkit.subjects.tools import OBSERVED
from evalkit.watch import Watch

WINDOW = 4
"""How many pieces are sent ahead, for each worker: few, for a lost worker takes them with it."""
DEATHS = 2
"""After so many a scenario is taken for the reason."""
RETURNS = 10
"""So often one may come back that had not begun, before that counts as well."""
POLL_S = 0.2
MISSED_S = 1.0
"""How long a pool may take to notice that a process is gone."""
STOPPING_S = 4.0


def on_pool(
    execution: Any,  # noqa: ANN401
    asked: Asked,
    jobs: Jobs,
    schedule: Schedule,
    watch: Watch[None],
) -> None:
    """Run a schedule on a pool of workers, which are ended whatever happens."""
    digests = digests_of(jobs)
    with TemporaryDirectory(prefix="evalkit-") as crumbs:
        order = order_of(asked, new_run_id())
        if execution.local:
            expected = Path(crumbs) / "expected.json"
            expected.write_bytes(dumped(digests))
            order = attrs.evolve(order, expected=str(expected))
        pool = pool_for(execution, order, max(1, jobs.epochs))
        watch.stopping_s = STOPPING_S

        def stop() -> None:
            schedule.stop()
            pool.kill()

        watch.on_stop = stop
        try:
            Driver(schedule, pool, order, digests, crumbs).run()
        finally:
            pool.kill() if schedule.stopping else pool.close()


class Driver:
    """Sends pieces, takes results, and decides what a lost worker means."""

    def __init__(
        self, schedule: Schedule, pool: Pool, order: Order, digests: dict[str, str], crumbs: str
    ) -> None:
        """Take where tasks come from, who runs them, and where workers leave crumbs."""
        self._digests = digests
        self._schedule = schedule
        self._pool = pool
        self._order = order
        self._crumbs = Path(crumbs) if pool.local else None
        self._flying: dict[Future[bytes], Task] = {}
        self._missed: dict[Future[bytes], float] = {}
        self._deaths: dict[tuple[int, int], int] = {}
        self._returned: dict[tuple[int, int], int] = {}

    def run(self) -> None:
        """Run until there is nothing left, or nothing new is to be begun and all is back."""
        while True:
            self._fill()
            if not self._flying or self._pool.killed:
                return
            done, _ = wait(self._flying, timeout=POLL_S, return_when=FIRST_COMPLETED)
            for future in done or self._vanished():
                self._take(future, self._flying.pop(future))

    def _fill(self) -> None:
        while len(self._flying) < WINDOW * self._pool.workers:
            task = self._schedule.take(wait=False)
            if task is None:
                return
            self._send(task)

    def _send(self, task: Task) -> None:
        name = task.job.plan.scenario.name
        piece = Piece(name, task.epoch, self._digests[name], self._crumb(task))
        self._flying[self._pool.submit(run_piece, self._order, piece)] = task

    def _take(self, future: Future[bytes], task: Task) -> None:
        """Take what came back: a result, or the end of the process that was to give one."""
        if self._pool.killed:
            return
        try:
            result = result_of(loaded(future.result()))
        except LOST as error:
            self._lost(task, error)
            return
        result.source = task.job.plan.scenario.source
        deaths = self._deaths.get((task.number, task.epoch), 0)
        if deaths and result.trace is not None:
            result.trace["meta"] = {**result.trace["meta"], "worker_deaths": deaths}
        self._schedule.done(task, result)

    def _lost(self, task: Task, error: BaseException) -> None:
        """Try once more what a process ended in; then the scenario is taken for the reason."""
        key = task.number, task.epoch
        began, doing, hung = self._left_behind(task)
        deaths = self._deaths.get(key, 0) + (began or self._returned.get(key, 0) >= RETURNS)
        self._deaths[key], self._returned[key] = deaths, self._returned.get(key, 0) + 1
        if deaths < DEATHS and not hung and not self._schedule.stopping:
            self._send(task)
            return
        self._schedule.done(task, lost_result(task, doing, self._pool.told(error), hung=hung))

    def _vanished(self) -> list[Future[bytes]]:
        """Find pieces whose process is gone though the pool has not noticed: by exit code 0."""
        now = perf_counter()
        for future, task in self._flying.items():
            pid = _read(self._crumb(task))[0]
            if pid.isdigit() and not _runs(int(pid)):
                self._missed.setdefault(future, now)
        late = [future for future, since in self._missed.items() if now - since > MISSED_S]
        for future in late:
            del self._missed[future]
            self._pool.drop(future)
        return [future for future in late if future in self._flying]

    def _crumb(self, task: Task) -> str | None:
        return None if self._crumbs is None else str(self._crumbs / f"{task.number}-{task.epoch}")

    def _left_behind(self, task: Task) -> tuple[bool, str, bool]:
        """Read whether the piece had begun, what it was at, and whether it was for too long.

        A worker that ends takes along what was only waiting for it, which is not the reason.
        """
        path = self._crumb(task)
        began = path is None or Path(path).exists()
        _, doing, rest = _read(path)
        if path is not None:
            Path(path).unlink(missing_ok=True)
        return began, doing, rest.startswith("Timeout")


def _read(path: str | None) -> tuple[str, str, str]:
    """Read crumbs: the process, what it is doing, and what a hard deadline has added."""
    try:
        text = "" if path is None else Path(path).read_text("utf-8", "replace")
    except OSError:
        text = ""
    first, _, rest = text.partition("\n")
    pid, _, doing = first.partition(" ")
    return pid, doing, rest


def _runs(pid: int) -> bool:
    """Say whether a process is there, and not stopped for good."""
    try:
        os.kill(pid, 0)
        said = Path(f"/proc/{pid}/stat").read_text("ascii", "replace")
    except FileNotFoundError:  # there is no /proc here
        return True
    except OSError:
        return False
    return said.rpartition(")")[2].split()[0] not in ("T", "Z")


def lost_result(task: Task, doing: str, told: str, *, hung: bool) -> ScenarioResult:
    """Give the result of a scenario whose process ended: in a call, or elsewhere.

    A call that let nothing else run until its process was ended is a timeout, as any other; what
    else was measured is lost with the process, and can't be said to have passed.
    """
    plan, now = task.job.plan, perf_counter()
    progress = nothing_yet(plan, now, now)
    step = int(doing) if doing.isdigit() and int(doing) < len(plan.calls) else None
    step = step if task.job.agent is None else None
    where = f" in step {step}, {plan.calls[step].tool!r}" if step is not None else ""
    if hung and step is not None and task.job.agent is None:
        for bound in plan.calls:
            _note_hung(progress, bound, step)
    else:
        doing = "" if doing.isdigit() else f" while {doing}" if doing else ""
        note_error(progress, "crashed", ProcessError(f"{told}{where}{doing}"))
    if task.job.agent is None:
        return grade(plan, trace_of(progress, "tools", OBSERVED))
    return grade(plan, trace_of(progress, AGENTS.name, list(AGENTS.observed)))


class ProcessError(Exception):
    """The process of a scenario ended before it gave a result."""


def _note_hung(progress: Progress, bound: BoundCall, step: int) -> None:
    if bound.step != step:
        skip(progress, bound, "crashed")
        return
    seconds = f"{bound.timeout_s:g} s"
    message = f"no answer within {seconds}, and nothing else could run; its process was ended"
    error = {"kind": "timeout", "type": "TimeoutError", "message": message}
    note(progress, bound, call_note(bound, {} if bound.needs else bound.args, error))  # type: ignore[arg-type]
