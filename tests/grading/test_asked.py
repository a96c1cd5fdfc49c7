"""What is checked of an agent's calls: what it sent, what it passed on, what came of it."""

import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from evalkit import (
    Assertion,
    Ref,
    Reply,
    Scenario,
    ScenarioResult,
    ToolCall,
    TransportError,
    grade,
    run,
)

Turns = list[dict[str, Any]]
PAID = {"id": 7, "paid": 49.5, "who": {"name": "Ada"}, "tags": ["a", "b"]}


def find(id: int) -> dict[str, Any]:  # noqa: A002
    """Find an order."""
    if id != 7:
        raise LookupError(f"no order {id}")
    return PAID


def refund(**args: Any) -> dict[str, Any]:
    """Refund an order."""
    return {"ok": True, "args": args}


def gone() -> None:
    """Be out of reach."""
    raise TransportError("gone")


TOOLS: dict[str, Any] = {"find": find, "refund": refund, "gone": gone, "odd": lambda: {1}}
FIND = ToolCall("find", {"id": 7}, save_as={"paid": "paid", "name": "who.name", "tags": "tags"})


def asked(act: Callable[[Any], Any], *steps: ToolCall, **fields: Any) -> ScenarioResult:
    """What comes of an agent that uses its tools so, whatever they raise."""

    def agent(conversation: Turns, ctx: Any) -> str:
        try:
            act(ctx.tools)
        except Exception as error:  # noqa: BLE001  - so agents go on
            return f"sorry: {error}"
        return "done"

    result = run(Scenario("s", "Go.", steps, **fields), agent=agent, tools=TOOLS).results[0]
    assert result.trace is not None
    again = grade(Scenario("s", "Go.", steps, **fields), json.loads(json.dumps(result.trace)))
    assert [(each.code, each.reason) for each in again.checks] == [
        (each.code, each.reason) for each in result.checks
    ]
    return result


def codes(result: ScenarioResult, step: int | None = 1) -> list[str | None]:
    """The codes of the checks of one step."""
    return [check.code for check in result.checks if check.step == step]


def sending(**args: Any) -> Callable[[Any], Any]:
    """Find the order, and refund it with these arguments."""

    def act(tools: Any) -> None:
        tools["find"](id=7)
        tools["refund"](**args)

    return act


WHY = Assertion("why", "matches", "(?i)broken|damaged")
JUDGED: list[tuple[dict[str, Any], list[str | None]]] = [
    ({"id": 7, "why": "Broken."}, [None, None]),
    ({"id": 7, "why": "too late"}, ["wrong_argument", None]),
    ({"id": 7}, ["wrong_argument", None]),
    ({"id": 7, "why": None}, ["wrong_argument", None]),
    ({"id": 8, "why": "Broken."}, ["missing_call", "missing_call"]),
    ({"id": 7, "why": "Broken.", "more": 1}, ["missing_call", "missing_call"]),
    ({"why": "Broken."}, ["missing_call", "missing_call"]),
]


@pytest.mark.parametrize(("args", "expected"), JUDGED, ids=str)
def test_an_argument_that_is_judged_by_assertions(
    args: dict[str, Any], expected: list[str | None]
) -> None:
    """An argument with assertions is judged by them alone; the others are held to the letter."""
    step = ToolCall("refund", {"id": 7, "why": "broken"}, arg_assertions=[WHY])
    assert codes(asked(sending(**args), FIND, step)) == expected


def test_assertions_below_an_argument_leave_it_free() -> None:
    """An assertion on a part of an argument is about that argument as a whole."""
    step = ToolCall("refund", {"who": {"id": 1}}, arg_assertions=[Assertion("who.id", "gt", 5)])
    assert codes(asked(sending(who={"id": 9, "more": 1}), FIND, step)) == [None, None]
    assert codes(asked(sending(who={"id": 1}), FIND, step)) == ["wrong_argument", None]


def test_the_tools_are_sent_what_is_written() -> None:
    """In a direct run nobody chooses the arguments, and no assertion is put to them."""
    step = ToolCall("refund", {"why": "torn"}, arg_assertions=[WHY])
    assert codes(run(Scenario("s", tool_calls=[FIND, step]), tools=TOOLS).results[0]) == [None]


