"""How the records of two files become one: what a question set keeps in a file beside it."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

from evalkit.errors import Problem
from evalkit.jsonvalue import Json, brief
from evalkit.loaders.records import Document, Locate, Problems, Record, Steps

KEY = "id"
"""The field by which the records of one file find those of the other."""


def whole_records(
    document: Document, beside: Path | None, read: Callable[[Path, str], Document]
) -> Callable[[], Iterator[Record]]:
    """Give what reads the records of a file, joined with those of a file beside it, if there is."""
    if beside is None or not beside.is_file():
        return document.records
    return joined(document, read(beside, str(beside)))


def joined(document: Document, beside: Document) -> Callable[[], Iterator[Record]]:
    """Give what reads the records of a file, each with the fields of the one beside it.

    What is beside is held in memory while they are read. A record that has none there is given as
    it is. `CatalogueError` has all that is wrong beside: at once a record without an id, or with
    that of another; at the end one that goes with no record, and a field that is in both.
    """
    return partial(_records, document, beside)


def _records(document: Document, beside: Document) -> Iterator[Record]:
    problems = Problems(document.path)
    others, asked = _by_id(beside, problems), set[str]()
    problems.refuse()  # else each record without its other half would be one more
    for record in document.records():
        named = _id_of(record)
        other = None if named is None else others.get(named)
        if named is None or other is None:
            yield record
        else:
            asked.add(named)
            yield _whole(record, other, problems)
    for named, other in others.items():
        if named not in asked:
            problem = f"goes with no record of {document.path}: none has the {KEY} {named!r}"
            problems.add(partial(Problem, named, problem, source=other.locate(())))
    problems.refuse()


def _by_id(beside: Document, problems: Problems) -> dict[str, Record]:
    found: dict[str, Record] = {}
    for record in beside.records():
        named = _id_of(record)
        if named is None:
            problem = f"expected an object with an {KEY}, got {brief(record.data)}"
            problems.add(partial(Problem, "", problem, source=record.locate(())))
        elif named in found:
            problem = f"the {KEY} {named!r} is there twice"
            problems.add(partial(Problem, named, problem, source=record.locate((KEY,))))
        else:
            found[named] = record
    return found


def _id_of(record: Record) -> str | None:
    named = record.data.get(KEY) if type(record.data) is dict else None
    return named if type(named) is str else None


def _whole(record: Record, other: Record, problems: Problems) -> Record:
    """Put two records together; a field that is in both is told, and stays as it is."""
    own: dict[str, Json] = record.data
    more = {key: value for key, value in other.data.items() if key not in own}
    for key in other.data.keys() - {*more, KEY}:
        problem = f"{key!r} is in this file, and in {problems.shown}"
        source = other.locate((key,))
        problems.add(partial(Problem, str(own[KEY]), problem, "leave one out", source))
    return Record(
        {**own, **more}, record.number, partial(_place, record.locate, other.locate, more)
    )


def _place(own: Locate, other: Locate, others: Mapping[str, Json], steps: Steps) -> str:
    """Locate a part in the file that it stands in."""
    return (other if steps and steps[0] in others else own)(steps)
