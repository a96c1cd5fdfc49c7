"""Which scenario runs next, and in which order results are told: the catalogue's, always."""

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable
from time import perf_counter

import attrs

from evalkit.epochs import Fold
from evalkit.jobs import Job
from evalkit.protocols import Scope  # noqa: TC001  - a type that readers of the class look up
from evalkit.result import BAD, ScenarioResult, Status

AHEAD = 1_000
"""How many scenarios may be begun beyond the oldest that is not done: so memory stays flat."""

FORKED = 1
"""The exit code of a child that a tool forked and let come back."""

Emit = Callable[[ScenarioResult], None]


@attrs.define(eq=False, repr=False)
class Task:
    """One epoch of one job; `number` is the job's place in the catalogue's order."""

    job: Job
    number: int
    epoch: int


@attrs.frozen(eq=False, repr=False)
class Terms:
    """How a run goes on and ends.

    `sure` is the rate to be sure of, by which epochs are cut short; `max_failures` how many
    scenarios may fail before nothing new is begun; `rate` how many epochs a second are begun.
    `record` is told of every result that was measured, as it comes; `kept` gives those that need
    not be measured again.
    """

    sure: float | None = None
    max_failures: int | None = None
    rate: float | None = None
    record: Callable[[Task, ScenarioResult], None] | None = None
    kept: Callable[[Task], ScenarioResult | None] | None = None


class Schedule:
    """Hands out tasks to whoever runs them, and tells of results in order. Safe among threads."""

    def __init__(self, jobs: Iterable[Job], emit: Emit, terms: Terms | None = None) -> None:
        """Take the jobs, who is told of the results, and the terms."""
        self._jobs = enumerate(jobs)
        self._emit = emit
        self._terms = terms or Terms()
        self._record, self._kept = self._terms.record, self._terms.kept
        self._left = self._terms.max_failures
        self._lock = threading.RLock()
        self._changed = threading.Condition(self._lock)
        self._waiters = 0
        self._ready: deque[Task] = deque()
        self._groups: dict[int, dict[int, ScenarioResult]] = {}
        self._waiting: dict[int, list[ScenarioResult]] = {}
        self._measured: set[int] = set()
        self._busy = 0
        self._told = 0
        self._scope: Scope | None = None
        self._slot = 0.0
        self._closed = False
        self._pid = os.getpid()
        self.stopping = False

    def take(self, *, wait: bool = True) -> Task | None:
        """Give the next task, with its scope active; None where there is none, or not yet.

        With `wait`, it waits for what can't be begun yet, and None says that there is nothing left.
        """
        with self._lock:
            while (task := self._next()) is None or not self._enter(task, wait=wait):
                if task is not None:
                    self._ready.appendleft(task)
                if self.stopping or not wait or not self._busy:
                    return None
                self._waiters += 1
                self._changed.wait()
                self._waiters -= 1
            self._busy += 1
            delay = 0.0 if self._terms.rate is None else self._delay(self._terms.rate)
        if delay > 0 and not self._paused(delay):
            return None
        return task

    def done(self, task: Task, result: ScenarioResult) -> None:
        """Take the result of a task that was handed out."""
        job = task.job
        if os.getpid() != self._pid:  # a tool has forked, and the child came back: it is not ours
            os._exit(FORKED)
        with self._lock:
            self._busy -= 1
            if self._closed:
                return
            if job.epochs > 1:
                result.epoch, result.epochs, result.needed = task.epoch, job.epochs, job.needed
            if self._left is not None:
                self._measured.add(task.number)
            if self._record is not None:
                self._record(task, result)
            self._settle(task, result)
            if self._waiters:
                self._changed.notify_all()

    def stop(self) -> None:
        """Hand out nothing more, and take nothing more: what an interrupt has cut short is void."""
        with self._changed:
            self.stopping = self._closed = True
            self._changed.notify_all()

    def close(self) -> None:
        """Tell, in order, of what is still kept back, and take nothing more."""
        with self._changed:
            self.stopping = self._closed = True
            for number, group in self._groups.items():
                self._waiting[number] = [group[epoch] for epoch in sorted(group)]
            self._groups.clear()
            for number in sorted(self._waiting):
                self._tell(self._waiting.pop(number))

    def _next(self) -> Task | None:
        """Find the next task that is not measured yet; what is kept is settled on the way."""
        while not self.stopping:
            task = self._ready.popleft() if self._ready else self._begin()
            if task is None or self._kept is None or (kept := self._kept(task)) is None:
                return task
            self._settle(task, kept)
        return None

    def _begin(self) -> Task | None:
        """Give the first task of the next job; None where there is none, or it would be too far."""
        if len(self._waiting) >= AHEAD:
            return None
        number, job = next(self._jobs, (0, None))
        if job is None:
            return None
        if job.epochs > 1 and self._terms.sure is None:
            self._ready.extend([Task(job, number, epoch + 2) for epoch in range(job.epochs - 1)])
        return Task(job, number, job.first)

    def _enter(self, task: Task, *, wait: bool) -> bool:
        """Make the scope of a task active; False where code of another one is still running."""
        scope = task.job.scope
        if scope is self._scope or scope is None or not wait:
            return True
        if self._busy:
            return False
        scope.activate()
        self._scope = scope
        return True

    def _delay(self, rate: float) -> float:
        """Give how long to wait until the next task may be begun."""
        now = perf_counter()
        at = max(now, self._slot)
        self._slot = at + 1 / rate
        return at - now

    def _paused(self, seconds: float) -> bool:
        """Wait; False where the run was stopped meanwhile, and the task is not to be begun."""
        until = perf_counter() + seconds
        with self._changed:
            while not self.stopping and (left := until - perf_counter()) > 0:
                self._changed.wait(left)
            self._busy -= self.stopping
            return not self.stopping

    def _settle(self, task: Task, result: ScenarioResult) -> None:
        """Keep a result until all before it are told, and until its scenario is complete."""
        number = task.number
        results: list[ScenarioResult] | None = [result]
        if task.job.epochs > 1 or self._terms.sure is not None:
            results = self._grouped(task, result)
        if results is None:
            return
        if number != self._told:
            self._waiting[number] = results
            return
        self._tell(results)
        while self._waiting and self._told in self._waiting:
            self._tell(self._waiting.pop(self._told))

    def _grouped(self, task: Task, result: ScenarioResult) -> list[ScenarioResult] | None:
        """Put a result to those of the other epochs; give all of them once they are complete."""
        group = self._groups.setdefault(task.number, {})
        group[task.epoch] = result
        results = [group[epoch] for epoch in sorted(group)]
        if self._terms.sure is not None and status_of(results, self._terms.sure) is None:
            self._ready.append(Task(task.job, task.number, task.epoch + 1))
            return None
        if self._terms.sure is None and len(results) < task.job.epochs:
            return None
        del self._groups[task.number]
        return results

    def _tell(self, results: list[ScenarioResult]) -> None:
        number, self._told = self._told, self._told + 1
        for result in results:
            self._emit(result)
        if self._left is None or number not in self._measured:
            return
        status = status_of(results, self._terms.sure)
        if status in BAD:
            self._left -= 1
            if self._left <= 0:
                self.stopping = True
                self._changed.notify_all()


def status_of(results: Iterable[ScenarioResult], sure: float | None) -> Status | None:
    """Give what a scenario came to over these epochs; None where that is open."""
    fold = Fold(sure)
    for result in results:
        fold.add(result)
    return fold.status
