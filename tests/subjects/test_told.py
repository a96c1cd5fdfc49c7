"""What an agent tells of itself with its answers: calls, usage, cost, turns, and more."""

from typing import Any

import pytest

from evalkit import Assertion, Budget, Reply, Scenario, ScenarioResult, ToolCall, run

Turns = list[dict[str, Any]]
MADE = {"tool": "ping", "args": {"n": 1}, "result": "pong"}


def asked(*answers: Any, context: bool = False, **fields: Any) -> ScenarioResult:
    """What comes of as many turns as there are answers."""
    left = list(answers)

    def silent(conversation: Turns) -> Any:
        return left.pop(0)

    def showing(conversation: Turns, ctx: Any) -> Any:
        return left.pop(0)

    usual: dict[str, Any] = {"forbid_tools": ["drop"]}
    scenario = Scenario("s", ["more"] * len(answers), **{**usual, **fields})
    return run(scenario, agent=showing if context else silent).results[0]


def traced(*answers: Any, **fields: Any) -> dict[str, Any]:
    """The trace of as many turns."""
    trace = asked(*answers, **fields).trace
    assert trace is not None
    return dict(trace)


def used(**tokens: int) -> Reply:
    """An answer that tells what it used."""
    return Reply("ok", usage=tokens)


IN, OUT = "input_tokens", "output_tokens"
USAGE: list[tuple[list[Any], dict[str, int] | None]] = [
    ([used(input_tokens=3)], {IN: 3}),
    ([used(input_tokens=3, output_tokens=0)], {IN: 3, OUT: 0}),
    (
        [used(input_tokens=3, output_tokens=1), used(input_tokens=4, output_tokens=5)],
        {IN: 7, OUT: 6},
    ),
    ([used(input_tokens=3), used(input_tokens=4, output_tokens=5)], {IN: 7}),
    ([used(input_tokens=3), used(output_tokens=5)], None),
    ([used(input_tokens=3), "ok"], None),
    (["ok", used(input_tokens=3)], None),
    ([used(input_tokens=3), "ok", used(input_tokens=4)], None),
    ([used(input_tokens=3), Reply("ok", usage={})], None),
    (["ok"], None),
]


@pytest.mark.parametrize(("answers", "total"), USAGE, ids=map(str, range(len(USAGE))))
def test_usage_adds_up_or_is_unknown(answers: list[Any], total: dict[str, int] | None) -> None:
    """What each turn used adds up; from the first turn on that does not tell, nobody knows."""
    trace = traced(*answers)
    assert trace["usage"] == total
    assert ("usage" in trace["observed"]) is (total is not None)


COSTS: list[tuple[list[Any], float | None]] = [
    ([0.5], 0.5),
    ([0.5, 0.25], 0.75),
    ([0], 0),
    ([0.5, None], None),
    ([None, 0.5], None),
]


@pytest.mark.parametrize(("costs", "total"), COSTS, ids=str)
def test_cost_adds_up_or_is_unknown(costs: list[float | None], total: float | None) -> None:
    """What each turn cost adds up, as long as each says it; nothing told is not nothing spent."""
    trace = traced(*[Reply("ok", cost_usd=cost) for cost in costs])
    assert trace["cost_usd"] == total
    assert ("cost_usd" in trace["observed"]) is (total is not None)


BUDGETS: list[tuple[Budget, Reply, str | None]] = [
    (Budget(max_input_tokens=3), used(input_tokens=3), None),
    (Budget(max_input_tokens=2), used(input_tokens=3), "over_budget"),
    (Budget(max_output_tokens=9), used(output_tokens=9), None),
    (Budget(max_output_tokens=8), used(output_tokens=9), "over_budget"),
    (Budget(max_cost_usd=0.5), Reply("ok", cost_usd=0.5), None),
    (Budget(max_cost_usd=0.4), Reply("ok", cost_usd=0.5), "over_budget"),
    (Budget(max_turns=3), Reply("ok", turns=3), None),
    (Budget(max_turns=2), Reply("ok", turns=3), "over_budget"),
    (Budget(max_calls=1), Reply("ok", calls=[MADE]), None),
    (Budget(max_calls=0), Reply("ok", calls=[MADE]), "over_budget"),
    (Budget(max_calls=0), Reply("ok", calls=()), None),
    (Budget(max_input_tokens=10**9), Reply("ok", calls=()), "usage_unknown"),
    (Budget(max_cost_usd=10**9), Reply("ok", calls=()), "usage_unknown"),
    (Budget(max_calls=10**9), Reply("ok"), "calls_unobserved"),
]


