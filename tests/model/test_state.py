"""What a state accepts: what is expected, how it is captured, what is replayed."""

import pickle
from typing import Any

import attrs
import pytest

from evalkit import Assertion, CatalogueError, Ref, State, ToolCall
from evalkit.jsonvalue import brief


def capture(env: Any) -> dict[str, Any]:
    """Capture nothing much."""
    return {"a": env}


EXPECTED = {"a": 1}
GET = ToolCall("get", {"id": 1})
GOOD: list[tuple[dict[str, Any], Any]] = [
    ({}, None),
    ({"capture": None}, None),
    ({"capture": capture}, capture),
    ({"capture": "get"}, "get"),
    ({"capture": {"a": "get"}}, {"a": ToolCall("get")}),
    ({"capture": {"a": GET}}, {"a": GET}),
    ({"capture": {"a": GET, "b": "list"}}, {"a": GET, "b": ToolCall("list")}),
]


@pytest.mark.parametrize(("fields", "kept"), GOOD, ids=map(str, range(len(GOOD))))
def test_a_capture(fields: dict[str, Any], kept: Any) -> None:
    """A function, the name of a tool, or a call for each name; a tool's name stands for a call."""
    assert State(EXPECTED, **fields).capture == kept


WRONG: list[tuple[dict[str, Any], str, str]] = [
    ({"expected": None}, "State.expected", "expected a mapping, got None"),
    ({"expected": ["a"]}, "State.expected", "expected a mapping, got ['a']"),
    ({"expected": {"": 1}}, "State.expected", "is blank"),
    ({"expected": {"a\n": 1}}, "State.expected", "a control character"),
    ({"expected": {1: 1}}, "State.expected", "is no string"),
    ({"expected": {"a": {1}}}, "State.expected.a", "is no JSON value"),
    ({"expected": {"a": [float("nan")]}}, "State.expected.a[0]", "is not finite"),
    ({"expected": {"a": Ref("b")}}, "State.expected.a", "Ref is no JSON value"),
    ({"expected": {}}, "State", "expects nothing; give expected={name: value}, or replayed=[...]"),
    ({"capture": ""}, "State.capture", "is blank"),
    ({"capture": 7}, "State.capture", "got 7; a function, the name of a tool, or a mapping"),
    ({"capture": ["get"]}, "State.capture", "got ['get']"),
    ({"capture": {}}, "State.capture", "does not capture 'a'"),
    ({"capture": {"A": "get"}}, "State.capture", "does not capture 'a'; did you mean 'A'?"),
    ({"capture": {"a": "get", "": "get"}}, "State.capture", "is blank"),
    ({"capture": {"a": 7}}, "State.capture['a']", "expected a ToolCall, got 7; or the name"),
    ({"capture": {"a": None}}, "State.capture['a']", "expected a ToolCall, got None"),
    ({"capture": {"a": capture}}, "State.capture['a']", "expected a ToolCall"),
    ({"capture": {"a": ""}}, "ToolCall.tool", "is blank"),
    ({"replayed": "b"}, "State.replayed", "expected a list of strings, got 'b'; put it in [ ]"),
    ({"replayed": None}, "State.replayed", "expected a list of strings, got None"),
    ({"replayed": [""]}, "State.replayed", "is blank"),
    ({"replayed": [1]}, "State.replayed[0]", "expected a string, got 1"),
    ({"replayed": ["b", "a"]}, "State.replayed", "'a' is expected as well; leave one out"),
    (
        {"replayed": ["b"], "capture": {"a": "get"}},
        "State.capture",
        "does not capture 'b'",
    ),
]


@pytest.mark.parametrize(("given", "where", "told"), WRONG, ids=lambda value: brief(value, 30))
def test_a_wrong_field_is_refused(given: dict[str, Any], where: str, told: str) -> None:
    """What can't be expected or captured is refused when written, with its place."""
    with pytest.raises(CatalogueError) as caught:
        State(**{"expected": EXPECTED, **given})
    (problem,) = caught.value.problems
    assert problem.where == where
    assert told in str(problem)


SAYS_NOTHING: list[dict[str, Any]] = [
    {"assertions": [Assertion("a", "exists")]},
    {"save_as": {"a": "b"}},
    {"context_args": {"a": "b"}},
    {"context_args": {"a": "b"}, "arg_transforms": {"a": len}},
    {"expect_error": True},
    {"arg_assertions": [Assertion("a", "exists")]},
    {"args_match": "subset"},
    {"retry": 1},
    {"timeout_s": 5},
    {"args": {"a": Ref("b")}},
    {"args": {"a": [{"b": Ref("b")}]}},
]


@pytest.mark.parametrize("fields", SAYS_NOTHING, ids=",".join)
def test_a_capturing_call_is_a_tool_and_its_arguments(fields: dict[str, Any]) -> None:
    """What a call that captures could only ignore is refused."""
    with pytest.raises(CatalogueError, match=r"State\.capture\['a'\]"):
        State(EXPECTED, capture={"a": ToolCall("get", **fields)})


def test_what_is_replayed_is_enough() -> None:
    """A state may expect no value by itself, but what the scenario's own calls leave."""
    state = State(replayed=["a"])
    assert (state.expected, state.replayed) == ({}, ("a",))


def test_it_is_copied() -> None:
    """What the author changes later changes no state."""
    expected: dict[str, Any] = {"a": [1]}
    captures: dict[str, Any] = {"a": GET}
    state = State(expected, capture=captures)
    expected["a"].append(2)
    captures["b"] = GET
    assert (state.expected, state.capture) == ({"a": [1]}, {"a": GET})


def test_it_is_frozen_and_pickles() -> None:
    """A state does not change, and crosses to another process."""
    state = State(EXPECTED, capture=capture, replayed=["b"])
    assert pickle.loads(pickle.dumps(state)) == state  # noqa: S301  - our own bytes
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        state.replayed = ()  # type: ignore[misc]


def test_only_what_is_expected_is_given_by_its_place() -> None:
    """How it is captured is said by name."""
    with pytest.raises(TypeError):
        State(EXPECTED, "get")  # type: ignore[call-arg]
