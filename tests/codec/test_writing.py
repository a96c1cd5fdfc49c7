"""How scenarios are written as plain data: the usual left out, what can't be said refused."""

import functools
import json
from pathlib import Path
from typing import Any

import pytest

from evalkit import Answers, Assertion, CatalogueError, Op, Ref, Scenario, ToolCall, Turn
from evalkit.codec import Codec, plain_scenario
from evalkit.loaders import load
from evalkit.writers import written

CODEC = Codec()


def outer() -> Any:
    """Give a function that has no name of its own."""

    def inner(value: Any) -> Any:
        return value

    return inner


@functools.wraps(json.dumps)
def pretender(value: Any) -> Any:
    """Bear the name of another function."""
    return value


def written_call(**fields: Any) -> Any:
    """What a call with these fields is written as."""
    (call,) = plain_scenario(Scenario("a", tool_calls=[ToolCall("t", **fields)]))["tool_calls"]
    return call


@pytest.mark.parametrize(
    ("scenario", "data"),
    [
        (Scenario("a"), {"name": "a"}),
        (Scenario("a", description="", tags=[], difficulty="standard"), {"name": "a"}),
        (Scenario("a", "Why?", tags=["x"]), {"name": "a", "prompt": "Why?", "tags": ["x"]}),
        (Scenario("a", answers=["x"]), {"name": "a", "answers": ["x"]}),
        (Scenario("a", answers=Answers(["x"])), {"name": "a", "answers": ["x"]}),
        (
            Scenario("a", answers=Answers([1], "numeric")),
            {"name": "a", "answers": {"golds": [1], "match": "numeric"}},
        ),
        (
            Scenario("a", [Turn("user", "x")]),
            {"name": "a", "prompt": [{"role": "user", "content": "x"}]},
        ),
        (Scenario("a", metadata={}), {"name": "a", "metadata": {}}),
        (Scenario("a", source="x.py:3"), {"name": "a"}),
    ],
)
def test_what_is_usual_is_left_out(scenario: Scenario, data: Any) -> None:
    """A field is written where it says something, and the place of a scenario never."""
    assert plain_scenario(scenario) == data


@pytest.mark.parametrize(
    ("assertion", "data"),
    [
        (Assertion("x", Op.EXISTS), {"path": "x", "op": "exists"}),
        (Assertion("x", Op.EQ, None), {"path": "x", "op": "eq", "expected": None}),
        (Assertion("x", Op.EQ, 0), {"path": "x", "op": "eq", "expected": 0}),
        (Assertion("x", Op.EQ, ""), {"path": "x", "op": "eq", "expected": ""}),
        (Assertion("x", Op.EQ, Ref("y")), {"path": "x", "op": "eq", "expected": {"$ref": "y"}}),
        (Assertion("x", "is_prime"), {"path": "x", "op": "is_prime"}),
        (Assertion("x", Op.EQ, 1, weight=0), {"path": "x", "op": "eq", "expected": 1, "weight": 0}),
    ],
)
def test_an_assertion(assertion: Assertion, data: Any) -> None:
    """Nothing expected and null expected are told apart; a saved value is a reference."""
    assert written_call(assertions=[assertion])["assertions"] == [data]


def test_what_is_written_are_builtins() -> None:
    """Plain data has exact types alone, so that every writer knows them."""
    data = plain_scenario(Scenario("a", assertions=[Assertion("calls", Op.LEN_EQ, 1)]))
    assert type(data["assertions"][0]["op"]) is str


def test_what_is_written_is_no_part_of_the_scenario() -> None:
    """Who changes the data leaves the scenario as it was."""
    scenario = Scenario("a", tags=["x"], metadata={"deep": [1]})
    data = plain_scenario(scenario)
    data["metadata"]["deep"].append(2)
    assert scenario.metadata == {"deep": [1]}


@pytest.mark.parametrize(
    ("function", "name"),
    [(json.dumps, "json:dumps"), (len, "builtins:len"), (int, "builtins:int")],
)
def test_a_function_is_written_by_its_name(function: Any, name: str) -> None:
    """A function of a module is named by module and name."""
    assert written_call(context_args={"a": "x"}, arg_transforms={"a": function}) == {
        "tool": "t",
        "context_args": {"a": "x"},
        "arg_transforms": {"a": name},
    }


