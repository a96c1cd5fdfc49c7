"""How what a caller names becomes jobs: load, select, open once, plan; all problems at once."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from evalkit.asked import Asked, Prepared, Target
from evalkit.cast import Cast, cast_of
from evalkit.catalogue import AMBIENT, Catalogue
from evalkit.desk import Desk, placed, toolbox_for
from evalkit.engine import OPENING_S
from evalkit.errors import CatalogueError, Problem
from evalkit.jobs import Job, Jobs, held
from evalkit.jsonvalue import brief
from evalkit.loaders import LAZY, files_in, named_from_here, opened, read, size_of
from evalkit.model import Scenario
from evalkit.passing import Passage
from evalkit.protocols import Services
from evalkit.toolbox.errors import message_of, outcome_of

InTime = Callable[[str, float, Callable[[], Any]], Any]
LOADING_S = 60.0
SLOWEST = 100_000
"""So many bytes a second are read at least: a large file has more time."""
T = TypeVar("T")


class Preparation:
    """Prepares one run, gathering in `problems` everything that is wrong or doubtful."""

    def __init__(self, asked: Asked, in_time: InTime) -> None:
        """Take what is asked, and what holds the author's code to a deadline."""
        self._asked = asked
        self._in_time = in_time
        self._notes: list[str] = []
        self._unread: list[str] = []
        self._scoring: dict[str, None] = {}
        self._cast: Cast | None = None
        self.problems: list[Problem] = []

    def prepare(self) -> Prepared:
        """Load, select and plan; `CatalogueError` carries every error that was found."""
        if self._may_pass():
            passage = self._gathered(self._passage)
            self._raise_if_any()
            return Prepared() if passage is None else self._passed(passage)
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
        self._notes += [note for catalogue in catalogues for note in catalogue.notes]
        for catalogue in catalogues:
            catalogue.notes.clear()
        if self._asked.predictions is not None:
            asked = [job.plan.scenario.name for job in jobs if job.plan.skip is None]
            everyone = {scenario.name for scenario in everything}
            self._notes += self._asked.predictions.unpaired(asked, everyone)
        return self._prepared(held(jobs), tuple(everything), len(everything))

    def _prepared(self, jobs: Jobs, everything: tuple[Scenario, ...], total: int) -> Prepared:
        return Prepared(
            jobs,
            everything,
            total,
            tuple(self.problems),
            tuple(self._notes),
            tuple(dict.fromkeys(self._unread)),
            tuple(self._scoring),
            self._asked.sure is not None,
        )

    def _may_pass(self) -> bool:
        """Say whether one file is asked for that can be read line by line, as often as needed.

        Predictions are held, so the names they are held against may be, too.
        """
        targets, selection = self._asked.targets, self._asked.selection
        if len(targets) != 1 or self._asked.predictions is not None or not selection.in_passing:
            return False
        path = targets[0]
        return (
            isinstance(path, str | Path)
            and Path(path).suffix.lower() in LAZY
            and Path(path).is_file()
        )

    def _passage(self) -> Passage:
        """Open the one file that is asked for."""
        path, reading = Path(str(self._asked.targets[0])), self._asked.reading
        source = self._in_time(f"loading {path}", LOADING_S, lambda: opened(path, reading))
        return Passage(source, self._asked.selection, self.problems)

    def _passed(self, passage: Passage) -> Prepared:
        """Prepare the scenarios of a file without holding them."""
        self._gathered(passage.check, self._desk)
        if passage.desk is not None:
            self._gathered(self._close, passage.desk)
        self._raise_if_any()
        everything = () if len(passage.jobs) else passage.everything()
        return self._prepared(passage.jobs, everything, passage.total)

    def catalogues(self) -> list[Catalogue]:
        """Give the catalogues that the targets name; scenarios by themselves make up one."""
        found: list[Catalogue] = []
        loose: list[Scenario] = []
        for target in self._asked.targets:
            if isinstance(target, Scenario):
                loose.append(target)
            else:
                found += self._gathered(self._catalogues_of, target) or []
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

    def _catalogues_of(self, target: Target) -> list[Catalogue]:
        """Load what a target names: a catalogue, a file, or all files of a folder."""
        if isinstance(target, Catalogue):
            return [target]
        if not isinstance(target, str | Path):
            hint = "a catalogue, a path, a scenario, or a list of these"
            raise CatalogueError("run", f"can't run {brief(target)}", hint)
        if target == "":
            raise CatalogueError("run", "the name of a file is empty", "name a file, or . for here")
        if not Path(target).is_dir():
            return [self._loaded(target)]
        files = files_in(Path(target))
        if not files:
            raise CatalogueError(str(target), "there is no catalogue in this folder")
        found = [self._gathered(self._loaded, file) for file in files]
        return [catalogue for catalogue in found if catalogue is not None]

    def _loaded(self, path: str | Path) -> Catalogue:
        reading = self._asked.reading
        limit_s = LOADING_S + size_of(path) / SLOWEST
        catalogue: Catalogue = self._in_time(
            f"loading {path}", limit_s, lambda: read(path, reading)
        )
        self.problems += catalogue.problems
        return catalogue

    def _planned(self, catalogue: Catalogue, scenarios: list[Scenario]) -> list[Job]:
        """Plan the scenarios of one catalogue against its tools, adding to the problems."""
        desk = self._desk(catalogue, *scenarios)
        jobs = [desk.job(scenario) for scenario in scenarios]
        self._close(desk)
        return jobs

    def _desk(self, catalogue: Catalogue, *scenarios: Scenario) -> Desk:
        """Open the tools of a catalogue, and get ready to plan its scenarios."""
        if catalogue.scope is not None:
            catalogue.scope.activate()
        asked = self._asked
        place = catalogue.source or catalogue.name
        if self._cast is None:
            self._cast = self._in_time("importing the agent", LOADING_S, lambda: cast_of(asked))
        cast = self._cast
        toolbox = self._in_time(
            f"{place}: importing the tools",
            LOADING_S,
            lambda: toolbox_for(asked, catalogue, scenarios, place, cast),
        )
        services = asked.services
        if asked.embed is not None:
            services = self._in_time(f"importing {asked.embed}", LOADING_S, self._embedding)
        manager = toolbox.open(scenarios[0])
        table = self._opened(f"{place}: opening the tools", manager.__enter__)
        return Desk(asked, catalogue, toolbox, manager, table, services, self._cast)

    def _embedding(self) -> Services:
        return Services(embed=named_from_here(str(self._asked.embed), "embed"))

    def _close(self, desk: Desk) -> None:
        """Close the tools, and take over what planning has found."""
        place = desk.catalogue.source or desk.catalogue.name
        leave = desk.manager.__exit__
        self._opened(f"{place}: closing the tools", lambda: leave(None, None, None))
        self.problems += desk.planner.problems.errors + desk.planner.problems.warnings
        self._unread += desk.code.unread if desk.code else ()
        self._scoring.update(dict.fromkeys(desk.planner.scoring))

    def _opened(self, doing: str, act: Callable[[], Any]) -> Any:  # noqa: ANN401
        """Open or close the author's tools; what that raises is a problem of the catalogue."""
        try:
            return self._in_time(doing, OPENING_S, act)
        except CatalogueError as error:
            raise placed(error, doing.partition(":")[0]) from error
        except BaseException as error:
            outcome_of(error)
            told = f"failed: {type(error).__name__}: {message_of(error)}"
            raise CatalogueError(doing, told) from error


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
