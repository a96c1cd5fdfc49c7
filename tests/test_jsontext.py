"""JSON is written and read as text without losing anything, whatever the size of a number."""

import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit import Ref
from evalkit.jsontext import canonical, dumped, dumped_object, loaded, readable, unmarked

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
NUMBERS = st.integers(-(10**25), 10**25) | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=8,
)
OBJECTS = st.dictionaries(TEXTS, VALUES, min_size=1, max_size=5)
QUICK = settings(max_examples=40, deadline=None)
WIDE = [2**64, 2**70, -(2**63) - 1, 10**3999, -(10**3999)]
NARROW = [0, 2**53 + 1, 2**63 - 1, 2**64 - 1, -(2**63)]


def same(one: Any, other: Any) -> bool:
    """Whether two values are the same to the type and the sign of each number."""
    return repr(one) == repr(other)


def strict(text: bytes) -> Any:
    """What the standard library reads, without NaN and infinities."""

    def refuse(word: str) -> Any:
        raise ValueError(word)

    return json.loads(text, parse_constant=refuse)


@QUICK
@given(OBJECTS)
def test_an_object_is_read_as_it_was_written(value: dict[str, Any]) -> None:
    """Types, signs, order and digits of every value in an object come back, wide integers too."""
    found = loaded(dumped_object(value))
    found.pop("wide", None) if "wide" not in value else None
    assert same(found, value)


@QUICK
@given(OBJECTS)
def test_another_reader_finds_the_same(value: dict[str, Any]) -> None:
    """Without its mark, an object's text is that very object to a strict reader."""
    assert same(strict(unmarked(dumped_object(value))), value)


@QUICK
@given(VALUES)
def test_what_is_written_is_strict_json_in_one_line(value: Any) -> None:
    """Any value is written as strict JSON, on one line."""
    assert b"\n" not in dumped(value)
    assert same(strict(dumped(value)), value)


@pytest.mark.parametrize("number", WIDE + NARROW)
def test_no_digit_of_an_integer_is_lost(number: int) -> None:
    """An integer of any size comes back digit by digit, and as an integer."""
    found = loaded(dumped_object({"n": [number]}))["n"][0]
    assert type(found) is int
    assert found == number


@pytest.mark.parametrize("number", NARROW)
def test_only_wide_integers_are_marked(number: int) -> None:
    """What other readers take without loss is written without a mark."""
    assert dumped_object({"n": number}) == json.dumps({"n": number}, separators=(",", ":")).encode()


@pytest.mark.parametrize(
    "text", [b"", b"{", b"nul", b'{"a":}', b'{"a":1}x', b"\xff", b'{"wide":true,}', b'{"a":NaN}']
)
def test_what_is_no_json_is_a_value_error(text: bytes) -> None:
    """A text that is no JSON raises ValueError, nothing else."""
    with pytest.raises(ValueError, match=r".+"):
        loaded(text)


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("beside", [0, 2**70])
def test_what_is_no_number_is_never_written_as_one(number: float, beside: int) -> None:
    """NaN and infinities are refused or written as null, never as words that are no JSON."""
    try:
        text = dumped({"n": number, "beside": beside})
    except ValueError:
        return
    assert strict(text) == {"n": None, "beside": beside}


@QUICK
@given(OBJECTS, st.randoms())
def test_canonical_text_knows_no_order_of_keys(value: dict[str, Any], random: Any) -> None:
    """Equal values have equal canonical texts, in whatever order their keys came."""
    keys = list(value)
    random.shuffle(keys)
    assert canonical({key: value[key] for key in keys}) == canonical(value)


@QUICK
@given(VALUES, VALUES)
def test_canonical_texts_differ_where_values_do(one: Any, other: Any) -> None:
    """Two values with the same canonical text are the same value."""
    if canonical(one) == canonical(other):
        assert one == other


@pytest.mark.parametrize("beside", [0, 2**70])
def test_canonical_text_has_what_is_no_json_written(beside: int) -> None:
    """What is no JSON is written as the caller says, wherever it stands."""
    text = canonical({"x": [Ref("a")], "n": beside}, lambda value: {"name": value.name})
    assert strict(text) == {"x": [{"name": "a"}], "n": beside}


@pytest.mark.parametrize("beside", [0, 2**70])
def test_canonical_text_refuses_what_nobody_can_write(beside: int) -> None:
    """What is no JSON, and what the caller cannot write either, is a TypeError."""
    with pytest.raises(TypeError):
        canonical({"x": object(), "n": beside})


@QUICK
@given(value=VALUES)
def test_what_is_readable_is_the_same_value(value: Any) -> None:
    """What is written for people is strict JSON, in order, and ends its last line."""
    text = readable(value)
    assert text.endswith(b"\n")
    assert same(json.loads(text), value)


@pytest.mark.parametrize("number", WIDE)
def test_a_wide_number_is_readable_in_the_same_form(number: int) -> None:
    """An integer of more than 64 bits changes nothing in how the rest is laid out."""
    assert readable({"ä": [number, {}]}) == readable({"ä": [1, {}]}).replace(b"1", b"%d" % number)
