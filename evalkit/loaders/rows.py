"""How one scenario over a table becomes several: a placeholder for each column, a row for each."""

import re
from typing import Any

from evalkit.codec import Misfit, MisfitError, Steps
from evalkit.codec.schema import ROWS
from evalkit.jsontext import dumped
from evalkit.jsonvalue import Json, brief
from evalkit.registry import hint_for, listing

_PLACE = re.compile(r"(\$?)\$\{([^{}]*)\}")
_OPEN = "${"


def expanded(data: dict[str, Json]) -> list[dict[str, Json]]:
    """Give the scenarios that one in a file stands for: itself, where it has no table.

    `${column}` alone is the row's value as it is; within a text, or as a key, it is the value's
    text. `$${` stands for itself, without the first sign. A column that no row has, and one that is
    nowhere used, is refused, and so is what is no table.

    >>> expanded({"name": "${a} is small", "n": "${a}", "parametrize": [{"a": 1}, {"a": 2}]})
    [{'name': '1 is small', 'n': 1}, {'name': '2 is small', 'n': 2}]
    """
    if ROWS not in data:
        return [data]
    rows = data[ROWS]
    template = {key: value for key, value in data.items() if key != ROWS}
    misfits = _no_table(rows)
    if misfits:
        raise MisfitError(*misfits)
    filling = _Filling()
    found = [filling.fill(template, row) for row in rows]
    misfits = list(filling.misfits.values()) or [
        _unused(column, at)
        for at, row in enumerate(rows)
        for column in row
        if column not in filling.used and not any(column in other for other in rows[:at])
    ]
    if misfits:
        raise MisfitError(*misfits)
    return found


def _no_table(rows: Json) -> list[Misfit]:
    if type(rows) is not list or not rows:
        problem = f"expected a list of rows, got {brief(rows)}"
        return [Misfit((ROWS,), problem, "each a mapping of column to value")]
    return [
        Misfit((ROWS, at), f"expected a mapping of column to value, got {brief(row)}")
        for at, row in enumerate(rows)
        if type(row) is not dict or not row
    ]


def _unused(column: str, at: int) -> Misfit:
    hint = f"write ${{{column}}} where its value is to stand"
    return Misfit((ROWS, at, column), f"the column {column!r} is not used", hint)


class _Filling:
    """Puts rows into a template, noting which columns are used and all that does not fit."""

    def __init__(self) -> None:
        self.used: set[str] = set()
        self.misfits: dict[tuple[Steps, str], Misfit] = {}

    def fill(self, value: Any, row: dict[str, Json], steps: Steps = ()) -> Any:  # noqa: ANN401
        """Put a row's values in their places, at any depth; in keys too."""
        if type(value) is str:
            return self._text(value, row, steps)
        if type(value) is list:
            return [self.fill(item, row, (*steps, at)) for at, item in enumerate(value)]
        return self._mapping(value, row, steps) if type(value) is dict else value

    def _mapping(self, value: Any, row: dict[str, Json], steps: Steps) -> Json:  # noqa: ANN401
        found: dict[str, Json] = {}
        for key, item in value.items():
            name = self._text(key, row, (*steps, key))
            if type(name) is not str:
                self._note((*steps, key), f"expected a text as the key, got {brief(name)}", None)
            elif name in found:
                self._note((*steps, key), f"the key {name!r} is there twice", "in one of the rows")
            else:
                found[name] = self.fill(item, row, (*steps, key))
        return found

    def _text(self, text: str, row: dict[str, Json], steps: Steps) -> Json:
        names = [name for escaped, name in _PLACE.findall(text) if not escaped]
        unknown = [name for name in names if name not in row]
        for name in unknown:
            self._note(steps, f"no column {name!r} in the row {listing(row)}", hint_for(name, row))
        if _OPEN in _PLACE.sub("", text):
            self._note(steps, f"a placeholder in {brief(text)} is not closed", "$${ for the text")
        self.used.update(names)
        if unknown:
            return text
        if len(names) == 1 and text == f"${{{names[0]}}}":
            return row[names[0]]
        odd = [row[name] for name in names if type(row[name]) in (dict, list)]
        for value in odd:
            self._note(steps, f"{brief(value)} can't stand within a text", None)
        return text if odd else _PLACE.sub(lambda found: _placed(found, row), text)

    def _note(self, steps: Steps, problem: str, hint: str | None) -> None:
        self.misfits.setdefault((steps, problem), Misfit(steps, problem, hint))


def _placed(found: re.Match[str], row: dict[str, Json]) -> str:
    """Write what stands for a placeholder within a text; of one with two signs, itself."""
    escaped, name = found.groups()
    if escaped:
        return f"{_OPEN}{name}}}"
    value = row[name]
    return value if type(value) is str else dumped(value).decode()
