"""How what a caller names becomes jobs: load, select, open once, plan; all problems at once."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import attrs

from evalkit.catalogue import AMBIENT, Catalogue
from evalkit.engine import OPENING_S
from evalkit.errors import CatalogueError, Problem
from evalkit.jsonvalue import brief
from evalkit.loaders import read, tools_named
from evalkit.model import Scenario
from evalkit.planning import Planner
from evalkit.planning.plans import TIMEOUT_S
from evalkit.planning.problems import Problems
from evalkit.registry import counted
from evalkit.result import Outline
from evalkit.schedule import Job
from evalkit.select import Selection
from evalkit.toolbox import FactoryToolbox, TableToolbox, toolbox_of
from evalkit.toolbox.errors import message_of, outcome_of
from evalkit.toolcode import ToolCode

Target = Catalogue | Scenario | str | Path
InTime = Callable[[str, float, Callable[[], Any]], Any]
LOADING_S = 60.0
MOST_TO_BE_SURE = 100
"""After so many epochs, unless more or fewer are asked for, it stays open what can't be told."""
T = TypeVar("T")


@attrs.frozen(eq=False, repr=False)
class Asked:
    """What a caller asks to be run.

    `epochs` is how often each scenario runs, else it is what it says itself, and `sure` the rate to
    be sure of. With `digests`,
    the code of the tools is looked at, for a run log.
    """

    targets: tuple[Target, ...]
    tools: Any = None
    selection: Selection = attrs.field(factory=Selection)
    timeout_s: float = TIMEOUT_S
    epochs: int | None = None
    sure: float | None = None
    digests: bool = False


@attrs.frozen(eq=False, repr=False)
class Prepared:
    """What is about to run: the jobs, all scenarios there are, what planning found doubtful."""

    jobs: tuple[Job, ...] = ()
    everything: tuple[Scenario, ...] = ()
    warnings: tuple[Problem, ...] = ()
    notes: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    until_sure: bool = False

    @property
    def outline(self) -> Outline:
        """Give what a reader should know of it."""
        epochs = sum(job.epochs for job in self.jobs)
        counts = len(self.jobs), len(self.everything), epochs
        return Outline(*counts, self.warnings, self.notes, self.until_sure)


