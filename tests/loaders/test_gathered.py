"""How a list of turns becomes one record."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evalkit.datasets.dataset import Gathered
from evalkit.loaders.gathered import gathered
from evalkit.loaders.json_file import read_json
from evalkit.loaders.records import Document

Write = Callable[..., Path]

TURN = {"query": "Hi.", "reference": "Hello."}
HOW = Gathered("query", "name", "data")


def of(write: Write, data: Any) -> Document:
    """A JSON file that holds this."""
    return read_json(write("a.test.json", json.dumps(data, indent=1)), "a.test.json")


def test_a_list_of_parts(write: Write) -> None:
    """A list whose first item has the field is one record, named after the file."""
    (record,) = gathered(of(write, [TURN, TURN]), HOW)()
    assert record.data == {"name": "a.test", "data": [TURN, TURN]}
    assert record.number == 0


def test_places(write: Write) -> None:
    """What is in the list is located where the file has it; the rest is the file's beginning."""
    (record,) = gathered(of(write, [TURN, TURN]), HOW)()
    assert record.locate(("data", 1, "query")) == "a.test.json:7:3"
    assert record.locate(("name",)) == "a.test.json:1:1"
    assert record.locate(()) == "a.test.json:1:1"


@pytest.mark.parametrize("data", [[], [{"name": "x"}], [1], {"query": "Hi."}])
def test_other_files(write: Write, data: Any) -> None:
    """Another list, and what is none, has the records that it has."""
    document = of(write, data)
    assert gathered(document, HOW) == document.records


def test_for_whom_it_is_not(write: Write) -> None:
    """A question set that gathers nothing has a record for each item."""
    document = of(write, [TURN, TURN])
    assert [record.data for record in gathered(document, None)()] == [TURN, TURN]


def test_often(write: Write) -> None:
    """The record is given as often as it is asked for."""
    read = gathered(of(write, [TURN]), HOW)
    assert [len(list(read())) for _ in range(2)] == [1, 1]
