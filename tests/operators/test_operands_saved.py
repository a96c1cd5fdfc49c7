"""An operand that an earlier call saved: held to the same rule, and put where the `Ref` stood."""

from typing import Any

import pytest

from evalkit import Assertion, Ref, Scenario, ToolCall, run
from evalkit.operators import OPERATORS


def saved_operand(op: str, saved: Any, actual: Any) -> bool:
    """Whether an operator passes whose operand is what an earlier call saved."""
    scenario = Scenario(
        "saved",
        tool_calls=[
            ToolCall("first", save_as={"kept": "kept"}),
            ToolCall("second", assertions=[Assertion("value", op, Ref("kept"))]),
        ],
    )
    report = run(
        scenario, tools={"first": lambda: {"kept": saved}, "second": lambda: {"value": actual}}
    )
    return report.results[0].checks[-1].passed


FIND = {"tool": "find", "args": {"id": 1}}
REFUSED_SAVED: list[tuple[str, Any, Any]] = [
    ("approx", True, 1),
    ("gt", True, 2),
    ("gte", "", "a"),
    ("lt", None, 0),
    ("lte", [9], [9]),
    ("between", "ab", "a"),
    ("between", [1, 2, 3], 1),
    ("in", "abc", "a"),
    ("in", {"a": 1}, "a"),
    ("not_in", [], 1),
    ("not_in", "abc", "z"),
    ("contains", "", "abc"),
    ("not_contains", "", [1]),
    ("contains_all", [], [1]),
    ("contains_all", "ab", ["a", "b"]),
    ("contains_any", "ab", ["a"]),
    ("has_key", None, 5),
    ("has_key", True, 5),
    ("has_key", 5, {"5": 1}),
    ("lacks_key", None, {}),
    ("lacks_key", 5, {"5": 1}),
    ("len_eq", True, [1]),
    ("len_eq", 1.0, [1]),
    ("len_gte", 0, []),
    ("len_gte", -1, []),
    ("len_lte", 2.5, [1]),
    ("same_items", "ab", ["a", "b"]),
    ("type_is", "str", "a"),
    ("matches", "", "abc"),
    ("matches", ".*", "abc"),
    ("matches", 1, "1"),
    ("not_matches", "[", "abc"),
    ("schema", {}, 1),
    ("schema", True, 1),
    ("subset", {}, {"a": 1}),
    ("subset", 1, 1),
    ("exact_match", 5, "5"),
    ("exact_match", [], "x"),
    ("exact_match", None, "None"),
    ("f1", "the", "the"),
    ("f1", ["oak", "?"], ""),
    ("similar", "", ""),
    ("numeric", "three", "three"),
    ("numeric", True, 1),
    ("numeric", [], 1),
    ("no_errors", 5, 1),
    ("has_error", 5, 1),
    *((op, "find", [FIND]) for op in ("calls", "calls_in_order", "calls_any_order", "calls_only")),
    *((op, [], [FIND]) for op in ("calls", "calls_in_order", "calls_any_order")),
    ("never_calls", [], []),
    ("never_calls", None, []),
    ("calls_exactly", None, []),
    ("calls_only", {}, []),
]


@pytest.mark.parametrize(("op", "saved", "actual"), REFUSED_SAVED, ids=str)
def test_a_saved_operand_is_held_to_the_rule(op: str, saved: Any, actual: Any) -> None:
    """Faults 34 and 36: an operand that would be refused when planned passes nothing when saved."""
    flaw = OPERATORS[op].rule(Assertion("value", op, saved))
    assert (flaw is not None and not flaw.warning) or op == "has_key"
    assert not saved_operand(op, saved, actual)


@pytest.mark.parametrize(
    ("op", "saved", "actual"),
    [
        ("eq", None, None),
        ("eq", {"a": [1]}, {"a": [1.0]}),
        ("gte", 2, 2),
        ("in", ["a"], "a"),
        ("between", [1, 3], 2),
        ("contains", "b", "abc"),
        ("has_key", "a", {"a": 1}),
        ("len_eq", 1, [0]),
        ("matches", "^a", "abc"),
        ("schema", {"type": "null"}, None),
        ("same_items", [], []),
        ("exact_match", ["oak", "elm"], "An elm."),
        ("f1", "red oak", "oak"),
        ("similar", ["oaken"], "oakem"),
        ("numeric", 3, "It is 3."),
        ("numeric", [2, "3"], 3),
        ("calls", ["find"], [FIND]),
        ("calls_exactly", [FIND], [FIND]),
        ("never_calls", ["drop"], [FIND]),
    ],
)
def test_a_saved_operand_is_put_in(op: str, saved: Any, actual: Any) -> None:
    """A saved value that the operator can use stands where the `Ref` stood."""
    assert saved_operand(op, saved, actual)


@pytest.mark.parametrize(
    ("golds", "answer", "code"),
    [
        ([Ref("kept"), "elm"], "oak", None),
        ([Ref("kept"), "elm"], "elm", None),
        ([Ref("kept"), "elm"], "pine", "wrong_value"),
        ([Ref("all"), "elm"], "oak", "unsaved_value"),
        ([Ref("nothing"), "elm"], "elm", "unsaved_value"),
        (Ref("all"), "oak", None),
    ],
    ids=str,
)
def test_one_of_several_golds_may_be_saved(golds: Any, answer: str, code: str | None) -> None:
    """A gold in a list may be a saved text; one that turns out to be no text passes nothing."""
    saving = ToolCall("first", save_as={"kept": "kept", "all": "all", "nothing": "nothing"})
    asked = ToolCall("second", assertions=[Assertion("", "exact_match", golds)])
    document = {"kept": "oak", "all": ["oak"], "nothing": None}
    tools = {"first": lambda: document, "second": lambda: answer}
    found = run(Scenario("s", tool_calls=[saving, asked]), tools=tools).results[0]
    assert found.checks[-1].code == code


INSIDE: list[tuple[str, Any, Any]] = [
    ("calls", [{"tool": "find", "args": {"id": Ref("kept")}}], 1),
    ("calls_exactly", [ToolCall("find", {"id": Ref("kept")})], 1.0),
    ("calls_only", ["pay", ToolCall("find", {"id": Ref("kept")})], 1),
    ("call_args", {"tool": "find", "where": [["id", "eq", Ref("kept")]]}, 1),
    ("call_args", {"tool": "find", "where": [["id", "in", [2, Ref("kept")]]]}, 1),
]


@pytest.mark.parametrize(("op", "expected", "kept"), INSIDE, ids=str)
def test_a_saved_value_may_stand_in_an_expected_call(op: str, expected: Any, kept: Any) -> None:
    """Where a `Ref` stands in what is expected of calls, the saved value is put, and compared."""
    for saved, code in ((kept, None), (2, "wrong_value"), (True, "wrong_value")):
        calls = [
            ToolCall("first", save_as={"kept": "kept"}),
            ToolCall("second", assertions=[Assertion("", op, expected)]),
        ]
        tools: dict[str, Any] = {
            "first": lambda saved=saved: {"kept": saved},
            "second": lambda: [FIND],
        }
        found = run(Scenario("s", tool_calls=calls), tools=tools).results[0]
        assert (found.checks[-1].code, saved) == (code, saved)