class Preparation:
    """Prepares one run, gathering in `problems` everything that is wrong or doubtful."""

    def __init__(self, asked: Asked, in_time: InTime) -> None:
        """Take what is asked, and what holds the author's code to a deadline."""
        self._asked = asked
        self._in_time = in_time
        self._unread: list[str] = []
        self.problems: list[Problem] = []

    def prepare(self) -> Prepared:
        """Load, select and plan; `CatalogueError` carries every error that was found."""
        catalogues = self.catalogues()
        everything = [scenario for catalogue in catalogues for scenario in catalogue]
        chosen = {id(scenario): at for at, scenario in enumerate(self.chosen(catalogues))}
        jobs: list[Job] = []
        for catalogue in catalogues:
            scenarios = [scenario for scenario in catalogue if id(scenario) in chosen]
            if scenarios:
                jobs += self._gathered(self._planned, catalogue, scenarios) or []
        self._raise_if_any()
        if self._asked.selection.failed_first:
            jobs.sort(key=lambda job: chosen[id(job.plan.scenario)])
        notes = tuple(note for catalogue in catalogues for note in catalogue.notes)
        for catalogue in catalogues:
            catalogue.notes.clear()
        unread = tuple(dict.fromkeys(self._unread))
        found = tuple(jobs), tuple(everything), tuple(self.problems)
        return Prepared(*found, notes, unread, self._asked.sure is not None)

    def catalogues(self) -> list[Catalogue]:
        """Give the catalogues that the targets name; scenarios by themselves make up one."""
        found: list[Catalogue] = []
        loose: list[Scenario] = []
        for target in self._asked.targets:
            if isinstance(target, Scenario):
                loose.append(target)
            else:
                found += self._gathered(self._catalogue, target) or []
        found += self._gathered(_of, loose) or []
        if len(found) > 1:
            together = Catalogue("run")
            for catalogue in found:
                self._gathered(together.take_in, catalogue)
        return found

    def choose(self) -> tuple[list[Scenario], list[Scenario]]:
        """Load and select: what is meant, and all there is; `CatalogueError` for what is wrong."""
        catalogues = self.catalogues()
        chosen = self.chosen(catalogues)
        self._raise_if_any()
        return chosen, [scenario for catalogue in catalogues for scenario in catalogue]

    def chosen(self, catalogues: list[Catalogue]) -> list[Scenario]:
        """Give the scenarios that are selected; a tag or name that is nobody's is a problem."""
        everything = [scenario for catalogue in catalogues for scenario in catalogue]
        chosen: list[Scenario] = []
        if everything:
            chosen += self._gathered(self._asked.selection.of_all, everything) or []
        return chosen

    def _gathered(self, act: Callable[..., T], *given: Any) -> T | None:  # noqa: ANN401
        """Do one thing, and note what it finds wrong instead of ending with it."""
        try:
            return act(*given)
        except CatalogueError as error:
            self.problems += error.problems
            return None

    def _raise_if_any(self) -> None:
        errors = [problem for problem in self.problems if not problem.warning]
        if errors:
            raise CatalogueError(problems=errors)

    def _catalogue(self, target: Target) -> list[Catalogue]:
        if isinstance(target, Catalogue):
            return [target]
        if not isinstance(target, str | Path):
            hint = "a catalogue, a path, a scenario, or a list of these"
            raise CatalogueError("run", f"can't run {brief(target)}", hint)
        catalogue: Catalogue = self._in_time(f"loading {target}", LOADING_S, lambda: read(target))
        self.problems += catalogue.problems
        return [catalogue]

    def _planned(self, catalogue: Catalogue, scenarios: list[Scenario]) -> list[Job]:
        """Plan the scenarios of one catalogue against its tools, adding to the problems."""
        if catalogue.scope is not None:
            catalogue.scope.activate()
        place = catalogue.source or catalogue.name
        toolbox = self._in_time(
            f"{place}: importing the tools",
            LOADING_S,
            lambda: _toolbox(self._asked.tools, catalogue, scenarios, place),
        )
        manager = toolbox.open(scenarios[0])
        table = self._opened(f"{place}: opening the tools", manager.__enter__)
        planner = Planner(table.entries, catalogue.operators, self._asked.timeout_s)
        plans = [planner.compile(scenario) for scenario in scenarios]
        epochs = [self._epochs(planner.problems, scenario) for scenario in scenarios]
        code = ToolCode(table.entries, toolbox, catalogue) if self._asked.digests else None
        self._opened(f"{place}: closing the tools", lambda: manager.__exit__(None, None, None))
        self.problems += planner.problems.errors + planner.problems.warnings
        self._unread += code.unread if code else ()
        return [
            Job(plan, toolbox, catalogue.scope, *each, code.digest(plan) if code else "")
            for plan, each in zip(plans, epochs, strict=True)
        ]

    def _epochs(self, problems: Problems, scenario: Scenario) -> tuple[int, int]:
        """Give how often a scenario runs, and how many of these times it must pass."""
        usual = MOST_TO_BE_SURE if self._asked.sure is not None else 1
        epochs = self._asked.epochs or scenario.epochs or usual
        needed = scenario.pass_epochs or epochs
        if needed > epochs:
            problem = f"{needed} epochs must pass, of {counted(epochs, 'epoch')}"
            problems.add(scenario, ("pass_epochs",), problem, "raise epochs, or lower it")
        return (epochs, needed) if scenario.tool_calls else (1, 1)

    def _opened(self, doing: str, act: Callable[[], Any]) -> Any:  # noqa: ANN401
        """Open or close the author's tools; what that raises is a problem of the catalogue."""
        try:
            return self._in_time(doing, OPENING_S, act)
        except CatalogueError as error:
            raise _placed(error, doing.partition(":")[0]) from error
        except BaseException as error:
            outcome_of(error)
            told = f"failed: {type(error).__name__}: {message_of(error)}"
            raise CatalogueError(doing, told) from error


def targets_of(target: Target | Iterable[Target]) -> tuple[Target, ...]:
    """Give the targets of a run, of which one may stand by itself."""
    if isinstance(target, Catalogue | Scenario | str | Path) or not isinstance(target, Iterable):
        return (target,)
    return tuple(target)


def _of(scenarios: list[Scenario]) -> list[Catalogue]:
    """Make catalogues of scenarios that come by themselves: with what their own home knows."""
    homes: dict[int, list[Scenario]] = {}
    for scenario in scenarios:
        homes.setdefault(id(scenario.home), []).append(scenario)
    return [_at_home(together) for together in homes.values()]


def _at_home(scenarios: list[Scenario]) -> Catalogue:
    home = scenarios[0].home
    if home is None:
        home = Catalogue("scenarios")
        home.operators = AMBIENT.get().operators
    return home.of(scenarios)  # type: ignore[no-any-return]


def _toolbox(
    asked: Any,  # noqa: ANN401
    catalogue: Catalogue,
    scenarios: list[Scenario],
    place: str,
) -> TableToolbox | FactoryToolbox:
    """Find the tools of a catalogue: those that were asked for, else its own."""
    tools = catalogue.tools if asked is None else asked
    if isinstance(tools, str):
        tools = tools_named(tools)
    if tools is None and any(scenario.tool_calls for scenario in scenarios):
        near = f"it has {catalogue.near_tools}; " if catalogue.near_tools else ""
        hint = f"{near}define TOOL_DISPATCH in its file, or name it: --tools package.module:NAME, "
        raise CatalogueError(place, "has no tools to run against", f"{hint}run(tools=...)")
    try:
        return toolbox_of({} if tools is None else tools)
    except CatalogueError as error:
        raise _placed(error, place) from error


def _placed(error: CatalogueError, place: str) -> CatalogueError:
    """Say which file's tools a problem is about."""
    problems = [attrs.evolve(each, source=each.source or place) for each in error.problems]
    return CatalogueError(problems=problems)
