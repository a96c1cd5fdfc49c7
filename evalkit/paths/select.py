"""What a selector takes of one value: its children, or the one that a name or an index names."""

from collections.abc import Callable

from evalkit.jsonvalue import Json
from evalkit.paths.scan import Index, Key, Name

Select = Callable[[Json], list[Json] | None]
"""What is selected of one value; None where the selector can't be put to it."""


def children(value: Json) -> list[Json] | None:
    """Give the items of a list or the values of an object; None for anything else."""
    if type(value) is list:
        return value
    return list(value.values()) if type(value) is dict else None


def child(step: Name | Key | Index) -> Select:
    """Select one child: by key of an object, by index of a list; the type met decides."""
    key = None if isinstance(step, Index) else step.name
    index = None if isinstance(step, Key) else step.index

    def select(value: Json) -> list[Json] | None:
        if type(value) is dict:
            return [value[key]] if key in value else None
        if type(value) is list and index is not None and -len(value) <= index < len(value):
            return [value[index]]
        return None

    return select
