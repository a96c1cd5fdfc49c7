"""How a task becomes a result: open the tools, let the subject run, close them, grade the trace."""

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

from evalkit.errors import StopRun
from evalkit.fingerprints import script_digest
from evalkit.grading import UNAVAILABLE, grade, regrade, skipped, ungraded
from evalkit.jobs import Job
from evalkit.plan import Plan
from evalkit.result import ScenarioResult
from evalkit.schedule import Schedule, Task
from evalkit.subjects import Progress, ToolSubject
from evalkit.subjects.output import Output
from evalkit.subjects.progress import note_error
from evalkit.toolbox import FactoryToolbox, TableToolbox
from evalkit.toolbox.errors import outcome_of
from evalkit.trace import Trace
from evalkit.watch import Lane, Track

if TYPE_CHECKING:
    from evalkit.subjects.agents import AgentSubject

OPENING_S = 60.0
UNCAPTURED, UNREACHABLE = "state_uncaptured", "agent_unreachable"
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
        self._go_on(self._station())

    def recover(self) -> None:
        """Go on, on a new lane, from what did not return."""
        printed = self._output.take()
        self._output = Output()
        station = self._station()
        if self._task is not None and self._current is not None:
            result = station.of_lost(self._task.job, self._current, printed)
            self._schedule.done(self._task, result)
        self._go_on(station)

    def doing(self) -> str:
        """Say what is under way: the step of a call by its number, or in words."""
        progress = self._current
        if progress is None or progress.table is None:
            return "the tools were opened"
        if progress.trace is not None:
            return "it was graded"
        if progress.phase:
            return progress.phase
        return str(progress.next)

    def _station(self) -> "Station":
        self._output.own()
        return Station(self._track.lane, self._output)

    def _go_on(self, station: "Station") -> None:
        schedule = self._schedule
        try:
            while (task := schedule.take()) is not None:
                self._task = task
                schedule.done(task, self._run_one(task, station))
        except StopRun:
            raise
        except BaseException:
            schedule.stop()
            raise

    def _run_one(self, task: Task, station: "Station") -> ScenarioResult:
        plan = task.job.plan
        if plan.skip is not None:
            return skipped(plan, plan.skip)
        progress = self._current = station.begin(task.job, task.epoch)
        recorded = task.job.recorded
        judge: Callable[[Plan, Trace], ScenarioResult] = grade
        if recorded is not None:
            progress.phase, judge = "the recording was replayed", regrade
            trace = station.lane.in_time(OPENING_S, lambda: recorded.trace_of(plan, task.epoch))
        else:
            trace = station.run(task.job, progress)
        progress.trace = trace
        return station.lane.in_time(OPENING_S, lambda: judge(plan, trace))


