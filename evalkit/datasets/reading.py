"""How a foreign record is read: field by field, and all that is wrong with it is gathered.

Each function gives what a field holds. Where that is not as it must be, it notes a flaw and gives
something empty of the same type, so that the rest is read too; `settled` then refuses the record.
"""

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal

import attrs

from evalkit.datasets.dataset import DatasetError, Flaw, Record, ScenarioData, Steps
from evalkit.jsonvalue import Json, brief, is_number
from evalkit.registry import hint_for, nearest


@attrs.frozen(eq=False)
class Part:
    """A part of a record: what it holds, the steps that lead to it, the flaws of the record."""

    data: Record
    steps: Steps
    flaws: list[Flaw]


def whole(record: Json) -> Part:
    """Begin to read a record; what is no object is refused at once."""
    if type(record) is not dict:
        raise DatasetError([Flaw((), f"expected an object, got {brief(record)}")])
    return Part(record, (), [])


def settled(part: Part, found: Iterable[ScenarioData]) -> Iterator[ScenarioData]:
    """Hand on the scenarios of a record, or refuse it with all of its flaws."""
    if part.flaws:
        raise DatasetError(part.flaws)
    return iter(found)


def scenario(**said: Json) -> ScenarioData:
    """Put a scenario together, without what is empty.

    >>> scenario(name="q1", prompt="Why?", tags=[])
    {'name': 'q1', 'prompt': 'Why?'}
    """
    return {key: value for key, value in said.items() if value}


def note(part: Part, key: str | int, problem: str, hint: str | None = None) -> None:
    """Note what is wrong with a field."""
    part.flaws.append(Flaw((*part.steps, key), problem, hint))


def known(part: Part, fields: Mapping[str, str]) -> None:
    """Note every field that is in a part and not in the table, with the nearest that is."""
    for key in rest(part, fields):
        note(part, key, f"unknown field {key!r}", hint_for(key, _names(part, fields)))


def rest(part: Part, fields: Mapping[str, str]) -> Record:
    """Give the fields of a part that are not in the table."""
    names = _names(part, fields)
    return {key: value for key, value in part.data.items() if key not in names}


def _names(part: Part, fields: Mapping[str, str]) -> set[str]:
    """Give the names that the table has at the level of a part: below `qa[]`, `qa[].answer`."""
    level = "".join("[]" if type(step) is int else f".{step}" for step in part.steps)
    below = (f".{field}".removeprefix(f"{level}.") for field in fields if _is_below(field, level))
    return {name.partition(".")[0].partition("[")[0] for name in below}


def _is_below(field: str, level: str) -> bool:
    return f".{field}".startswith(f"{level}.")


def has(part: Part, key: str) -> bool:
    """Say whether a field is there and holds something other than null."""
    return part.data.get(key) is not None


def kept(part: Part, *keys: str) -> Record:
    """Give those of some fields that hold something, under their own names."""
    return {key: part.data[key] for key in keys if has(part, key)}


def _given(part: Part, key: str) -> bool:
    """Note a field that is not there."""
    if key in part.data:
        return True
    close = nearest(key, part.data)
    note(part, key, f"there is no {key!r}", None if close is None else f"did you mean {close!r}?")
    return False


def text(part: Part, key: str) -> str:
    """Give a text that says something."""
    return _text(part, key, part.data[key]) if _given(part, key) else ""


def _text(part: Part, key: str | int, value: Json) -> str:
    if type(value) is not str:
        note(part, key, f"expected a text, got {brief(value)}")
    elif not value.strip():
        note(part, key, f"is blank: {value!r}")
    else:
        return value
    return ""


def name(part: Part, key: str) -> str:
    """Give a text that may name a scenario: one without control characters."""
    found = text(part, key)
    if any(unicodedata.category(char) == "Cc" for char in found):
        note(part, key, f"a control character in {brief(found)}", "a scenario is named after it")
    return found


def gold(part: Part, key: str) -> str:
    """Give a gold answer: a text, or a number's decimal text."""
    return _gold(part, key, part.data[key], numbers=True) if _given(part, key) else ""


def golds(part: Part, key: str, *, numbers: bool = False) -> list[str]:
    """Give a list of gold answers, of which there is at least one, and none is blank."""
    if part.data.get(key) == []:
        note(part, key, "there is no gold answer", "what nothing is held against is not measured")
    return texts(part, key, numbers=numbers)


def texts(part: Part, key: str, *, numbers: bool = False) -> list[str]:
    """Give a list of texts that each say something, or of numbers, where these may be among them.

    An item that is none is given as the empty text.
    """
    if not _given(part, key):
        return []
    value = part.data[key]
    if type(value) is not list:
        note(part, key, f"expected a list of texts, got {brief(value)}", "put it in [ ]")
        return []
    inside = attrs.evolve(part, steps=(*part.steps, key))
    return [_gold(inside, index, item, numbers=numbers) for index, item in enumerate(value)]


def _gold(part: Part, key: str | int, value: Json, *, numbers: bool) -> str:
    return decimal_text(value) if numbers and is_number(value) else _text(part, key, value)


def decimal_text(value: float) -> str:
    """Write a number as people do, without an exponent.

    >>> decimal_text(3), decimal_text(0.5), decimal_text(1e-7)
    ('3', '0.5', '0.0000001')
    """
    return format(Decimal(repr(value)), "f")


def parts(part: Part, key: str) -> list[Part]:
    """Give the objects of a list, as parts."""
    if not _given(part, key):
        return []
    value = part.data[key]
    if type(value) is not list:
        note(part, key, f"expected a list of objects, got {brief(value)}")
        return []
    inside = attrs.evolve(part, steps=(*part.steps, key))
    found = (_object(inside, index, item) for index, item in enumerate(value))
    return [each for each in found if each is not None]


def inner(part: Part, key: str) -> Part | None:
    """Give the object in a field, as a part; None where there is none."""
    return _object(part, key, part.data[key]) if _given(part, key) else None


def _object(part: Part, key: str | int, value: Json) -> Part | None:
    if type(value) is dict:
        return Part(value, (*part.steps, key), part.flaws)
    note(part, key, f"expected an object, got {brief(value)}")
    return None
