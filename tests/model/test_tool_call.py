"""What a tool call accepts, keeps and refuses."""

from enum import Enum, StrEnum
from typing import Any

import attrs
import pytest

from evalkit import Assertion, CatalogueError, Ref, ToolCall
from evalkit.jsonvalue import brief

OK = Assertion("a", "exists")


class Bare(Enum):
    """No builtin by inheritance."""

    ONE = 1


class Colour(StrEnum):
    """A string by inheritance."""

    RED = "red"


def test_the_order_is_fixed() -> None:
    """The positional fields come in the order that the design fixes."""
    call = ToolCall("t", {"a": 1}, [OK], "l", {"s": "p"}, {"b": "s"}, {"b": str})
    assert attrs.astuple(call, recurse=False)[:7] == (
        "t",
        {"a": 1},
        (OK,),
        "l",
        {"s": "p"},
        {"b": "s"},
        {"b": str},
    )


def test_arguments_are_copied() -> None:
    """What the author changes later changes no call; a tuple becomes a list, a `Ref` stays."""
    given: dict[str, Any] = {"a": [1], "b": (Ref("x"),)}
    call = ToolCall("t", given)
    given["a"].append(2)
    given["c"] = 3
    assert call.args == {"a": [1], "b": [Ref("x")]}


NO_LISTS: list[Any] = [OK, None, 0, "", {}, "a"]
NO_MATCHES: list[Any] = ["Exact", "part", "", None, True, 0, ["exact"]]
WRONG: list[tuple[dict[str, Any], str, str]] = [
    ({"tool": ""}, "ToolCall.tool", "is blank"),
    ({"tool": len}, "ToolCall.tool", "expected a string"),
    ({"args": []}, "ToolCall.args", "expected a mapping"),
    ({"args": "a=1"}, "ToolCall.args", "expected a mapping"),
    ({"args": {"a": {1}}}, "ToolCall.args.a", "no JSON value"),
    ({"args": {"a": float("nan")}}, "ToolCall.args.a", "not finite"),
    ({"args": {1: 2}}, "ToolCall.args", "is no string"),
    ({"args": {"a": Bare.ONE}}, "ToolCall.args.a", "Bare is no JSON value"),
    ({"args": {"a": [Colour.RED]}}, "ToolCall.args.a[0]", "Colour is no JSON value"),
    ({"args": {Colour.RED: 1}}, "ToolCall.args", "no JSON value"),
    ({"assertions": OK}, "ToolCall.assertions", "expected a list of Assertion"),
    ({"assertions": ["a"]}, "ToolCall.assertions[0]", "expected an Assertion"),
    ({"assertions": [("a", "eq", 1)]}, "ToolCall.assertions[0]", "expected an Assertion"),
    ({"label": None}, "ToolCall.label", "expected a string"),
    ({"save_as": ["a"]}, "ToolCall.save_as", "expected a mapping"),
    ({"save_as": {"a": 1}}, "ToolCall.save_as['a']", "expected a string"),
    ({"save_as": {"": "a"}}, "ToolCall.save_as", "is blank"),
    ({"context_args": "a"}, "ToolCall.context_args", "expected a mapping"),
    ({"arg_transforms": {"a": "upper"}}, "ToolCall.arg_transforms['a']", "expected a function"),
    ({"arg_transforms": str}, "ToolCall.arg_transforms", "expected a mapping"),
    ({"expect_error": False}, "ToolCall.expect_error", "expected True or a pattern"),
    ({"expect_error": ""}, "ToolCall.expect_error", "expected True or a pattern"),
    ({"expect_error": ValueError}, "ToolCall.expect_error", "expected True or a pattern"),
    ({"timeout_s": 0}, "ToolCall.timeout_s", "above 0"),
    ({"timeout_s": "3"}, "ToolCall.timeout_s", "above 0"),
    ({"retry": -1}, "ToolCall.retry", "whole number"),
    ({"retry": True}, "ToolCall.retry", "whole number"),
    ({"retry": False}, "ToolCall.retry", "whole number"),
    ({"retry": None}, "ToolCall.retry", "whole number"),
    ({"retry": 1.5}, "ToolCall.retry", "whole number"),
    *[
        ({"args_match": value}, "ToolCall.args_match", "'exact', 'subset', 'superset', 'ignore'")
        for value in NO_MATCHES
    ],
    *[
        ({"arg_assertions": value}, "ToolCall.arg_assertions", "expected a list of Assertion")
        for value in NO_LISTS
    ],
    ({"arg_assertions": [("a", "eq", 1)]}, "ToolCall.arg_assertions[0]", "expected an Assertion"),
]


@pytest.mark.parametrize(("given", "where", "told"), WRONG, ids=lambda value: brief(value, 40))
def test_a_wrong_field_is_a_catalogue_error(given: dict[str, Any], where: str, told: str) -> None:
    """A field that is wrong is refused when written, with its place."""
    with pytest.raises(CatalogueError) as caught:
        ToolCall(**{"tool": "t", **given})
    (problem,) = caught.value.problems
    assert problem.where == where
    assert told in str(problem)


def test_but() -> None:
    """`but` gives a changed copy, checked again."""
    assert ToolCall("t", {"a": 1}).but(tool="u") == ToolCall("u", {"a": 1})
    with pytest.raises(CatalogueError):
        ToolCall("t").but(timeout_s=-1)


def test_it_is_frozen() -> None:
    """A call does not change, and two calls do not share their defaults."""
    call = ToolCall("t")
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        call.tool = "u"  # type: ignore[misc]
    assert call.args is not ToolCall("t").args


def test_further_fields_are_keywords() -> None:
    """`expect_error` and what follows it are given by name."""
    with pytest.raises(TypeError):
        ToolCall("t", {}, [], "", {}, {}, {}, True)  # type: ignore[call-arg]


@pytest.mark.parametrize("match", ["exact", "subset", "superset", "ignore"])
def test_as_data(match: Any) -> None:
    """Where a call is expected, its data is the tool, the arguments, and how they match."""
    call = ToolCall("find", {"id": Ref("kept")}, label="words", args_match=match)
    data = {"tool": "find", "args": {"id": Ref("kept")}, "args_match": match}
    assert call.as_data() == data
    assert Assertion("calls", "calls", [call]).expected == [data]


RESULTS: list[dict[str, Any]] = [
    {"assertions": [OK]},
    {"save_as": {"a": "b"}},
    {"context_args": {"a": "b"}},
    {"context_args": {"a": "b"}, "arg_transforms": {"a": str}},
    {"expect_error": True},
    {"expect_error": "no"},
    {"retry": 1},
    {"timeout_s": 1},
    {"arg_assertions": [OK]},
]


@pytest.mark.parametrize("fields", RESULTS, ids=",".join)
def test_what_says_nothing_of_an_expected_call_is_refused(fields: dict[str, Any]) -> None:
    """An assertion on calls looks at no result, so that nothing may be said of one."""
    with pytest.raises(CatalogueError, match=r"says nothing where a call is expected"):
        Assertion("calls", "calls", [ToolCall("find", **fields)])
