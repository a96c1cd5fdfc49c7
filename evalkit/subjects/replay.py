"""The subject that is a recording: it gives the trace of what has been recorded, and runs nothing.

A recording took no time and cost nothing, so of these nothing is observed in it.
"""

from math import inf
from time import perf_counter
from typing import Final, cast

from evalkit.fingerprints import handed_digest
from evalkit.jsonvalue import Json, copy_json
from evalkit.plan import BoundCall, Plan
from evalkit.recordings import NoRecordingError, Recordings, RecordingsError
from evalkit.recordings.requests import of_end, of_step, of_turn
from evalkit.recordings.turns import COMPLETED
from evalkit.subjects.arguments import TransformError, arguments_of
from evalkit.subjects.conversation import Message, conversation_of, pieces_of, response_of
from evalkit.subjects.kinds import AGENTS, TOOLS, replayed
from evalkit.subjects.progress import (
    LOST,
    Progress,
    call_note,
    note,
    note_error,
    nothing_yet,
    skip,
    trace_of,
)
from evalkit.trace import Attempt, Call, Trace, TraceError

NO_RECORDING: Final = "no_recording"


REPLAYED_TOOLS: Final = replayed(TOOLS)
REPLAYED_AGENTS: Final = replayed(AGENTS)
_SEEN_OF_TOOLS = [name for name in REPLAYED_TOOLS.observed if name != "state"]


class ReplaySubject:
    """Gives the traces of plans from recordings; what was not recorded is an error, never a guess.

    A plan of the tools is gone through step by step, its arguments made from what was saved on the
    way. One of an agent's goes turn by turn, each with the conversation so far.
    """

    def __init__(self, recordings: Recordings) -> None:
        """Take what has been recorded."""
        self._recordings = recordings

    def digest_of(self, name: str, /) -> str:
        """Give the digest of what is recorded of a scenario."""
        return self._recordings.digest_of(name)

    def trace_of(self, plan: Plan, epoch: int = 1, /) -> Trace:
        """Give the trace of one epoch; where something is missing, it says so and ends there."""
        act = self._of_tools if plan.pairing == "step" else self._of_agent
        progress = nothing_yet(plan, perf_counter(), inf)
        trace: Trace | None = None
        try:
            trace = act(progress, epoch)
        except (NoRecordingError, RecordingsError) as error:
            note_error(progress, NO_RECORDING, error)
        if trace is None:
            kind = REPLAYED_TOOLS if plan.pairing == "step" else REPLAYED_AGENTS
            trace = trace_of(progress, kind.name, list(kind.observed))
        trace["seconds"] = 0.0
        return trace

    def _of_tools(self, progress: Progress, epoch: int) -> Trace:
        """Go through the steps of a scenario's tool calls."""
        scenario = progress.plan.scenario
        for bound in progress.plan.calls:
            self._step(progress, epoch, bound)
        if scenario.state is None:
            return trace_of(progress, TOOLS.name, list(_SEEN_OF_TOOLS))
        left = self._recordings.answer(
            scenario.name, of_end(TOOLS.name, epoch, len(progress.calls))
        )
        trace = trace_of(progress, TOOLS.name, [*_SEEN_OF_TOOLS, "state"])
        trace["state"] = copy_json(left["state"])
        return trace

    def _step(self, progress: Progress, epoch: int, bound: BoundCall) -> None:
        """Give one step its recorded result, if what it needs was saved."""
        name, tool = progress.plan.scenario.name, bound.tool
        left = self._recordings.find(name, of_step(epoch, bound.step, tool, None))
        if left is not None:
            skip(progress, bound, left["not_run"])
            return
        for needed in bound.needs:
            if needed not in progress.saved:
                skip(progress, bound, progress.lost.get(needed, LOST), needed)
                return
        try:
            args = arguments_of(bound, progress.saved) if bound.needs else bound.args
        except TransformError as error:
            note_error(progress, "transform_raised", error.__cause__ or error)
            skip(progress, bound, "transform_raised")
            return
        told = self._refused(name, epoch, bound)
        if told is not None:
            args = {}
        else:
            told = self._recordings.answer(name, of_step(epoch, bound.step, tool, args))
        note(progress, bound, _call(bound, args, told))

    def _refused(self, name: str, epoch: int, bound: BoundCall) -> dict[str, Json] | None:
        """Give the error of a call that failed before its arguments were made from saved values.

        What they would have been is not known; so it can't be the error that a step expects.
        """
        if not bound.needs or bound.wanted_error is not None:
            return None
        told = self._recordings.find(name, of_step(epoch, bound.step, bound.tool, {}))
        return None if told is None or told["error"] is None else told

    def _of_agent(self, progress: Progress, epoch: int) -> Trace:
        """Go through the turns of a scenario's prompt, as far as the agent has come."""
        scenario = progress.plan.scenario
        pieces = pieces_of(conversation_of(scenario))
        conversation: list[Message] = []
        responses: list[str] = []
        turns, cause = 0, None
        for number, piece in enumerate(pieces):
            conversation += piece
            told = self._recordings.answer(scenario.name, of_turn(epoch, conversation))
            turns, cause = turns + 1, told["stop_cause"]
            progress.calls += [_own_call(number, call) for call in told["calls"]]
            conversation += copy_json(told["messages"])
            responses += [] if told["text"] is None else [told["text"]]
            if told["text"] is None or cause != COMPLETED:
                break
        left = copy_json(self._recordings.answer(scenario.name, of_end(AGENTS.name, epoch, turns)))
        if left["meta"].get("handed") != handed_digest(scenario):
            raise NoRecordingError("the recording is of other examples, files, limits or session")
        progress.errors += [cast("TraceError", {"call": None, **each}) for each in left["errors"]]
        _note_failed(progress)
        trace = trace_of(progress, AGENTS.name, left["observed"])
        trace["response"] = response_of(responses, len(pieces))
        trace["responses"], trace["turns"] = responses, conversation
        trace["stop_cause"], trace["usage"] = cause, left["usage"]
        trace["state"], trace["meta"] = left["state"], left["meta"]
        return trace


def _note_failed(progress: Progress) -> None:
    """Note the errors of an agent's calls, but for those whose result it did not tell."""
    for index, call in enumerate(progress.calls):
        if call["error"] is not None and call["error"]["kind"] != "unobserved":
            progress.errors.append({"call": index, **call["error"]})


def _call(bound: BoundCall, args: dict[str, Json], told: dict[str, Json]) -> Call:
    """Give the note of a step's call, as it was told."""
    told = copy_json(told)
    error, result, attempts = told["error"], told["result"], _attempts(told)
    return call_note(bound, args, error, result, attempts, output=told["output"])


def _own_call(turn: int, told: dict[str, Json]) -> Call:
    """Give the note of a call of an agent's, as it was told."""
    told = copy_json(told)
    return {
        "step": None,
        "turn": turn,
        "tool": told["tool"],
        "args": told["args"],
        "result": told["result"],
        "error": told["error"],
        "attempts": _attempts(told),
        "seconds": 0.0,
        "output": told["output"],
    }


def _attempts(told: dict[str, Json]) -> list[Attempt]:
    return [{"error": error, "seconds": 0.0} for error in told.get("attempts", ())]
