"""What the fields of the nouns accept, and how a refusal reads."""

from collections import OrderedDict
from collections.abc import Callable
from types import MappingProxyType
from typing import Any

import pytest

from evalkit import CatalogueError, Ref, ToolCall
from evalkit.model import fields
from evalkit.texts import EXTRACTS, NAMES


def refused(check: Callable[..., Any], *values: Any) -> str:
    """The message that a check refuses a value of the field `f` with."""
    with pytest.raises(CatalogueError) as caught:
        check("f", *values)
    return str(caught.value)


@pytest.mark.parametrize("value", ["a", "a/b", "..", "größe 属性", "x" * 300, "a b"])
def test_text(value: str) -> None:
    """A text is any string that says something, of any script and length."""
    assert fields.text("f", value) == value


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("", "f: is blank"),
        (" \u00a0", "f: is blank"),
        ("a\x00b", "f: a control character"),
        ("a\nb", "f: a control character"),
        ("\x7f", "f: a control character"),
        (1, "f: expected a string, got 1"),
        (None, "f: expected a string, got None"),
        (b"a", "f: expected a string, got b'a'"),
    ],
)
def test_no_text(value: Any, told: str) -> None:
    """A blank, a control character and anything but a string are refused."""
    assert refused(fields.text, value).startswith(told)


def test_prose() -> None:
    """Prose may be empty and have lines; it is a string all the same."""
    assert fields.prose("f", "") == ""
    assert fields.prose("f", "a\nb") == "a\nb"
    assert refused(fields.prose, None) == "f: expected a string, got None"


CALL = ToolCall("a")


@pytest.mark.parametrize("value", [[CALL], (CALL,), iter([CALL]), {CALL.tool: CALL}.values()])
def test_several(value: Any) -> None:
    """A sequence of any make reads back as a tuple."""
    assert fields.several("f", value, ToolCall) == (CALL,)


@pytest.mark.parametrize(
    ("value", "kind", "told"),
    [
        (CALL, ToolCall, "f: expected a list of ToolCall"),
        ("tag", str, "f: expected a list of strings, got 'tag'; put it in [ ]"),
        (b"tag", str, "f: expected a list of strings"),
        ({"a": 1}, str, "f: expected a list of strings"),
        (None, str, "f: expected a list of strings"),
        (1, str, "f: expected a list of strings"),
        ([CALL, "x"], ToolCall, "f[1]: expected a ToolCall, got 'x'"),
        ([1], str, "f[0]: expected a string, got 1"),
        ([True, None], ToolCall, "f[0]: expected a ToolCall, got True"),
    ],
)
def test_no_sequence(value: Any, kind: type, told: str) -> None:
    """A single one, a bare string and a wrong member are refused, with the place."""
    assert refused(lambda where, given: fields.several(where, given, kind), value).startswith(told)


def test_texts() -> None:
    """Each of several texts has to say something."""
    assert fields.texts("f", ["a", "b"]) == ("a", "b")
    assert refused(fields.texts, ["a", ""]).startswith("f: is blank")


@pytest.mark.parametrize("value", [{"a": (1,)}, OrderedDict(a=[1]), MappingProxyType({"a": [1]})])
def test_json_object(value: Any) -> None:
    """Any mapping is copied into a plain dict."""
    copied = fields.json_object("f", value)
    assert type(copied) is dict
    assert copied == {"a": [1]}


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ([], "f: expected a mapping, got []"),
        ("a", "f: expected a mapping, got 'a'"),
        (None, "f: expected a mapping, got None"),
        ({"a": {"b": float("nan")}}, "f.a.b: nan is not finite"),
        ({"a": [object]}, "f.a[0]: builtins.type is no JSON value"),
        ({1: 2}, "f: the key 1 is no string"),
    ],
)
def test_no_json_object(value: Any, told: str) -> None:
    """What is no JSON object is refused, with the place inside of it."""
    assert refused(fields.json_object, value).startswith(told)


def test_json_value_asks_other() -> None:
    """`other` decides on what is no JSON."""
    kept = Ref("a")
    assert fields.json_value("f", [kept], lambda value: value) == [kept]


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ({"a": 1}, "f['a']: expected a string, got 1"),
        ({"": "a"}, "f: is blank"),
        ({1: "a"}, "f: expected a string, got 1"),
        (["a"], "f: expected a mapping of name to name"),
        ("ab", "f: expected a mapping of name to name"),
    ],
)
def test_no_names(value: Any, told: str) -> None:
    """A mapping of names is from strings to strings."""
    assert refused(fields.names, value).startswith(told)


