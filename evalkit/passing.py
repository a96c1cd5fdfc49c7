"""How the scenarios of a file are prepared without being held: they are read, and read again."""

from collections.abc import Callable, Iterator
from typing import Any

from evalkit.catalogue import Catalogue, Loading
from evalkit.desk import Desk, no_tools
from evalkit.errors import CatalogueError, ChangedError, Problem
from evalkit.jobs import Job, Jobs
from evalkit.model import Scenario
from evalkit.names import Names
from evalkit.select import Selection, Sieve


class Passage:
    """One file, gone through once to check everything; its `jobs` go through it again.

    `total` counts the scenarios, and `desk` is where they were planned, None where none was.
    """

    def __init__(self, source: Any, selection: Selection, problems: list[Problem]) -> None:  # noqa: ANN401
        """Take the file, what is selected, and where to note what is wrong."""
        self._source = source
        self._selection = selection
        self._problems = problems
        self._failed = False
        self.desk: Desk | None = None
        self.total = 0
        self.jobs = Jobs(self._again)

    def check(self, open_desk: Callable[[Catalogue, Scenario], Desk]) -> None:
        """Read, select and plan every scenario, and keep none; a desk is opened for the first."""
        names, sieve = Names(), Sieve(self._selection)
        for scenario in self._scenarios():
            self.total += 1
            names.add(scenario.name)
            if sieve.takes(scenario) and not self._failed:
                self._plan(open_desk, scenario)
        if names.close():
            self._note_twins(names)
        sieve.check()

    def _plan(self, open_desk: Callable[[Catalogue, Scenario], Desk], scenario: Scenario) -> None:
        """Plan a scenario; what is wrong with the tools is told once, and ends planning."""
        try:
            if self.desk is None:
                self.desk = open_desk(self._source.catalogue, scenario)
            if scenario.tool_calls and not self.desk.may_call:
                raise no_tools(self.desk.catalogue)
            self.jobs.count(self.desk.job(scenario))
        except CatalogueError as error:
            self._failed = True
            self._problems += error.problems

    def everything(self) -> tuple[Scenario, ...]:
        """Give all scenarios there are, for the sake of a message."""
        return tuple(self._scenarios())

    def _scenarios(self) -> Iterator[Scenario]:
        """Read all scenarios; what is wrong with any is noted at the end."""
        try:
            yield from self._source.scenarios()
        except CatalogueError as error:
            self._problems += error.problems

    def _note_twins(self, names: Names) -> None:
        """Note the names that came twice, with both places."""
        known, loading = Catalogue(self._source.catalogue.name), Loading()
        for scenario in self._scenarios():
            if names.maybe(scenario.name):
                known.enter(scenario, loading)
        self._problems += loading.problems

    def _again(self) -> Iterator[Job]:
        """Read the scenarios once more, and plan each when its turn comes.

        They were found good before; a file that is not what it was then is refused.
        """
        desk, sieve = self.desk, Sieve(self._selection)
        if desk is None:
            return
        try:
            for scenario in self._source.scenarios():
                if sieve.takes(scenario):
                    yield desk.job(scenario)
                    desk.planner.problems.clear()
        except CatalogueError as error:
            raise ChangedError(str(error)) from error
