"""How a run goes from what a caller names to a report: load, select, open, plan, run, fold."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any, TextIO

import attrs

from evalkit.catalogue import AMBIENT, Catalogue
from evalkit.engine import OPENING_S, Engine, Job
from evalkit.errors import CatalogueError, Problem
from evalkit.jsonvalue import brief
from evalkit.loaders import load, tools_named
from evalkit.loops import OwnLoop
from evalkit.model import Scenario
from evalkit.planning import Planner
from evalkit.planning.plans import TIMEOUT_S
from evalkit.protocols import Awaiter, Sink
from evalkit.reports.run_report import RunReport
from evalkit.result import ScenarioResult
from evalkit.scorecard import Scorecard
from evalkit.select import Selection
from evalkit.subjects.output import captured
from evalkit.toolbox import toolbox_of
from evalkit.toolbox.errors import message_of
from evalkit.watch import Watch

Target = Catalogue | Scenario | str | Path
LOADING_S = 60.0


@attrs.frozen(eq=False)
class Asked:
    """What a caller asks of a run."""

    targets: tuple[Target, ...]
    tools: Any = None
    selection: Selection = attrs.field(factory=Selection)
    timeout_s: float = TIMEOUT_S
    max_failures: int | None = None
    keep_results: bool = True


@attrs.frozen(eq=False)
class Prepared:
    """What is about to run: the jobs, all scenarios there are, what planning found doubtful."""

    jobs: tuple[Job, ...]
    everything: tuple[Scenario, ...]
    warnings: tuple[Problem, ...]
    notes: tuple[str, ...]

    @property
    def total(self) -> int:
        """Count the scenarios that there are, selected or not."""
        return len(self.everything)


class Session:
    """One run, from what was asked to the report; everything of the author's runs on one lane."""

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
        self.prepared = Prepared((), (), (), ())

    def run(self) -> RunReport:
        """Run to the end, or to an interrupt, which is raised again once the sinks were told."""
        started = perf_counter()
        with captured(self._elsewhere):
            try:
                self._watch.run(self._work)
            except KeyboardInterrupt:
                self._finish(perf_counter() - started, interrupted=True)
                raise
            return self._finish(perf_counter() - started, interrupted=False)

    def stop(self) -> None:
        """Stop after the scenario that is under way."""
        self._watch.stopping = True

    def choose(self) -> list[Scenario]:
        """Load and select, and give the scenarios that are meant, unplanned."""
        chosen: list[Scenario] = []
        with captured(self._elsewhere):
            self._watch.run(lambda: chosen.extend(self._chosen(self._loaded())))
        return chosen

    def prepare(self) -> Prepared:
        """Load, select and plan, and give what would run."""
        with captured(self._elsewhere):
            self._watch.run(self._prepare)
        return self.prepared

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

    def _prepare(self) -> None:
        catalogues = self._loaded()
        everything = [scenario for catalogue in catalogues for scenario in catalogue]
        chosen = set(map(id, self._chosen(catalogues)))
        jobs: list[Job] = []
        problems: list[Problem] = []
        for catalogue in catalogues:
            scenarios = [scenario for scenario in catalogue if id(scenario) in chosen]
            if scenarios:
                jobs += self._planned(catalogue, scenarios, problems)
        if any(not problem.warning for problem in problems):
            raise CatalogueError(problems=[problem for problem in problems if not problem.warning])
        notes = tuple(note for catalogue in catalogues for note in catalogue.notes)
        self.prepared = Prepared(tuple(jobs), tuple(everything), tuple(problems), notes)

    def _loaded(self) -> list[Catalogue]:
        catalogues: list[Catalogue] = self._in_time("loading", LOADING_S, self._catalogues)
        _refuse_shared_names(catalogues)
        return catalogues

    def _chosen(self, catalogues: list[Catalogue]) -> list[Scenario]:
        everything = [scenario for catalogue in catalogues for scenario in catalogue]
        return self._asked.selection.of_all(everything)

    def _planned(
        self, catalogue: Catalogue, scenarios: list[Scenario], problems: list[Problem]
    ) -> list[Job]:
        """Plan the scenarios of one catalogue against its tools, adding to the problems."""
        tools = self._asked.tools if self._asked.tools is not None else catalogue.tools
        if isinstance(tools, str):
            tools = tools_named(tools)
        if tools is None:
            tools = _no_tools(catalogue, scenarios)
        toolbox = toolbox_of(tools)
        manager = toolbox.open(scenarios[0])
        try:
            table = self._in_time("opening the tools", OPENING_S, manager.__enter__)
        except CatalogueError:
            raise
        except (Exception, SystemExit) as error:
            told = f"could not be opened: {type(error).__name__}: {message_of(error)}"
            raise CatalogueError("the tools", told) from error
        try:
            planner = Planner(table.entries, catalogue.operators, self._asked.timeout_s)
            plans = [planner.compile(scenario) for scenario in scenarios]
        finally:
            self._in_time(
                "closing the tools", OPENING_S, lambda: manager.__exit__(None, None, None)
            )
        problems += planner.problems.errors + planner.problems.warnings
        return [Job(plan, toolbox) for plan in plans]

    def _catalogues(self) -> list[Catalogue]:
        """Give the catalogues that the targets name; scenarios by themselves make up one."""
        catalogues: list[Catalogue] = []
        loose: list[Scenario] = []
        for target in self._asked.targets:
            if isinstance(target, Catalogue):
                catalogues.append(target)
            elif isinstance(target, Scenario):
                loose.append(target)
            elif isinstance(target, str | Path):
                catalogues.append(load(target))
            else:
                hint = "a catalogue, a path, a scenario, or a list of these"
                raise CatalogueError("run", f"can't run {brief(target)}", hint)
        return [*catalogues, _of(loose)] if loose else catalogues

    def _in_time(self, doing: str, limit_s: float, act: Callable[[], Any]) -> Any:  # noqa: ANN401
        """Do something of the author's under a deadline."""
        lane = self._watch.lane
        self._watch.doing = f"{doing}: not within {limit_s:g} s"
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
        prepared = self.prepared
        notes = list(prepared.notes)
        if self._watch.lost:
            notes.append(
                f"{self._watch.lost} call(s) never returned; their threads are left behind"
            )
        report = RunReport(
            self._results,
            self._scorecard,
            seconds,
            prepared.warnings,
            tuple(notes),
            interrupted,
            self._watch.lost,
        )
        for sink in self._sinks:
            sink.finish(report)
        return report


