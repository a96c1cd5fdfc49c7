"""How a file of answers is read: every form, and all that is refused."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evalkit import CatalogueError
from evalkit.loaders.predictions import NAMES, RESPONSES, predictions_of

Write = Callable[..., Path]


def refused(path: Path, mapping: str | None = None) -> list[str]:
    """All that is said of a file that is refused, its path cut to its name."""
    with pytest.raises(CatalogueError) as caught:
        predictions_of(path, mapping)
    return [str(each).replace(f"{path.parent}/", "") for each in caught.value.problems]


def lines(write: Write, *records: Any) -> Path:
    """An NDJSON file of these records."""
    return write("p.ndjson", "".join(f"{json.dumps(each)}\n" for each in records))


ANSWERS = {"q1": "x", "q2": "", "3": "y\nz"}
FORMS = {
    "p.ndjson": "\n".join(json.dumps({"id": name, "answer": ANSWERS[name]}) for name in ANSWERS),
    "p.jsonl": "\n".join(json.dumps({"id": name, "answer": ANSWERS[name]}) for name in ANSWERS),
    "object.json": json.dumps(ANSWERS),
    "list.json": json.dumps([{"id": name, "answer": ANSWERS[name]} for name in ANSWERS]),
    "p.csv": 'id,answer\nq1,x\nq2,""\n3,"y\nz"\n',
    "p.tsv": 'id\tanswer\nq1\tx\nq2\t""\n3\t"y\nz"\n',
    "p.yaml": json.dumps(ANSWERS),
}


@pytest.mark.parametrize("name", FORMS)
def test_every_form(write: Write, name: str) -> None:
    """Lines, one object, a list and a table say the same."""
    path = write(name, FORMS[name])
    found = predictions_of(path)
    assert found.answers == ANSWERS
    assert found.source == str(path)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("response", RESPONSES)
def test_the_usual_names_of_the_fields(write: Write, name: str, response: str) -> None:
    """Where a record has one usual name and one usual answer, it is these, whatever else it has."""
    path = lines(write, {name: "q", response: "x", "model": "m", "score": 0.5})
    assert predictions_of(path).answers == {"q": "x"}


def test_a_name_may_be_a_whole_number(write: Write) -> None:
    """An id that is a number is the text of it, as in a table."""
    assert predictions_of(lines(write, {"id": 7, "answer": "x"})).answers == {"7": "x"}


def test_null_is_an_answer_that_says_nothing(write: Write) -> None:
    """A program that gave up has answered nothing, which is not the same as a missing line."""
    assert predictions_of(lines(write, {"id": "q", "answer": None})).answers == {"q": None}
    assert predictions_of(write("p.json", '{"q": null}')).answers == {"q": None}


def test_the_fields_may_be_said(write: Write) -> None:
    """A map says which fields they are, also of several usual ones."""
    path = lines(write, {"id": "q", "name": "n", "answer": "x", "response": "y"})
    assert predictions_of(path, "name=id,response=response").answers == {"q": "y"}
    assert predictions_of(path, "response=answer,name=name").answers == {"n": "x"}


@pytest.mark.parametrize(
    "mapping",
    [
        "",
        "id",
        "name=id",
        "name=,response=x",
        "id=name,answer=response",
        "name=a,name=b",
        "name=a,response=a",
        "name=a,response=b,name=c",
        "name=a,response=b,x=c",
    ],
)
def test_a_map_that_is_none(write: Write, mapping: str) -> None:
    """Both fields must be named, and nothing else."""
    (told,) = refused(lines(write, {"id": "q", "answer": "x"}), mapping)
    assert told.startswith(f"predictions-map: got {mapping!r}; name=ID,response=ANSWER, two fields")


def test_a_map_of_a_field_that_is_not_there(write: Write) -> None:
    """Each record that lacks it is told, with the nearest field."""
    path = lines(write, {"id": "q", "answer": "x"}, {"id": "r", "answer": "y"})
    assert refused(path, "name=id,response=anwser") == [
        f"p.ndjson:{line}:1: has no 'anwser'; did you mean 'answer'?" for line in (1, 2)
    ]


@pytest.mark.parametrize(
    "record",
    [
        {"id": "q", "name": "n", "answer": "x"},
        {"id": "q", "answer": "x", "response": "y"},
        {"question": "q", "text": "x"},
        {"id": "q"},
        {"answer": "x"},
        {},
    ],
    ids=str,
)
def test_a_record_in_which_it_is_not_clear(write: Write, record: Any) -> None:
    """Where no field or more than one could be meant, nothing is guessed."""
    (told,) = refused(lines(write, record))
    assert told.startswith("p.ndjson:1:1: can't tell which field is the name, and which the answer")
    assert "--predictions-map" in told


def test_a_second_answer_names_both_places(write: Write) -> None:
    """Two answers to one name are refused: which of them counts would be chance."""
    path = lines(
        write, {"id": "q", "answer": "x"}, {"id": "r", "answer": "x"}, {"id": "q", "answer": "x"}
    )
    (told,) = refused(path)
    assert told.startswith("p.ndjson:3:")
    assert "a second answer to 'q', after" in told
    assert "p.ndjson:1:" in told


def test_a_number_and_its_text_are_one_name(write: Write) -> None:
    """1 and "1" are answers to the same scenario."""
    path = lines(write, {"id": 1, "answer": "x"}, {"id": "1", "answer": "y"})
    assert "a second answer to '1'" in refused(path)[0]


def test_a_key_that_is_there_twice_is_refused(write: Write) -> None:
    """In one object too."""
    (told,) = refused(write("p.json", '{"q": "x",\n "q": "x"}'))
    assert told.startswith("p.json:2:2: ")


@pytest.mark.parametrize("answer", [5, 1.5, True, ["x"], {"text": "x"}], ids=repr)
def test_an_answer_is_a_text(write: Write, answer: Any) -> None:
    """What is no text is refused where it stands, and not made one."""
    (told,) = refused(lines(write, {"id": "q", "answer": answer}))
    assert told.startswith(f"p.ndjson:1:13: q: expected a text or null, got {answer!r}")


@pytest.mark.parametrize("answer", [5, True])
def test_an_answer_in_one_object_is_a_text(write: Write, answer: Any) -> None:
    """In the short form too."""
    (told,) = refused(write("p.json", json.dumps({"q": "x", "r": answer})))
    assert told.startswith(f"p.json:1:12: r: expected a text or null, got {answer!r}")


@pytest.mark.parametrize("name", [None, True, 1.5, [], {}], ids=repr)
def test_a_name_is_a_text_or_a_whole_number(write: Write, name: Any) -> None:
    """What could be no name of a scenario is refused where it stands."""
    (told,) = refused(lines(write, {"id": name, "answer": "x"}))
    assert told == f"p.ndjson:1:2: expected a name, got {name!r}"


@pytest.mark.parametrize("record", [5, "x", None, []], ids=repr)
def test_a_record_is_an_object(write: Write, record: Any) -> None:
    """A line of anything else is no answer."""
    (told,) = refused(lines(write, {"id": "q", "answer": "x"}, record))
    assert told == f"p.ndjson:2:1: expected an object, got {record!r}"


def test_all_that_is_wrong_is_told_at_once(write: Write) -> None:
    """Every record that is wrong is a problem, in the order of the file."""
    path = lines(write, {"id": "q", "answer": 5}, {}, {"id": None, "answer": "x"}, 7)
    assert [each.split(":")[1] for each in refused(path)] == ["1", "2", "3", "4"]


@pytest.mark.parametrize(
    ("name", "content"),
    [("p.ndjson", ""), ("p.json", "{}"), ("p.json", "[]"), ("p.csv", "id,answer\n"), ("p.csv", "")],
)
def test_a_file_without_an_answer_is_refused(write: Write, name: str, content: str) -> None:
    """No answer at all is a mistake of the file, and no run of errors."""
    assert len(refused(write(name, content))) == 1


@pytest.mark.parametrize("name", ["nowhere.json", "."])
def test_a_file_that_is_not_there(write: Write, name: str) -> None:
    """What is no file is told by its name."""
    write("here.json", "{}")
    with pytest.raises(CatalogueError, match="there is no such file"):
        predictions_of(Path(name))


def test_a_line_that_is_no_json_hides_no_other(write: Write) -> None:
    """All lines that are wrong are told together."""
    path = write("p.ndjson", '{"id": "q", "answer": 5}\n{broken\n')
    assert [each.split(":")[1] for each in refused(path)] == ["1", "2"]


def test_one_record_in_json_is_a_record(write: Write) -> None:
    """An object with a usual name and answer is one answer, and not two of these names."""
    assert predictions_of(write("p.json", '{"id": "q", "answer": "x"}')).answers == {"q": "x"}
