"""How a list becomes one record: a question set whose file is the parts of a single case."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from evalkit.datasets.dataset import Gathered
from evalkit.loaders.records import Document, Locate, Record, Steps


def gathered(document: Document, how: Gathered | None) -> Callable[[], Iterator[Record]]:
    """Give what reads the records of a file: the one that its list is, where it is such a list.

    The record is named after the file, without the suffix.
    """
    whole = document.whole
    if how is None or whole is None or not _is_parts(whole, how):
        return document.records
    data = {how.name: Path(document.path).stem, how.parts: whole.data}
    record = Record(data, 0, partial(_within, whole.locate, how.parts))
    return partial(_one, record)


def _is_parts(whole: Record, how: Gathered) -> bool:
    if type(whole.data) is not list or not whole.data:
        return False
    first = whole.data[0]
    return type(first) is dict and how.by in first


def _one(record: Record) -> Iterator[Record]:
    yield record


def _within(locate: Locate, parts: str, steps: Steps) -> str:
    """Locate a part of the record in the list that it was made of."""
    return locate(steps[1:] if steps[:1] == (parts,) else ())
