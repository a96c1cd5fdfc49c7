"""How a file of data becomes scenarios, as often as it is read, and a catalogue."""

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import attrs

from evalkit.catalogue import Catalogue, Loading
from evalkit.codec import Codec, Misfit, MisfitError
from evalkit.codec.schema import ROWS
from evalkit.datasets import DatasetError
from evalkit.errors import CatalogueError, Problem
from evalkit.jsonvalue import Json, brief
from evalkit.loaders.forms import DEFAULTS, TOOLS, Data, Reader, form_of, head_of
from evalkit.loaders.python import object_named, registering_in, scope_of
from evalkit.loaders.reading import Reading
from evalkit.loaders.records import Record
from evalkit.loaders.records import where as where_of
from evalkit.loaders.rows import expanded
from evalkit.model import Scenario
from evalkit.operators import OPERATORS

_COLUMN = re.compile(r"(:\d+):\d+$")
PROBE = "defaults"
"""The name of the scenario by which defaults are tried, before they are every scenario's."""


class Source:
    """A file of data: what it says of all its scenarios, and its scenarios, each time anew.

    `catalogue` holds its tools, operators and scope, and no scenario.
    """

    def __init__(self, path: Path, shown: str, read: Reader, reading: Reading) -> None:
        """Read as much as is needed to know what it is; `CatalogueError` where it is nothing."""
        self.catalogue = catalogue = Catalogue(path.stem)
        catalogue.source = shown
        catalogue.tools_hint = "say which in its field 'tools'"
        document = read(path, shown)
        self._by_line = f"{shown}:" if document.by_line else None
        self._form = form_of(document, reading, read)
        head = head_of(self._form)
        self._problems = list(head.problems)
        named = None
        if reading.allow_import:
            file = path.resolve()
            catalogue.scope = scope_of(file, file.parent)
            named = self._function
        if head.tools is not None:
            self._take_tools(head.tools, allowed=reading.allow_import)
        self._codec = Codec(named, {*OPERATORS, *catalogue.operators})
        self._defaults = self._good(head.defaults)
        self._plain = not self._form.foreign and not self._defaults

    def scenarios(self) -> Iterator[Scenario]:
        """Give the scenarios one after the other, and raise at the end what is wrong with any.

        So nothing of what it gives is to be run before the end was reached once.
        """
        problems = list(self._problems)
        count = 0
        for record in self._records(problems):
            for scenario in self._of(record, problems):
                count += 1
                if scenario is not None:
                    yield scenario
        if problems:
            raise CatalogueError(problems=sorted(problems, key=_position))
        if not count:
            raise CatalogueError(str(self.catalogue.source), "holds no scenario")

    def _records(self, problems: list[Problem]) -> Iterator[Record]:
        """Give the records; what can't be read is told at the end, with what can and is wrong."""
        try:
            yield from self._form.records()
        except CatalogueError as error:
            problems += error.problems

    def _of(self, record: Record, problems: list[Problem]) -> Iterable[Scenario | None]:
        """Give what a record holds, None for what is no scenario: mostly it is one by itself."""
        if self._plain and type(record.data) is dict and ROWS not in record.data:
            return (self._scenario(record, record.data, problems),)
        return self._several(record, problems)

    def _several(self, record: Record, problems: list[Problem]) -> Iterator[Scenario | None]:
        """Give the scenarios of a record that may hold several, or none, which is told."""
        found: list[Problem] = []
        count = 0
        for data in self._data(record, found):
            count += 1
            yield self._scenario(record, data, found)
        problems += _once(found) if count > 1 else found
        if not count and not found:
            problems.append(Problem("", "holds no question", source=record.locate(())))

    def load(self) -> Catalogue:
        """Give the catalogue with all scenarios in it; names that are taken are its problems."""
        catalogue, loading = self.catalogue, Loading()
        places = {}
        for scenario in self.scenarios():
            places.update(catalogue.places)
            catalogue.enter(scenario, loading)
        catalogue.problems, catalogue.places = loading.problems, places
        return catalogue

    def _data(self, record: Record, problems: list[Problem]) -> Iterator[Data]:
        """Give the scenarios of a record as data, with the defaults, and over their tables."""
        try:
            for data in self._form.made(record):
                yield from expanded(_merged(self._defaults, _mapping(data)))
        except (MisfitError, DatasetError) as error:
            problems += [self._problem(record, record.data, each) for each in _misfits_of(error)]

    def _scenario(self, record: Record, data: Data, problems: list[Problem]) -> Scenario | None:
        try:
            scenario = self._codec.scenario(data)
        except MisfitError as error:
            problems += [self._problem(record, data, each) for each in error.misfits]
            return None
        if self._by_line is not None:
            place = f"{self._by_line}{record.number + 1}"
        else:
            place = _COLUMN.sub(r"\1", record.locate(()))
        object.__setattr__(scenario, "source", place)
        object.__setattr__(scenario, "home", self.catalogue)
        if not self._form.foreign:  # of the last one only: a file may be read without being held
            self.catalogue.places = {scenario.name: record.locate}
        return scenario

    def _problem(self, record: Record, data: Json, misfit: Misfit) -> Problem:
        """Say where in the file something is wrong, and in which scenario."""
        name = data.get("name") if type(data) is dict else None
        below = where_of(misfit.steps)
        parts = [name] if type(name) is str and name.isprintable() else []
        where = ".".join([*parts, below] if below else parts)
        return Problem(where, misfit.problem, misfit.hint, record.locate(misfit.steps))

    def _function(self, reference: str) -> Callable[[Any], Any]:
        """Import a function that the file names."""
        function: Callable[[Any], Any] = object_named(reference, "a function")
        return function

    def _take_tools(self, tools: str, *, allowed: bool) -> None:
        """Import the tools that the file names, where it may name some.

        Operators of their module are known to the file; scenarios of it are its own affair.
        """
        catalogue, head = self.catalogue, self._form.head
        catalogue.tools_reference = tools
        if not allowed:
            catalogue.tools_hint = f"the file names {tools!r}: --allow-import lets it"
            return
        beside = Catalogue(tools)
        try:
            with registering_in(beside, Loading()):
                catalogue.tools = object_named(tools, TOOLS)
        except CatalogueError as error:
            place = head.locate((TOOLS,)) if head is not None else None
            self._problems += [attrs.evolve(each, source=place) for each in error.problems]
        catalogue.operators.update(beside.operators)

    def _good(self, defaults: Data) -> Data:
        """Try defaults by themselves, so that what is wrong is told once; give what is right."""
        head = self._form.head
        if not defaults or head is None:
            return {}
        try:
            self._codec.scenario({"name": PROBE, **defaults})
        except MisfitError as error:
            for each in error.misfits:
                steps = (DEFAULTS, *each.steps)
                self._problems.append(Problem(where_of(steps), *each.told, head.locate(steps)))
            return {}
        return defaults


