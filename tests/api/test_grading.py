"""One assertion put to one document, and a recorded trace graded again."""

import json
from pathlib import Path
from typing import Any

import pytest

from evalkit import (
    Assertion,
    Catalogue,
    CatalogueError,
    Op,
    Ref,
    Scenario,
    Status,
    ToolCall,
    check,
    grade,
    load,
    operator,
    run,
)
from evalkit.catalogue import AMBIENT

DOCUMENT = {"size": {"width": 600}, "rows": [1, 2]}
SCENARIO = Scenario(
    "s",
    tool_calls=[ToolCall("t", {}, [Assertion("n", Op.EQ, 1)])],
    assertions=[Assertion("calls", Op.LEN_EQ, 1)],
)


LIVE = run(SCENARIO, tools={"t": lambda: {"n": 1}})["s"]


def stored(**changes: Any) -> dict[str, Any]:
    """A trace that went through JSON, with some parts changed."""
    trace: dict[str, Any] = json.loads(json.dumps(LIVE.trace))
    return {**trace, **changes}


def test_check_says_all_there_is_to_say() -> None:
    """A check carries its assertion's path, operator and expectation, and what was found."""
    found = check(Assertion("size.width", Op.GT, 700, "wide enough"), DOCUMENT)
    assert found.status is Status.FAILED
    assert not found.passed
    assert (found.code, found.score, found.step) == ("wrong_value", 0.0, None)
    assert (found.path, found.op, found.expected, found.actual) == ("size.width", "gt", 700, 600)
    assert found.description == "wide enough"
    assert "600" in found.reason
    assert found.seconds >= 0


def test_check_of_what_holds_has_no_code() -> None:
    """A check that passed has a full score, no code and no reason."""
    found = check(Assertion("size.width", Op.EQ, 600), DOCUMENT)
    assert (found.passed, found.code, found.score, found.reason) == (True, None, 1.0, "")


@pytest.mark.parametrize("document", [{1}, {"n": float("nan")}, {"n": b"x"}, object()])
def test_check_of_no_json_fails(document: Any) -> None:
    """A document that is no JSON passes no assertion, not even a negated one."""
    negated = (Assertion("n", Op.NE, 1), Assertion("n", Op.IS_FALSE), Assertion("n", Op.EXISTS))
    for assertion in negated:
        found = check(assertion, document)
        assert (found.status, found.code) == (Status.FAILED, "unserialisable_result")


@pytest.mark.parametrize(
    "assertion",
    [
        Assertion("n", "equals", 1),
        Assertion("n", Op.GT, None),
        Assertion("a[", Op.EXISTS),
    ],
)
def test_check_of_what_can_not_be_put_is_refused(assertion: Assertion) -> None:
    """An assertion that can't be put to any document is the author's error."""
    with pytest.raises(CatalogueError):
        check(assertion, {"n": 1})


def test_check_may_use_the_operators_of_a_catalogue() -> None:
    """`catalogue=` says whose operators an assertion may use; without it, only those of now."""
    shop = Catalogue("shop")
    token = AMBIENT.set(shop)
    operator("even")(lambda actual, assertion, context: actual % 2 == 0)
    AMBIENT.reset(token)
    assert check(Assertion("n", "even"), {"n": 2}, catalogue=shop).passed
    assert not check(Assertion("n", "even"), {"n": 3}, catalogue=shop).passed
    with pytest.raises(CatalogueError, match="unknown operator 'even'"):
        check(Assertion("n", "even"), {"n": 2})


def test_check_has_no_saved_values() -> None:
    """A `Ref` stands for nothing where there is no earlier call: the check never passes."""
    for op in (Op.EQ, Op.NE):
        found = check(Assertion("n", op, Ref("saved")), {"n": 1})
        assert (found.status, found.code) == (Status.FAILED, "unsaved_value")


def test_grade_gives_the_result_of_the_run() -> None:
    """A stored trace gives the statuses, codes, values and score of the run it came from."""
    again = grade(SCENARIO, stored())
    assert (again.name, again.status, again.score) == (LIVE.name, LIVE.status, LIVE.score)
    assert [each.actual for each in again.checks] == [each.actual for each in LIVE.checks]
    assert again.trace == LIVE.trace


def test_another_scenario_may_be_put_to_a_trace() -> None:
    """What is expected may change after the run: the same trace, another verdict."""
    stricter = SCENARIO.but(tool_calls=[ToolCall("t", {}, [Assertion("n", Op.EQ, 2)])])
    assert grade(stricter, stored()).status is Status.FAILED


def test_a_step_that_the_trace_does_not_have_is_failed() -> None:
    """A step without a call in the trace fails all its checks; it never passes."""
    longer = SCENARIO.but(tool_calls=[*SCENARIO.tool_calls, ToolCall("t"), ToolCall("t")])
    result = grade(longer, stored())
    assert [each.code for each in result.checks] == [None, "not_run", "not_run", None]
    assert result.status is Status.FAILED


