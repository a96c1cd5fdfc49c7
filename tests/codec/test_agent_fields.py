"""What is wrong with what a file says of agents: all of it at once, each with its place."""

from typing import Any

import pytest

from evalkit import CatalogueError, Scenario, State, ToolCall
from evalkit.codec import Codec, MisfitError, plain_scenario

BASE: dict[str, Any] = {"name": "a", "prompt": "Hello?", "answers": ["Oslo"]}
PLAIN, NAMING = Codec(), Codec(named=lambda name: len)


def told(data: dict[str, Any], codec: Codec = PLAIN) -> dict[tuple[Any, ...], str]:
    """What is wrong with a scenario, by the place of it."""
    with pytest.raises(MisfitError) as caught:
        codec.scenario({**BASE, **data})
    return {each.steps: each.problem for each in caught.value.misfits}


PUBLIC = {"url": "https://example.com"}
STEP = {"tool": "t", "args_match": "part", "arg_assertions": [["a", "eqq", 1], ["a"]]}
WRONG: dict[str, Any] = {
    "budget": {"max_turnss": 1, "max_calls": -1},
    "limits": {"max_calls": 0},
    "state": {"expected": {"a": 1}, "capture": {"a": {"tool": "", "arg": 1}}},
    "few_shot": [{"input": "", "expected": "4"}, {"inputs": "2 + 2", "expected": "4"}],
    "attachments": [{"path": "/a"}, {"url": "http://example.com"}, {"path": "a", **PUBLIC}],
    "match": "ordered",
    "hygiene": "lax",
    "tool_calls": [STEP],
    "forbid_tools": [""],
    "skip": "",
}
PLACES: dict[tuple[Any, ...], str] = {
    ("budget", "max_turnss"): "unknown field 'max_turnss'",
    ("budget", "max_calls"): "expected a whole number, 0 or more, got -1",
    ("limits", "max_calls"): "expected a whole number, 1 or more, got 0",
    ("state", "capture", "a", "arg"): "unknown field 'arg'",
    ("state", "capture", "a", "tool"): "is blank",
    ("few_shot", 0, "input"): "is blank",
    ("few_shot", 1, "inputs"): "unknown field 'inputs'",
    ("few_shot", 1): "needs 'input'",
    ("attachments", 0, "path"): "'/a' is absolute",
    ("attachments", 1, "url"): "'http://example.com' is no https address",
    ("attachments", 2): "has path and url",
    ("match",): "unknown value 'ordered'",
    ("hygiene",): "unknown value 'lax'",
    ("tool_calls", 0, "args_match"): "unknown value 'part'",
    ("tool_calls", 0, "arg_assertions", 0, 1): "op: unknown operator 'eqq'",
    ("tool_calls", 0, "arg_assertions", 1): "expected a list of path, op, expected, description",
    ("forbid_tools", 0): "is blank",
    ("skip",): "is blank",
}


def test_all_that_is_wrong_is_told_at_once() -> None:
    """Of many mistakes none hides another, and each has its place."""
    found = told(WRONG)
    assert {place: problem for place, problem in found.items() if place not in PLACES} == {}
    assert all(found[place].startswith(problem) for place, problem in PLACES.items())


@pytest.mark.parametrize("name", WRONG)
def test_each_is_told_by_itself(name: str) -> None:
    """A mistake is told with the same words where it is the only one."""
    found = told({name: WRONG[name]})
    expected = {place: problem for place, problem in PLACES.items() if place[0] == name}
    assert found.keys() == expected.keys()
    assert all(found[place].startswith(problem) for place, problem in expected.items())


CAPTURES: list[tuple[Any, Codec, Any]] = [
    ("get", PLAIN, "get"),
    ("shop:capture", NAMING, len),
    ({"a": "get"}, PLAIN, {"a": ToolCall("get")}),
    ({"a": {"tool": "get", "args": {"id": 1}}}, PLAIN, {"a": ToolCall("get", {"id": 1})}),
]


@pytest.mark.parametrize(("written", "codec", "kept"), CAPTURES, ids=["tool", "name", "by", "call"])
def test_a_capture_is_written_in_three_ways(written: Any, codec: Codec, kept: Any) -> None:
    """The name of a tool, a function by its name, or a call for each name."""
    made = codec.scenario({**BASE, "state": {"expected": {"a": 1}, "capture": written}})
    assert made == Scenario("a", "Hello?", answers=["Oslo"], state=State({"a": 1}, capture=kept))


def test_a_file_may_not_name_a_function_unless_it_is_let() -> None:
    """A function that captures is named only where files may name some."""
    found = told({"state": {"expected": {"a": 1}, "capture": "shop:capture"}})
    assert found == {("state", "capture"): "a file may not name the function 'shop:capture'"}


def test_a_tool_that_would_be_read_as_a_function_is_not_written() -> None:
    """A capture that a file would take for something else is refused, not written."""
    scenario = Scenario("a", "Hello?", state=State({"a": 1}, capture="shop:capture"))
    with pytest.raises(CatalogueError, match="would take the tool 'shop:capture' for a function"):
        plain_scenario(scenario)


def test_a_state_is_data() -> None:
    """In what a state expects, `$ref` is a key as any other."""
    scenario = Scenario("a", "Hello?", state=State({"a": {"$ref": "b"}}, capture="get"))
    assert PLAIN.scenario(plain_scenario(scenario)) == scenario
