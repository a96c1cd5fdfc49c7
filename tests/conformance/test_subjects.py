"""What every subject keeps, whatever happens in it: a new one adds itself to `SUBJECTS`."""

import json
import time
from collections.abc import Callable
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit import (
    Assertion,
    Check,
    Op,
    Ref,
    Scenario,
    ScenarioResult,
    ToolCall,
    TransportError,
    grade,
    run,
)
from evalkit.grading import grade as grade_plan
from evalkit.planning import Planner
from evalkit.recordings import Recorder, Recordings
from evalkit.subjects.replay import REPLAYED_TOOLS, ReplaySubject
from evalkit.trace import KEYS

Tools = dict[str, Callable[..., Any]]
LIMIT_S = 0.05


def of_tools(scenario: Scenario, tools: Tools) -> ScenarioResult:
    """The tools themselves, on a table that is open for the run."""
    return run(scenario, tools=tools)[scenario.name]


def of_own_tools(scenario: Scenario, tools: Tools) -> ScenarioResult:
    """The tools themselves, opened for the scenario."""
    return run(scenario, tools=lambda: tools)[scenario.name]


def of_recording(scenario: Scenario, tools: Tools) -> ScenarioResult:
    """What was recorded of the tools themselves; of a run that was not measured, nothing was."""
    (plan,) = Planner(None, {}, kind=REPLAYED_TOOLS).plan([scenario]).plans
    with TemporaryDirectory() as folder:
        recorder = Recorder(Path(folder))
        for each in (Scenario("other", tool_calls=[ToolCall("a")]), scenario):
            table = tools if each is scenario else {"a": dict}
            trace = run(each, tools=table)[each.name].trace
            if trace is not None:
                recorder.add(each.name, 1, trace)
        return grade_plan(plan, ReplaySubject(Recordings(Path(folder))).trace_of(plan))


SUBJECTS = {"tools": of_tools, "own tools": of_own_tools, "recording": of_recording}


def right() -> Any:
    """Answer as expected."""
    return {"n": 1, "rows": [{"id": 1}, {"id": 2}], "text": "Grüße"}


def wrong() -> Any:
    """Answer something else."""
    return {"n": "1", "rows": []}


def raising() -> Any:
    """Raise."""
    raise ValueError("the saw is off")


def leaving() -> Any:
    """Try to end the process."""
    raise SystemExit(0)


def unreachable() -> Any:
    """Be out of reach."""
    raise TransportError("no route")


def hanging() -> Any:
    """Answer too late."""
    time.sleep(1)


BEHAVIOURS: dict[str, Callable[[], Any]] = {
    "right": right,
    "wrong": wrong,
    "null": lambda: None,
    "text": lambda: "prose",
    "nothing": dict,
    "no JSON": lambda: {"n": {1}},
    "NaN": lambda: {"n": float("nan")},
    "raising": raising,
    "leaving": leaving,
    "unreachable": unreachable,
    "hanging": hanging,
}
QUICK = sorted(set(BEHAVIOURS) - {"hanging"})

CHAIN = Scenario(
    "chain",
    tool_calls=[
        ToolCall(
            "a",
            {},
            [
                Assertion("n", Op.EQ, 1),
                Assertion("rows[*].id", Op.GT, 0, each="all"),
                Assertion("text", Op.EXISTS, severity="warn"),
            ],
            save_as={"n": "n", "rows": "rows"},
            timeout_s=LIMIT_S,
        ),
        ToolCall("b", {"n": Ref("n")}, [Assertion("n", Op.EQ, Ref("n"))], timeout_s=LIMIT_S),
        ToolCall(
            "b",
            context_args={"n": "rows"},
            arg_transforms={"n": lambda rows: rows[0]["id"]},
            timeout_s=LIMIT_S,
        ),
        ToolCall("a", expect_error=True, timeout_s=LIMIT_S),
        ToolCall(
            "b", {}, [Assertion("error.type", Op.EXISTS)], expect_error="saw", timeout_s=LIMIT_S
        ),
    ],
    assertions=[
        Assertion("calls", Op.LEN_EQ, 5),
        Assertion("response", Op.EXISTS),
        Assertion("errors", Op.LEN_EQ, Ref("n")),
    ],
)
CHECKS = 3 + 2 + 1 + 1 + 1 + 2 + 3


def tools_of(first: str, second: str) -> Tools:
    """A table whose two tools behave so."""
    return {"a": BEHAVIOURS[first], "b": lambda n=None: BEHAVIOURS[second]()}


def told(check: Check) -> tuple[Any, ...]:
    """All of a check but how long it took."""
    return (
        check.assertion,
        check.step,
        check.status,
        check.code,
        check.score,
        check.actual,
        check.reason,
    )


