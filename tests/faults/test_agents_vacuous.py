"""What would pass an agent without having measured anything, and does not."""

from pathlib import Path
from typing import Any

import pytest

from evalkit import Assertion, Budget, Limits, Scenario, ScenarioResult, Status, ToolCall, run

TOOLS = {"find": lambda id: {"id": id}, "refund": lambda id: {"paid": id}}  # noqa: A006


def put(scenario: Scenario, agent: Any, **options: Any) -> ScenarioResult:
    """The result of a scenario that is put to an agent."""
    return run(scenario, tools=TOOLS, agent=agent, **options)["s"]


def test_nothing_but_what_every_agent_is_asked_is_skipped() -> None:
    """A check that can't be measured and one that only warns do not make a scenario pass."""
    asked = [Assertion("not_run", "len_eq", 0), Assertion("response", "eq", "x", severity="warn")]
    assert put(Scenario("s", "hi", assertions=asked), lambda _: "y").status is Status.SKIPPED


def test_the_mark_of_a_secret_is_no_argument() -> None:
    """An agent that sends what stands for a secret in a log has sent something else."""

    def agent(_conversation: Any, ctx: Any) -> str:
        ctx.tools["refund"](id="[redacted]")
        return "done"

    scenario = Scenario("s", "hi", [ToolCall("refund", {"id": 7})])
    assert put(scenario, agent).status is Status.FAILED


def test_a_setting_is_no_context() -> None:
    """A second argument with a default of its own is not given the context, and shows no calls."""

    def agent(_conversation: Any, temperature: float = 0.2) -> str:
        return f"at {temperature}"

    result = put(Scenario("s", "hi", forbid_tools=["refund"]), agent)
    assert (result.status, result.checks[0].code) == (Status.ERROR, "calls_unobserved")


@pytest.mark.parametrize("op", ["exists", "ne"])
def test_what_says_nothing_of_the_end_does_not_excuse_it(op: str) -> None:
    """An agent that raised fails, though something is asserted of its stop cause."""

    def agent(_conversation: Any) -> str:
        raise ValueError("broken")

    expected = ("timeout",) if op == "ne" else ()
    scenario = Scenario("s", "hi", assertions=[Assertion("stop_cause", op, *expected)])
    assert put(scenario, agent).status is Status.FAILED


def test_exactly_nothing_is_nothing() -> None:
    """`match="exact"` without tool calls asks that there are none."""

    def agent(_conversation: Any, ctx: Any) -> str:
        ctx.tools["refund"](id=7)
        return "done"

    said = [Assertion("response", "eq", "done")]
    result = put(Scenario("s", "hi", assertions=said, match="exact"), agent)
    assert [check.code for check in result.failures] == ["wrong_calls"]


def test_a_budget_of_turns_that_nobody_counted_is_not_exceeded() -> None:
    """More calls than turns are allowed prove nothing where the agent does not count its turns."""

    def agent(_conversation: Any, ctx: Any) -> str:
        ctx.tools["find"](id=1)
        ctx.tools["find"](id=2)
        return "done"

    said = [Assertion("response", "eq", "done")]
    result = put(Scenario("s", "hi", assertions=said, budget=Budget(max_turns=2)), agent)
    assert [check.code for check in result.failures] == ["usage_unknown"]


def test_a_recording_of_other_limits_is_none(tmp_path: Path) -> None:
    """What an agent was handed beside the prompt is a part of what it was asked."""
    said = [Assertion("response", "eq", "done")]
    scenario = Scenario("s", "hi", assertions=said, limits=Limits(max_calls=3))
    assert put(scenario, lambda _: "done", record=tmp_path).passed
    assert run(scenario, replay=tmp_path)["s"].passed
    other = run(scenario.but(limits=Limits(max_calls=1)), replay=tmp_path)["s"]
    assert {check.code for check in other.failures} == {"no_recording"}
