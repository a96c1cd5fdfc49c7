"""How one scenario over a table becomes several: a placeholder for each column, a row for each."""

import re
from typing import Any

from evalkit.codec import Misfit, MisfitError
from evalkit.codec.schema import ROWS
from evalkit.jsonvalue import Json, brief, is_number
from evalkit.registry import hint_for, listing

_PLACE = re.compile(r"\$\{([^{}]*)\}")


def expanded(data: dict[str, Json]) -> list[dict[str, Json]]:
    """Give the scenarios that one in a file stands for: itself, where it has no table.

    `${column}` alone is the row's value as it is; within a text it is the value's text. A column
    that no row has, and one that is nowhere used, is refused, and so is what is no table.

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
    used: set[str] = set()
    found = [_filled(template, row, used) for row in rows]
    unused = {column: at for at, row in enumerate(rows) for column in row if column not in used}
    if unused:
        raise MisfitError(*[_unused(column, at) for column, at in unused.items()])
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


def _filled(value: Any, row: dict[str, Json], used: set[str]) -> Any:  # noqa: ANN401
    """Put a row's values in their places, at any depth; in keys too."""
    if type(value) is str:
        return _text(value, row, used)
    if type(value) is list:
        return [_below(at, item, row, used) for at, item in enumerate(value)]
    if type(value) is dict:
        return {
            str(_text(key, row, used)): _below(key, item, row, used) for key, item in value.items()
        }
    return value


def _below(step: str | int, value: Any, row: dict[str, Json], used: set[str]) -> Any:  # noqa: ANN401
    try:
        return _filled(value, row, used)
    except MisfitError as error:
        raise MisfitError(*[each.below(step) for each in error.misfits]) from error


def _text(text: str, row: dict[str, Json], used: set[str]) -> Json:
    names = _PLACE.findall(text)
    for name in names:
        if name not in row:
            problem = f"no column {name!r} in the row {listing(row)}"
            raise MisfitError(Misfit((), problem, hint_for(name, row)))
    used.update(names)
    if len(names) == 1 and text == f"${{{names[0]}}}":
        return row[names[0]]
    return _PLACE.sub(lambda found: _written(row[found[1]]), text)


def _written(value: Json) -> str:
    """Write a value within a text; one that has no plain text is refused."""
    if type(value) is str:
        return value
    if type(value) is bool or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    if is_number(value):
        return str(value)
    raise MisfitError(Misfit((), f"{brief(value)} can't stand within a text"))
