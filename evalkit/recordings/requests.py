"""What a recording is: a request, by which it is found, and the answer that it got."""

from collections.abc import Mapping
from typing import Any, Final

import attrs

from evalkit.jsonvalue import Json, brief

TOOLS: Final = "tools"
AGENT: Final = "agent"
Run = tuple[str, int]
"""Which run a request was part of: of the tools or of an agent, and its epoch."""
Slot = tuple[str, int, str, int]
"""The place of a request in its run: there, one request at most has been recorded."""


@attrs.frozen(eq=False)
class Recording:
    """One request and its answer, both JSON."""

    request: dict[str, Json]
    answer: dict[str, Json]


def of_step(epoch: int, step: int, tool: str, args: Mapping[str, Json] | None) -> dict[str, Json]:
    """Give the request for the result of a step's call; without arguments, why it was not made."""
    made = None if args is None else dict(args)
    return {"subject": TOOLS, "epoch": epoch, "step": step, "tool": tool, "args": made}


def of_turn(epoch: int, conversation: list[Any]) -> dict[str, Json]:
    """Give the request for an agent's answer to a conversation so far."""
    return {"subject": AGENT, "epoch": epoch, "conversation": conversation}


def of_end(subject: str, epoch: int, after: int) -> dict[str, Json]:
    """Give the request for what a run has left, `after` so many calls of tools, or turns."""
    return {"subject": subject, "epoch": epoch, "end": True, "after": after}


def run_of(request: Mapping[str, Json]) -> Run:
    """Say which run a request is part of."""
    return request["subject"], request["epoch"]


def slot_of(request: Mapping[str, Json]) -> Slot:
    """Give the place of a request in its run."""
    run = run_of(request)
    if "end" in request:
        return *run, "end", 0
    if "conversation" in request:
        return *run, "turn", len(request["conversation"])
    return *run, "step", request["step"]


def asked(request: Mapping[str, Json]) -> str:
    """Say what was asked.

    >>> asked(of_step(1, 0, "refund", {"id": 1008}))
    'refund(id=1008)'
    """
    if "end" in request:
        noun = "call" if request["subject"] == TOOLS else "turn"
        return f"the end, after {request['after']} {noun}{'s' * (request['after'] != 1)}"
    if "conversation" in request:
        said = request["conversation"][-1]["content"] if request["conversation"] else ""
        return f"the answer to {brief(said)}"
    if request["args"] is None:
        return f"{request['tool']}, which was not called"
    args = ", ".join(
        f"{name}={brief(value, 40)}" for name, value in sorted(request["args"].items())
    )
    return f"{request['tool']}({brief_text(args)})"


def asked_where(request: Mapping[str, Json]) -> str:
    """Say what was asked, and in which step and epoch.

    >>> asked_where(of_step(1, 0, "refund", {"id": 1008}))
    'refund(id=1008) for step 0, epoch 1'
    """
    step = f" for step {request['step']}" if "step" in request else ""
    return f"{asked(request)}{step}, epoch {request['epoch']}"


def brief_text(text: str, limit: int = 160) -> str:
    """Cut a text, and say that there is more."""
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
