"""How a path that selects many values is walked, stage by stage, each stage total.

A stage takes the values selected so far and gives the next ones, or `MISSING` where the stage can't
be put to one of them: a name absent in one of three items is no list of two prices. Behind `..`
alone may values be passed over.
"""

from collections.abc import Iterator

import attrs

from evalkit.jsonvalue import MISSING, Json
from evalkit.paths.jsonpath import bracket
from evalkit.paths.scan import Selector, Step
from evalkit.paths.select import Select, child, children

MAX_MATCHES = 100_000
MAX_VISITS = 200_000


class TooManyError(Exception):
    """More values than a path may select, or look at on the way."""

    def __str__(self) -> str:
        """Say how many there may be."""
        return f"selects more than {MAX_MATCHES:,} values, or looks at more than {MAX_VISITS:,}"


@attrs.frozen(eq=False, repr=False)
class Stage:
    """One step of a path with what it selects; behind `..`, of every value below as well."""

    step: Step
    select: Select

    def __call__(self, values: list[Json]) -> list[Json] | None:
        """Give what the stage selects of all values; None where it can't be put to one of them."""
        found: list[Json] = []
        visits = 0
        for value in values:
            for candidate in _below(value) if self.step.deep else (value,):
                selected = self.select(candidate)
                if selected is not None:
                    found += selected
                elif not self.step.deep:
                    return None
                visits += 1
                if len(found) > MAX_MATCHES or visits > MAX_VISITS:
                    raise TooManyError
        return found


def stages_of(text: str, steps: tuple[Step, ...]) -> tuple[Stage, ...]:
    """Bind each step to what it selects; a bracket that selects many is parsed here, once."""
    return tuple(Stage(step, _selection(text, step)) for step in steps)


def walk_stages(stages: tuple[Stage, ...], document: Json) -> Json:
    """Give the list of the values that the stages select in turn, or `MISSING`."""
    values: list[Json] = [document]
    try:
        for stage in stages:
            selected = stage(values)
            if selected is None:
                return MISSING
            values = selected
    except TooManyError:
        return MISSING
    return values


def _selection(text: str, step: Step) -> Select:
    if not isinstance(step, Selector):
        return child(step)
    return children if step.text == "*" else bracket(step.text, text, step.position)


def _below(value: Json) -> Iterator[Json]:
    """Yield a value and all below it, each before what it holds, in document order."""
    yield value
    for item in children(value) or ():
        if type(item) is dict or type(item) is list:
            yield from _below(item)
