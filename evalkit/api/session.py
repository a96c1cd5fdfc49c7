"""How a run goes from what was asked to a report; the author's code runs on one lane of a watch."""

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any, TextIO

from evalkit.api.preparing import Asked, Preparation, Prepared
from evalkit.engine import Engine, Job
from evalkit.errors import CatalogueError
from evalkit.loops import OwnLoop
from evalkit.model import Scenario
from evalkit.planning.plans import TIMEOUT_S
from evalkit.protocols import Awaiter, Sink
from evalkit.registry import counted
from evalkit.reports.run_report import RunReport
from evalkit.result import ScenarioResult
from evalkit.scorecard import Scorecard
from evalkit.subjects.output import captured
from evalkit.watch import Watch


class Session:
    """One run, from what was asked to the report."""

    def __init__(
        self,
        asked: Asked,
        sinks: Sequence[Sink] = (),
        awaiter: Callable[[], Awaiter] = OwnLoop,
        elsewhere: TextIO | None = None,
    ) -> None:
        """Take what is asked, who is told, what runs coroutines, and where stray prints go."""
        self._asked = asked
        self._sinks = sinks
        self._elsewhere = elsewhere
        self._watch: Watch[None] = Watch(awaiter)
        self._results: list[ScenarioResult] = []
        self._scorecard = Scorecard()
        self.preparation = Preparation(asked, self._in_time)
        self.prepared = Prepared()

    def run(self) -> RunReport:
        """Run to the end, or to an interrupt, which is raised again once the sinks were told."""
        started = perf_counter()
        with captured(self._elsewhere):
            try:
                self._watch.run(self._work)
            except BaseException as error:
                if isinstance(error, CatalogueError):
                    raise
                self._finish(perf_counter() - started, interrupted=True)
                raise
            return self._finish(perf_counter() - started, interrupted=False)

    def stop(self) -> None:
        """Stop after the scenario that is under way."""
        self._watch.stopping = True

    def choose(self) -> tuple[list[Scenario], list[Scenario]]:
        """Load and select, and give the scenarios that are meant, unplanned, and all there are."""
        found: list[list[Scenario]] = []
        with captured(self._elsewhere):
            self._watch.run(lambda: found.extend(self.preparation.choose()))
        chosen, everything = found
        return chosen, everything

    def prepare(self) -> Prepared:
        """Load, select and plan, and give what would run."""
        with captured(self._elsewhere):
            self._watch.run(self._prepare)
        return self.prepared

    def _prepare(self) -> None:
        self.prepared = self.preparation.prepare()

    def _work(self) -> None:
        self._prepare()
        for sink in self._sinks:
            sink.start(self.prepared)
        jobs = self.prepared.jobs
        self._watch.shortest_s = min(map(_shortest, jobs), default=TIMEOUT_S)
        Engine(jobs, self._watch, self._emit, self._asked.max_failures).run()

    def _emit(self, result: ScenarioResult) -> None:
        self._scorecard.add(result)
        if self._asked.keep_results:
            self._results.append(result)
        for sink in self._sinks:
            sink.add(result)

    def _in_time(self, doing: str, limit_s: float, act: Callable[[], Any]) -> Any:  # noqa: ANN401
        """Do something of the author's under a deadline."""
        lane = self._watch.lane
        self._watch.doing = f"{doing}: not done within {limit_s:g} s"
        lane.armed.append(perf_counter() + limit_s)
        try:
            return act()
        finally:
            try:
                lane.armed.pop()
            except IndexError:
                lane.late()

    def _finish(self, seconds: float, *, interrupted: bool) -> RunReport:
        """Fold what there is into a report, and tell the sinks."""
        lost = self._watch.lost
        notes = self.prepared.notes
        if lost:
            notes += (f"{counted(lost, 'call')} never returned; the thread is left behind",)
        report = RunReport(
            self._results,
            self._scorecard,
            seconds,
            self.prepared.warnings,
            notes,
            interrupted,
            lost,
            len(self.prepared.jobs),
        )
        for sink in self._sinks:
            sink.finish(report)
        return report


def _shortest(job: Job) -> float:
    """Give the shortest deadline of a plan, by which the watcher sets its pace."""
    limits = [bound.timeout_s for bound in job.plan.calls]
    whole = job.plan.scenario.timeout_s
    return min(limits if whole is None else [*limits, whole], default=TIMEOUT_S)
