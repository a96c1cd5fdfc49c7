"""What a selector takes of one value."""

from typing import Any

import pytest

from evalkit.paths.scan import Index, Key, Name
from evalkit.paths.select import child, children

LIST = ["a", "b"]
DICT = {"0": "zero", "x": None}
NEITHER = ["text", 1, 1.5, True, None]


@pytest.mark.parametrize(
    ("value", "found"), [(LIST, ["a", "b"]), (DICT, ["zero", None]), ([], []), ({}, [])]
)
def test_children(value: Any, found: list[Any]) -> None:
    """The children are the items of a list, or the values of an object."""
    assert children(value) == found


@pytest.mark.parametrize("value", NEITHER)
def test_scalars_have_no_children(value: Any) -> None:
    """A text, a number, a bool and null have none, which is not the same as an empty list."""
    assert children(value) is None


@pytest.mark.parametrize(
    ("step", "value", "found"),
    [
        (Name("0", 0), LIST, ["a"]),
        (Name("0", 0), DICT, ["zero"]),
        (Name("x", None), DICT, [None]),
        (Name("x", None), LIST, None),
        (Name("y", None), DICT, None),
        (Key("0"), DICT, ["zero"]),
        (Key("0"), LIST, None),
        (Index(0), LIST, ["a"]),
        (Index(0), DICT, None),
        (Index(-2), LIST, ["a"]),
        (Index(-3), LIST, None),
        (Index(2), LIST, None),
        (Index(10**30), LIST, None),
    ],
)
def test_child(step: Name | Key | Index, value: Any, found: list[Any] | None) -> None:
    """The type that is met decides: an object is looked up by name, a list by index."""
    assert child(step)(value) == found


@pytest.mark.parametrize("value", NEITHER)
@pytest.mark.parametrize("step", [Name("0", 0), Key("0"), Index(0)])
def test_nothing_else_has_a_child(step: Name | Key | Index, value: Any) -> None:
    """A string is never indexed, nor is any other scalar."""
    assert child(step)(value) is None
