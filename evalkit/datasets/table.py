"""A table: questions in CSV, JSON or NDJSON with any column names, by a map of what is what."""

from collections.abc import Callable, Iterator, Mapping, Sequence

import attrs

from evalkit.datasets.dataset import Dataset, DatasetError, Flaw, Record, ScenarioData
from evalkit.datasets.reading import (
    Part,
    decimal_text,
    name,
    note,
    scenario,
    settled,
    text,
    whole,
)
from evalkit.jsonvalue import Json, brief, is_number
from evalkit.registry import hint_for

DIFFICULTIES = ("basic", "standard", "advanced")
FIELDS = {
    "name": "one column: a text or a whole number; without it `row_0`, by the place in the file",
    "prompt": "one column: a text; without it the answers can be graded, and not asked for",
    "answers": "one column or several: a text, a number or a list of these; needed",
    "tags": "one column or several: a text or a list of texts; blank: no tag",
    "difficulty": "one column: `basic`, `standard` or `advanced`; blank: `standard`",
    "description": "one column: a text; blank: none",
    "metadata": "one column or several, under their own names, like all columns that are not named",
}
"""The fields that a map gives columns to, and what a column may hold."""
_SEVERAL = frozenset({"answers", "tags", "metadata"})
_NEEDED = ("answers",)


def parse_map(written: str) -> dict[str, tuple[str, ...]]:
    """Read a map, `field=column` with commas between; a column may have several `=` in its name.

    >>> parse_map("name=qid,prompt=question,answers=gold,answers=alias")
    {'name': ('qid',), 'prompt': ('question',), 'answers': ('gold', 'alias')}
    """
    found: dict[str, tuple[str, ...]] = {}
    flaws = []
    for piece in written.split(","):
        field, equals, column = (part.strip() for part in piece.partition("="))
        if not equals or not column:
            flaws.append(Flaw((), f"{piece.strip()!r} names no column", "write field=column"))
        else:
            found[field] = (*found.get(field, ()), column)
    flaws += _map_flaws(found)
    if flaws:
        raise DatasetError(flaws)
    return found


def _map_flaws(mapping: Mapping[str, Sequence[str]]) -> list[Flaw]:
    """Find what is wrong with a map as a whole."""
    flaws = []
    for field, columns in mapping.items():
        if field not in FIELDS:
            flaws.append(Flaw((), f"unknown field {field!r}", hint_for(field, FIELDS)))
        elif len(columns) > 1 and field not in _SEVERAL:
            problem = f"{field!r} takes one column, and is given {', '.join(map(repr, columns))}"
            flaws.append(Flaw((), problem))
    used = [column for columns in mapping.values() for column in columns]
    twice = sorted({column for column in used if used.count(column) > 1})
    flaws += [Flaw((), f"the column {column!r} is named twice") for column in twice]
    flaws += [
        Flaw((), f"no column is named for {field!r}", f"add {field}=COLUMN")
        for field in _NEEDED
        if not mapping.get(field)
    ]
    return flaws


def table(mapping: Mapping[str, Sequence[str]]) -> Dataset:
    """Make the dataset of a table, from evalkit's fields to the columns that fill them.

    Exact match with one of the answers decides. `DatasetError` where the map can't be meant so.
    """
    flaws = _map_flaws(mapping)
    if flaws:
        raise DatasetError(flaws)
    return Dataset(
        name="table",
        about="questions in any columns",
        source="CSV, JSON or NDJSON, with a map of its columns",
        fields={column: field for field, columns in mapping.items() for column in columns},
        needs=(),
        scenarios=Rows(dict(mapping)),
        extra=True,
    )


@attrs.frozen
class Rows:
    """Gives the question of a row, by the columns that a map names."""

    mapping: Mapping[str, Sequence[str]]

    def __call__(self, record: Record, number: int) -> Iterator[ScenarioData]:
        """Read each field of a scenario from its columns, and keep the others as metadata."""
        part = whole(record)
        named: set[str] = {column for columns in self.mapping.values() for column in columns}
        for column in sorted(named - part.data.keys()):
            note(part, column, f"there is no column {column!r}", hint_for(column, part.data))
        said: dict[str, Json] = {"name": f"row_{number}"}
        for field, columns in self.mapping.items():
            there = [column for column in columns if column in part.data]
            said[field] = _READERS[field](part, there)
        filling = named.difference(self.mapping.get("metadata", ()))
        left = {column: value for column, value in part.data.items() if column not in filling}
        said["metadata"] = left
        return settled(part, [scenario(**said)])


def _name(part: Part, columns: list[str]) -> str:
    if not columns:
        return ""
    value = part.data[columns[0]]
    return str(value) if type(value) is int else name(part, columns[0])


def _prompt(part: Part, columns: list[str]) -> str:
    return text(part, columns[0]) if columns else ""


def _optional(part: Part, columns: list[str]) -> str:
    """Give a text, which may be blank where it is not needed."""
    value = part.data[columns[0]] if columns else None
    return text(part, columns[0]) if not _is_blank(value) else ""


def _difficulty(part: Part, columns: list[str]) -> str:
    found = _optional(part, columns)
    if found and found not in DIFFICULTIES:
        hint = f"one of {', '.join(map(repr, DIFFICULTIES))}"
        note(part, columns[0], f"unknown difficulty {brief(found)}", hint)
    return found


def _answers(part: Part, columns: list[str]) -> list[str]:
    """Collect the golds of the columns, each once; only the first column may not be blank."""
    found: dict[str, None] = {}
    for position, column in enumerate(columns):
        value = part.data[column]
        if position and _is_blank(value):
            continue
        found |= dict.fromkeys(_texts(part, column, numbers=True))
        if value == []:
            note(part, column, "there is no gold answer")
    return list(found)


def _tags(part: Part, columns: list[str]) -> list[str]:
    filled = [column for column in columns if not _is_blank(part.data[column])]
    tags = [tag for column in filled for tag in _texts(part, column, numbers=False)]
    return list(dict.fromkeys(tags))


def _texts(part: Part, column: str, *, numbers: bool) -> list[str]:
    """Give the text of a column, or its texts."""
    value = part.data[column]
    found = []
    for item in value if type(value) is list else [value]:
        if type(item) is str and item.strip():
            found.append(item)
        elif numbers and is_number(item):
            found.append(decimal_text(item))
        else:
            allowed = (
                "a text, a number or a list of these" if numbers else "a text or a list of texts"
            )
            note(part, column, f"expected {allowed}, none blank, got {brief(value)}")
    return found


def _is_blank(value: Json) -> bool:
    return value is None or value == [] or (type(value) is str and not value.strip())


def _no_reading(_part: Part, _columns: list[str]) -> None:
    """Leave the metadata to what is left over."""


_READERS: Mapping[str, Callable[[Part, list[str]], Json]] = {
    "name": _name,
    "prompt": _prompt,
    "answers": _answers,
    "tags": _tags,
    "difficulty": _difficulty,
    "description": _optional,
    "metadata": _no_reading,
}
