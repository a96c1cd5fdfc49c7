"""How many checks a scenario comes down to under an agent: the same whatever it does."""

from typing import Any

import pytest

from evalkit import (
    Assertion,
    Budget,
    Limits,
    Ref,
    Scenario,
    State,
    Status,
    ToolCall,
    TransportError,
    run,
)

FIND = ToolCall("find", {"id": 1}, save_as={"paid": "paid"})
REFUND = ToolCall("refund", {"why": "broken"}, context_args={"amount": "paid"})
SAID = Assertion("response", "contains", "done")


def right(conversation: list[Any], ctx: Any) -> str:
    """Do it as the scenario does."""
    order = ctx.tools["find"](id=1)
    ctx.tools["refund"](why="broken", amount=order["paid"])
    return "done"


def wrong(conversation: list[Any], ctx: Any) -> str:
    """Call what was not asked for."""
    ctx.tools["refund"](why="torn", amount=7)
    return "no"


def idle(conversation: list[Any], ctx: Any) -> str:
    """Call nothing."""
    return ""


def unseen(conversation: list[Any]) -> str:
    """Show nothing."""
    return "done"


def breaking(conversation: list[Any], ctx: Any) -> str:
    """Raise on the way."""
    ctx.tools["find"](id=1)
    raise ValueError("lost")


def looping(conversation: list[Any], ctx: Any) -> str:
    """Never end."""
    while True:
        ctx.tools["find"](id=1)


def inventing(conversation: list[Any], ctx: Any) -> str:
    """Call a tool that there is not."""
    ctx.tools["fnd"](id=1)
    return "done"


def away(conversation: list[Any], ctx: Any) -> str:
    """Be out of reach."""
    raise TransportError("no route")


class Unmade:
    """An agent that can't be made."""

    def __init__(self) -> None:
        raise RuntimeError("no model")

    def __call__(self, conversation: list[Any]) -> str:
        """Answer."""
        return str(conversation)


AGENTS: list[Any] = [
    *(right, wrong, idle, unseen, breaking, looping, inventing, away),
    Unmade,
]
TOOLS: dict[str, Any] = {
    "find": lambda id: {"paid": 5},  # noqa: A006
    "refund": lambda why, amount: {"amount": amount},
}
SCENARIO = Scenario(
    "s",
    "Refund it.",
    [
        FIND.but(assertions=[Assertion("paid", "gt", 0), Assertion("x", "exists")]),
        REFUND.but(arg_assertions=[Assertion("why", "eq", "broken")], expect_error="no"),
    ],
    assertions=[SAID, Assertion("response", "contains", Ref("paid"))],
    forbid_tools=["drop"],
    budget=Budget(max_calls=2, max_cost_usd=1),
    limits=Limits(max_calls=4),
    state=State({"a": 1, "b": 2}, capture=lambda tools: {"a": 1}),
)
STEPS = [0, 0, 0, 1, 1, 1]
"""Two assertions and a saved value; an assertion on what is sent, what is passed on, an error."""
ON_TRACE = [
    *("response", "response", "state.a", "state.b", "calls", "calls", "calls", "stop_cause"),
    *("calls", "cost_usd"),
]


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.__name__)
def test_as_many_checks_whatever_an_agent_does(agent: Any) -> None:
    """The number of checks and their order are those of the scenario, never of what happened."""
    result = run(SCENARIO, agent=agent, tools=TOOLS).results[0]
    assert [check.step for check in result.checks] == STEPS + [None] * len(ON_TRACE)
    assert [check.path for check in result.checks if check.step is None] == ON_TRACE


class Failing:
    """A factory of tools that is opened once, while planning, and then no more."""

    def __init__(self) -> None:
        self.opened = 0

    def __call__(self) -> dict[str, Any]:
        """Give the tools, the first time."""
        self.opened += 1
        if self.opened > 1:
            raise OSError("disk full")
        return TOOLS


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.__name__)
def test_as_many_checks_where_there_are_no_tools(agent: Any) -> None:
    """Where the tools can't be opened, every check is there, and none was measured."""
    result = run(SCENARIO, agent=agent, tools=Failing()).results[0]
    assert [check.step for check in result.checks] == STEPS + [None] * len(ON_TRACE)
    assert {check.code for check in result.checks} == {"tools_unavailable"}
    assert result.status is Status.ERROR
