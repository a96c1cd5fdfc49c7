"""The operators on calls agree with those of Google ADK and agentevals, but where it is said.

Both packages compare with Python's `==`, so true is 1 there, and both take the first call that
fits, so a call that takes any arguments can take another's place. All else is the same.
"""

import importlib
import json
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit import Assertion, CatalogueError, Op, check

Calls = list[dict[str, Any]]
CASES = settings(max_examples=100, deadline=None)
VALUES = st.sampled_from([1, 2, 1.0, "1", None, [1], {"a": 1}, ""])
ARGS = st.dictionaries(st.sampled_from("xy"), VALUES, max_size=2)
CALL = st.builds(lambda tool, args: {"tool": tool, "args": args}, st.sampled_from("abc"), ARGS)


@st.composite
def trajectories(draw: Any, call: Any = CALL) -> tuple[Calls, Calls]:
    """Expected calls, and those that were made: these, some omitted, swapped, doubled, added."""
    expected = draw(st.lists(call, max_size=4))
    made = list(expected)
    for _ in range(draw(st.integers(0, 3))):
        way = draw(st.sampled_from(["omit", "swap", "double", "add"]))
        at = draw(st.integers(0, max(0, len(made) - 1)))
        if way == "add" or not made:
            made.insert(at, draw(call))
        elif way == "omit":
            del made[at]
        elif way == "double":
            made.insert(at, made[at])
        else:
            made[0], made[at] = made[at], made[0]
    return expected, made


def holds(op: Op, expected: Calls, made: Calls, args_match: str = "exact") -> bool:
    """Whether the calls that were made are, by one of our operators, the expected ones."""
    if not expected and op in (Op.CALLS_IN_ORDER, Op.CALLS_ANY_ORDER):
        return True  # evalkit refuses to expect nothing, for nothing can fail it
    operands = [{**call, "args_match": args_match} for call in expected]
    return check(Assertion("", op, operands), made).passed


# Google ADK ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def adk() -> Callable[[str, Calls, Calls], bool]:
    """ADK's evaluator of trajectories, in one of its modes."""
    pytest.importorskip("google.adk", reason="google-adk is not installed")
    evaluator = importlib.import_module("google.adk.evaluation.trajectory_evaluator")
    metrics = importlib.import_module("google.adk.evaluation.eval_metrics")
    cases = importlib.import_module("google.adk.evaluation.eval_case")
    types = importlib.import_module("google.genai.types")
    modes = metrics.ToolTrajectoryCriterion.MatchType

    def invocation(calls: Calls) -> Any:
        uses = [types.FunctionCall(name=call["tool"], args=call["args"]) for call in calls]
        return cases.Invocation(
            user_content=types.Content(parts=[types.Part(text="x")]),
            intermediate_data=cases.IntermediateData(tool_uses=uses),
        )

    def judge(mode: str, expected: Calls, made: Calls) -> bool:
        criterion = metrics.ToolTrajectoryCriterion(threshold=1.0, match_type=modes[mode])
        metric = metrics.EvalMetric(
            metric_name="tool_trajectory_avg_score", threshold=1.0, criterion=criterion
        )
        judged = evaluator.TrajectoryEvaluator(eval_metric=metric)
        found = judged.evaluate_invocations([invocation(made)], [invocation(expected)])
        return bool(found.overall_score == 1.0)

    return judge


ADK = {"EXACT": Op.CALLS_EXACTLY, "IN_ORDER": Op.CALLS_IN_ORDER, "ANY_ORDER": Op.CALLS_ANY_ORDER}


@pytest.mark.parametrize("mode", ADK)
def test_the_modes_of_adk(adk: Callable[[str, Calls, Calls], bool], mode: str) -> None:
    """EXACT, IN_ORDER and ANY_ORDER are CALLS_EXACTLY, CALLS_IN_ORDER and CALLS_ANY_ORDER."""

    @CASES
    @given(trajectories())
    def agree(case: tuple[Calls, Calls]) -> None:
        expected, made = case
        assert holds(ADK[mode], expected, made) == adk(mode, expected, made)

    agree()


def test_true_is_no_number_here(adk: Callable[[str, Calls, Calls], bool]) -> None:
    """ADK takes true for 1; evalkit does not."""
    one, true = [{"tool": "a", "args": {"x": 1}}], [{"tool": "a", "args": {"x": True}}]
    assert adk("EXACT", one, true)
    assert not holds(Op.CALLS_EXACTLY, one, true)


# agentevals ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def agentevals() -> Callable[[str, str, Calls, Calls], bool]:
    """The scorers of agentevals, in one of its modes, and with one of its modes for arguments."""
    pytest.importorskip("agentevals", reason="agentevals is not installed")
    module = importlib.import_module("agentevals.trajectory.match")

    def messages(calls: Calls) -> list[dict[str, Any]]:
        asked = [
            {
                "id": str(at),
                "type": "function",
                "function": {"name": call["tool"], "arguments": json.dumps(call["args"])},
            }
            for at, call in enumerate(calls)
        ]
        return [{"role": "assistant", "content": "", "tool_calls": [each]} for each in asked]

    def judge(mode: str, args: str, expected: Calls, made: Calls) -> bool:
        evaluator = module.create_trajectory_match_evaluator(
            trajectory_match_mode=mode, tool_args_match_mode=args
        )
        given = {"outputs": messages(made), "reference_outputs": messages(expected)}
        return bool(evaluator(**given)["score"])

    return judge


