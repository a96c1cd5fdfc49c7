"""How fields of foreign records are read: nothing is coerced, and every flaw is noted."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit.datasets import DatasetError
from evalkit.datasets.reading import (
    decimal_text,
    gold,
    golds,
    inner,
    kept,
    known,
    name,
    parts,
    rest,
    settled,
    text,
    texts,
    whole,
)

FIXED = settings(deadline=None, derandomize=True, max_examples=50)
NO_TEXTS: list[Any] = [None, 1, 1.5, True, [], {}, "", " ", "\n\t"]


def problems(part: Any) -> list[str]:
    """The flaws noted so far, each in one line."""
    return list(map(str, part.flaws))


@pytest.mark.parametrize("value", NO_TEXTS, ids=repr)
def test_text_says_something(value: Any) -> None:
    """A text that is blank or no text is noted, and read as the empty one."""
    part = whole({"a": value})
    assert text(part, "a") == ""
    assert [flaw.steps for flaw in part.flaws] == [("a",)]


def test_text_is_as_it_stands() -> None:
    """A text keeps its outer blanks: they are the file's."""
    part = whole({"a": " Yes\n"})
    assert text(part, "a") == " Yes\n"
    assert part.flaws == []


def test_missing_field() -> None:
    """A field that is not there is noted, with one that is nearly called so."""
    part = whole({"qestion": "Q"})
    assert text(part, "question") == ""
    assert problems(part) == ["question: there is no 'question'; did you mean 'qestion'?"]


@pytest.mark.parametrize("value", ["a\nb", "a\0", "\x85a"], ids=repr)
def test_name_has_no_control_characters(value: str) -> None:
    """A name may be shown in one line."""
    part = whole({"id": value})
    name(part, "id")
    assert "a control character" in problems(part)[0]


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (3, "3"),
        (-7, "-7"),
        (0.5, "0.5"),
        (1e-7, "0.0000001"),
        (1e22, "10000000000000000000000"),
        (10**30, "1" + "0" * 30),
    ],
)
def test_decimal_text(value: float, written: str) -> None:
    """A number as a gold is its digits, never an exponent."""
    assert decimal_text(value) == written


@FIXED
@given(st.integers() | st.floats(allow_nan=False, allow_infinity=False))
def test_decimal_text_is_the_number(value: float) -> None:
    """The decimal text reads as the very number again."""
    written = decimal_text(value)
    assert "e" not in written
    assert type(value)(written) == value


@pytest.mark.parametrize("value", [None, True, False, [], {}, " "], ids=repr)
def test_gold_is_a_text_or_a_number(value: Any) -> None:
    """A bool is no number, and nothing else is a gold."""
    part = whole({"answer": value})
    assert gold(part, "answer") == ""
    assert len(part.flaws) == 1


def test_golds_are_at_least_one() -> None:
    """An empty list of golds is refused, for nothing would be measured."""
    part = whole({"answers": []})
    golds(part, "answers")
    assert "there is no gold answer" in problems(part)[0]


@pytest.mark.parametrize("value", ["Paris", {"a": 1}, 3, None], ids=repr)
def test_golds_are_a_list(value: Any) -> None:
    """A text is not a list of its letters, nor anything else one."""
    part = whole({"answers": value})
    assert golds(part, "answers") == []
    assert "expected a list of texts" in problems(part)[0]


def test_each_bad_item_is_named() -> None:
    """Of a list, each item that is none is noted by its index."""
    part = whole({"answers": ["a", " ", 3, "b", None]})
    texts(part, "answers")
    assert [flaw.steps for flaw in part.flaws] == [("answers", i) for i in (1, 2, 4)]
    numbers = whole({"answers": ["a", 3]})
    assert texts(numbers, "answers", numbers=True) == ["a", "3"]
    assert numbers.flaws == []


def test_parts_carry_their_place() -> None:
    """An object in a list knows the steps that lead to it, and notes into the same flaws."""
    part = whole({"qa": [{"q": 1}, "x", {"q": " "}]})
    first, second = parts(part, "qa")
    text(first, "q")
    text(second, "q")
    assert [flaw.steps for flaw in part.flaws] == [("qa", 1), ("qa", 0, "q"), ("qa", 2, "q")]


@pytest.mark.parametrize("value", [None, {}, "x", 1], ids=repr)
def test_parts_are_a_list(value: Any) -> None:
    """What is no list holds no parts."""
    part = whole({"qa": value})
    assert parts(part, "qa") == []
    assert "expected a list of objects" in problems(part)[0]


def test_inner() -> None:
    """An object in a field is a part; anything else is noted."""
    part = whole({"a": {"b": "c"}, "d": []})
    found = inner(part, "a")
    assert found is not None
    assert (found.data, found.steps) == ({"b": "c"}, ("a",))
    assert inner(part, "d") is None
    assert problems(part) == ["d: expected an object, got []"]


def test_known_looks_at_the_level() -> None:
    """A field is known at the level where the table has it, and nowhere else."""
    fields = {"id": "", "qa[].question": "", "qa[].parts[].text": "", "answers.text": ""}
    record = {"id": 1, "question": 1, "qa": [{"question": 1, "id": 2, "parts": [{"tex": 1}]}]}
    part = whole(record | {"answers": {"text": 1, "qa": 2}})
    (qa,) = parts(part, "qa")
    (deep,) = parts(qa, "parts")
    answers = inner(part, "answers")
    assert answers is not None
    for each in (part, qa, deep, answers):
        known(each, fields)
    assert [flaw.steps for flaw in part.flaws] == [
        ("question",),
        ("qa", 0, "id"),
        ("qa", 0, "parts", 0, "tex"),
        ("answers", "qa"),
    ]
    assert part.flaws[2].hint == "did you mean 'text'?"
    assert rest(qa, fields) == {"id": 2}


def test_kept_leaves_out_null() -> None:
    """What is null or absent is not kept; false and 0 are values."""
    part = whole({"a": None, "b": 0, "c": False})
    assert kept(part, "a", "b", "c", "d") == {"b": 0, "c": False}


def test_settled_refuses_all_at_once() -> None:
    """A record with flaws gives no scenario at all."""
    part = whole({"a": "", "b": 1})
    text(part, "a")
    text(part, "b")
    with pytest.raises(DatasetError) as caught:
        settled(part, [{"name": "x"}])
    assert len(caught.value.flaws) == 2
