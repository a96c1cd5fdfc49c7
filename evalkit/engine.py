"""How a task becomes a result: open the tools, let the subject run, close them, grade the trace."""

from evalkit.errors import StopRun
from evalkit.grading import UNAVAILABLE, grade, skipped, ungraded
from evalkit.result import ScenarioResult
from evalkit.schedule import Schedule, Task
from evalkit.subjects import Progress, ToolSubject
from evalkit.subjects.output import Output
from evalkit.subjects.progress import note_error
from evalkit.toolbox import FactoryToolbox, TableToolbox
from evalkit.toolbox.errors import outcome_of
from evalkit.trace import Trace
from evalkit.watch import Lane, Track

OPENING_S = 60.0
Toolbox = TableToolbox | FactoryToolbox


class Engine:
    """Runs the tasks of a schedule, one after the other, on the lane of a track.

    A call that does not return costs its lane; the engine goes on with a new one, where it was.
    """

    def __init__(self, schedule: Schedule, track: Track[None]) -> None:
        """Take where tasks come from and results go to, and what the lane is on."""
        self._schedule = schedule
        self._track = track
        self._output = Output()
        self._task: Task | None = None
        self._current: Progress | None = None

    def run(self) -> None:
        """Run tasks until there are none; called on the lane."""
        self._track.recover = self.recover
        self._go_on(self._subject())

    def recover(self) -> None:
        """Go on, on a new lane, from what did not return."""
        printed = self._output.take()
        self._output = Output()
        subject = self._subject()
        if self._task is not None and self._current is not None:
            self._schedule.done(self._task, _of_lost(subject, self._current, printed))
        self._go_on(subject)

    def doing(self) -> str:
        """Say what is under way: the step of a call by its number, or in words."""
        progress = self._current
        if progress is None or progress.table is None:
            return "the tools were opened"
        if progress.trace is not None:
            return "it was graded"
        if progress.next >= len(progress.plan.calls):
            return "the tools were closed"
        return str(progress.next)

    def _subject(self) -> ToolSubject:
        self._output.own()
        return ToolSubject(self._track.lane, self._output)

    def _go_on(self, subject: ToolSubject) -> None:
        lane, schedule = self._track.lane, self._schedule
        try:
            while (task := schedule.take()) is not None:
                self._task = task
                schedule.done(task, self._run_one(task, subject, lane))
        except StopRun:
            raise
        except BaseException:
            schedule.stop()
            raise

    def _run_one(self, task: Task, subject: ToolSubject, lane: Lane) -> ScenarioResult:
        plan, toolbox = task.job.plan, task.job.toolbox
        if plan.skip is not None:
            return skipped(plan, plan.skip)
        progress = self._current = subject.begin(plan)
        if task.job.predictions is not None:
            trace = task.job.predictions.trace_of(plan)
        else:
            trace = self._run_on(toolbox, progress, subject, lane)
        progress.trace = trace
        return lane.in_time(OPENING_S, lambda: grade(plan, trace))

    def _run_on(
        self, toolbox: Toolbox, progress: Progress, subject: ToolSubject, lane: Lane
    ) -> Trace:
        if isinstance(toolbox, TableToolbox):
            progress.table = toolbox.table
            subject.proceed(progress)
        else:
            _in_own_tools(toolbox, progress, subject, lane)
        return subject.finish(progress)


def _in_own_tools(
    toolbox: FactoryToolbox, progress: Progress, subject: ToolSubject, lane: Lane
) -> None:
    """Run a scenario in tools that are opened for it, and closed after it whatever happens."""
    manager = toolbox.open(progress.plan.scenario)
    try:
        progress.table = lane.in_time(OPENING_S, manager.__enter__)
    except BaseException as error:  # noqa: BLE001  - around the author's factory
        note_error(progress, UNAVAILABLE, outcome_of(error), "the tools could not be opened")
        return
    try:
        subject.proceed(progress)
    except BaseException as error:
        manager.__exit__(type(error), error, error.__traceback__)
        raise
    try:
        lane.in_time(OPENING_S, lambda: manager.__exit__(None, None, None))
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
