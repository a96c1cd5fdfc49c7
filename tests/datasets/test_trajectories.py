"""What datasets of agents have in common."""

from typing import Any

import pytest

from evalkit.datasets.reading import Part, whole
from evalkit.datasets.trajectories import (
    arguments,
    called,
    choice,
    count,
    flag,
    listed,
    on_calls,
    only,
    skipping,
    unique,
)


def told(part: Part) -> list[str]:
    """All that is wrong with a record."""
    return list(map(str, part.flaws))


@pytest.mark.parametrize("value", [True, 1.0, "1", -1, [], {}])
def test_no_count(value: Any) -> None:
    """A count is a whole number, and no truth value, fraction or text."""
    part = whole({"n": value})
    assert count(part, "n") is None
    assert told(part) == [f"n: expected a whole number from 0, got {value!r}"]


def test_count() -> None:
    """A count that is there is given, and one that is not is none."""
    part = whole({"n": 0, "none": None})
    assert (count(part, "n"), count(part, "none"), count(part, "other")) == (0, None, None)
    assert told(part) == []


@pytest.mark.parametrize("value", [0, 1, "true", [], {}])
def test_no_flag(value: Any) -> None:
    """Only true and false are flags."""
    part = whole({"on": value})
    assert flag(part, "on") is None
    assert told(part) == [f"on: expected true or false, got {value!r}"]


def test_choice() -> None:
    """A text that is none of those there are is told with the nearest, and given as blank."""
    part = whole({"mode": "exat"})
    assert choice(part, "mode", ["exact", "regex"]) == ""
    assert told(part) == ["mode: unknown mode 'exat'; did you mean 'exact'?"]


def test_a_list_may_be_left_out() -> None:
    """A list that is not there is empty; null is no list."""
    part = whole({"tools": ["a"], "null": None})
    assert (listed(part, "tools"), listed(part, "other")) == (["a"], [])
    listed(part, "null")
    assert told(part) == ["null: expected a list of texts, got None; put it in [ ]"]


@pytest.mark.parametrize("args", [{"$ref": "x"}, {"a": {"$ref": "x"}}, {"a": [{"$ref": "x"}]}])
def test_no_saved_value(args: Any) -> None:
    """What evalkit would take for a saved value is refused, at any depth."""
    part = whole({"args": args})
    arguments(part, "args")
    assert told(part) == ["args: holds {'$ref': ...}, which is a saved value here"]


@pytest.mark.parametrize("args", [{}, {"a": {"$ref": "x", "b": 1}}, {"ref": "$ref"}])
def test_arguments(args: Any) -> None:
    """Other arguments are given as they are, also where there are none at all."""
    part = whole({"args": args})
    assert arguments(part, "args") == args
    assert told(part) == []


def test_no_arguments() -> None:
    """Arguments that are not there, and null, are not the same as no arguments."""
    part = whole({"null": None})
    assert (arguments(part, "args"), arguments(part, "null")) == (None, None)
    assert called("t", None) != called("t", {})


def test_deep_arguments() -> None:
    """No depth is too much for the search."""
    deep: Any = {"$ref": "x"}
    for _ in range(5_000):
        deep = [deep]
    part = whole({"args": {"a": deep}})
    arguments(part, "args")
    assert len(part.flaws) == 1


def test_unique() -> None:
    """The second of two equal names is told; what is no text is for others to tell."""
    part = whole({})
    names: list[Any] = ["a", "b", "a", None, None, 1, 1]
    unique([Part({"id": each}, ("cases", at), part.flaws) for at, each in enumerate(names)], "id")
    assert told(part) == ["cases[2].id: 'a' is there twice"]


def test_only() -> None:
    """A field that is none of those there are is told with the nearest."""
    part = whole({"name": 1, "agrs": 2})
    only(part, ["name", "args"])
    assert told(part) == ["agrs: unknown field 'agrs'; did you mean 'args'?"]


def test_one_turn() -> None:
    """An assertion is on all calls, or on those of one turn."""
    assert on_calls("calls", ["a"])["path"] == "calls"
    assert on_calls("calls", ["a"], 0)["path"] == "calls[?(@.turn == 0)]"


def test_nothing_is_skipped_for_no_reason() -> None:
    """What needs nothing is not skipped."""
    assert skipping([]) == {}
