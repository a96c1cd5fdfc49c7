"""How a run goes from what was asked to a report; the author's code runs on lanes of a watch."""

import os
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from time import perf_counter
from typing import Any, TextIO

import attrs

from evalkit.asked import Asked, Prepared
from evalkit.errors import CatalogueError, RunLogError, RunLogWriteError
from evalkit.executors import IN_PROCESS, Execution, execute, refuse_unsendable
from evalkit.loops import OwnLoop
from evalkit.model import Scenario
from evalkit.preparing import Preparation
from evalkit.protocols import Awaiter, Sink
from evalkit.registry import counted
from evalkit.reports.run_report import RunReport
from evalkit.result import Outline, ScenarioResult
from evalkit.runlog.reader import LoggedResults
from evalkit.runlog.recorder import Recorder
from evalkit.runlog.redaction import Redaction
from evalkit.runlog.resume import LogOptions
from evalkit.schedule import Schedule, Terms
from evalkit.scorecard import Scorecard
from evalkit.subjects.kinds import AGENTS, TOOLS
from evalkit.subjects.output import captured
from evalkit.watch import Watch


@attrs.frozen(eq=False, repr=False)
class Manner:
    """How a run is to go: what bears on its end, where it runs, what is kept of it.

    `rate` is how many scenarios a second are begun at most. Without a log, results are kept in
    memory if `keep_results` says so. With `record`, what is answered is kept in that folder.
    """

    max_failures: int | None = None
    rate: float | None = None
    execution: Execution = attrs.field(factory=Execution)
    keep_results: bool = True
    log: LogOptions | None = None
    redaction: Redaction = attrs.field(factory=Redaction)
    record: Path | None = None


class Session:
    """One run, from what was asked to the report."""

    def __init__(
        self,
        asked: Asked,
        sinks: Sequence[Sink] = (),
        awaiter: Callable[[], Awaiter] = OwnLoop,
        elsewhere: TextIO | None = None,
        manner: Manner | None = None,
    ) -> None:
        """Take what is asked, who is told, what runs coroutines, and where stray prints go."""
        self._manner = manner or Manner()
        elsewhere_too = self._manner.execution.kind not in IN_PROCESS
        digests = self._manner.log is not None or elsewhere_too
        self._asked = attrs.evolve(asked, digests=digests)
        self._sinks = sinks
        self._elsewhere = elsewhere
        self._watch: Watch[None] = Watch(awaiter)
        self._results: list[ScenarioResult] = []
        self._notes: list[str] = []
        self._scorecard = Scorecard(asked.sure)
        self._schedule: Schedule | None = None
        self._recorder: Recorder | None = None
        self._keeper: Any = None
        self._planned = Outline(0, 0, 0)
        self.preparation = Preparation(self._asked, self._watch.in_time)
        self.prepared = Prepared()

    def run(self) -> RunReport:
        """Run to the end, or to an interrupt, which is raised again once the sinks were told."""
        started = perf_counter()
        with captured(self._elsewhere):
            try:
                self._watch.run(self._work)
            except BaseException as error:
                if self._schedule is not None or not isinstance(
                    error, CatalogueError | RunLogError
                ):
                    self._finish(perf_counter() - started, interrupted=True)
                else:
                    self._end()
                raise
            return self._finish(perf_counter() - started, interrupted=False)

    def stop(self) -> None:
        """Stop after the scenarios that are under way."""
        self._watch.stop()

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
        refuse_unsendable(self._manner.execution, self._asked)
        self._prepare()
        jobs, manner = self.prepared.jobs, self._manner
        terms = Terms(self._asked.sure, manner.max_failures, manner.rate)
        if manner.log is not None and jobs:
            terms = self._recorded(manner.log, terms)
        if manner.record is not None:
            self._keeper = import_module("evalkit.keeping").Keeper(manner.record, manner.redaction)
        for sink in self._sinks:
            sink.start(self.prepared.outline)
        self._watch.shortest_s = jobs.shortest_s
        self._schedule = Schedule(jobs, self._emit, terms)
        self._watch.on_stop = self._schedule.stop
        execute(manner.execution, self._asked, jobs, self._schedule, self._watch)

    def _recorded(self, options: LogOptions, terms: Terms) -> Terms:
        """Open the log, and have every result recorded in it."""
        self._recorder = Recorder(options, self._manner.redaction, bearing(self._asked))
        self._recorder.begin(self.prepared.jobs, list(self.prepared.unread))
        self._watch.on_tick = self._recorder.sync
        self._planned = self.prepared.outline
        notes = (*self.prepared.notes, *self._recorder.notes)
        self.prepared = attrs.evolve(self.prepared, notes=notes)
        return attrs.evolve(terms, record=self._recorder.record, kept=self._recorder.kept)

    def _emit(self, result: ScenarioResult) -> None:
        self._scorecard.add(result)
        if result.trace is not None and result.trace["meta"].get("worker_deaths"):
            self._notes.append(f"{result.name} ended its process, and was run again")
        if self._recorder is None and self._manner.keep_results:
            self._results.append(result)
        if self._keeper is not None:
            self._keeper.add(result)
        for sink in self._sinks:
            sink.add(result)

    def _finish(self, seconds: float, *, interrupted: bool) -> RunReport:
        """Fold what there is into a report, and tell the log and the sinks."""
        if self._schedule is not None:
            self._schedule.close()
        lost = self._watch.lost
        notes = (*self.prepared.notes, *self._notes)
        if self._keeper is not None:
            notes += self._keeper.finish()
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
        self._end(report)
        for sink in self._sinks:
            sink.finish(report)
        return report

    def _end(self, report: RunReport | None = None) -> None:
        """End the log, with the summary of a run that came as far as that."""
        recorder = self._recorder
        if recorder is None:
            return
        self._recorder = None
        interrupted = report is None or report.interrupted
        try:
            recorder.finish(_told(report, self._planned), interrupted=interrupted)
        except RunLogWriteError:
            if not interrupted:  # else that is what is being told already
                raise
        if report is not None:
            report.run_id, report.run = recorder.run.name, recorder.run
            report.results = LoggedResults(recorder.run)


