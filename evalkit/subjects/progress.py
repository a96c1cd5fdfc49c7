"""How far the run of one scenario has come, and how what happens in it is noted."""

from time import perf_counter
from typing import Any

import attrs

from evalkit.jsonvalue import MISSING, Json
from evalkit.plan import BoundCall, Plan
from evalkit.protocols import Table
from evalkit.toolbox.errors import message_of
from evalkit.trace import SCHEMA, Attempt, Call, CallError, NotRun, Trace, TraceError

LOST = "unsaved_value"
TRANSPORT = "transport"


@attrs.define(eq=False, repr=False)
class Progress:
    """How far a scenario has come: the next step, what was noted, what was saved, what was lost.

    Another thread can go on from it. `called` and `args` are of the call under way. `lost` says for
    each value that could not be saved why. `talk` is how far an agent has come, `state` what was
    captured, and `phase` what is under way beside the steps.
    """

    plan: Plan
    table: Table | None
    started: float
    deadline: float
    next: int
    called: float
    args: dict[str, Json]
    calls: list[Call]
    not_run: list[NotRun]
    errors: list[TraceError]
    saved: dict[str, Json]
    lost: dict[str, str]
    trace: Trace | None = None
    talk: Any = None
    state: dict[str, Json] | None = None
    phase: str = ""


def nothing_yet(plan: Plan, started: float, deadline: float) -> Progress:
    """Give the progress of a scenario of which nothing has happened yet."""
    return Progress(plan, None, started, deadline, 0, started, {}, [], [], [], {}, {})


def note(progress: Progress, bound: BoundCall, call: Call) -> None:
    """Note a call that was made, and keep what is to be saved of its result."""
    progress.calls.append(call)
    error = call["error"]
    if error is not None:
        progress.errors.append({"call": len(progress.calls) - 1, **error})
        _lose(progress, bound, error["kind"])
        return
    for name, save in bound.saves:
        value = save.path.resolve(call["result"])
        if value is MISSING or (save.path.many and not value):
            progress.saved.pop(name, None)
            progress.lost[name] = LOST
        else:
            progress.saved[name] = value


def skip(progress: Progress, bound: BoundCall, cause: str, needs: str | None = None) -> None:
    """Note a step that was not run, and that what it should have saved is lost."""
    tool = bound.tool
    progress.not_run.append({"step": bound.step, "tool": tool, "cause": cause, "needs": needs})
    _lose(progress, bound, cause)


def note_error(progress: Progress, kind: str, raised: BaseException, said: str = "") -> None:
    """Note an error that belongs to no call."""
    name = type(raised).__name__
    message = f"{said}: {name}: {message_of(raised)}" if said else message_of(raised)
    progress.errors.append({"call": None, "kind": kind, "type": name, "message": message})


def call_note(  # noqa: PLR0913, PLR0917  - one parameter for each thing that is noted
    bound: BoundCall,
    args: dict[str, Json],
    error: CallError | None,
    result: Json = None,
    attempts: list[Attempt] | None = None,
    seconds: float = 0.0,
    output: str = "",
) -> Call:
    """Give the note of a call: what was sent, and what came of it."""
    return {
        "step": bound.step,
        "turn": None,
        "tool": bound.tool,
        "args": args,
        "result": result,
        "error": error,
        "attempts": [] if attempts is None else attempts,
        "seconds": seconds,
        "output": output,
    }


def trace_of(progress: Progress, subject: str, observed: list[str]) -> Trace:
    """Give the trace of what has happened so far."""
    return {
        "schema": SCHEMA,
        "subject": subject,
        "observed": observed,
        "response": None,
        "responses": [],
        "turns": [],
        "calls": progress.calls,
        "not_run": progress.not_run,
        "errors": progress.errors,
        "usage": None,
        "cost_usd": None,
        "seconds": perf_counter() - progress.started,
        "stop_cause": None,
        "state": {},
        "workspace": None,
        "meta": {},
    }


def _lose(progress: Progress, bound: BoundCall, cause: str) -> None:
    for name, _ in bound.saves:
        progress.saved.pop(name, None)
        progress.lost[name] = TRANSPORT if cause == TRANSPORT else LOST
