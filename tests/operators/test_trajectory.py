"""The operators on calls: what holds, what does not, by how much, and why."""

from typing import Any

import pytest

from evalkit import MISSING, Assertion, CatalogueError, Check, Op, ToolCall, check

FIND = {"tool": "find_order", "args": {"id": 1007}}
REFUND = {"tool": "refund", "args": {"id": 1007, "reason": "broken"}}
CANCEL = {"tool": "cancel", "args": {}}
ON_CALLS = [
    (Op.CALLS, ["find_order"]),
    (Op.CALLS_IN_ORDER, ["find_order"]),
    (Op.CALLS_EXACTLY, ["find_order"]),
    (Op.CALLS_ANY_ORDER, ["find_order"]),
    (Op.CALLS_ONLY, ["find_order"]),
    (Op.NEVER_CALLS, ["cancel"]),
    (Op.CALL_ARGS, {"tool": "find_order", "where": [["id", "eq", 1007]]}),
    (Op.HYGIENE, MISSING),
]


def put(op: Op, expected: Any, calls: Any) -> Check:
    """The check that an operator makes of calls."""
    return check(Assertion("", op, expected), calls)


def failed(call: dict[str, Any], kind: str) -> dict[str, Any]:
    """A call that gave an error of this kind."""
    return {**call, "error": {"kind": kind, "type": "TypeError", "message": "no such thing"}}


@pytest.mark.parametrize(("op", "expected"), ON_CALLS)
@pytest.mark.parametrize(
    "value",
    [
        None,
        {},
        "find_order",
        1,
        True,
        [None],
        ["find_order"],
        [{}],
        [{"tool": "find_order"}],
        [{"tool": 1, "args": {}}],
        [{"tool": "find_order", "args": []}],
        [FIND, "refund"],
    ],
)
def test_what_is_no_list_of_calls_fails(op: Op, expected: Any, value: Any) -> None:
    """Every operator on calls fails what is no list of them, the negated ones too."""
    assert not put(op, expected, value).passed


HOLD = [
    (Op.CALLS, ["refund", "find_order"], [FIND, REFUND]),
    (Op.CALLS, [ToolCall("find_order", {"id": 1007})], [REFUND, FIND]),
    (Op.CALLS, ["find_order", ToolCall("find_order", {"id": 1007})], [FIND]),
    (Op.CALLS_IN_ORDER, ["find_order", "refund"], [FIND, CANCEL, REFUND]),
    (Op.CALLS_EXACTLY, ["find_order", "refund"], [FIND, REFUND]),
    (Op.CALLS_EXACTLY, [], []),
    (Op.CALLS_ANY_ORDER, ["refund", "find_order"], [FIND, CANCEL, REFUND]),
    (Op.CALLS_ANY_ORDER, ["find_order", "find_order"], [FIND, FIND]),
    (Op.CALLS_ONLY, ["find_order", "refund"], [REFUND]),
    (Op.CALLS_ONLY, ["find_order"], []),
    (Op.CALLS_ONLY, [], []),
    (Op.NEVER_CALLS, ["cancel"], [FIND]),
    (Op.NEVER_CALLS, [ToolCall("refund", {"id": 1})], [REFUND]),
    (Op.NEVER_CALLS, ["cancel"], []),
    (Op.CALL_ARGS, {"tool": "refund", "where": [["reason", "matches", "bro"]]}, [FIND, REFUND]),
    (
        Op.CALL_ARGS,
        {"tool": "refund", "where": [Assertion("id", Op.GT, 1), Assertion("reason", Op.LEN_EQ, 6)]},
        [REFUND],
    ),
    (Op.HYGIENE, MISSING, []),
    (Op.HYGIENE, "strict", [FIND, failed(REFUND, "raised")]),
    (Op.HYGIENE, MISSING, [failed(FIND, "invalid_arguments"), FIND]),
    (Op.HYGIENE, MISSING, [failed(CANCEL, "unknown_tool"), FIND]),
]


@pytest.mark.parametrize(("op", "expected", "calls"), HOLD)
def test_what_holds(op: Op, expected: Any, calls: Any) -> None:
    """Each operator holds of what it is for, with a whole score."""
    found = put(op, expected, calls)
    assert (found.passed, found.score) == (True, 1.0), found.reason


