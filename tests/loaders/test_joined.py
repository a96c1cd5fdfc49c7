"""Two files whose records are one by their ids: joined, located, refused where they don't fit."""

from pathlib import Path

import pytest

from evalkit.errors import CatalogueError
from evalkit.loaders.joined import joined, whole_records
from evalkit.loaders.ndjson_file import read_ndjson
from evalkit.loaders.records import Document, Record
from tests.loaders.conftest import Write

ASKED = '{"id": "a", "question": 1}\n{"id": "b", "question": 2}\n'
ANSWERED = '{"id": "b", "answer": 20}\n{"answer": 10, "id": "a"}\n'


def both(write: Write, asked: str, answered: str) -> list[Record]:
    """The records of two files, joined."""
    files = write("asked.ndjson", asked), write("answered.ndjson", answered)
    one, other = (read_ndjson(path, path.name) for path in files)
    return list(joined(one, other)())


def problems(write: Write, asked: str, answered: str) -> list[str]:
    """What is wrong with two files, a line for each problem."""
    with pytest.raises(CatalogueError) as caught:
        both(write, asked, answered)
    return list(map(str, caught.value.problems))


def test_joined(write: Write) -> None:
    """Each record has the fields of the one with its id beside it, whatever their order."""
    assert [record.data for record in both(write, ASKED, ANSWERED)] == [
        {"id": "a", "question": 1, "answer": 10},
        {"id": "b", "question": 2, "answer": 20},
    ]


def test_located(write: Write) -> None:
    """A part is located in the file that it stands in."""
    first, _ = both(write, ASKED, ANSWERED)
    assert first.locate(()) == "asked.ndjson:1:1"
    assert first.locate(("question",)) == "asked.ndjson:1:13"
    assert first.locate(("answer",)) == "answered.ndjson:2:2"


def test_one_without_another(write: Write) -> None:
    """A record that has none beside it is given as it is."""
    found = both(write, ASKED + '{"question": 3}\n[1]\n', ANSWERED.splitlines()[0])
    assert [record.data for record in found] == [
        {"id": "a", "question": 1},
        {"id": "b", "question": 2, "answer": 20},
        {"question": 3},
        [1],
    ]


@pytest.mark.parametrize(
    ("asked", "answered", "problem"),
    [
        (
            ASKED,
            ANSWERED + '{"id": "c", "answer": 30}\n',
            "answered.ndjson:3:1: c: goes with no record of asked.ndjson: none has the id 'c'",
        ),
        (
            ASKED,
            ANSWERED + '{"id": "a", "answer": 30}\n',
            "answered.ndjson:3:2: a: the id 'a' is there twice",
        ),
        (
            ASKED,
            ANSWERED + "[1]\n",
            "answered.ndjson:3:1: expected an object with an id, got [1]",
        ),
        (
            ASKED,
            ANSWERED + '{"id": 3}\n',
            "answered.ndjson:3:1: expected an object with an id, got {'id': 3}",
        ),
        (
            ASKED,
            '{"id": "a", "question": 3}\n',
            (
                "answered.ndjson:1:13: a: 'question' is in this file, and in asked.ndjson; "
                "leave one out"
            ),
        ),
    ],
)
def test_refused(write: Write, asked: str, answered: str, problem: str) -> None:
    """What goes with no record, or with two, is told where it stands."""
    assert problems(write, asked, answered) == [problem]


def test_again(write: Write) -> None:
    """Both files are read anew each time."""
    files = write("asked.ndjson", ASKED), write("answered.ndjson", ANSWERED)
    records = joined(*(read_ndjson(path, path.name) for path in files))
    assert [each.data for each in records()] == [each.data for each in records()]


def test_no_file_beside(write: Write, tmp_path: Path) -> None:
    """Where there is no file beside, the records are those of the one there is."""

    def never(_: Path, shown: str) -> Document:
        raise AssertionError(shown)

    document = read_ndjson(write("asked.ndjson", ASKED), "asked.ndjson")
    for beside in (None, tmp_path / "there_is_none.ndjson", tmp_path):
        found = whole_records(document, beside, never)()
        assert [each.data["id"] for each in found] == ["a", "b"]


def test_a_file_beside(write: Write) -> None:
    """Where there is one, it is read and joined."""
    document = read_ndjson(write("asked.ndjson", ASKED), "asked.ndjson")
    beside = write("answers/asked.ndjson", ANSWERED)
    found = whole_records(document, beside, read_ndjson)()
    assert [each.data["answer"] for each in found] == [10, 20]
