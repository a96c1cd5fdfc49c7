"""Traces to record: of real runs of tools and of agents, made anew for each test."""

from typing import Any

import pytest

from evalkit import Assertion, Op, Ref, Scenario, ToolCall, run
from evalkit.trace import Trace

REFUND = Scenario(
    "refund",
    "Order 7 is broken.",
    [
        ToolCall("find", {"id": 7}, [Assertion("id", Op.EQ, 7)], save_as={"id": "id"}),
        ToolCall("refund", {"id": Ref("id"), "why": "broken"}),
    ],
)


def find(id: int) -> dict[str, Any]:  # noqa: A002  - the name that is sent
    """Find an order."""
    return {"id": id, "lines": [{"sku": "cup", "cents": 1250}]}


def refund(id: int, why: str) -> dict[str, Any]:  # noqa: A002  - the name that is sent
    """Refund it, for a reason."""
    if why == "whim":
        raise ValueError("a whim is no reason")
    return {"refunded": id}


def clerk(conversation: list[dict[str, str]], context: Any) -> str:
    """Refund whatever is asked."""
    order = context.tools["find"](id=7)
    context.tools["refund"](id=order["id"], why="broken")
    return f"Refunded, after {len(conversation)} messages."


@pytest.fixture
def of_tools() -> Trace:
    """The trace of two calls, the second of which needs the first."""
    trace = run(REFUND, tools={"find": find, "refund": refund})["refund"].trace
    assert trace is not None
    return trace


@pytest.fixture
def of_agent() -> Trace:
    """The trace of an agent that was put two turns."""
    asked = REFUND.but(prompt=["Order 7 is broken.", "And again."])
    trace = run(asked, tools={"find": find, "refund": refund}, agent=clerk)["refund"].trace
    assert trace is not None
    return trace