def by_ours(mode: str, args_match: str, expected: Calls, made: Calls) -> bool:
    """What evalkit says in place of a mode of agentevals."""
    if mode == "strict":
        return holds(Op.CALLS_EXACTLY, expected, made, args_match)
    if mode == "superset":
        return holds(Op.CALLS_ANY_ORDER, expected, made, args_match)
    if mode == "subset":
        return holds(Op.CALLS_ONLY, expected, made, args_match)
    same = len(made) == len(expected)
    return same and holds(Op.CALLS_ANY_ORDER, expected, made, args_match)


AGENTEVALS = ("strict", "unordered", "superset", "subset")
ARGUMENTS = {"exact": "exact", "superset": "subset", "subset": "superset", "ignore": "ignore"}
"""The modes of agentevals for arguments, in evalkit's words: theirs say what the made call is of
the expected one, ours what the expected one is of the made."""


@pytest.mark.parametrize("args", ["exact", "ignore"])
@pytest.mark.parametrize("mode", AGENTEVALS)
def test_the_modes_of_agentevals(
    agentevals: Callable[[str, str, Calls, Calls], bool], mode: str, args: str
) -> None:
    """Its four modes, with arguments that are compared in full or not at all."""

    @CASES
    @given(trajectories())
    def agree(case: tuple[Calls, Calls]) -> None:
        expected, made = case
        ours = by_ours(mode, ARGUMENTS[args], expected, made)
        assert ours == agentevals(mode, args, expected, made)

    agree()


@pytest.mark.parametrize("args", ["superset", "subset"])
def test_partial_arguments_of_agentevals(
    agentevals: Callable[[str, str, Calls, Calls], bool], args: str
) -> None:
    """Arguments that are compared in part, where no two calls are for the same expected one."""

    @CASES
    @given(CALL, CALL)
    def agree(expected: dict[str, Any], made: dict[str, Any]) -> None:
        ours = by_ours("strict", ARGUMENTS[args], [expected], [made])
        assert ours == agentevals("strict", args, [expected], [made])

    agree()


def test_the_first_that_fits_is_not_always_right() -> None:
    """Agentevals gives a call to the first that it fits, and fails; evalkit finds the matching."""
    pytest.importorskip("agentevals", reason="agentevals is not installed")
    expected = [{"tool": "a", "args": {}}, {"tool": "a", "args": {"x": 1}}]
    made = [{"tool": "a", "args": {"x": 1}}, {"tool": "a", "args": {"y": 2}}]
    scorer = importlib.import_module("agentevals.trajectory.utils")._is_trajectory_superset  # noqa: SLF001  - its own door takes no names
    as_messages = [
        [{"tool_calls": [{"name": each["tool"], "args": each["args"]} for each in calls]}]
        for calls in (made, expected)
    ]
    assert not scorer(*as_messages, "superset")
    assert holds(Op.CALLS_ANY_ORDER, expected, made, "subset")


def test_strict_is_by_message() -> None:
    """Agentevals' strict looks at messages: two calls of one message may come in either order."""
    pytest.importorskip("agentevals", reason="agentevals is not installed")
    scorer = importlib.import_module("agentevals.trajectory.strict")._scorer  # noqa: SLF001
    one = {"name": "a", "arguments": "{}"}
    two = {"name": "b", "arguments": "{}"}

    def message(*functions: Any) -> list[dict[str, Any]]:
        asked = [{"id": "", "type": "function", "function": each} for each in functions]
        return [{"role": "assistant", "content": "", "tool_calls": asked}]

    swapped = SimpleNamespace(made=message(two, one), expected=message(one, two))
    assert scorer(
        outputs=swapped.made, reference_outputs=swapped.expected, tool_args_match_mode="exact"
    )
    calls = [{"tool": "a", "args": {}}, {"tool": "b", "args": {}}]
    assert not holds(Op.CALLS_EXACTLY, calls, calls[::-1])


def test_nothing_expected_is_refused_here(
    adk: Callable[[str, Calls, Calls], bool],
    agentevals: Callable[[str, str, Calls, Calls], bool],
) -> None:
    """Where extra calls are allowed, both pass an empty list whatever was called."""
    made = [{"tool": "a", "args": {}}]
    assert adk("IN_ORDER", [], made)
    assert adk("ANY_ORDER", [], made)
    assert agentevals("superset", "exact", [], made)
    for op in (Op.CALLS_IN_ORDER, Op.CALLS_ANY_ORDER):
        with pytest.raises(CatalogueError, match="which nothing can fail"):
            check(Assertion("", op, []), made)


FEWER, MORE = {"tool": "a", "args": {"x": 1}}, {"tool": "a", "args": {"x": 1, "y": 2}}


def test_partial_arguments_are_mirrored_there(
    agentevals: Callable[[str, str, Calls, Calls], bool],
) -> None:
    """Its mode "subset" takes the expected arguments for the sent ones; "unordered" asks for both.

    So with arguments "superset", more may be sent in "strict", fewer in "subset", and neither in
    "unordered". Here `args_match` says the same of every operator.
    """
    sends_more = {m: agentevals(m, "superset", [FEWER], [MORE]) for m in AGENTEVALS}
    sends_fewer = {m: agentevals(m, "superset", [MORE], [FEWER]) for m in AGENTEVALS}
    assert sends_more == {"strict": True, "unordered": False, "superset": True, "subset": False}
    assert sends_fewer == {"strict": False, "unordered": False, "superset": False, "subset": True}
    for op in (Op.CALLS_EXACTLY, Op.CALLS_ANY_ORDER, Op.CALLS_ONLY):
        assert holds(op, [FEWER], [MORE], "subset")
        assert not holds(op, [MORE], [FEWER], "subset")
