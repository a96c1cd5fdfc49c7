"""What a catalogue is: scenarios by name, in the order in which they were registered."""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextvars import ContextVar
from inspect import iscoroutinefunction
from types import FrameType
from typing import Any, TypeVar

from evalkit.errors import CatalogueError, Problem
from evalkit.jsonvalue import brief
from evalkit.model import Scenario
from evalkit.names import folded
from evalkit.operators import OPERATORS, Operator, custom
from evalkit.places import execution_of, in_cell, place_of
from evalkit.protocols import Scope  # noqa: TC001  - a type that readers of the class look up
from evalkit.registry import counted, hint_for
from evalkit.select import Selection

F = TypeVar("F", bound=Callable[..., Any])


class Catalogue:
    """Scenarios by name, in order; `add` is the `_s` of a catalogue of one's own.

    `tools` is the table or factory that they are for, where one is known, and `tools_reference` the
    name by which a file of data says which; `operators` are the author's own; `source` is the file
    it was loaded from. `notes` says what a later execution has replaced. `places` gives, for
    scenarios of a file of data by name, where the field stands that some steps lead to.

    >>> shop = Catalogue("shop")
    >>> from evalkit import Scenario, ToolCall
    >>> _ = shop.add(Scenario("stock", tool_calls=[ToolCall("count")], tags=["stock"]))
    >>> shop.tags
    ['stock']
    """

    def __init__(self, name: str = "catalogue") -> None:
        """Take a name for messages."""
        self.name = name
        self.tools: Any = None
        self.operators: dict[str, Operator] = {}
        self.notes: list[str] = []
        self.problems: list[Problem] = []
        self.source: str | None = None
        self.scope: Scope | None = None
        self.tools_reference: str | None = None
        self.places: dict[str, Callable[[tuple[str | int, ...]], str]] = {}
        self.tools_hint = "define TOOL_DISPATCH in its file"
        self._scenarios: dict[str, Scenario] = {}
        self._executions: dict[str, object] = {}
        self._operator_places: dict[str, tuple[object, str]] = {}

    def add(self, scenario: Scenario) -> Scenario:
        """Register a scenario, and give it back.

        A second one of the name within one execution of a file or cell is an error naming both
        lines; a later execution replaces what the earlier one registered.
        """
        return self._register(scenario, sys._getframe(1))  # noqa: SLF001  - the caller's line is the place

    def _register(self, scenario: Scenario, frame: FrameType) -> Scenario:
        place = place_of(frame)
        if type(scenario) is not Scenario:
            raise CatalogueError(place, f"expected a Scenario, got {scenario!r}")
        _settle(scenario, self, place)
        loading = LOADING.get()
        execution = loading or execution_of(frame)
        key = folded(scenario.name)
        earlier = self._scenarios.get(key)
        if earlier is not None:
            if self._executions[key] == execution:
                _refuse(_twice(scenario, earlier, place), loading)
                return scenario
            self._say(f"{place} replaces the scenario {scenario.name!r} of {earlier.source}")
        self._scenarios[key] = scenario
        self._executions[key] = execution
        REGISTERING.add(frame.f_globals.get("__name__", ""))
        return scenario

    def add_operator(self, name: str, made: Operator, execution: object, place: str) -> None:
        """Add an operator; a second one of the name within one execution is an error."""
        known = self._operator_places.get(name)
        if known is not None and known[0] == execution:
            problem = f"the name is taken at {known[1]}"
            raise CatalogueError(f"operator {name!r}", problem, source=place)
        self.operators[name] = made
        self._operator_places[name] = (execution, place)

    def _say(self, note: str) -> None:
        """Note what was replaced; where a notebook's cell did it, below the cell as well."""
        self.notes.append(note)
        if in_cell():
            sys.stderr.write(f"evalkit: {note}\n")

    def enter(self, scenario: Scenario, loading: "Loading | None" = None) -> None:
        """Register a scenario that knows its place already; a taken name is an error."""
        self._take_in(scenario, loading)
        _settle(scenario, self, None)

    def take_in(self, other: "Catalogue", loading: "Loading | None" = None) -> None:
        """Register the scenarios and operators of another catalogue; a taken name is an error."""
        for scenario in other:
            self._take_in(scenario, loading)
            if loading is not None:
                _settle(scenario, self, None)
        self.operators.update(other.operators)

    def _take_in(self, scenario: Scenario, loading: "Loading | None") -> None:
        """Take in a scenario that has its place already."""
        key = folded(scenario.name)
        if key in self._scenarios:
            place = scenario.source or self.name
            _refuse(_twice(scenario, self._scenarios[key], place), loading)
        self._scenarios[key] = scenario
        self._executions[key] = loading

    def replace(self, scenario: Scenario) -> Scenario:
        """Put a changed scenario in the place of the one of its name, which must be there."""
        old = self[scenario.name]
        _settle(scenario, self, old.source)
        self._scenarios[folded(scenario.name)] = scenario
        return scenario

    def select(
        self,
        tags: Iterable[str] = (),
        difficulty: str | Iterable[str] = (),
        names: Iterable[str] = (),
        expr: str | None = None,
    ) -> "Catalogue":
        """Give a catalogue of the scenarios that fit all that is asked.

        `tags` are any of (`not:x` excludes), `names` are exact, `expr` is as in `-k`: words that
        name or tags contain, with and, or, not. A tag or name that no scenario has is an error with
        the nearest.
        """
        selection = Selection(tags=tags, difficulty=difficulty, names=names, expr=expr)
        return self.of(selection.of_all(list(self)))

    def of(self, scenarios: Iterable[Scenario]) -> "Catalogue":
        """Give a catalogue of some of the scenarios, with the same tools and operators."""
        chosen = Catalogue(self.name)
        chosen.tools, chosen.operators, chosen.scope = self.tools, self.operators, self.scope
        chosen.source = self.source
        for scenario in scenarios:
            chosen._take_in(scenario, None)
        return chosen

    @property
    def tags(self) -> "Tags":
        """Give the tags there are, sorted, as a live view."""
        return Tags(lambda: self)

    def __getitem__(self, name: str) -> Scenario:
        """Give a scenario by name; a wrong name is answered with the nearest."""
        scenario = self._scenarios.get(folded(str(name)))
        if scenario is None:
            known = [scenario.name for scenario in self]
            raise CatalogueError(self.name, f"no scenario {name!r}", hint_for(str(name), known))
        return scenario

    def __contains__(self, name: object) -> bool:
        """Say whether there is a scenario of a name."""
        return isinstance(name, str) and folded(name) in self._scenarios

    def __iter__(self) -> Iterator[Scenario]:
        """Iterate over the scenarios, in order."""
        return iter(self._scenarios.values())

    def __len__(self) -> int:
        """Count the scenarios."""
        return len(self._scenarios)

    def __repr__(self) -> str:
        """Say what it is and how much is in it."""
        return f"<Catalogue {self.name!r}: {counted(len(self), 'scenario')}>"