def targets_of(target: Target | Iterable[Target]) -> tuple[Target, ...]:
    """Give the targets of a run, of which one may stand by itself."""
    if isinstance(target, Catalogue | Scenario | str | Path):
        return (target,)
    return tuple(target)


def _of(scenarios: list[Scenario]) -> Catalogue:
    catalogue = Catalogue("scenarios")
    catalogue.operators = AMBIENT.get().operators
    for scenario in scenarios:
        catalogue.take_in_one(scenario)
    return catalogue


def _no_tools(catalogue: Catalogue, scenarios: list[Scenario]) -> dict[str, Any]:
    """Do without tools where no scenario needs one; refuse to run where one does."""
    if not any(scenario.tool_calls for scenario in scenarios):
        return {}
    raise CatalogueError(
        catalogue.name,
        "has no tools to run against",
        "define TOOL_DISPATCH in its file, or name it: --tools package.module:NAME, run(tools=...)",
    )


def _refuse_shared_names(catalogues: list[Catalogue]) -> None:
    """Refuse a name that two catalogues of one run have: a result belongs to one scenario."""
    together = Catalogue("run")
    for catalogue in catalogues if len(catalogues) > 1 else ():
        together.take_in(catalogue)


def _shortest(job: Job) -> float:
    """Give the shortest deadline of a plan, by which the watcher sets its pace."""
    limits = [bound.timeout_s for bound in job.plan.calls]
    whole = job.plan.scenario.timeout_s
    return min(limits if whole is None else [*limits, whole], default=TIMEOUT_S)