PASSED_ON: list[tuple[dict[str, Any], dict[str, Any], str | None]] = [
    ({"context_args": {"amount": "paid"}}, {"amount": 49.5}, None),
    ({"context_args": {"amount": "paid"}}, {"amount": 49.50}, None),
    ({"context_args": {"amount": "paid"}}, {"amount": 50}, "wrong_argument"),
    ({"context_args": {"amount": "paid"}}, {"amount": "49.5"}, "wrong_argument"),
    ({"context_args": {"amount": "paid"}}, {"amount": None}, "wrong_argument"),
    ({"context_args": {"amount": "paid"}}, {}, "wrong_argument"),
    ({"args": {"to": Ref("name")}}, {"to": "Ada"}, None),
    ({"args": {"to": Ref("name")}}, {"to": "Bob"}, "wrong_argument"),
    ({"args": {"to": [{"name": Ref("name")}, 1]}}, {"to": [{"name": "Ada"}, 1]}, None),
    ({"args": {"to": [{"name": Ref("name")}, 1]}}, {"to": [{"name": "Ada"}]}, "wrong_argument"),
    ({"args": {"tags": Ref("tags")}}, {"tags": ["a", "b"]}, None),
    ({"args": {"tags": Ref("tags")}}, {"tags": ["b", "a"]}, "wrong_argument"),
    (
        {"context_args": {"amount": "paid"}, "arg_transforms": {"amount": lambda paid: paid * 2}},
        {"amount": 99},
        None,
    ),
    (
        {"context_args": {"amount": "paid"}, "arg_transforms": {"amount": lambda paid: paid * 2}},
        {"amount": 49.5},
        "wrong_argument",
    ),
    (
        {"context_args": {"amount": "paid"}, "arg_transforms": {"amount": lambda paid: 1 / 0}},
        {"amount": 49.5},
        "transform_raised",
    ),
    (
        {"context_args": {"amount": "paid"}, "arg_transforms": {"amount": lambda paid: {paid}}},
        {"amount": 49.5},
        "transform_raised",
    ),
]


@pytest.mark.parametrize(
    ("fields", "args", "code"), PASSED_ON, ids=[str(at) for at in range(len(PASSED_ON))]
)
def test_a_saved_value_that_is_passed_on(
    fields: dict[str, Any], args: dict[str, Any], code: str | None
) -> None:
    """An argument that an earlier call gives is a check of its own: it is the value saved."""
    result = asked(sending(**args), FIND, ToolCall("refund", **fields))
    assert result.pairing == [0, 1]
    assert codes(result) == [code, None]
    assert codes(result, None)[0] is None  # that the calls were made is another matter
    assert result.status.value == ("passed" if code is None else "failed")


def test_several_saved_values() -> None:
    """Each argument that is passed on has its own verdict."""
    step = ToolCall("refund", {"id": 7}, context_args={"amount": "paid", "to": "name"})
    result = asked(sending(id=7, amount=49.5, to="Bob"), FIND, step)
    assert codes(result) == [None, "wrong_argument", None]


def test_a_value_that_was_not_saved_passes_nothing() -> None:
    """Where the call that saves it was not made, what is passed on can't be held against it."""
    step = ToolCall("refund", context_args={"amount": "paid"})
    result = asked(lambda tools: tools["refund"](amount=49.5), FIND, step)
    assert result.pairing == [None, 0]
    assert codes(result, 0) == ["missing_call"] + ["unsaved_value"] * 3
    assert codes(result) == ["unsaved_value", None]


def test_a_value_is_that_of_the_paired_call() -> None:
    """A stale value, of another call of the same tool, is not the one that was saved."""
    values = iter([1, 2])
    steps = [
        ToolCall("next", {"of": "new"}, save_as={"n": "n"}),
        ToolCall("use", context_args={"n": "n"}),
    ]
    for sent, expected in ((1, "wrong_argument"), (2, None)):
        values = iter([1, 2])
        tools: dict[str, Any] = {
            "next": lambda of, values=values: {"n": next(values)},
            "use": lambda n: n,
        }

        def agent(conversation: Turns, ctx: Any, sent: int = sent) -> str:
            ctx.tools["next"](of="old")
            ctx.tools["next"](of="new")
            ctx.tools["use"](n=sent)
            return "done"

        scenario = Scenario("s", "Go.", steps)
        result = run(scenario, agent=agent, tools=tools).results[0]
        assert codes(result) == [expected, None]