FAIL = [
    (Op.CALLS, ["refund", "find_order"], [FIND], 0.5, "not called: refund"),
    (Op.CALLS, ["cancel"], [], 0.0, "not called: cancel"),
    (Op.CALLS_IN_ORDER, ["refund", "find_order"], [FIND, REFUND], 0.5, "1 of 2 calls"),
    (Op.CALLS_IN_ORDER, ["find_order"], [], 0.0, "not called: find_order"),
    (Op.CALLS_EXACTLY, ["find_order"], [FIND, CANCEL], 0.5, "not expected: 'cancel'"),
    (Op.CALLS_EXACTLY, [], [CANCEL], 0.0, "not expected: 'cancel'"),
    (Op.CALLS_EXACTLY, ["find_order", "refund"], [REFUND, FIND], 0.5, "not in this order"),
    (Op.CALLS_ANY_ORDER, ["find_order", "find_order"], [FIND], 0.5, "1 of 2 calls"),
    (Op.CALLS_ONLY, ["find_order"], [FIND, FIND], 0.5, "not expected: 'find_order'"),
    (Op.CALLS_ONLY, [], [CANCEL], 0.0, "not expected: 'cancel'"),
    (Op.NEVER_CALLS, ["cancel"], [FIND, CANCEL], 0.0, "call 1 is cancel"),
    (Op.NEVER_CALLS, ["cancel"], [failed(CANCEL, "unknown_tool")], 0.0, "call 0 is cancel"),
    (
        Op.CALL_ARGS,
        {"tool": "refund", "where": [["reason", "eq", "late"], ["id", "eq", 1007]]},
        [REFUND],
        0.5,
        "reason: expected 'late', got 'broken'",
    ),
    (Op.CALL_ARGS, {"tool": "refund", "where": [["amount", "gt", 0]]}, [REFUND], 0.0, "not sent"),
    (Op.CALL_ARGS, {"tool": "refund", "where": [["id", "ne", 1]]}, [FIND], 0.0, "was not called"),
    (
        Op.CALL_ARGS,
        {"tool": "t", "where": [["a", "eq", 1], ["b", "eq", 1]]},
        [{"tool": "t", "args": {"a": 1, "b": 2}}, {"tool": "t", "args": {"a": 2, "b": 1}}],
        0.5,
        "b: expected 1, got 2",
    ),
    (Op.HYGIENE, MISSING, [failed(FIND, "invalid_arguments")], 0.0, "no such thing"),
    (Op.HYGIENE, MISSING, [failed(FIND, "invalid_arguments"), REFUND], 0.5, "no such thing"),
    (Op.HYGIENE, MISSING, [FIND, failed(CANCEL, "unknown_tool")], 0.5, "call 1, cancel"),
    (Op.HYGIENE, "strict", [failed(FIND, "invalid_arguments"), FIND], 0.5, "call 0, find_order"),
]


@pytest.mark.parametrize(("op", "expected", "calls", "score", "told"), FAIL)
def test_what_fails(op: Op, expected: Any, calls: Any, score: float, told: str) -> None:
    """Each operator fails what it is against, says what is wrong, and how much of it is right."""
    found = put(op, expected, calls)
    assert not found.passed
    assert found.score == pytest.approx(score)
    assert told in found.reason


ARGUMENTS = [
    ("exact", {"a": 1}, {"a": 1.0}, None),
    ("exact", {"a": 1}, {"a": True}, "args.a: expected 1, got True"),
    ("exact", {"a": 1}, {"a": "1"}, "args.a: expected 1, got '1'"),
    ("exact", {"a": 1}, {}, "args.a: not sent"),
    ("exact", {"a": 1}, {"a": 1, "b": 2}, "args.b: sent, and not expected"),
    ("exact", {"a": None}, {}, "args.a: not sent"),
    ("exact", {}, {}, None),
    ("exact", {"a": {"b": [1, 2]}}, {"a": {"b": [1, 2.0]}}, None),
    ("exact", {"a": [1, 2]}, {"a": [2, 1]}, "args.a"),
    ("subset", {"a": 1}, {"a": 1, "b": 2}, None),
    ("subset", {"a": 1}, {"b": 2}, "args.a: not sent"),
    ("subset", {"a": 1}, {"a": 2, "b": 2}, "args.a: expected 1, got 2"),
    ("superset", {"a": 1, "b": 2}, {"a": 1}, None),
    ("superset", {"a": 1, "b": 2}, {}, None),
    ("superset", {"a": 1}, {"c": 1}, "args.c: sent, and not expected"),
    ("superset", {"a": 1}, {"a": 2}, "args.a: expected 1, got 2"),
    ("ignore", {"a": 1}, {"b": 2}, None),
]


@pytest.mark.parametrize(("args_match", "expected", "sent", "told"), ARGUMENTS)
def test_arguments(args_match: Any, expected: Any, sent: Any, told: str | None) -> None:
    """Arguments are compared as JSON, from the expected side, as `args_match` says."""
    wanted = ToolCall("t", expected, args_match=args_match)
    found = put(Op.CALLS_EXACTLY, [wanted], [{"tool": "t", "args": sent, "id": "made up"}])
    assert found.passed == (told is None)
    assert (told or "") in found.reason


