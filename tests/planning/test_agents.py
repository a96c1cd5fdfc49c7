"""What a scenario comes down to under an agent: which checks, by which codes, and how many."""

from typing import Any

import pytest

from evalkit import (
    MISSING,
    Assertion,
    Budget,
    CatalogueError,
    Limits,
    Op,
    Ref,
    Scenario,
    State,
    ToolCall,
    Turn,
)
from evalkit.plan import BoundAssertion, Plan
from evalkit.planning import Planner
from evalkit.subjects.kinds import AGENTS, TOOLS, Kind

FIND = ToolCall("find", {"id": 1}, save_as={"paid": "paid"})
REFUND = ToolCall("refund", {"why": "broken"}, context_args={"amount": "paid"})
SAID = Assertion("response", Op.CONTAINS, "done")
Row = tuple[str, str, Any, str]


def planned(kind: Kind = AGENTS, *, own: bool | None = None, **fields: Any) -> Plan:
    """The plan of a scenario, under an agent unless said otherwise."""
    scenario = Scenario(**{"name": "s", "prompt": "Refund it.", **fields})
    return Planner(None, {}, kind=kind, own=own).plan([scenario]).plans[0]


def row(bound: BoundAssertion) -> Row:
    """The path, operator and operand of a check, and the code of its failure."""
    asserted = bound.assertion
    return asserted.path, str(asserted.op), asserted.expected, bound.code


ENDED: Row = ("stop_cause", "eq", "completed", "stopped_by_limit")
CLEAN: Row = ("calls", "hygiene", MISSING, "malformed_call")
FORBIDDEN: Row = ("calls", "never_calls", ["drop"], "forbidden_call")


def whole(match: str, *operands: dict[str, Any]) -> Row:
    """The check of the calls as a whole."""
    return "calls", f"calls_{match}", list(operands), "wrong_calls"


FOUND = {"tool": "find", "args": {"id": 1}, "args_match": "exact"}
PAID = {"tool": "refund", "args": {"why": "broken"}, "args_match": "exact", "free": ["amount"]}
ON_TRACE: dict[str, tuple[dict[str, Any], list[Row]]] = {
    "in order": ({"tool_calls": [FIND, REFUND]}, [whole("in_order", FOUND, PAID), CLEAN, ENDED]),
    "exactly": (
        {"tool_calls": [FIND], "match": "exact"},
        [whole("exactly", FOUND), CLEAN, ENDED],
    ),
    "any order": (
        {"tool_calls": [FIND], "match": "any_order"},
        [whole("any_order", FOUND), CLEAN, ENDED],
    ),
    "off": (
        {"tool_calls": [FIND], "match": "off", "forbid_tools": ["drop"]},
        [FORBIDDEN, CLEAN, ENDED],
    ),
    "no calls": ({"forbid_tools": ["drop"]}, [FORBIDDEN, CLEAN, ENDED]),
    "what is asserted stands first": (
        {"assertions": [SAID], "forbid_tools": ["drop"]},
        [("response", "contains", "done", "wrong_value"), FORBIDDEN, CLEAN, ENDED],
    ),
    "strict": (
        {"forbid_tools": ["drop"], "hygiene": "strict"},
        [FORBIDDEN, ("calls", "hygiene", "strict", "malformed_call"), ENDED],
    ),
    "no hygiene": ({"forbid_tools": ["drop"], "hygiene": False}, [FORBIDDEN, ENDED]),
    "a budget": (
        {
            "forbid_tools": ["drop"],
            "hygiene": False,
            "budget": Budget(
                max_turns=1,
                max_calls=2,
                max_input_tokens=3,
                max_output_tokens=4,
                max_cost_usd=0.5,
                max_seconds=6,
            ),
        },
        [
            *[FORBIDDEN, ENDED],
            ("meta.turns", "lte", 1, "over_budget"),
            ("calls", "len_lte", 2, "over_budget"),
            ("usage.input_tokens", "lte", 3, "over_budget"),
            ("usage.output_tokens", "lte", 4, "over_budget"),
            ("cost_usd", "lte", 0.5, "over_budget"),
            ("seconds", "lte", 6, "over_budget"),
        ],
    ),
    "a part of a budget": (
        {"forbid_tools": ["drop"], "hygiene": False, "budget": Budget(max_calls=0)},
        [FORBIDDEN, ENDED, ("calls", "len_lte", 0, "over_budget")],
    ),
    "limits are no check": (
        {"forbid_tools": ["drop"], "limits": Limits(max_calls=2)},
        [FORBIDDEN, CLEAN, ENDED],
    ),
    "state": (
        {"state": State({"a.b": 1, "c": None}, replayed=["d"]), "hygiene": False},
        [
            ('state["a.b"]', "eq", 1, "wrong_state"),
            ("state.c", "eq", None, "wrong_state"),
            ("state.d", "eq", Ref("the replayed state d"), "wrong_state"),
            ENDED,
        ],
    ),
    "another end": (
        {"assertions": [Assertion("stop_cause", "eq", "max_calls")], "hygiene": False},
        [("stop_cause", "eq", "max_calls", "wrong_value")],
    ),
    "another end by another path": (
        {"assertions": [Assertion("$['stop_cause']", "eq", "max_calls")], "hygiene": False},
        [("$['stop_cause']", "eq", "max_calls", "wrong_value")],
    ),
    "a path from the root is not about the end": (
        {"assertions": [Assertion("$.calls", "len_eq", 1)], "hygiene": False},
        [("$.calls", "len_eq", 1, "wrong_value"), ENDED],
    ),
}


