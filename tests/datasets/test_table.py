"""Tables with any column names."""

from typing import Any, get_args

import pytest

from evalkit import Scenario
from evalkit.datasets import DatasetError, parse_map, table
from evalkit.datasets.table import DIFFICULTIES
from tests.datasets.records import flaws, one

WRITTEN = "name=qid,prompt=question,answers=gold,answers=alias,tags=kind,difficulty=d"
ROW = {
    "qid": "q1",
    "question": "Which life form?",
    "gold": "Plants",
    "alias": "Flora",
    "kind": "biology",
    "d": "basic",
    "page": 3,
}
PLAIN = {"prompt": ("question",), "answers": ("gold",)}


def refused(written: str) -> list[str]:
    """What is wrong with a map."""
    with pytest.raises(DatasetError) as caught:
        parse_map(written)
    return list(map(str, caught.value.flaws))


def test_row() -> None:
    """Each column becomes what the map says; those it does not name are metadata."""
    assert one(table(parse_map(WRITTEN)), ROW) == {
        "name": "q1",
        "prompt": "Which life form?",
        "tags": ["biology"],
        "difficulty": "basic",
        "metadata": {"page": 3},
        "answers": ["Plants", "Flora"],
    }


def test_without_a_name() -> None:
    """A row without a column for its name is named after its place."""
    assert one(table(PLAIN), {"question": "Q", "gold": "A"}, 12) == {
        "name": "row_12",
        "prompt": "Q",
        "answers": ["A"],
    }


@pytest.mark.parametrize(
    ("row", "answers"),
    [
        ({"gold": 206, "alias": ""}, ["206"]),
        ({"gold": 8.7, "alias": None}, ["8.7"]),
        ({"gold": ["A", "B", 3], "alias": []}, ["A", "B", "3"]),
        ({"gold": " Yes", "alias": " "}, [" Yes"]),
        ({"gold": "A", "alias": "A"}, ["A"]),
    ],
)
def test_answers(row: dict[str, Any], answers: list[str]) -> None:
    """Golds are collected from the columns, each once; blank cells of further ones are none."""
    dataset = table({"prompt": ("question",), "answers": ("gold", "alias")})
    assert one(dataset, {"question": "Q"} | row)["answers"] == answers


@pytest.mark.parametrize(
    ("kind", "tags"),
    [("a", ["a"]), (["a", "b", "a"], ["a", "b"]), ("", []), (None, []), ([], [])],
)
def test_tags(kind: Any, tags: list[str]) -> None:
    """Tags are a text or a list; a blank cell is no tag."""
    dataset = table({**PLAIN, "tags": ("kind",)})
    row = {"question": "Q", "gold": "A", "kind": kind}
    assert one(dataset, row).get("tags", []) == tags


def test_metadata_stays_under_its_name() -> None:
    """Columns named as metadata are kept like those that are not named, and must be there."""
    dataset = table({**PLAIN, "metadata": ("a.b",)})
    row = {"question": "Q", "gold": "A", "a.b": 1, "a": 2, "c[0]": 3}
    assert one(dataset, row)["metadata"] == {"a.b": 1, "a": 2, "c[0]": 3}
    assert "there is no column 'a.b'" in flaws(dataset, {"question": "Q", "gold": "A"})[0]


@pytest.mark.parametrize(
    ("changed", "flaw"),
    [
        ({"question": ""}, "question: is blank: ''"),
        ({"question": 3}, "question: expected a text, got 3"),
        ({"qid": True}, "qid: expected a text, got True"),
        ({"qid": "a\nb"}, "qid: a control character in 'a\\nb'; a scenario is named after it"),
        ({"d": "easy"}, "d: unknown difficulty 'easy'; one of 'basic', 'standard', 'advanced'"),
        (
            {"gold": ""},
            "gold: expected a text, a number or a list of these, none blank, got ''",
        ),
        (
            {"gold": True},
            "gold: expected a text, a number or a list of these, none blank, got True",
        ),
        (
            {"gold": ["A", ""]},
            "gold: expected a text, a number or a list of these, none blank, got ['A', '']",
        ),
        ({"gold": []}, "gold: there is no gold answer"),
        ({"kind": 3}, "kind: expected a text or a list of texts, none blank, got 3"),
    ],
)
def test_refused(changed: dict[str, Any], flaw: str) -> None:
    """A column that does not hold what its field takes is named."""
    assert flaws(table(parse_map(WRITTEN)), ROW | changed) == [flaw]


def test_absent_columns() -> None:
    """A column that the map names and the row has not is named, with the nearest; all at once."""
    row = {key: value for key, value in ROW.items() if key not in {"gold", "kind"}}
    assert flaws(table(parse_map(WRITTEN)), row | {"golds": "A"}) == [
        "gold: there is no column 'gold'; did you mean 'golds'?",
        "kind: there is no column 'kind'; known: 'alias', 'd', 'golds', 'page', 'qid', 'question'",
    ]


@pytest.mark.parametrize("qid", [7, "7"])
def test_whole_numbers_as_names(qid: Any) -> None:
    """A name may be a whole number; it is then its digits."""
    assert one(table(parse_map(WRITTEN)), ROW | {"qid": qid})["name"] == "7"


def test_parse_map() -> None:
    """Blanks around names are left out, and a column's own name may have an equals sign."""
    assert parse_map(" prompt = q , answers=a=b") == {"prompt": ("q",), "answers": ("a=b",)}


@pytest.mark.parametrize(
    ("written", "flaw"),
    [
        ("prompt=q,answers=a,tag=t", "unknown field 'tag'; did you mean 'tags'?"),
        ("prompt=q,answers=a,name=", "'name=' names no column; write field=column"),
        ("prompt=q,answers=a,name", "'name' names no column; write field=column"),
        ("prompt=q,answers=a,", "'' names no column; write field=column"),
        ("prompt=q,prompt=r,answers=a", "'prompt' takes one column, and is given 'q', 'r'"),
        ("prompt=q,answers=q", "the column 'q' is named twice"),
        ("prompt=q", "no column is named for 'answers'; add answers=COLUMN"),
    ],
)
def test_maps_that_are_refused(written: str, flaw: str) -> None:
    """A map that can't be meant so says why, before any row is read."""
    assert refused(written) == [flaw]


def test_table_checks_its_map() -> None:
    """A map that was put together by hand is checked like one that was written."""
    with pytest.raises(DatasetError, match="unknown field 'question'"):
        table({"question": ("q",), "prompt": ("p",), "answers": ("a",)})


def test_difficulties_are_those_of_scenarios() -> None:
    """The difficulties that a column may hold are the model's."""
    assert get_args(Scenario.__annotations__["difficulty"]) == DIFFICULTIES