def test_what_is_free_is_judged_elsewhere() -> None:
    """A free argument may be sent or not, with any value; others may not."""
    wanted = [{"tool": "t", "args": {"a": 1}, "free": ["b"]}]
    assert put(Op.CALLS_EXACTLY, wanted, [{"tool": "t", "args": {"a": 1, "b": 9}}]).passed
    assert put(Op.CALLS_EXACTLY, wanted, [{"tool": "t", "args": {"a": 1}}]).passed
    assert not put(Op.CALLS_EXACTLY, wanted, [{"tool": "t", "args": {"a": 1, "c": 9}}]).passed


def test_a_schema_takes_part_in_the_matching() -> None:
    """Two calls of one tool find their own, by schemas of all their arguments."""

    def of(value: int) -> dict[str, Any]:
        schema = {"properties": {"n": {"enum": [value]}}, "required": ["n"]}
        return {"tool": "t", "schema": schema}

    calls = [{"tool": "t", "args": {"n": 2}}, {"tool": "t", "args": {"n": 1.0}}]
    assert put(Op.CALLS_ANY_ORDER, [of(1), of(2)], calls).passed
    assert not put(Op.CALLS_ANY_ORDER, [of(1), of(1)], calls).passed
    assert not put(Op.CALLS_ANY_ORDER, [of(1)], [{"tool": "t", "args": {"n": True}}]).passed


REFUSED = [
    (Op.CALLS, MISSING, "has no expected value"),
    (Op.CALLS, "refund", "expected a list of calls"),
    (Op.CALLS, [], "expects no call, which nothing can fail"),
    (Op.CALLS_IN_ORDER, [], "expects no call"),
    (Op.CALLS_ANY_ORDER, [], "expects no call"),
    (Op.NEVER_CALLS, [], "expects no call"),
    (Op.CALLS, [1], "call 0: expected a tool, got 1"),
    (Op.CALLS, ["a", " "], "call 1: the name of the tool is blank"),
    (Op.CALLS, [{}], "call 0: expected the name of a tool"),
    (Op.CALLS, [{"tool": "a", "arg": {}}], "unknown key 'arg'; did you mean 'args'?"),
    (Op.CALLS, [{"tool": "a", "args": []}], "expected a mapping of arguments"),
    (Op.CALLS, [{"tool": "a", "args_match": "subst"}], "did you mean 'subset'?"),
    (Op.CALLS, [{"tool": "a", "free": "b"}], "free is a list of names"),
    (Op.CALLS, [{"tool": "a", "schema": {}, "args": {}}], "'args' says nothing beside a schema"),
    (Op.CALLS, [{"tool": "a", "schema": {"tpye": "object"}}], "the schema"),
    (Op.CALL_ARGS, {"tool": "a"}, '{"tool": ..., "where": [...]}'),
    (Op.CALL_ARGS, {"tool": "a", "where": []}, "one at least"),
    (Op.CALL_ARGS, {"tool": " ", "where": [["a", "eq", 1]]}, "expected the name of a tool"),
    (Op.CALL_ARGS, {"tool": "a", "where": [["a"]]}, "where[0]: expected a list of path, op"),
    (Op.CALL_ARGS, {"tool": "a", "where": [{"op": "eq", "exp": 1}]}, "unknown field 'exp'"),
    (Op.CALL_ARGS, {"tool": "a", "where": [["a", "eqq", 1]]}, "did you mean 'eq'?"),
    (Op.CALL_ARGS, {"tool": "a", "where": [["a", "gt", "x", 1]]}, "where[0]"),
    (Op.HYGIENE, "lax", "expected nothing or 'strict'"),
]


@pytest.mark.parametrize(("op", "expected", "told"), REFUSED)
def test_what_can_not_be_expected(op: Op, expected: Any, told: str) -> None:
    """What no run could hold, or every run would, is refused with what would be right."""
    with pytest.raises(CatalogueError) as refused:
        put(op, expected, [])
    assert told in str(refused.value)


@pytest.mark.parametrize(
    "fields",
    [
        {"assertions": [Assertion("a", "eq", 1)]},
        {"save_as": {"x": "a"}},
        {"context_args": {"a": "x"}},
        {"expect_error": True},
        {"arg_assertions": [Assertion("a", "eq", 1)]},
        {"timeout_s": 3},
        {"retry": 1},
    ],
    ids=lambda fields: next(iter(fields)),
)
def test_an_expected_call_is_a_tool_and_arguments(fields: dict[str, Any]) -> None:
    """What a call is made with, or what holds of its result, says nothing where one is expected."""
    with pytest.raises(CatalogueError, match="says nothing where a call is expected"):
        Assertion("calls", Op.CALLS, [ToolCall("t", {}, **fields)])