class Tags(Sequence[str]):
    """The tags of a catalogue, sorted: a view that is always of now."""

    def __init__(self, catalogue: Callable[[], Catalogue]) -> None:
        """Take what gives the catalogue."""
        self._catalogue = catalogue

    def _now(self) -> list[str]:
        return sorted({tag for scenario in self._catalogue() for tag in scenario.tags})

    def __getitem__(self, index: Any) -> Any:  # noqa: ANN401
        """Give a tag, or a list of them by slice."""
        return self._now()[index]

    def __len__(self) -> int:
        """Count the tags."""
        return len(self._now())

    def __eq__(self, other: object) -> bool:
        """Be equal to any sequence of the same tags."""
        return isinstance(other, Sequence) and self._now() == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        """Read as a list does."""
        return repr(self._now())


CATALOGUE = Catalogue("ambient")
"""Where `_s` registers outside of a file that is being loaded: notebooks, plain imports."""

AMBIENT: ContextVar[Catalogue] = ContextVar("ambient", default=CATALOGUE)
"""The catalogue that `_s` registers in now."""


REGISTERING: set[str] = set()
"""The names of modules that have registered scenarios, wherever; a load executes them anew."""


class Loading:
    """One load under way: one execution, whose problems are told together at its end."""

    def __init__(self) -> None:
        """Begin without a problem."""
        self.problems: list[Problem] = []


LOADING: ContextVar[Loading | None] = ContextVar("loading", default=None)
"""The load under way, if there is one."""

ALL_TAGS = Tags(AMBIENT.get)
"""The tags of the ambient catalogue, sorted: a live view."""


def _s(scenario: Scenario) -> Scenario:
    """Register a scenario in the ambient catalogue, and give it back."""
    return AMBIENT.get()._register(scenario, sys._getframe(1))  # noqa: SLF001


def operator(name: str) -> Callable[[F], F]:
    """Add an operator of one's own to the ambient catalogue.

    The function is `(actual, assertion, context) -> Verdict`, or a bool; `context.document` is the
    whole document, `context.saved` the saved values. What it raises is an ERROR, never a pass.
    """
    if type(name) is not str or not name.isidentifier():
        problem = f"expected a name, got {brief(name)}"
        raise CatalogueError("@operator", problem, '@operator("name"), a word')
    key = name.lower()
    if key in OPERATORS:
        raise CatalogueError(f"operator {name!r}", "is built in", "give it another name")
    frame = sys._getframe(1)  # noqa: SLF001  - the caller's line is the place
    execution, place = LOADING.get() or execution_of(frame), place_of(frame)

    def register(function: F) -> F:
        if iscoroutinefunction(function):
            raise CatalogueError(f"operator {name!r}", "is async", "an operator touches nothing")
        AMBIENT.get().add_operator(key, custom(function, key), execution, place)
        return function

    return register


def _settle(scenario: Scenario, home: Catalogue, place: str | None) -> None:
    """Note where a scenario is registered: the two things that its author does not write."""
    if scenario.source is None:
        object.__setattr__(scenario, "source", place)
    object.__setattr__(scenario, "home", home)


def _twice(scenario: Scenario, earlier: Scenario, place: str) -> Problem:
    return Problem(
        repr(scenario.name),
        f"the name is taken by {earlier.name!r}"
        + (f" at {earlier.source}" if earlier.source else ""),
        "give each scenario a name of its own; in a loop, put what varies into it",
        place,
    )


def _refuse(problem: Problem, loading: Loading | None) -> None:
    if loading is None:
        raise CatalogueError(problems=[problem])
    loading.problems.append(problem)