@pytest.mark.parametrize("name", ON_TRACE)
def test_what_is_checked_of_the_whole(name: str) -> None:
    """The fields of a scenario come down to these checks of the trace, and to no other."""
    fields, rows = ON_TRACE[name]
    assert [row(bound) for bound in planned(**fields).assertions] == rows


def test_what_is_not_asked_for_weighs_nothing() -> None:
    """That it came to its end, and cleanly, is asked of every agent, and moves no score."""
    plan = planned(tool_calls=[FIND], assertions=[SAID], budget=Budget(max_calls=1))
    weights = {row(bound)[3]: bound.assertion.weight for bound in plan.assertions}
    assert weights == {
        "wrong_value": 1,
        "wrong_calls": 1,
        "malformed_call": 0,
        "stopped_by_limit": 0,
        "over_budget": 1,
    }


OPERANDS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "literal": ({"args": {"id": 1}}, {"args": {"id": 1}}),
    "none": ({}, {"args": {}}),
    "subset": ({"args": {"id": 1}, "args_match": "subset"}, {"args": {"id": 1}}),
    "superset": ({"args": {"id": 1}, "args_match": "superset"}, {"args": {"id": 1}}),
    "ignore": ({"args": {"id": 1}, "args_match": "ignore"}, {}),
    "judged": (
        {"args": {"id": 1, "why": "x"}, "arg_assertions": [Assertion("why", "contains", "y")]},
        {"args": {"id": 1}, "free": ["why"]},
    ),
    "judged below": (
        {"args": {"id": 1}, "arg_assertions": [Assertion("$.who[0].name", "eq", "y")]},
        {"args": {"id": 1}, "free": ["who"]},
    ),
    "judged as a whole": (
        {"args": {"id": 1}, "arg_assertions": [Assertion("", "has_key", "id")]},
        {"args": {"id": 1}},
    ),
    "judged by a warning": (
        {"args": {"id": 1}, "arg_assertions": [Assertion("id", "gt", 5, severity="warn")]},
        {"args": {"id": 1}},
    ),
    "passed on": (
        {"args": {"id": 1, "to": [Ref("kept")]}, "context_args": {"amount": "kept"}},
        {"args": {"id": 1}, "free": ["amount", "to"]},
    ),
}


@pytest.mark.parametrize("name", OPERANDS)
def test_what_is_asked_of_a_call(name: str) -> None:
    """A call is asked for by what is known of it; what is judged by itself is free."""
    fields, operand = OPERANDS[name]
    plan = planned(tool_calls=[ToolCall("get", save_as={"kept": "a"}), ToolCall("t", **fields)])
    match = fields.get("args_match", "exact")
    assert plan.assertions[0].assertion.expected[1] == {"tool": "t", "args_match": match, **operand}
    asked, free = plan.calls[1].asked, sorted(plan.calls[1].free)
    assert (asked, free) == (operand.get("args"), operand.get("free", []))


SENT: dict[str, tuple[dict[str, Any], list[Row]]] = {
    "literal": ({"args": {"id": 1}}, []),
    "judged": (
        {"args": {"why": "x"}, "arg_assertions": [Assertion("why", "contains", "y")]},
        [("why", "contains", "y", "wrong_argument")],
    ),
    "by a saved value": (
        {"arg_assertions": [Assertion("why", "eq", Ref("kept"))]},
        [("why", "eq", Ref("kept"), "wrong_argument")],
    ),
    "a saved value": (
        {"context_args": {"amount": "kept"}},
        [("amount", "eq", Ref("kept"), "wrong_argument")],
    ),
    "saved values inside": (
        {"args": {"a.b": {"to": [Ref("kept"), 1]}}},
        [('["a.b"]', "eq", {"to": [Ref("kept"), 1]}, "wrong_argument")],
    ),
    "a saved value, whatever else is sent": (
        {"context_args": {"amount": "kept"}, "args_match": "ignore"},
        [("amount", "eq", Ref("kept"), "wrong_argument")],
    ),
    "a saved value that is judged": (
        {
            "context_args": {"amount": "kept"},
            "arg_assertions": [Assertion("amount", "gt", 0)],
        },
        [("amount", "gt", 0, "wrong_argument")],
    ),
}


@pytest.mark.parametrize("name", SENT)
def test_what_is_checked_of_what_is_sent(name: str) -> None:
    """Each assertion on the arguments, and each saved value that is passed on, is a check."""
    fields, rows = SENT[name]
    plan = planned(tool_calls=[ToolCall("get", save_as={"kept": "a"}), ToolCall("t", **fields)])
    assert [row(bound) for bound in plan.calls[1].arg_checks] == rows
    assert plan.calls[0].arg_checks == ()


