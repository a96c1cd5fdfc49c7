"""Saved values are put where `Ref` stands, and so the arguments of a call are made."""

import sys
from collections.abc import Callable
from enum import Enum
from typing import Any

import pytest

from evalkit import Ref, Scenario, Tool, ToolCall
from evalkit.jsonvalue import NotJsonError
from evalkit.model import filled
from evalkit.plan import BoundCall
from evalkit.planning import Planner
from evalkit.subjects.arguments import TransformError, arguments_of
from evalkit.toolbox import ArgumentsError


class Colour(Enum):
    """What a transform may give."""

    RED = "red"


A, B = Ref("a"), Ref("b")
SAVED = {"a": {"n": [1]}, "b": None}


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


def taking(call: ToolCall, *, schema: dict[str, Any] | None = None) -> BoundCall:
    """A call, bound after one that saves `rows` and `n`, to a tool of that schema."""
    saving = ToolCall("get", save_as={"rows": "rows", "n": "n"})
    table = {"get": Tool(dict), call.tool: Tool(lambda **_: None, schema=schema)}
    (plan,) = Planner(table, {}).plan([Scenario("s", tool_calls=[saving, call])]).plans
    return plan.calls[1]


ROWS = {"rows": [{"n": 1}], "n": 2}


def test_arguments_are_made_of_saved_values() -> None:
    """Literals, references, context arguments and transformed ones stand side by side."""
    call = ToolCall(
        "use",
        {"a": 1, "b": [Ref("n")]},
        context_args={"c": "n", "d": "rows"},
        arg_transforms={"d": len},
    )
    assert arguments_of(taking(call), ROWS) == {"a": 1, "b": [2], "c": 2, "d": 1}


def test_a_transform_gets_a_copy() -> None:
    """A transform that changes what it is given changes no saved value."""

    def wreck(rows: list[Any]) -> int:
        rows.clear()
        return 0

    call = ToolCall("use", context_args={"x": "rows"}, arg_transforms={"x": wreck})
    assert arguments_of(taking(call), ROWS) == {"x": 0}
    assert ROWS["rows"] == [{"n": 1}]


def test_what_a_transform_gives_becomes_json() -> None:
    """A tuple or an enum member is made into JSON as a result would be."""
    call = ToolCall("use", context_args={"x": "n"}, arg_transforms={"x": lambda n: (n, Colour.RED)})
    assert arguments_of(taking(call), ROWS) == {"x": [2, "red"]}


@pytest.mark.parametrize(
    ("transform", "cause"),
    [
        (lambda n: n["absent"], TypeError),
        (lambda n: n / 0, ZeroDivisionError),
        (lambda _: sys.exit(0), SystemExit),
        (lambda _: {1}, NotJsonError),
        (lambda _: float("nan"), NotJsonError),
    ],
)
def test_a_transform_that_fails_says_why(
    transform: Callable[[Any], Any], cause: type[BaseException]
) -> None:
    """What a transform raises, or that it gives no JSON, is the cause of one `TransformError`."""
    call = ToolCall("use", context_args={"x": "n"}, arg_transforms={"x": transform})
    with pytest.raises(TransformError) as failed:
        arguments_of(taking(call), ROWS)
    assert isinstance(failed.value.__cause__, cause)


def test_an_interrupted_transform_passes_through() -> None:
    """Ctrl-C in a transform is the user's."""

    def stop(_: Any) -> None:
        raise KeyboardInterrupt

    call = ToolCall("use", context_args={"x": "n"}, arg_transforms={"x": stop})
    with pytest.raises(KeyboardInterrupt):
        arguments_of(taking(call), ROWS)


@pytest.mark.parametrize(("kind", "fits"), [("integer", True), ("string", False)])
def test_the_schema_is_put_to_what_came_of_it(kind: str, fits: bool) -> None:
    """Arguments that are only known in the run are held against the tool's schema then."""
    schema = {"type": "object", "properties": {"x": {"type": kind}}}
    bound = taking(ToolCall("use", {"x": Ref("n")}), schema=schema)
    if fits:
        assert arguments_of(bound, ROWS) == {"x": 2}
    else:
        with pytest.raises(ArgumentsError, match="2 is not of type 'string'"):
            arguments_of(bound, ROWS)
