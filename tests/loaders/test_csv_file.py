"""A table gives a record for each row, its values as they are written, its mistakes by line."""

import csv
from pathlib import Path

import pytest

from evalkit.errors import CatalogueError
from evalkit.loaders.csv_file import read_csv
from evalkit.loaders.records import Document


def read(text: str, name: str = "a.csv") -> Document:
    """Read a table of this text."""
    Path(name).write_bytes(text.encode("utf-8"))
    return read_csv(Path(name), name)


def problems(text: str) -> list[str]:
    """What reading this text is answered with, a line for each problem."""
    with pytest.raises(CatalogueError) as caught:
        read(text)
    return [str(problem) for problem in caught.value.problems]


def test_values_are_texts() -> None:
    """Nothing is made a number, a blank or a null; quotes, commas and line ends are kept."""
    document = read('id,answer\n007,"a, ""b""\r\nc"\n, x \n"1",null\n')
    assert [each.data for each in document.records()] == [
        {"id": "007", "answer": 'a, "b"\r\nc'},
        {"id": "", "answer": " x "},
        {"id": "1", "answer": "null"},
    ]
    assert document.whole is None


def test_rows_are_located_by_the_line_on_which_they_begin() -> None:
    """Line ends inside of quotes count, and so do blank rows, which are no records."""
    records = list(read('id,answer\n1,"a\nb"\n\n2,c\n').records())
    assert [(each.number, each.locate(("id",))) for each in records] == [
        (0, "a.csv:2"),
        (1, "a.csv:5"),
    ]


def test_a_suffix_tells_tabs_from_commas() -> None:
    """In a .tsv file the tab divides, and a comma is a character; elsewhere it is the other way."""
    assert next(read("a\tb,c\n1\t2,3\n", "a.tsv").records()).data == {"a": "1", "b,c": "2,3"}
    assert next(read("a\tb,c\n1\t2,3\n", "a.csv").records()).data == {"a\tb": "1\t2", "c": "3"}


def test_records_are_given_as_often_as_asked() -> None:
    """A second pass gives the same records."""
    document = read("a\n1\n2\n")
    assert [each.data for each in document.records()] == [each.data for each in document.records()]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", ["a.csv:1: there is no row of column names"]),
        ("\n\n", ["a.csv:1: there is no row of column names"]),
        ("a,,b, \n", ["a.csv:1: column 2 has no name", "a.csv:1: column 4 has no name"]),
        ("\na,b,a\n", ["a.csv:2: 2 columns of the name 'a'"]),
        (
            "a,b\n1\n1,2\n1,2,3\n",
            [
                "a.csv:2: a row of 1 field, with 2 columns",
                "a.csv:4: a row of 3 fields, with 2 columns",
            ],
        ),
        ('a,b\n1,2\n1,"x\ny\n', ["a.csv:3: a quoted field has no end"]),
        ('a,b\n1,"x"y\n', ["a.csv:2: ',' expected after '\"'"]),
    ],
)
def test_what_is_wrong_is_told_with_its_line(text: str, told: list[str]) -> None:
    """Rows of another length, names that are none or are there twice, quotes without an end."""
    assert problems(text) == told


def test_a_long_field_is_read_and_the_limit_of_the_process_left_as_it_was() -> None:
    """A field of a million characters is read; who reads tables elsewhere notices nothing."""
    before = csv.field_size_limit()
    assert len(next(read("a\n" + "x" * 1_000_000).records()).data["a"]) == 1_000_000
    assert problems("a\n" + "x" * 10_000_001) == [
        "a.csv:2: field larger than field limit (10000000)"
    ]
    assert csv.field_size_limit() == before
