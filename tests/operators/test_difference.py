"""Where two JSON values differ."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit.jsonvalue import MISSING, equal
from evalkit.operators.difference import differences, first_difference, look_alike
from evalkit.paths import compile_path

FIXED = settings(deadline=None, derandomize=True, max_examples=150)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-1, 1) | st.sampled_from([0.0, 1.0, "", "a", "1"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "b", "c.d", 'e"f']), inner, max_size=3)
    ),
    max_leaves=8,
)


@FIXED
@given(VALUES, VALUES)
def test_none_where_equal(expected: Any, actual: Any) -> None:
    """There is no difference exactly where two values are equal as JSON."""
    assert (differences(expected, actual, 1) == []) is equal(expected, actual)


@FIXED
@given(VALUES, VALUES)
def test_each_is_there(expected: Any, actual: Any) -> None:
    """Each difference gives what either side has at its path, or MISSING."""
    for found in differences(expected, actual, 100):
        path = compile_path(found.path)
        assert path.resolve(expected) is found.expected or path.resolve(expected) == found.expected
        assert path.resolve(actual) is found.actual or path.resolve(actual) == found.actual
        assert not equal(found.expected, found.actual)


@pytest.mark.parametrize(
    ("expected", "actual", "told"),
    [
        (1, 2, "expected 1, got 2"),
        (1, True, "expected 1, got True"),
        ({"a": [1, 2]}, {"a": [1, 3]}, "at a[1]: expected 2, got 3"),
        ({"a": 1}, {}, "at a: 1 is missing"),
        ({}, {"a": 1}, "at a: 1 was not expected"),
        ([1], [1, 2], "at [1]: 2 was not expected"),
        ([1, 2], [1], "at [1]: 2 is missing"),
        ({"a": {}}, {"a": []}, "at a: expected {}, got []"),
        ({"a": None}, {}, "at a: None is missing"),
    ],
)
def test_first(expected: Any, actual: Any, told: str) -> None:
    """The first difference is told with its place and both sides."""
    assert first_difference(expected, actual) == told


def test_limit_and_order() -> None:
    """Differences come in document order, up to a limit."""
    expected, actual = {"a": 1, "b": 2, "c": 3}, {"c": 0, "a": 0, "d": 0}
    found = differences(expected, actual, 10)
    assert [one.path for one in found] == ["a", "b", "c", "d"]
    assert [one.path for one in differences(expected, actual, 2)] == ["a", "b"]
    assert (found[1].path, found[1].expected, found[1].actual) == ("b", 2, MISSING)


@pytest.mark.parametrize(
    ("expected", "actual", "alike"),
    [
        ("\u00e9", "e\u0301", True),
        ("ab", "a\u200bb", True),
        ("a b", "a\u00a0b", True),
        ("ab", "\u202eab", True),
        ("\ufb01n", "fin", True),
        ("a", "A", False),
        ("a", "b", False),
        ("a", "a", False),
        ("a", 1, False),
    ],
)
def test_look_alike(expected: Any, actual: Any, alike: bool) -> None:
    """Fault 39: code points are shown where two texts differ and look the same, and only there."""
    assert ("U+" in look_alike(expected, actual)) is alike