@pytest.mark.parametrize(("budget", "reply", "code"), BUDGETS, ids=map(str, range(len(BUDGETS))))
def test_a_budget_is_held_against_what_is_told(
    budget: Budget, reply: Reply, code: str | None
) -> None:
    """A budget holds up to its bound; what is not told is an ERROR, and keeps to no budget."""
    result = asked(reply, answers=["ok"], forbid_tools=[], budget=budget)
    (check,) = [check for check in result.checks if check.description == "budget"]
    assert check.code == code
    expected = {None: "passed", "over_budget": "failed"}.get(code, "error")
    assert result.status.value == expected


def test_a_bound_on_a_part_of_usage_that_is_not_told_fails() -> None:
    """An agent that tells its input alone has kept to no budget of output."""
    result = asked(used(input_tokens=1), answers=["ok"], budget=Budget(max_output_tokens=10**9))
    (check,) = [check for check in result.checks if check.description == "budget"]
    assert check.code in ("usage_unknown", "unresolved_path")
    assert not result.passed


CALLS: list[tuple[list[Any], bool, bool, int]] = [
    (["ok"], False, False, 0),
    (["ok"], True, True, 0),
    ([Reply("ok", calls=())], False, True, 0),
    ([Reply("ok", calls=[MADE])], False, True, 1),
    ([Reply("ok", calls=[MADE]), Reply("ok", calls=())], False, True, 1),
    ([Reply("ok", calls=[MADE]), "ok"], False, False, 1),
    (["ok", Reply("ok", calls=[MADE])], False, False, 1),
    ([Reply("ok", calls=[MADE]), Reply("ok", calls=[MADE, MADE])], False, True, 3),
    ([Reply("ok", calls=[MADE]), "ok"], True, True, 1),
]


@pytest.mark.parametrize(
    ("answers", "context", "seen", "made"), CALLS, ids=map(str, range(len(CALLS)))
)
def test_calls_are_seen_or_not(answers: list[Any], context: bool, seen: bool, made: int) -> None:
    """An agent shows its calls by the context, or tells them in each turn; else nobody knows."""
    result = asked(*answers, context=context)
    assert result.trace is not None
    assert len(result.trace["calls"]) == made
    assert ("calls" in result.trace["observed"]) is seen
    assert result.status.value == ("passed" if seen else "error")
    assert ("calls_unobserved" in {check.code for check in result.checks}) is not seen


def test_a_call_that_is_told_is_a_call_of_its_turn() -> None:
    """Each call has the turn in which it was made, its arguments, and what came of it."""
    failed = {"tool": "ping", "args": {}, "error": {"type": "KeyError", "message": "no"}}
    said = {"tool": "ping", "args": {}, "error": "out of stock"}
    untold = {"tool": "ping", "args": {"n": 2}}
    calls = traced(Reply("ok", calls=[MADE, failed]), Reply("ok", calls=[said, untold]))["calls"]
    assert [call["turn"] for call in calls] == [0, 0, 1, 1]
    assert [call["step"] for call in calls] == [None] * 4
    assert [(call["args"], call["result"]) for call in calls] == [
        *(({"n": 1}, "pong"), ({}, None), ({}, None), ({"n": 2}, None))
    ]
    errors = [call["error"] and (call["error"]["kind"], call["error"]["type"]) for call in calls]
    assert errors == [
        *(None, ("raised", "KeyError"), ("raised", "ToolError"), ("unobserved", "LookupError"))
    ]


