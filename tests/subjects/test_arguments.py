"""Saved values are put where `Ref` stands."""

from typing import Any

import pytest

from evalkit import Ref
from evalkit.subjects.arguments import filled, refs

A, B = Ref("a"), Ref("b")
SAVED = {"a": {"n": [1]}, "b": None}


@pytest.mark.parametrize(
    ("value", "names"),
    [
        (A, ["a"]),
        ([A, {"x": B}], ["a", "b"]),
        ({"x": {"y": [A, A]}}, ["a", "a"]),
        ("Ref(name='a')", []),
        ({"$ref": "a"}, []),
        (None, []),
    ],
)
def test_refs_are_found_at_any_depth(value: Any, names: list[str]) -> None:
    """Every `Ref` in a value is named, in order, and nothing that only looks like one."""
    assert list(refs(value)) == names


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (A, {"n": [1]}),
        ([A, {"x": B}], [{"n": [1]}, {"x": None}]),
        ({"x": 1, "y": "Ref(name='a')"}, {"x": 1, "y": "Ref(name='a')"}),
    ],
)
def test_refs_are_replaced(value: Any, expected: Any) -> None:
    """The saved value stands where the `Ref` stood, and the rest is as it was."""
    assert filled(value, SAVED) == expected


def test_what_is_filled_in_is_a_copy() -> None:
    """To change what was filled in changes neither the saved value nor another place of it."""
    first, second = filled([A, A], SAVED)
    first["n"].append(2)
    assert second == {"n": [1]}
    assert SAVED["a"] == {"n": [1]}


def test_a_value_that_was_not_saved_is_no_value() -> None:
    """A `Ref` to nothing is refused, never filled with null."""
    with pytest.raises(KeyError):
        filled(Ref("absent"), SAVED)
