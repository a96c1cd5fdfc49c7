"""What happened, as one JSON document: the trace, its keys, and what an empty one looks like."""

from typing import Any, Final, TypedDict

from evalkit.jsonvalue import Json

SCHEMA: Final = 1

KINDS: Final = frozenset(
    {"raised", "timeout", "invalid_arguments", "unserialisable", "unknown_tool"}
    | {"transport", "error_if", "unobserved"}
)
"""Why a call gave no result; the last three are the instrument's, the others the subject's."""

CAUSES: Final = frozenset(
    {"unsaved_value", "transport", "transform_raised", "scenario_timeout", "not_run", "crashed"}
)
"""Why a step was not run."""

ERROR_KINDS: Final = KINDS | {
    "transform_raised",
    "tools_unavailable",
    "crashed",
    "no_prediction",
    "no_answer",
    "no_recording",
    "agent_raised",
    "agent_timeout",
    "agent_unreachable",
    "state_uncaptured",
}
"""What may stand in the trace's list of errors: those of calls, and those of the whole run."""


UNMADE: Final = "the agent tells of it, and did not make it by ctx.tools"
"""What stands for the result of a call of a tool that was handed to an agent, and not noted."""
REDACTED: Final = "[redacted]"
"""What stands in a recorded trace for what is secret."""


class CallError(TypedDict):
    """Why a call gave no result: `kind` is one of the subject's or of the instrument's."""

    kind: str
    type: str
    message: str


class Attempt(TypedDict):
    """One try of a call that was tried again."""

    error: CallError | None
    seconds: float


class Call(TypedDict):
    """One call that was made: by step of the scenario, or by an agent (step null)."""

    step: int | None
    turn: int | None
    tool: str
    args: dict[str, Json]
    result: Json
    error: CallError | None
    attempts: list[Attempt]
    seconds: float
    output: str


class NotRun(TypedDict):
    """A step that was not run: why, and the saved value it needs where that is why."""

    step: int
    tool: str
    cause: str
    needs: str | None


class TraceError(TypedDict):
    """An error of a call (its index), or of the whole run (call null)."""

    call: int | None
    kind: str
    type: str
    message: str


class Trace(TypedDict):
    """What a subject observed. A key that is not in `observed` holds nothing that was measured."""

    schema: int
    subject: str
    observed: list[str]
    response: str | None
    responses: list[str]
    turns: list[Any]
    calls: list[Call]
    not_run: list[NotRun]
    errors: list[TraceError]
    usage: dict[str, int] | None
    cost_usd: float | None
    seconds: float
    stop_cause: str | None
    state: dict[str, Json]
    workspace: dict[str, Json] | None
    meta: dict[str, Json]


KEYS: Final = frozenset(Trace.__annotations__)