def same(one: ScenarioResult, other: ScenarioResult) -> bool:
    """Whether two results are equal, but for how long grading took."""
    return (
        one.name == other.name
        and one.status is other.status
        and list(map(told, one.checks)) == list(map(told, other.checks))
        and one.pairing == other.pairing
        and one.score == other.score
        and one.trace == other.trace
    )


@pytest.mark.parametrize("subject", SUBJECTS)
@pytest.mark.parametrize(("first", "second"), list(product(QUICK, QUICK)))
def test_the_number_of_checks_is_the_scenario_s(subject: str, first: str, second: str) -> None:
    """Whatever happens, a scenario gives the same checks: assertions, steps and order are fixed."""
    result = SUBJECTS[subject](CHAIN, tools_of(first, second))
    baseline = SUBJECTS[subject](CHAIN, tools_of("right", "right"))
    assert len(result.checks) == CHECKS
    paths = [(check.step, check.path, check.op) for check in result.checks]
    assert paths == [(check.step, check.path, check.op) for check in baseline.checks]


@pytest.mark.parametrize("subject", SUBJECTS)
@pytest.mark.parametrize("pair", [("hanging", "right"), ("right", "hanging")])
def test_a_hung_call_changes_no_count(subject: str, pair: tuple[str, str]) -> None:
    """A call that does not return leaves the checks as many as they were."""
    result = SUBJECTS[subject](CHAIN, tools_of(*pair))
    assert len(result.checks) == CHECKS
    assert result.trace is not None
    assert len(result.trace["calls"]) + len(result.trace["not_run"]) == len(CHAIN.tool_calls)


@pytest.mark.parametrize("subject", SUBJECTS)
@pytest.mark.parametrize(
    "pair", [*product(QUICK, ["right", "raising"]), ("hanging", "right"), ("right", "hanging")]
)
def test_a_stored_trace_is_graded_to_the_same_result(subject: str, pair: tuple[str, str]) -> None:
    """A trace that went through JSON gives the result of the run it came from."""
    live = SUBJECTS[subject](CHAIN, tools_of(*pair))
    assert same(grade(CHAIN, json.loads(json.dumps(live.trace))), live)


@pytest.mark.parametrize("subject", SUBJECTS)
@pytest.mark.parametrize("first", BEHAVIOURS)
def test_the_trace_is_whole_and_strict_json(subject: str, first: str) -> None:
    """A trace has every key, says what is observed of them, and is strict JSON."""
    trace = SUBJECTS[subject](CHAIN, tools_of(first, "right")).trace
    assert trace is not None
    assert trace.keys() == KEYS
    assert set(trace["observed"]) <= KEYS
    assert json.loads(json.dumps(trace, allow_nan=False)) == trace


@pytest.mark.parametrize("subject", SUBJECTS)
def test_the_trace_holds_no_verdict(subject: str) -> None:
    """A subject observes: the trace of a scenario is the same whatever is asserted of it."""
    calls = [
        call.but(assertions=(), save_as=call.save_as, expect_error=None)
        for call in CHAIN.tool_calls[:1]
    ]
    bare = Scenario("chain", tool_calls=calls)
    full = bare.but(tool_calls=[calls[0].but(assertions=[Assertion("n", Op.EQ, 2)])])
    one, other = (
        SUBJECTS[subject](each, tools_of("right", "right")).trace for each in (bare, full)
    )
    assert one is not None
    assert other is not None
    for trace in (one, other):
        trace["seconds"] = trace["calls"][0]["seconds"] = 0.0
    assert one == other


NAMES = st.sampled_from(["n", "rows", "text", "rows[0].id", "absent", ""])
ASSERTIONS = st.builds(Assertion, NAMES, st.sampled_from([Op.EQ, Op.NE, Op.IN]), st.just([1]))
CALLS = st.builds(
    ToolCall,
    st.just("a"),
    assertions=st.lists(ASSERTIONS, max_size=3),
    save_as=st.dictionaries(st.sampled_from(["x", "y"]), NAMES, max_size=2),
)


@pytest.mark.parametrize("subject", SUBJECTS)
@settings(deadline=None, max_examples=25)
@given(calls=st.lists(CALLS, min_size=1, max_size=4), behaviour=st.sampled_from(QUICK))
def test_the_number_of_checks_can_be_counted(
    subject: str, calls: list[ToolCall], behaviour: str
) -> None:
    """A check for each assertion or, without any, for the return; one for each saved name."""
    result = SUBJECTS[subject](Scenario("s", tool_calls=calls), tools_of(behaviour, behaviour))
    expected = sum(len(call.assertions) or 1 for call in calls)
    expected += sum(len(call.save_as) for call in calls)
    assert len(result.checks) == expected