def test_a_transform_is_kept_for_what_is_passed_on() -> None:
    """What a saved value goes through before it is sent is what it is held against."""
    call = ToolCall("t", context_args={"amount": "kept"}, arg_transforms={"amount": str})
    plan = planned(tool_calls=[ToolCall("get", save_as={"kept": "a"}), call])
    (check,) = plan.calls[1].arg_checks
    assert check.transform is str


AGENT_FIELDS: dict[str, Any] = {
    "match": "exact",
    "forbid_tools": ["drop"],
    "hygiene": "strict",
    "budget": Budget(max_calls=0),
    "limits": Limits(max_calls=1),
    "system_prompt": "Be brief.",
    "session_id": "s 1",
}


@pytest.mark.parametrize("name", AGENT_FIELDS)
def test_the_tools_know_nothing_of_it(name: str) -> None:
    """What is about agents adds no check to a direct run; the state does."""
    calls = [FIND, REFUND.but(arg_assertions=[Assertion("why", "exists")], args_match="subset")]
    plan = planned(TOOLS, tool_calls=calls, **{name: AGENT_FIELDS[name]})
    assert plan.assertions == ()
    assert [bound.arg_checks for bound in plan.calls] == [(), ()]
    state = planned(TOOLS, tool_calls=calls, state=State({"a": 1}, replayed=["b"])).assertions
    assert [row(bound) for bound in state] == [("state.a", "eq", 1, "wrong_state")]


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "no user's turn": (
        {"prompt": [Turn("system", "a")], "answers": ["Oslo"]},
        "s.prompt: ends with a turn that is not the user's",
    ),
    "answered already": (
        {"prompt": [Turn("user", "a"), Turn("assistant", "b")], "answers": ["Oslo"]},
        "s.prompt: ends with a turn that is not the user's",
    ),
    "nothing saves it": (
        {"tool_calls": [ToolCall("t", arg_assertions=[Assertion("x", "eq", Ref("z"))])]},
        "s.tool_calls[0].arg_assertions[0].expected: no earlier call saves 'z'",
    ),
    "saved too late": (
        {
            "tool_calls": [
                ToolCall("t", arg_assertions=[Assertion("x", "eq", Ref("z"))], save_as={"z": "z"})
            ]
        },
        "no earlier call saves 'z'",
    ),
    "no operator": (
        {"tool_calls": [ToolCall("t", arg_assertions=[Assertion("x", "eqq", 1)])]},
        "s.tool_calls[0].arg_assertions[0].op: unknown operator 'eqq'; did you mean 'eq'?",
    ),
    "no path": (
        {"tool_calls": [ToolCall("t", arg_assertions=[Assertion("x[", "eq", 1)])]},
        "s.tool_calls[0].arg_assertions[0].path: the bracket is not closed",
    ),
    "no step is paired": (
        {
            "tool_calls": [FIND],
            "match": "off",
            "assertions": [Assertion("response", "contains", Ref("paid"))],
        },
        "s.assertions[0].expected: no call saves 'paid'",
    ),
    "a budget alone": ({"budget": Budget(max_calls=1)}, "has nothing to check that can fail it"),
    "hygiene alone": ({"hygiene": "strict"}, "has nothing to check that can fail it"),
    "limits alone": ({"limits": Limits(max_calls=1)}, "has nothing to check that can fail it"),
    "a budget below its own calls": (
        {"tool_calls": [FIND, FIND], "budget": Budget(max_calls=1)},
        "s.budget.max_calls: 1 calls at most, and the tool calls are 2",
    ),
    "a warning alone": (
        {"assertions": [SAID.but(severity="warn")]},
        "has nothing to check that can fail it",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_found_when_planned(name: str) -> None:
    """What can't be asked of an agent is a catalogue error, with its place."""
    fields, told = WRONG[name]
    with pytest.raises(CatalogueError) as caught:
        planned(**fields)
    assert told in str(caught.value)


def test_a_wrong_argument_assertion_is_found_in_a_direct_run_too() -> None:
    """What only an agent is asked is planned for all the same: the catalogue is one."""
    calls = [ToolCall("t", arg_assertions=[Assertion("x", "eqq", 1)])]
    with pytest.raises(CatalogueError, match="unknown operator 'eqq'"):
        planned(TOOLS, tool_calls=calls)


@pytest.mark.parametrize("own", [True, False, None])
def test_only_own_tools_can_be_replayed(own: bool | None) -> None:
    """Tools that are shared by all runs can't show what the scenario's own calls leave."""
    fields: dict[str, Any] = {"tool_calls": [FIND], "state": State(replayed=["a"], capture="get")}
    if own is False:
        with pytest.raises(CatalogueError, match=r"state\.replayed: .* on tools that are shared"):
            planned(own=own, **fields)
    else:
        assert planned(own=own, **fields).skip is None
    assert planned(TOOLS, own=own, **fields).skip is None