def test_names() -> None:
    """Names are copied; a path may be empty, a name may not."""
    given = {"a": "b.c", "all": ""}
    copied = fields.names("f", given)
    given["x"] = "y"
    assert copied == {"a": "b.c", "all": ""}


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ({"a": 1}, "f['a']: expected a function of one value, got 1"),
        ([len], "f: expected a mapping of argument to function"),
        ({"": len}, "f: is blank"),
    ],
)
def test_no_callables(value: Any, told: str) -> None:
    """A mapping of functions holds functions."""
    assert refused(fields.callables, value).startswith(told)


@pytest.mark.parametrize("value", [0, -1, True, "1", None, float("nan"), float("inf"), [1]])
def test_no_positive(value: Any) -> None:
    """A number above 0 is finite, and no bool."""
    assert refused(fields.positive, value).startswith("f: expected a number above 0")


@pytest.mark.parametrize("value", [-1, -5e-324, True, "1", None, float("nan"), float("inf"), [1]])
def test_negative(value: Any) -> None:
    """A number that may be 0 is finite, not below it, and no bool."""
    assert refused(fields.not_negative, value).startswith("f: expected a number, 0 or above")


@pytest.mark.parametrize("value", [0, -0.0, -0.1, 1.0001, 2, True, "1", None, float("nan"), [1]])
def test_no_share(value: Any) -> None:
    """A share is above 0, so that not everything reaches it, and up to 1; a bool is none."""
    assert refused(fields.share, value).startswith("f: expected a number above 0 and up to 1")


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("sqad", "f: unknown normaliser 'sqad'; did you mean 'squad'?"),
        ("squad+nfk", "f: unknown normaliser 'nfk'; did you mean 'nfkc'?"),
        ("+squad", "f: unknown normaliser ''; known: "),
        ("", "f: is blank"),
        (None, "f: expected a string, got None"),
    ],
)
def test_no_normaliser(value: Any, told: str) -> None:
    """Each of the joined names is known, or answered with the nearest."""
    assert refused(fields.normaliser, value).startswith(told)


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("first", "f: nothing called 'first' can be taken out; did you mean 'first_line'?"),
        ("terse+terse", "f: nothing called 'terse+terse'"),
        (" ", "f: is blank"),
        (1, "f: expected a string, got 1"),
    ],
)
def test_no_extract(value: Any, told: str) -> None:
    """What is to be taken out has a known name; others are answered with the nearest."""
    assert refused(fields.extract, value).startswith(told)


def test_the_names_are_those_of_the_texts() -> None:
    """What the nouns accept is what the texts can do: none is accepted that is not there."""
    assert sorted(fields.NORMALISERS) == sorted(NAMES)
    assert sorted(fields.EXTRACTS) == sorted(EXTRACTS)
    assert {fields.normaliser("f", name) for name in NAMES} == set(NAMES)
    assert {fields.extract("f", name) for name in EXTRACTS} == set(EXTRACTS)


@pytest.mark.parametrize("value", [-1, 1.0, True, "1", None])
def test_no_count(value: Any) -> None:
    """A count is a whole number, 0 or more, and no bool."""
    assert refused(fields.count, value).startswith("f: expected a whole number, 0 or more")


def test_numbers() -> None:
    """What is right is given back as it is."""
    assert fields.positive("f", 0.5) == 0.5
    assert fields.count("f", 0) == 0
    assert fields.not_negative("f", 0) == 0
    assert fields.share("f", 1) == 1
    assert fields.normaliser("f", "nfkc+squad") == "nfkc+squad"


@pytest.mark.parametrize("value", ["c", None, True, 1, ["a"], {}])
def test_not_one_of(value: Any) -> None:
    """One of a few strings is one of them, and the refusal lists them."""
    assert refused(fields.one_of, value, ("a", "b")).endswith("one of 'a', 'b'")


def test_half_a_character_is_refused() -> None:
    """A value of an author's that holds half of a surrogate pair is a catalogue error."""
    assert "half of a surrogate pair" in refused(fields.json_value, {"a": ["\ud800"]})