def _told(report: RunReport | None, outline: Outline) -> dict[str, Any]:
    """Give what a log keeps of a run besides its results, for `report` to tell it again."""
    return {
        "summary": {} if report is None else report.summary,
        "selected": outline.selected,
        "total": outline.total,
        "epochs": outline.epochs,
        "warnings": list(map(str, outline.warnings)),
        "notes": outline.notes,
    }


def bearing(asked: Asked) -> dict[str, Any]:
    """Name what bears on the verdicts of a run, so that another run is not gone on with."""
    tools, selection = asked.tools, asked.selection
    if selection.failed_first:  # which is an order only
        selection = attrs.evolve(selection, failed=None, failed_first=False)
    predictions = asked.predictions
    agent = getattr(asked.agent, "command", asked.agent)
    talks = predictions is not None or agent is not None
    extra = {
        "agent": agent if agent is None or isinstance(agent, str) else type(agent).__name__,
        "replay": None if asked.replay is None else str(asked.replay),
        "reading": asked.reading.said,
        "embed": asked.embed,
        "predictions": None if predictions is None else predictions.source,
    }
    return {
        "files": [_named(target) for target in asked.targets],
        "tools": tools if tools is None or isinstance(tools, str) else type(tools).__name__,
        "selection": str(selection),
        "subject": (AGENTS if talks else TOOLS).name,
        "epochs": asked.epochs,
        "until_sure": asked.sure,
        "timeout_s": asked.timeout_s,
        **{name: value for name, value in extra.items() if value},
    }


def _named(target: Any) -> str:  # noqa: ANN401
    """Name a target: a file by where it lies from here."""
    if not isinstance(target, str | Path):
        return str(target.name)
    path = Path(os.path.normpath(Path(target).absolute()))
    return (path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path).as_posix()