def test_what_came_of_a_call_is_checked() -> None:
    """Assertions of a step are put to what its paired call returned."""
    step = FIND.but(assertions=[Assertion("paid", "gt", 40), Assertion("paid", "gt", 50)])
    result = asked(lambda tools: tools["find"](id=7), step)
    assert codes(result, 0) == [None, "wrong_value", None, None, None]


FAILS: list[tuple[str, str, str]] = [
    ("find", "tool_raised", "failed"),
    ("gone", "transport_failed", "error"),
    ("odd", "unserialisable_result", "failed"),
]


@pytest.mark.parametrize(("tool", "code", "status"), FAILS, ids=[row[0] for row in FAILS])
def test_a_call_that_fails(tool: str, code: str, status: str) -> None:
    """A paired call that gave no result fails all that is asserted of it."""
    args = {"id": 8} if tool == "find" else {}
    step = ToolCall(tool, args, [Assertion("a", "exists"), Assertion("b", "exists")])
    result = asked(lambda tools: tools[tool](**args), step)
    assert codes(result, 0) == [code, code]
    assert result.status.value == status


EXPECTED: list[tuple[Any, Callable[[Any], Any], str | None]] = [
    (True, lambda tools: tools["find"](id=8), None),
    ("no order", lambda tools: tools["find"](id=8), None),
    ("no such", lambda tools: tools["find"](id=8), "wrong_error"),
    (True, lambda tools: None, "missing_call"),
    (True, lambda tools: tools["find"](id=9), "missing_call"),
]


@pytest.mark.parametrize(("wanted", "act", "code"), EXPECTED, ids=map(str, range(len(EXPECTED))))
def test_an_error_that_is_expected(
    wanted: Any, act: Callable[[Any], Any], code: str | None
) -> None:
    """A step that is to fail is met by a call that was made, and failed so."""
    result = asked(act, ToolCall("find", {"id": 8}, expect_error=wanted))
    assert codes(result, 0) == [code]


def test_an_error_that_did_not_come() -> None:
    """A call that was to fail, and returned, is told by what it returned."""
    result = asked(
        lambda tools: tools["find"](id=7), ToolCall("find", {"id": 7}, expect_error=True)
    )
    assert codes(result, 0) == ["no_error"]


def test_malformed_arguments_may_be_what_is_expected() -> None:
    """A call that a signature refuses is an expected error, and then no lack of hygiene."""
    step = ToolCall("find", {"order": 7}, expect_error=True)
    result = asked(lambda tools: tools["find"](order=7), step, hygiene="strict")
    assert codes(result, 0) == [None]
    assert result.passed


def test_malformed_arguments_that_nobody_expects_are_unclean() -> None:
    """Beside the call that is to fail, another one that is malformed is a lack of hygiene."""

    def act(tools: Any) -> None:
        with suppress(TypeError):
            tools["find"](order=7)
        tools["find"](order=8)

    step = ToolCall("find", {"order": 7}, expect_error=True)
    result = asked(act, step, hygiene="strict")
    assert codes(result, 0) == [None]
    assert codes(result, None) == [None, "malformed_call", None]


def told(*calls: dict[str, Any] | None, steps: list[ToolCall], **fields: Any) -> ScenarioResult:
    """What comes of an agent that tells these calls; None tells nothing."""
    made = None if None in calls else [call for call in calls if call is not None]
    scenario = Scenario("s", "Go.", steps, **fields)
    return run(scenario, agent=lambda conversation: Reply("done", calls=made)).results[0]


ASSERTED = ToolCall("find", {"id": 7}, [Assertion("paid", "gt", 0)], save_as={"paid": "paid"})
USING = ToolCall("refund", context_args={"amount": "paid"})