def test_a_call_that_was_noted_is_not_told_twice() -> None:
    """What an agent tells of a call that it made by the context adds nothing; of others it does."""

    def agent(conversation: Turns, ctx: Any) -> Reply:
        ctx.tools["ping"](n=1)
        own = {"tool": "think", "args": {}, "result": "hm"}
        return Reply("ok", calls=[{"tool": "ping", "args": {"n": 1.0}}, own, own])

    scenario = Scenario("s", "Hello?", forbid_tools=["drop"])
    trace = run(scenario, agent=agent, tools={"ping": lambda n: n}).results[0].trace
    assert trace is not None
    assert [call["tool"] for call in trace["calls"]] == ["ping", "think", "think"]
    assert trace["calls"][0]["result"] == 1


TURNS: list[tuple[list[Any], int]] = [
    ([Reply("ok", turns=3)], 3),
    ([Reply("ok", turns=3), Reply("ok", turns=0)], 3),
    ([Reply("ok", calls=())], 1),
    ([Reply("ok", calls=[MADE, MADE])], 3),
    ([Reply("ok", calls=[MADE, MADE], turns=2), Reply("ok", calls=[MADE])], 4),
]


@pytest.mark.parametrize(("answers", "turns"), TURNS, ids=map(str, range(len(TURNS))))
def test_turns_are_told_or_the_most_there_can_be(answers: list[Any], turns: int) -> None:
    """Turns of the model are as many as are told, else one for each call and each answer."""
    assert traced(*answers)["meta"]["turns"] == turns


def test_turns_of_an_agent_that_shows_nothing_are_unknown() -> None:
    """Where calls are not seen, nobody knows the turns, and no budget of them is kept to."""
    result = asked("ok", answers=["ok"], forbid_tools=[], budget=Budget(max_turns=10**6))
    (check,) = [check for check in result.checks if check.description == "budget"]
    assert not check.passed
    assert not result.passed


META: list[tuple[list[dict[str, Any]], dict[str, Any]]] = [
    ([{"model": "small"}], {"model": "small"}),
    ([{"compactions": 1}, {"compactions": 2}], {"compactions": 3}),
    (
        [{"taint": {"private": True, "n": 1}}, {"taint": {"private": False, "untrusted": True}}],
        {"taint": {"private": True, "n": 1, "untrusted": True}},
    ),
    ([{"a": "x"}, {"a": "y"}], {"a": "y"}),
    ([{"blocked_sends": 0}, {}], {"blocked_sends": 0}),
]


@pytest.mark.parametrize(("told", "whole"), META, ids=map(str, range(len(META))))
def test_what_is_told_besides_is_kept(told: list[dict[str, Any]], whole: dict[str, Any]) -> None:
    """Counts add up over the turns, a yes stays a yes, and the last word counts for the rest."""
    meta = traced(*[Reply("ok", calls=(), meta=each) for each in told])["meta"]
    assert {name: meta[name] for name in whole} == whole


def test_what_is_told_besides_can_be_asserted() -> None:
    """An assertion reads what an agent tells of itself; what it does not tell does not resolve."""
    assertions = [
        Assertion("meta.taint.private", "is_false"),
        Assertion("meta.blocked_sends", "eq", 0),
    ]
    result = asked(Reply("ok", meta={"taint": {"private": True}}), assertions=assertions)
    assert [check.code for check in result.checks[:2]] == ["wrong_value", "unresolved_path"]


@pytest.mark.parametrize(
    ("last", "failed"),
    [
        (MADE, False),
        ({"tool": "ping", "args": {}}, None),
        ({"tool": "ping", "args": {}, "error": "no"}, True),
    ],
    ids=["returned", "untold", "failed"],
)
def test_whether_it_ended_on_a_failed_call(last: dict[str, Any], failed: bool | None) -> None:
    """The trace says whether the last call failed, and nothing where that is not told."""
    earlier = {"tool": "ping", "args": {}, "error": "no"}
    meta = traced(Reply("ok", calls=[earlier, last]))["meta"]
    assert meta.get("ended_on_failed_call") is failed


def test_an_agent_without_calls_of_its_own_needs_no_tools() -> None:
    """A scenario with tool calls is put to an agent that tells its own, without any tools here."""
    scenario = Scenario("s", "Hello?", [ToolCall("ping", {"n": 1})])
    report = run(scenario, agent=lambda conversation: Reply("ok", calls=[MADE]))
    assert report.results[0].status.value == "passed"
