"""What JSON values are: how they are compared, copied, named and shown."""

import copy
import math
import pickle
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit.jsonvalue import (
    MISSING,
    brief,
    copy_json,
    dotted,
    equal,
    is_number,
    type_name,
)
from evalkit.paths import compile_path

FIXED = settings(deadline=None, derandomize=True, max_examples=100)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.integers()
    | st.sampled_from([0.0, -0.0, 1.0, -1.0, 0.5, float(2**53)])
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=4)
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=8,
)


class Unprintable:
    """An object whose repr raises."""

    def __repr__(self) -> str:
        """Refuse to be shown."""
        raise RuntimeError("no repr")


def same(left: Any, right: Any) -> bool:
    """What JSON equality is, written out."""
    if isinstance(left, bool) or isinstance(right, bool) or left is None or right is None:
        return left is right
    if isinstance(left, int | float) and isinstance(right, int | float):
        return Fraction(left) == Fraction(right)
    if isinstance(left, str) and isinstance(right, str):
        return left == right
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return set(left) == set(right) and all(same(left[key], right[key]) for key in left)
    return False


@FIXED
@given(VALUES, VALUES)
def test_equal_is_its_definition(left: Any, right: Any) -> None:
    """`equal` is JSON equality: no coercion, exact numbers, key order ignored."""
    assert equal(left, right) is same(left, right)
    assert equal([left, {"a": left}], [left, {"a": right}]) is same(left, right)


@FIXED
@given(VALUES, VALUES)
def test_equal_is_an_equivalence(left: Any, right: Any) -> None:
    """Every value equals its copy, and equality goes both ways."""
    assert equal(left, copy.deepcopy(left))
    assert equal(left, right) is equal(right, left)


@pytest.mark.parametrize(
    ("left", "right", "answer"),
    [
        (600, 600.0, True),
        (0, -0.0, True),
        (True, 1, False),
        (False, 0, False),
        (None, False, False),
        (None, MISSING, False),
        ("1", 1, False),
        ([], {}, False),
        ([True], [1], False),
        ([[0]], [[False]], False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ({"a": None}, {}, False),
        ({"a": None}, {"b": None}, False),
        ([1, 2], [2, 1], False),
        (10**17 + 1, 1e17, False),
        (2**53 + 1, float(2**53), False),
        (0.1 + 0.2, 0.3, False),
        ("\N{LATIN SMALL LETTER E WITH ACUTE}", "e\N{COMBINING ACUTE ACCENT}", False),
        ("a", "a\N{ZERO WIDTH SPACE}", False),
    ],
)
def test_equal_is_strict(left: Any, right: Any, answer: bool) -> None:
    """Faults 38 and 39: the pairs that comparisons get wrong most often."""
    assert equal(left, right) is answer
    assert equal(right, left) is answer


def test_nan_equals_nothing() -> None:
    """Not even itself, by identity, inside a container."""
    nan = math.nan
    assert not equal(nan, nan)
    assert not equal([nan], [nan])
    assert not equal({"a": nan}, {"a": nan})


def pickled(value: Any) -> Any:
    """A value that has been through a pickle."""
    return pickle.loads(pickle.dumps(value))  # noqa: S301  - our own bytes


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, pickled])
def test_missing_is_one(again: Callable[[Any], Any]) -> None:
    """`MISSING` stays the one object through copies and pickles, and is false."""
    assert again(MISSING) is MISSING
    assert again([MISSING])[0] is MISSING
    assert not MISSING
    assert repr(MISSING) == "MISSING"


@FIXED
@given(VALUES)
def test_copy_json_copies(value: Any) -> None:
    """A copy is equal and shares no container."""
    copied = copy_json(value)
    assert type(copied) is type(value)
    assert equal(copied, value)
    containers = [item for item in (copied, value) if isinstance(item, dict | list)]
    assert len(containers) == len({id(item) for item in containers})


@pytest.mark.parametrize(
    ("value", "name", "number"),
    [
        ({}, "object", False),
        ([], "array", False),
        ("1", "string", False),
        (True, "boolean", False),
        (1, "integer", True),
        (1.0, "number", True),
        (None, "null", False),
        (MISSING, "missing", False),
    ],
)
def test_kinds(value: Any, name: str, number: bool) -> None:
    """Each value has its JSON name, and a bool is no number."""
    assert (type_name(value), is_number(value)) == (name, number)


@pytest.mark.parametrize(
    ("steps", "text"),
    [
        ([], ""),
        (["a", "b"], "a.b"),
        (["items", 0, "name"], "items[0].name"),
        ([0, 1], "[0][1]"),
        (["a", "x.y", ""], 'a["x.y"][""]'),
        (["birch ply", " b"], 'birch ply[" b"]'),
    ],
)
def test_dotted(steps: list[str | int], text: str) -> None:
    """Names stand behind dots, indexes and odd names in brackets."""
    assert dotted(steps) == text


NAMES = st.text(max_size=3) | st.text(alphabet="$.[]*()'\"\\ \n0-a", min_size=1, max_size=4)


@FIXED
@given(st.lists(NAMES | st.integers(0, 2), max_size=4))
def test_dotted_is_a_path(steps: list[str | int]) -> None:
    """What is written as a path is one: it leads to the place that it was written for."""
    document: Any = "here"
    for step in reversed(steps):
        document = {step: document} if isinstance(step, str) else [None] * step + [document]
    assert compile_path(dotted(steps)).resolve(document) == "here"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("abc", "'abc'"),
        ("x" * 100, f"'{'x' * 78}…"),
        (Unprintable(), "<Unprintable whose repr raised RuntimeError>"),
    ],
)
def test_brief(value: object, text: str) -> None:
    """A value is shown by its repr, cut at eighty characters, whatever its repr does."""
    assert brief(value) == text
