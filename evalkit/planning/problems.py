"""Where the problems of a catalogue are gathered while it is planned."""

from collections.abc import Iterable

from evalkit.errors import CatalogueError, Problem
from evalkit.jsonvalue import dotted
from evalkit.model import Scenario
from evalkit.registry import nearest

Where = tuple[str | int, ...]
"""The steps from a scenario to one of its fields; written out only where there is a problem."""


class Problems:
    """Gathers problems, each with the scenario it is in; `raise_if_any` raises them all at once."""

    def __init__(self) -> None:
        """Begin with none."""
        self._found: list[Problem] = []

    def add(
        self,
        scenario: Scenario,
        where: Where,
        problem: str,
        hint: str | None = None,
        *,
        warning: bool = False,
    ) -> None:
        """Note a problem of a scenario; `where` are the steps to the field below it."""
        below = dotted(where)
        place = f"{scenario.name}.{below}" if below else scenario.name
        locate = None if scenario.home is None else scenario.home.places.get(scenario.name)
        source = scenario.source if locate is None else locate(where)
        self._found.append(Problem(place, problem, hint, source, warning))

    @property
    def errors(self) -> tuple[Problem, ...]:
        """Give what makes the catalogue impossible to run."""
        return tuple(problem for problem in self._found if not problem.warning)

    @property
    def warnings(self) -> tuple[Problem, ...]:
        """Give what may be meant, and mostly is not."""
        return tuple(problem for problem in self._found if problem.warning)

    def clear(self) -> None:
        """Forget what has been told."""
        self._found.clear()

    def raise_if_any(self) -> None:
        """Raise every error there is, together."""
        if self.errors:
            raise CatalogueError(problems=self.errors)


def check_known(
    problems: Problems, scenario: Scenario, where: Where, names: Iterable[str], known: set[str]
) -> None:
    """Note the names of saved values that no earlier call saves."""
    for name in names:
        if name not in known:
            close = nearest(name, known)
            hint = f"did you mean {close!r}?" if close else "an earlier call saves it by save_as"
            problems.add(scenario, where, f"no earlier call saves {name!r}", hint)