def _once(problems: list[Problem]) -> Iterable[Problem]:
    """Leave out what is wrong again in another row of one table: in the same field, in words."""
    first: dict[tuple[str | None, str, str], Problem] = {}
    for each in problems:
        first.setdefault((each.source, each.problem, each.where.partition(".")[2]), each)
    return first.values()


def _position(problem: Problem) -> list[int]:
    """Give line and column of a problem, as far as they are known."""
    parts = (problem.source or "").rsplit(":", 2)[1:]
    return [int(part) for part in parts if part.isdecimal()]


def _mapping(data: Json) -> Data:
    """Refuse what can't be a scenario."""
    if type(data) is not dict:
        raise MisfitError(Misfit((), f"expected a scenario, got {brief(data)}", "a mapping"))
    return data


def _merged(defaults: Data, data: Data) -> Data:
    """Put defaults below what a scenario says itself: its tags are added to theirs."""
    if not defaults:
        return data
    merged = {**defaults, **data}
    if type(data.get("tags")) is list and "tags" in defaults:
        merged["tags"] = [*defaults["tags"], *data["tags"]]
    return merged


def _misfits_of(error: MisfitError | DatasetError) -> list[Misfit]:
    if isinstance(error, MisfitError):
        return list(error.misfits)
    return [Misfit(each.steps, each.problem, each.hint) for each in error.flaws]