@pytest.mark.parametrize(
    "step",
    [
        ToolCall("u", {}, [Assertion("n", Op.EQ, 1)]),
        ToolCall("t", {"id": 7}, [Assertion("n", Op.EQ, 1)]),
        ToolCall("u", expect_error=True),
    ],
    ids=["another tool", "another argument", "an error"],
)
def test_another_call_is_not_that_of_the_step(step: ToolCall) -> None:
    """A trace whose call is of another tool, or with other arguments, has not run the step."""
    result = grade(SCENARIO.but(tool_calls=[step]), stored())
    assert result.checks[0].code == "not_run"
    assert "the trace holds another call for this step: t({})" in result.checks[0].reason


def test_a_call_without_arguments_is_not_one_with_them() -> None:
    """Only a step that needs saved values may have failed before its arguments were made."""
    scenario = Scenario("s", tool_calls=[ToolCall("u", expect_error=True)])
    trace = json.loads(json.dumps(run(scenario, tools={"u": lambda: int("x")})["s"].trace))
    other = scenario.but(tool_calls=[ToolCall("u", {"n": 2}, expect_error=True)])
    assert [each.code for each in grade(other, trace).checks] == ["not_run"]


def test_a_trace_with_half_a_character_can_be_graded() -> None:
    """What a tool prints and raises is any text; the trace of it is graded again all the same."""

    def half() -> None:
        print("\ud800")  # noqa: T201  - printing is under test
        raise ValueError("\ud800")

    scenario = Scenario("s", tool_calls=[ToolCall("half")])
    result = run(scenario, tools={"half": half})["s"]
    again = grade(scenario, json.loads(json.dumps(result.trace)))
    assert [each.code for each in again.checks] == ["tool_raised"]


def test_saved_values_may_be_any_argument() -> None:
    """Only what is written in the scenario has to be the same: a saved value is the trace's own."""
    calls = [ToolCall("t", save_as={"n": "n"}), ToolCall("u", {"deep": {"n": Ref("n")}, "k": 1})]
    scenario = Scenario("s", tool_calls=calls)
    tools = {"t": lambda: {"n": 5}, "u": lambda deep, k: [deep, k]}
    trace = run(scenario, tools=tools)["s"].trace
    again = json.loads(json.dumps(trace))
    assert grade(scenario, again).passed
    again["calls"][1]["args"]["k"] = 1.0
    assert grade(scenario, again).passed
    again["calls"][1]["args"]["k"] = True
    assert [each.code for each in grade(scenario, again).checks] == [None, None, "not_run"]


@pytest.mark.parametrize("given", [None, "n", Op.EQ, {"path": "n"}, Assertion])
def test_check_asks_for_an_assertion(given: Any) -> None:
    """Anything else is the caller's error, and says what was expected."""
    with pytest.raises(CatalogueError, match="expected an Assertion"):
        check(given, {"n": 1})


def test_grade_does_not_change_the_trace() -> None:
    """The trace that is given stays as it is."""
    trace = stored()
    before = json.dumps(trace)
    grade(SCENARIO, trace)
    assert json.dumps(trace) == before


@pytest.mark.parametrize("trace", [None, [], "trace", {}, stored(calls=[7])], ids=repr)
def test_what_is_no_trace_is_refused(trace: Any) -> None:
    """Anything but a whole trace is the caller's error, never a verdict and never a crash."""
    with pytest.raises(CatalogueError, match="trace"):
        grade(SCENARIO, trace)


@pytest.mark.parametrize(
    "scenario",
    [
        Scenario("s", "Hello?"),
        SCENARIO.but(assertions=[Assertion("callz", Op.EXISTS)]),
        SCENARIO.but(tool_calls=[ToolCall("t", {"n": Ref("nobody")})]),
    ],
)
def test_a_scenario_that_can_not_be_graded_is_refused(scenario: Scenario) -> None:
    """A scenario with a catalogue error is refused before anything is graded."""
    with pytest.raises(CatalogueError):
        grade(scenario, stored())


OWN_OPERATOR = """
from evalkit import Assertion, Scenario, ToolCall, _s, operator

@operator("even")
def even(actual, assertion, context):
    return actual % 2 == 0

TOOL_DISPATCH = {"t": lambda: {"n": 2}}
_s(Scenario("s", tool_calls=[ToolCall("t", {}, [Assertion("n", "even")])]))
"""


def test_a_file_s_own_operators_grade_its_traces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A scenario with an operator of its own file is graded again without running anything."""
    monkeypatch.syspath_prepend(tmp_path)
    path = tmp_path / "own_operator_of_test_grading.py"
    path.write_text(OWN_OPERATOR, encoding="utf-8")
    catalogue = load(path)
    result = run(catalogue)["s"]
    assert result.passed
    assert result.trace is not None
    assert grade(catalogue["s"], result.trace).passed