def test_results_that_are_not_told() -> None:
    """That a call was made is seen; what it returned, and what it saved, nobody knows."""
    calls = [{"tool": "find", "args": {"id": 7}}, {"tool": "refund", "args": {"amount": 49.5}}]
    result = told(*calls, steps=[ASSERTED, USING])
    assert result.pairing == [0, 1]
    assert codes(result, 0) == ["result_unobserved", "result_unobserved"]
    passed_on, returned = codes(result)
    assert passed_on is not None
    assert returned == "not_observed"
    assert codes(result, None) == [None, None, None]
    assert not result.passed


def test_a_call_of_which_nothing_is_asserted_needs_no_result() -> None:
    """Where a step asks for the call alone, an agent that tells the call has made it."""
    result = told({"tool": "find", "args": {"id": 7}}, steps=[ToolCall("find", {"id": 7})])
    assert codes(result, 0) == ["not_observed"]
    assert result.passed


def test_an_expected_error_that_is_not_told() -> None:
    """Whether it failed nobody knows, so that it did not fail as expected."""
    step = ToolCall("find", {"id": 8}, expect_error=True)
    result = told({"tool": "find", "args": {"id": 8}}, steps=[step])
    assert codes(result, 0) == ["result_unobserved"]
    assert result.status.value == "error"


def test_calls_that_are_not_shown() -> None:
    """Of an agent that shows no calls, all that is asked of them is an ERROR."""
    result = told(None, steps=[ASSERTED, USING], forbid_tools=["drop"])
    assert codes(result, 0) == ["calls_unobserved"] * 2
    assert codes(result) == ["calls_unobserved"] * 2
    assert codes(result, None) == ["calls_unobserved", "calls_unobserved", "not_observed", None]
    assert result.status.value == "error"
    assert "shows no calls" in result.checks[0].reason or "does not show" in result.checks[0].reason


def test_with_match_off_the_calls_say_nothing() -> None:
    """Where nothing is asked of the calls, an agent that shows none is measured by its answer."""
    right = told(None, steps=[ASSERTED], match="off", answers=["done"])
    assert (right.status.value, right.pairing) == ("passed", [])
    wrong = told(None, steps=[ASSERTED], match="off", answers=["undone"])
    assert wrong.status.value == "failed"


def test_forbidden_tools() -> None:
    """One call of a tool that may not be called fails, whatever came of it."""
    failed = {"tool": "drop", "args": {}, "error": "not allowed"}
    assert codes(told(failed, steps=[], forbid_tools=["drop"]), None)[0] == "forbidden_call"
    assert codes(told(steps=[], forbid_tools=["drop"]), None)[0] is None


MATCHES: list[tuple[str, list[str], str | None, float]] = [
    ("in_order", ["find", "refund"], None, 1),
    ("in_order", ["find", "find", "refund"], None, 1),
    ("in_order", ["refund", "find"], "wrong_calls", 0.5),
    ("exact", ["find", "refund"], None, 1),
    ("exact", ["find", "drop", "refund"], "wrong_calls", 2 / 3),
    ("exact", ["find"], "wrong_calls", 0.5),
    ("any_order", ["refund", "find"], None, 1),
    ("any_order", ["refund"], "wrong_calls", 0.5),
    ("any_order", [], "wrong_calls", 0),
]


@pytest.mark.parametrize(("match", "tools", "code", "score"), MATCHES, ids=str)
def test_the_calls_as_a_whole(match: str, tools: list[str], code: str | None, score: float) -> None:
    """One check is of all the calls: it passes when whole, and its score is the share of them."""
    calls = [{"tool": tool, "args": {}, "result": 1} for tool in tools]
    result = told(*calls, steps=[ToolCall("find"), ToolCall("refund")], match=match)
    (check,) = [check for check in result.checks if check.description == "match"]
    assert check.code == code
    assert check.score == pytest.approx(score)


def test_an_assertion_on_the_trace_sees_what_was_saved() -> None:
    """What the paired calls have saved can be expected of the answer."""
    said = Assertion("response", "contains", Ref("name"))
    result = asked(lambda tools: tools["find"](id=7), FIND, assertions=[said])
    assert codes(result, None)[0] == "wrong_value"
    missing = asked(lambda tools: None, FIND, assertions=[said])
    assert codes(missing, None)[0] == "unsaved_value"