NAMELESS = {
    "lambda": lambda value: value,
    "inner": outer(),
    "partial": functools.partial(max, 1),
    "method": json.JSONDecoder().decode,
    "builtin method": "abc".count,
    "descriptor": str.upper,
    "pretender": pretender,
}


@pytest.mark.parametrize("name", NAMELESS)
def test_a_function_that_no_name_leads_to_is_refused(name: str) -> None:
    """Where another reader would find nothing, or another function, the scenario is not written."""
    call = ToolCall("t", context_args={"a": "x"}, arg_transforms={"a": NAMELESS[name]})
    with pytest.raises(CatalogueError, match=r"^cases\.py:3: odd: a file can't name"):
        plain_scenario(Scenario("odd", tool_calls=[call], source="cases.py:3"))


def test_a_function_of_a_class_is_refused_or_found_again(tmp_path: Path) -> None:
    """What is written by a name with dots is what that name leads to."""
    function: Any = json.JSONDecoder.decode
    call = ToolCall("t", context_args={"a": "x"}, arg_transforms={"a": function})
    scenario = Scenario("a", tool_calls=[call])
    try:
        content = written([scenario], ".json")
    except CatalogueError:
        return
    (tmp_path / "a.json").write_bytes(content)
    assert load(tmp_path / "a.json", allow_import=True)["a"] == scenario


def test_everything_that_can_not_be_written_is_told_at_once() -> None:
    """Of several scenarios, each that can't be written is named."""
    odd = ToolCall("t", context_args={"a": "x"}, arg_transforms={"a": lambda value: value})
    found = [Scenario("a", tool_calls=[odd]), Scenario("b"), Scenario("c", tool_calls=[odd])]
    with pytest.raises(CatalogueError) as caught:
        written(found, ".yaml")
    assert [problem.where for problem in caught.value.problems] == ["a", "c"]


LOOK_ALIKE = {"$ref": "x"}


@pytest.mark.parametrize(
    "fields",
    [
        {"args": {"a": LOOK_ALIKE}},
        {"args": {"a": [LOOK_ALIKE]}},
        {"assertions": [Assertion("x", Op.EQ, LOOK_ALIKE)]},
        {"assertions": [Assertion("x", Op.EQ, [1, LOOK_ALIKE])]},
    ],
    ids=str,
)
def test_data_that_would_be_read_as_a_saved_value_is_refused(fields: dict[str, Any]) -> None:
    """An object of the one key `$ref` is data in Python, and would be a reference in a file."""
    with pytest.raises(CatalogueError, match="would be read as a Ref"):
        plain_scenario(Scenario("a", tool_calls=[ToolCall("t", **fields)]))


@pytest.mark.parametrize(
    "scenario",
    [
        Scenario("a", metadata=LOOK_ALIKE),
        Scenario("a", metadata={"deep": [LOOK_ALIKE]}),
        Scenario("a", tool_calls=[ToolCall("t", LOOK_ALIKE)]),
        Scenario("a", tool_calls=[ToolCall("t", save_as=LOOK_ALIKE)]),
        Scenario("a", tool_calls=[ToolCall("t", context_args=LOOK_ALIKE)]),
        Scenario("a", assertions=[Assertion("calls", Op.SCHEMA, {"items": LOOK_ALIKE})]),
        Scenario("a", tool_calls=[ToolCall("t", {"a": {"$ref": "x", "b": 1}})]),
    ],
    ids=["metadata", "in metadata", "args", "save_as", "context_args", "schema", "not alone"],
)
def test_the_key_is_no_reference_elsewhere(scenario: Scenario) -> None:
    """Where the codec reads `$ref` as itself, it is written as itself."""
    assert CODEC.scenario(plain_scenario(scenario)) == scenario


def test_a_value_that_is_large() -> None:
    """Integers of any size are plain data."""
    assert plain_scenario(Scenario("a", metadata={"n": 2**200}))["metadata"] == {"n": 2**200}