class Station:
    """Where scenarios are run on one lane: the subjects there are, and what they need around them.

    The tools are opened before a subject runs, the state captured after it, and the tools closed,
    all on the one thread.
    """

    def __init__(self, lane: Lane, output: Output) -> None:
        """Take the lane, and what keeps what is printed on it."""
        self.lane = lane
        self._tools = ToolSubject(lane, output)
        self._output = output
        self._agent: AgentSubject | None = None

    @property
    def _agents(self) -> "AgentSubject":
        """Give the subject that agents are; no run of the tools alone imports it."""
        if self._agent is None:
            made = import_module("evalkit.subjects.agents").AgentSubject
            self._agent = made(self.lane, self._output)
        return self._agent

    def begin(self, job: Job, epoch: int) -> Progress:
        """Start the clock of a scenario."""
        return (
            self._tools.begin(job.plan)
            if job.agent is None
            else self._agents.begin(job.plan, epoch)
        )

    def run(self, job: Job, progress: Progress) -> Trace:
        """Run a scenario to its trace."""
        toolbox = job.toolbox
        if isinstance(toolbox, TableToolbox):
            progress.table = toolbox.table
            self._in_open_tools(job, progress)
        else:
            self._in_own_tools(toolbox, progress, lambda: self._in_open_tools(job, progress))
        if job.agent is None:
            return self._tools.finish(progress)
        state = job.plan.scenario.state
        replayed = None
        if state is not None and state.replayed and not progress.errors:
            replayed = self._replayed(job, progress)
        trace = self._agents.finish(progress)
        if replayed is not None:
            trace["meta"]["replayed_state"] = replayed
            trace["meta"]["replayed_calls"] = script_digest(job.plan.scenario)
        return trace

    def of_lost(self, job: Job, progress: Progress, printed: str) -> ScenarioResult:
        """Finish the scenario whose lane was lost: in a call, in a turn, or beside them."""
        if progress.trace is not None:
            return ungraded(progress.plan, progress.trace, f"no verdict within {OPENING_S:g} s")
        late = TimeoutError(f"not within {OPENING_S:g} s")
        if progress.phase:
            kind = UNREACHABLE if "agent" in progress.phase else UNAVAILABLE
            note_error(progress, kind, late, f"{progress.phase}, and that did not end")
        elif progress.table is None:
            note_error(progress, UNAVAILABLE, late, "the tools could not be opened")
        elif job.agent is None:
            self._tools.give_up(progress, printed)
            self._tools.proceed(progress)
        else:
            self._agents.give_up(progress, printed)
        subject = self._tools if job.agent is None else self._agents
        return grade(progress.plan, subject.finish(progress))

    def _in_open_tools(self, job: Job, progress: Progress) -> None:
        if job.agent is None:
            self._tools.proceed(progress)
        else:
            self._agents.proceed(progress, job.agent, job.offered)  # type: ignore[arg-type]
        if job.plan.scenario.state is not None:
            self._capture(progress)

    def _capture(self, progress: Progress) -> None:
        """Capture the state that is left; that it could not be is noted."""
        state, table = progress.plan.scenario.state, progress.table
        capturing = import_module("evalkit.subjects.state")
        progress.phase = "the state was captured"
        try:
            progress.state = self.lane.in_time(
                OPENING_S,
                lambda: capturing.captured_state(state, table, self.lane),
            )
        except BaseException as error:  # noqa: BLE001  - around the author's capture
            note_error(progress, UNCAPTURED, outcome_of(error), "the state could not be captured")

    def _replayed(self, job: Job, progress: Progress) -> dict[str, object] | None:
        """Make the scenario's own calls on tools opened afresh, and capture what they leave."""
        plan = Plan(job.plan.scenario, job.plan.script, (), None)
        replay = self._tools.begin(plan)

        def make() -> None:
            self._tools.proceed(replay)
            self._capture(replay)

        progress.phase = "the tool calls were replayed"
        self._in_own_tools(job.toolbox, replay, make)
        graded = grade(plan, self._tools.finish(replay))
        broken = [check for check in graded.checks if check.code not in _HELD]
        if broken or replay.state is None:
            told = broken[0].reason if broken else "nothing was captured"
            note_error(progress, UNCAPTURED, LookupError(told), "the replay of the tool calls")
            progress.state = None
            return None
        return replay.state

    def _in_own_tools(self, toolbox: Toolbox, progress: Progress, act: Callable[[], None]) -> None:
        """Do something in tools that are opened for it, and closed after it whatever happens."""
        manager = toolbox.open(progress.plan.scenario)
        try:
            progress.table = self.lane.in_time(OPENING_S, manager.__enter__)
        except BaseException as error:  # noqa: BLE001  - around the author's factory
            note_error(progress, UNAVAILABLE, outcome_of(error), "the tools could not be opened")
            return
        try:
            act()
        except BaseException as error:
            manager.__exit__(type(error), error, error.__traceback__)
            raise
        progress.phase = "the tools were closed"
        try:
            self.lane.in_time(OPENING_S, lambda: manager.__exit__(None, None, None))
        except BaseException as error:  # noqa: BLE001  - around the author's factory
            note_error(progress, UNAVAILABLE, outcome_of(error), "the tools could not be closed")


_HELD = frozenset({None, "wrong_value", "unresolved_path"})
"""What a check of a replayed call may come to: what it gave may be wrong, but it came about."""
