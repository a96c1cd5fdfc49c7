"""What a dataset is: how one record of another system's file becomes scenarios, as plain data."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import attrs

from evalkit.jsonvalue import Json, dotted

Steps: TypeAlias = tuple[str | int, ...]
Record: TypeAlias = dict[str, Json]
ScenarioData: TypeAlias = dict[str, Any]
"""A scenario as it stands in a file of evalkit's own."""


@attrs.frozen
class Flaw:
    """One thing wrong with a record: the steps that lead to it, what it is, what would be right."""

    steps: Steps
    problem: str
    hint: str | None = None

    def __str__(self) -> str:
        """Give the flaw in one line.

        >>> str(Flaw(("qa", 0, "answer"), "is blank"))
        'qa[0].answer: is blank'
        """
        where = dotted(self.steps)
        line = f"{where}: {self.problem}" if where else self.problem
        return f"{line}; {self.hint}" if self.hint else line


class DatasetError(ValueError):
    """A record is not what its dataset holds: everything that is wrong with it, in `flaws`."""

    def __init__(self, flaws: Iterable[Flaw]) -> None:
        """Take one flaw or several."""
        self.flaws = tuple(flaws)
        super().__init__("\n".join(map(str, self.flaws)))

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle by the flaws, not by the joined message."""
        return DatasetError, (self.flaws,)


@attrs.frozen(eq=False)
class Gathered:
    """How a file that is a list is one record: its items have the field `by`.

    The record has the name of the file in the field `name`, and the list in the field `parts`.
    """

    by: str
    name: str
    parts: str


@attrs.frozen(eq=False)
class Dataset:
    """A format of question sets: what its fields become, and the function that does it.

    `source` says where its files come from. `fields` names every foreign field, with dots and `[]`
    for what is inside of others, and says in words what becomes of it; any other field is an error,
    or kept in the metadata where the format allows for `extra` ones. A file is taken for one of
    this format where its first record has all the keys of one of the sets in `needs`. `scenarios`
    takes a record and its number in the file, from 0; `DatasetError` has all that is wrong with it.
    `beside` gives the file that goes with a file of this format, whose records are the rest of the
    records with the same `id`; where there is no such file, each record is whole by itself.
    `gathered` says of which lists a file is one record, and not a record for each item.
    """

    name: str
    about: str
    source: str
    fields: Mapping[str, str]
    needs: tuple[frozenset[str], ...]
    scenarios: Callable[[Record, int], Iterator[ScenarioData]]
    extra: bool = False
    beside: Callable[[Path], Path] | None = None
    gathered: Gathered | None = None
