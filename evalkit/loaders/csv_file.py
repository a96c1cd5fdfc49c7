"""How a table is read: one record a row, its values texts, its columns named in the first row."""

import csv
import io
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final

from evalkit.errors import Problem
from evalkit.loaders.records import Document, Problems, Record, Steps, content_of, text_of
from evalkit.registry import counted

MAX_FIELD: Final = 10_000_000
"""Characters of one field."""
DELIMITERS: Final = {".tsv": "\t"}
"""By the suffix of a file; of any other, it is the comma."""


def read_csv(path: Path, shown: str) -> Document:
    """Read a table with a row of column names; every value is a string, blank rows are left out.

    `CatalogueError` carries all rows of another length than the first, and what is wrong with the
    names of the columns. A row is located by the line on which it begins.
    """
    text, problems = text_of(content_of(path, shown), shown), Problems(shown)
    rows = _rows(text, DELIMITERS.get(path.suffix.lower(), ","), problems)
    names_line, names = next(rows, (1, []))
    for problem in _odd_names(names):
        problems.add(partial(Problem, "", problem, source=f"{shown}:{names_line}"))
    records: list[Record] = []
    for line, row in rows:
        if len(row) == len(names):
            data = dict(zip(names, row, strict=True))
            records.append(Record(data, len(records), partial(_located, f"{shown}:{line}")))
        else:
            problem = f"a row of {counted(len(row), 'field')}, with {counted(len(names), 'column')}"
            problems.add(partial(Problem, "", problem, source=f"{shown}:{line}"))
    problems.refuse()
    return Document(shown, lambda: iter(records))


def _located(place: str, _: Steps) -> str:
    return place


def _rows(text: str, delimiter: str, problems: Problems) -> Iterator[tuple[int, list[str]]]:
    """Give each row that is not blank, with the line on which it begins."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line = 1
    try:
        with _long_fields():
            for row in reader:
                if row:
                    yield line, row
                line = reader.line_num + 1
    except csv.Error as error:
        problem = "a quoted field has no end" if "end of data" in str(error) else str(error)
        problems.add(partial(Problem, "", problem, source=f"{problems.shown}:{line}"))


@contextmanager
def _long_fields() -> Iterator[None]:
    """Let a field be long while a file is read: the limit is one for the whole process."""
    before = csv.field_size_limit(MAX_FIELD)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _odd_names(names: list[str]) -> Iterator[str]:
    """Say what is wrong with the names of the columns."""
    if not names:
        yield "there is no row of column names"
    for number, name in enumerate(names, 1):
        if not name.strip():
            yield f"column {number} has no name"
    for name, count in Counter(names).items():
        if count > 1 and name.strip():
            yield f"{counted(count, 'column')} of the name {name!r}"
