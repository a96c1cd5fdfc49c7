"""What a trace comes down to as recordings: each request that was made in it, with its answer."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from evalkit.jsonvalue import Json
from evalkit.recordings.requests import AGENT, TOOLS, Recording, of_end, of_step, of_turn
from evalkit.recordings.turns import COMPLETED, turns_of
from evalkit.subjects.kinds import UNCOUNTED
from evalkit.trace import Call, Trace

UNMEASURED: Final = frozenset(
    {"tools_unavailable", "crashed", "agent_unreachable", "state_uncaptured"}
    | {"no_prediction", "no_answer", "no_recording", "transport", "error_if"}
)
"""The kinds of errors of the instrument: there is nothing to be kept of such a run."""
BY_ITSELF: Final = frozenset({"unsaved_value", "transform_raised"})
"""The causes of a step not run that a replay comes to by itself."""
PASSING: Final = frozenset({"worker_deaths"})
"""What belongs to the one run alone."""


def recordings_of(epoch: int, trace: Trace) -> list[Recording] | str:
    """Give the recordings of a trace, in the order they happened; or say why there are none.

    A trace in which the instrument failed gives none: what was not measured is not to be replayed.
    """
    for error in trace["errors"]:
        if error["kind"] in UNMEASURED:
            return f"{error['kind']}: {error['message']}"
    if trace["subject"] == TOOLS:
        return _of_tools(epoch, trace)
    if "turns" not in trace["observed"]:
        return "an answer of which nothing else is known is in a file already"
    return _of_agent(epoch, trace)


def _of_tools(epoch: int, trace: Trace) -> list[Recording] | str:
    """Give the calls, and the steps that were not run, by step; and the state that is left."""
    found = {
        call["step"]: Recording(
            of_step(epoch, call["step"], call["tool"], call["args"]),  # type: ignore[arg-type]
            _told(call),
        )
        for call in trace["calls"]
    }
    for left in trace["not_run"]:
        if left["cause"] not in BY_ITSELF:
            request = of_step(epoch, left["step"], left["tool"], None)
            found[left["step"]] = Recording(request, {"not_run": left["cause"]})
    if None in found or len(found) < len(trace["calls"]):
        return "the trace does not say of each call which step it was made for"
    recordings = [found[step] for step in sorted(found)]  # type: ignore[type-var]
    if "state" in trace["observed"]:
        end = of_end(TOOLS, epoch, len(trace["calls"]))
        recordings.append(Recording(end, {"state": trace["state"]}))
    return recordings


def _of_agent(epoch: int, trace: Trace) -> list[Recording] | str:
    """Give the turns that were put to the agent, and what belongs to the whole run."""
    turns = turns_of(trace["turns"], trace["responses"])
    if turns is None:
        return "the conversation does not tell which of its turns were put to the agent"
    calls = list(_by_turn(trace["calls"], len(turns)))
    if sum(map(len, calls)) < len(trace["calls"]):
        return "the trace does not say of each call in which turn it was made"
    recordings = []
    for number, turn in enumerate(turns):
        is_last = number == len(turns) - 1
        answer: dict[str, Json] = {
            "text": turn.text,
            "messages": turn.messages,
            "calls": [_named(call) for call in calls[number]],
            "stop_cause": trace["stop_cause"] if is_last else COMPLETED,
        }
        recordings.append(Recording(of_turn(epoch, turn.conversation), answer))
    return [*recordings, Recording(of_end(AGENT, epoch, len(turns)), _whole(trace))]


def _by_turn(calls: Sequence[Call], turns: int) -> Iterator[list[Call]]:
    for number in range(turns):
        yield [call for call in calls if call["turn"] == number]


def _whole(trace: Trace) -> dict[str, Json]:
    """Give what belongs to an agent's whole run."""
    return {
        "observed": [name for name in trace["observed"] if name not in UNCOUNTED],
        "usage": trace["usage"],
        "state": trace["state"],
        "meta": {name: held for name, held in trace["meta"].items() if name not in PASSING},
        "errors": [
            {"kind": error["kind"], "type": error["type"], "message": error["message"]}
            for error in trace["errors"]
            if error["call"] is None
        ],
    }


def _named(call: Call) -> dict[str, Json]:
    """Give a call of an agent's: what was sent, and what came of it."""
    return {"tool": call["tool"], "args": call["args"], **_told(call)}


def _told(call: Call) -> dict[str, Json]:
    """Give what came of a call: all that a tool tells, and none of the times."""
    told: dict[str, Any] = {
        "result": call["result"],
        "error": call["error"],
        "output": call["output"],
    }
    if call["attempts"]:
        told["attempts"] = [attempt["error"] for attempt in call["attempts"]]
    return told
