"""How plans become results: open the tools, let the subject run, grade the trace, one by one."""

from collections.abc import Callable, Iterable
from time import perf_counter
from typing import TypeVar

import attrs

from evalkit.grading import UNAVAILABLE, grade, skipped, ungraded
from evalkit.plan import Plan
from evalkit.protocols import Scope
from evalkit.result import BAD, ScenarioResult
from evalkit.subjects import Progress, ToolSubject
from evalkit.subjects.output import Output
from evalkit.subjects.progress import note_error
from evalkit.toolbox import FactoryToolbox, TableToolbox
from evalkit.toolbox.errors import outcome_of
from evalkit.watch import Lane, Watch

OPENING_S = 60.0

Toolbox = TableToolbox | FactoryToolbox
Emit = Callable[[ScenarioResult], None]
T = TypeVar("T")


@attrs.frozen(eq=False, repr=False)
class Job:
    """One plan, the tools it is for, and the scope that its file's code runs in."""

    plan: Plan
    toolbox: Toolbox
    scope: Scope | None = None


class Engine:
    """Runs jobs in order, on the lane of a watch, and emits a result for each.

    A call that does not return costs its lane; the engine goes on with a new one, where it was.
    """

    def __init__(
        self,
        jobs: Iterable[Job],
        watch: Watch[None],
        emit: Emit,
        max_failures: int | None = None,
    ) -> None:
        """Take the jobs, who watches, and who is told of the results."""
        self._jobs = iter(jobs)
        self._watch = watch
        self._output = Output()
        self._emit = emit
        self._left = max_failures
        self._current: Progress | None = None
        self._scope: Scope | None = None

    def run(self) -> None:
        """Run the jobs that are left; called on a lane of the watch."""
        self._watch.recover = self.recover
        self._go_on(self._subject())

    def recover(self) -> None:
        """Go on, on a new lane, from what did not return."""
        printed = self._output.take()
        self._output = Output()
        subject = self._subject()
        if self._current is None or not self._done(_of_lost(subject, self._current, printed)):
            self._go_on(subject)

    def _subject(self) -> ToolSubject:
        self._output.own()
        return ToolSubject(self._watch.lane, self._output)

    def _go_on(self, subject: ToolSubject) -> None:
        lane = self._watch.lane
        for job in self._jobs:
            if job.scope is not self._scope and job.scope is not None:
                job.scope.activate()
                self._scope = job.scope
            result = self._run_one(job, subject, lane)
            if self._watch.stopping or self._done(result):
                return

    def _done(self, result: ScenarioResult) -> bool:
        """Tell of a result; True where as many have failed as may."""
        self._emit(result)
        if self._left is not None and result.status in BAD:
            self._left -= 1
            return self._left <= 0
        return False

    def _run_one(self, job: Job, subject: ToolSubject, lane: Lane) -> ScenarioResult:
        plan = job.plan
        if plan.skip is not None:
            return skipped(plan, plan.skip)
        progress = self._current = subject.begin(plan)
        if isinstance(job.toolbox, TableToolbox):
            progress.table = job.toolbox.table
            subject.proceed(progress)
        else:
            _in_own_tools(job.toolbox, progress, subject, lane)
        trace = progress.trace = subject.finish(progress)
        return _in_time(lane, lambda: grade(plan, trace))


def _in_own_tools(
    toolbox: FactoryToolbox, progress: Progress, subject: ToolSubject, lane: Lane
) -> None:
    """Run a scenario in tools that are opened for it, and closed after it whatever happens."""
    manager = toolbox.open(progress.plan.scenario)
    try:
        progress.table = _in_time(lane, manager.__enter__)
    except BaseException as error:  # noqa: BLE001  - around the author's factory
        note_error(progress, UNAVAILABLE, outcome_of(error), "the tools could not be opened")
        return
    try:
        subject.proceed(progress)
    except BaseException as error:
        manager.__exit__(type(error), error, error.__traceback__)
        raise
    try:
        _in_time(lane, lambda: manager.__exit__(None, None, None))
    except BaseException as error:  # noqa: BLE001  - around the author's factory
        note_error(progress, UNAVAILABLE, outcome_of(error), "the tools could not be closed")


def _of_lost(subject: ToolSubject, progress: Progress, printed: str) -> ScenarioResult:
    """Finish the scenario whose lane was lost: in a call, in grading, in opening or closing."""
    if progress.trace is not None:
        return ungraded(progress.plan, progress.trace, f"no verdict within {OPENING_S:g} s")
    late = TimeoutError(f"not within {OPENING_S:g} s")
    if progress.table is None:
        note_error(progress, UNAVAILABLE, late, "the tools could not be opened")
    elif progress.next >= len(progress.plan.calls):
        note_error(progress, UNAVAILABLE, late, "the tools could not be closed")
    else:
        subject.give_up(progress, printed)
        subject.proceed(progress)
    return grade(progress.plan, subject.finish(progress))


def _in_time(lane: Lane, act: Callable[[], T]) -> T:
    """Do what runs code of the author's, held to a deadline as a call is."""
    lane.armed.append(perf_counter() + OPENING_S)
    try:
        return act()
    finally:
        try:
            lane.armed.pop()
        except IndexError:
            lane.late()
