"""What in data fits no field: all of it, each with the steps that lead there."""

import re
from collections.abc import Iterator
from typing import Any

import attrs
from cattrs import ClassValidationError, ForbiddenExtraKeysError

from evalkit.errors import CatalogueError
from evalkit.jsonvalue import Json
from evalkit.model import (
    MATCHES,
    Answers,
    Assertion,
    Attachment,
    Budget,
    FewShot,
    Limits,
    Scenario,
    State,
    ToolCall,
    Turn,
)
from evalkit.registry import hint_for

Steps = tuple[str | int, ...]
Noun = type[Any]

OURS = frozenset({"source", "home"})
"""Fields that a file does not write: where a scenario stands is seen from the file."""
_LEAST: dict[Noun, dict[str, Any]] = {
    Assertion: {"path": "", "op": "exists"},
    ToolCall: {"tool": "tool"},
    Scenario: {"name": "name"},
    Turn: {"role": "user", "content": ""},
    Answers: {"golds": ["gold"]},
    Budget: {"max_turns": 1},
    Limits: {"max_turns": 1},
    State: {"expected": {"name": None}},
    Attachment: {},
    FewShot: {"input": "input", "expected": "expected"},
}
"""The least that each noun is made of: beside it, one field at a time can be tried."""


@attrs.frozen
class Misfit:
    """One thing in data that fits no field: the steps that lead there, and what is wrong."""

    steps: Steps
    problem: str
    hint: str | None = None

    @property
    def told(self) -> tuple[str, str | None]:
        """Give it in words."""
        return self.problem, self.hint

    def below(self, *steps: str | int) -> "Misfit":
        """Give it as seen from further above."""
        return Misfit((*steps, *self.steps), self.problem, self.hint)


class MisfitError(ValueError):
    """Data that is no scenario: everything that is wrong with it, in `misfits`."""

    def __init__(self, *misfits: Misfit) -> None:
        """Take what is wrong."""
        super().__init__("; ".join(each.problem for each in misfits))
        self.misfits = misfits


def misfits_of(error: ClassValidationError, noun: Noun, data: dict[str, Json]) -> list[Misfit]:
    """Give everything that is wrong with one noun's data, at least what it said itself."""
    found = list(_found(error, noun, data))
    return found or [each for raised in error.exceptions for each in _said_by(raised)]


def _found(error: ClassValidationError, noun: Noun, data: dict[str, Json]) -> Iterator[Misfit]:
    under, rest = error.group_exceptions()
    for raised, note in under:
        if isinstance(raised, MisfitError):
            yield from (each.below(note.name) for each in raised.misfits)
        elif isinstance(raised, KeyError):
            yield Misfit((), f"needs {note.name!r}")
        else:
            yield Misfit((note.name,), f"{type(raised).__name__}: {raised}")
    for raised in rest:
        if isinstance(raised, ForbiddenExtraKeysError):
            yield from _unknown(raised.extra_fields, noun)
        elif not isinstance(raised, CatalogueError):
            yield Misfit((), f"{type(raised).__name__}: {raised}")
    yield from _by_itself(noun, data, {note.name for _, note in under})


def _unknown(names: set[str], noun: Noun) -> Iterator[Misfit]:
    known = [each.name for each in attrs.fields(noun) if each.name not in OURS]
    for name in sorted(map(str, names)):
        yield Misfit((name,), f"unknown field {name!r}", hint_for(name, known))


def _by_itself(noun: Noun, data: dict[str, Json], told: set[str]) -> Iterator[Misfit]:
    """Try each field of a noun by itself, for a noun refuses itself at the first that is wrong."""
    for name in (each.name for each in attrs.fields(noun)):
        if name not in data or name in told or name in OURS or _is_nested(name, data[name]):
            continue
        least = _LEAST[noun]
        if noun is Answers and data.get("match") in MATCHES:  # which decides what golds may be
            least = {**least, "match": data["match"]}
        yield from _refusals(noun, least, name, data[name])


def _refusals(noun: Noun, least: dict[str, Any], name: str, value: Json) -> list[Misfit]:
    """Give what a noun says of a field: of each thing in it, where it may hold several."""
    whole = _refused(noun, {**least, name: value}, (name,))
    holds = type(value) is list or type(value) is dict
    if not whole or not holds:
        return whole
    if len(whole[0].steps) == 1 and _refused(noun, {**least, name: type(value)()}):
        return whole
    return [
        Misfit((name, *step, *each.steps[1 + len(step) :]), *each.told)
        for step, part in _parts(value)
        for each in _refused(noun, {**least, name: part}, (name,))
    ] or whole


def _parts(value: Json) -> Iterator[tuple[Steps, Json]]:
    """Give what a list or mapping holds, one by one, each with the step that leads to it."""
    if type(value) is list:
        yield from (((index,), [item]) for index, item in enumerate(value))
    else:
        yield from (((key,), {key: item}) for key, item in value.items())


def _refused(noun: Noun, fields: dict[str, Json], steps: Steps = ()) -> list[Misfit]:
    """Give what a noun says of fields that it refuses; below `steps`, where they are given."""
    try:
        noun(**fields)
    except CatalogueError as error:
        said = list(_said_by(error))
        return [Misfit((*steps, *each.steps[1:]), *each.told) for each in said] if steps else said
    return []


def _said_by(error: BaseException) -> Iterator[Misfit]:
    """Give what a noun said itself, with the steps of its own word for the place."""
    if not isinstance(error, CatalogueError):
        yield Misfit((), f"{type(error).__name__}: {error}")
        return
    for problem in error.problems:
        yield Misfit(_steps(problem.where), problem.problem, problem.hint)


_NESTED = frozenset(
    {"tool_calls", "assertions", "arg_assertions", "few_shot", "attachments"}
    | {"budget", "limits", "state"}
)
_BY_NAME = frozenset({"arg_transforms", "capture"})
"""The fields that map names to functions or calls."""


def _is_nested(name: str, value: Json) -> bool:
    """Say whether a field holds nouns of its own, which have told what is wrong with them."""
    inner = value if type(value) is list else [value]
    holds = name in ("prompt", "answers") and any(type(item) is dict for item in inner)
    return holds or name in _NESTED or (name in _BY_NAME and type(value) is dict)


_STEP = re.compile(r"\.?([^.\[\]]+)|\[(\d+)\]|\[(['\"].*?['\"])\]")


def _steps(where: str) -> Steps:
    """Read the steps of a noun's own word for a place: `ToolCall.save_as['x']`."""
    _, _, below = where.partition(".")
    found = [match.groups() for match in _STEP.finditer(below)]
    return tuple(
        name if name is not None else int(index) if index is not None else quoted[1:-1]
        for name, index, quoted in found
    )
