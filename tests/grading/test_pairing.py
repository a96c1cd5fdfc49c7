"""Which call of an agent is which step: by tool and arguments, as many pairs as can be."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit import Assertion, Ref, Reply, Scenario, ScenarioResult, ToolCall, run

FIXED = settings(deadline=None, derandomize=True, max_examples=40)
Made = tuple[str, dict[str, Any]]


def graded(steps: list[ToolCall], made: list[Made], **fields: Any) -> ScenarioResult:
    """What comes of these calls of an agent, each of which returned its arguments."""
    calls = [{"tool": tool, "args": args, "result": args} for tool, args in made]
    scenario = Scenario("s", "Go.", steps, **fields)
    return run(scenario, agent=lambda conversation: Reply("done", calls=calls)).results[0]


def step(tool: str, /, *asserted: Assertion, match: Any = "exact", **args: Any) -> ToolCall:
    """A step with assertions on what is sent."""
    return ToolCall(tool, args, args_match=match, arg_assertions=asserted)


A: Made = ("a", {})
B: Made = ("b", {})
C: Made = ("c", {})
ORDERS: list[tuple[str, list[str], list[Made], list[int | None]]] = [
    ("in_order", ["a", "b"], [A, B], [0, 1]),
    ("in_order", ["a", "b"], [B, A], [1, None]),
    ("in_order", ["a", "b"], [C, A, C, B, C], [1, 3]),
    ("in_order", ["a", "a"], [A, B, A], [0, 2]),
    ("in_order", ["a", "a"], [A], [0, None]),
    ("in_order", ["a"], [A, A], [0]),
    ("in_order", ["a", "b", "c"], [A, C, B], [0, 2, None]),
    ("in_order", ["b", "a", "b"], [A, B], [None, 0, 1]),
    ("in_order", ["a"], [], [None]),
    ("exact", ["a", "b"], [A, B], [0, 1]),
    ("exact", ["a", "b"], [A, C, B], [0, 2]),
    ("exact", ["a", "b"], [B, A], [1, None]),
    ("any_order", ["a", "b"], [B, A], [1, 0]),
    ("any_order", ["a", "a"], [B, A], [1, None]),
    ("any_order", ["a", "a"], [A, B, A], [0, 2]),
    ("any_order", ["c", "a"], [A, B], [None, 0]),
]


@pytest.mark.parametrize(("match", "steps", "made", "pairs"), ORDERS, ids=str)
def test_the_order(match: str, steps: list[str], made: list[Made], pairs: list[int | None]) -> None:
    """In order, a step is paired only after those before it; in any order, wherever one is left."""
    result = graded([ToolCall(tool) for tool in steps], made, match=match)
    assert result.pairing == pairs
    missing = [check.step for check in result.checks if check.code == "missing_call"]
    assert missing == [at for at, index in enumerate(pairs) if index is None]


ARGS: list[tuple[str, dict[str, Any], dict[str, Any], bool]] = [
    ("exact", {"n": 1}, {"n": 1}, True),
    ("exact", {"n": 1}, {"n": 1.0}, True),
    ("exact", {"n": 1}, {"n": True}, False),
    ("exact", {"n": 1}, {"n": "1"}, False),
    ("exact", {"n": 1}, {"n": None}, False),
    ("exact", {"n": 1}, {}, False),
    ("exact", {"n": None}, {}, False),
    ("exact", {}, {"n": None}, False),
    ("exact", {"n": 1}, {"n": 1, "m": 2}, False),
    ("exact", {"n": 1}, {"N": 1}, False),
    ("exact", {"n": {"a": [1, {"b": 2}]}}, {"n": {"a": [1, {"b": 2.0}]}}, True),
    ("exact", {"n": {"a": 1, "b": 2}}, {"n": {"b": 2, "a": 1}}, True),
    ("exact", {"n": [1, 2]}, {"n": [2, 1]}, False),
    ("exact", {"n": {"a": 1}}, {"n": {"a": 1, "b": 2}}, False),
    ("subset", {"n": 1}, {"n": 1, "m": 2}, True),
    ("subset", {"n": 1, "m": 2}, {"n": 1}, False),
    ("subset", {"n": 1}, {"n": 2, "m": 2}, False),
    ("subset", {}, {"n": 1}, True),
    ("superset", {"n": 1, "m": 2}, {"n": 1}, True),
    ("superset", {"n": 1, "m": 2}, {}, True),
    ("superset", {"n": 1}, {"n": 1, "m": 2}, False),
    ("superset", {"n": 1, "m": 2}, {"n": 2}, False),
    ("ignore", {"n": 1}, {"m": 2}, True),
    ("ignore", {"n": 1}, {}, True),
]


@pytest.mark.parametrize(("match", "args", "sent", "fits"), ARGS, ids=str)
@pytest.mark.parametrize("order", ["in_order", "exact", "any_order"])
def test_the_arguments(
    order: str, match: Any, args: dict[str, Any], sent: dict[str, Any], fits: bool
) -> None:
    """A call is the step where what is sent is what is expected, under `args_match`."""
    result = graded([ToolCall("a", args, args_match=match)], [("a", sent)], match=order)
    assert result.pairing == [0 if fits else None]
    assert result.status.value == ("passed" if fits else "failed")


def test_names_are_exact() -> None:
    """A tool of a name that is nearly the same is another tool."""
    for tool in ("A", "a ", "aa", "ns.a"):
        assert graded([ToolCall("a")], [(tool, {})]).pairing == [None]


def test_each_call_is_one_step() -> None:
    """Two steps that are alike need two calls, in every order."""
    for match in ("in_order", "exact", "any_order"):
        result = graded([ToolCall("a", {"n": 1})] * 2, [("a", {"n": 1})], match=match)
        assert result.pairing.count(None) == 1


def test_as_many_as_can_be() -> None:
    """A step that takes any call leaves the one that another step needs."""
    steps = [step("a", match="ignore"), step("a", n=1)]
    made = [("a", {"n": 1}), ("a", {"n": 2})]
    assert graded(steps, made, match="any_order").pairing == [1, 0]
    assert graded(steps, made, match="in_order").pairing == [0, None]
    assert graded(steps, [made[1], made[0]], match="in_order").pairing == [0, 1]


LONG = Assertion("why", "len_gte", 3)
CHOICES: list[tuple[str, list[Made], list[int | None]]] = [
    ("in_order", [("a", {"why": "x"}), ("a", {"why": "broken"})], [1]),
    ("any_order", [("a", {"why": "x"}), ("a", {"why": "broken"})], [1]),
    ("in_order", [("a", {"why": "broken"}), ("a", {"why": "torn"})], [0]),
    ("in_order", [("a", {"why": "x"}), ("a", {"why": "y"})], [0]),
    ("in_order", [("a", {}), ("a", {"why": "broken"})], [1]),
    ("in_order", [("a", {"why": "broken", "n": 1}), ("a", {"why": "x"})], [1]),
]


@pytest.mark.parametrize(("match", "made", "pairs"), CHOICES, ids=str)
def test_where_there_is_a_choice(match: str, made: list[Made], pairs: list[int | None]) -> None:
    """Of calls that could be the step, one goes first whose arguments are as asserted."""
    assert graded([step("a", LONG)], made, match=match).pairing == pairs


def test_no_pair_is_lost_for_an_assertion() -> None:
    """That arguments are as asserted never costs a pair: what is wrong then is the argument."""
    steps = [step("a", LONG), ToolCall("b")]
    made = [("a", {"why": "x"}), ("b", {}), ("a", {"why": "broken"})]
    result = graded(steps, made)
    assert result.pairing == [0, 1]
    assert [check.code for check in result.checks[:1]] == ["wrong_argument"]


def test_an_assertion_on_a_saved_value_makes_no_choice() -> None:
    """What earlier calls have saved is known only once the calls are paired."""
    steps = [
        ToolCall("get", {"n": 1}, save_as={"kept": "n"}),
        step("a", Assertion("n", "eq", Ref("kept"))),
    ]
    result = graded(steps, [("get", {"n": 1}), ("a", {"n": 2}), ("a", {"n": 1})])
    assert result.pairing == [0, 1]
    assert [check.code for check in result.checks if check.step == 1] == ["wrong_argument", None]


REASONS: list[tuple[ToolCall, list[Made], str]] = [
    (ToolCall("a"), [], "a was not called"),
    (ToolCall("a"), [B, C, B], "a was not called; called: 'b', 'c'"),
    (
        step("a", n=1),
        [("a", {"n": 2})],
        "a was called, but args.n: expected 1, got 2",
    ),
    (step("a", n=1), [("a", {})], "a was called, but args.n: not sent"),
    (
        step("a", n=1),
        [("a", {"n": 1, "m": 2})],
        "a was called, but args.m: sent, and not expected",
    ),
    (
        step("a", n=1, m=2),
        [("a", {"n": 3, "m": 4}), ("a", {"n": 1, "m": 4})],
        "a was called, but args.m: expected 2, got 4",
    ),
]


@pytest.mark.parametrize(("wanted", "made", "told"), REASONS, ids=map(str, range(len(REASONS))))
def test_why_a_step_is_missing(wanted: ToolCall, made: list[Made], told: str) -> None:
    """A step that has no call says what comes nearest, or what was called instead."""
    result = graded([wanted], made)
    (check,) = [check for check in result.checks if check.code == "missing_call"]
    assert check.reason == told


def test_a_step_too_many_says_so() -> None:
    """Where each call is another step already, one more is asked for."""
    result = graded([ToolCall("a")] * 3, [("a", {}), ("a", {})])
    (check,) = [check for check in result.checks if check.code == "missing_call"]
    assert check.reason == "a was called 2 times, and each is another step: one more is expected"


def test_a_step_out_of_order_says_so() -> None:
    """A call that was made too early is not said to be absent."""
    result = graded([ToolCall("a"), ToolCall("b")], [B, A])
    (check,) = [check for check in result.checks if check.code == "missing_call"]
    assert check.reason == "b was called, but not in this order"


CALLS = st.lists(
    st.tuples(st.sampled_from("ab"), st.dictionaries(st.sampled_from("xy"), st.integers(0, 1))),
    max_size=5,
)


@pytest.mark.parametrize("match", ["in_order", "exact", "any_order"])
@FIXED
@given(steps=CALLS.filter(bool), made=CALLS)
def test_a_pairing_is_one(match: str, steps: list[Made], made: list[Made]) -> None:
    """Pairs are of equal calls, one to one, and in order where that is asked for."""
    result = graded([ToolCall(*each) for each in steps], made, match=match)
    pairs = [(at, index) for at, index in enumerate(result.pairing) if index is not None]
    assert len(result.pairing) == len(steps)
    assert len({index for _, index in pairs}) == len(pairs)
    assert all(steps[at] == made[index] for at, index in pairs)
    if match != "any_order":
        assert [index for _, index in pairs] == sorted(index for _, index in pairs)


@FIXED
@given(made=CALLS.filter(bool))
def test_what_was_done_is_what_was_done(made: list[Made]) -> None:
    """The calls of a scenario, made as they stand there, are all paired, and it passes."""
    for match in ("in_order", "exact", "any_order"):
        result = graded([ToolCall(*each) for each in made], made, match=match)
        assert result.passed
        assert result.score == 1
