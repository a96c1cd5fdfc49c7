"""What is recorded of a trace: each request with its answer, and of a run that failed nothing."""

from typing import Any, cast

import pytest

from evalkit import Scenario, ToolCall, TransportError, run
from evalkit.recordings import recordings_of
from evalkit.trace import Call, NotRun, Trace


def requests(trace: Trace, epoch: int = 1) -> list[dict[str, Any]]:
    """The requests of what is recorded."""
    found = recordings_of(epoch, trace)
    assert isinstance(found, list)
    return [recording.request for recording in found]


def answers(trace: Trace) -> list[dict[str, Any]]:
    """The answers of what is recorded."""
    found = recordings_of(1, trace)
    assert isinstance(found, list)
    return [recording.answer for recording in found]


def test_a_call_is_found_by_what_was_sent(of_tools: Trace) -> None:
    """The request of a call is its step, its tool and the arguments that it was given."""
    assert requests(of_tools, epoch=3) == [
        {"subject": "tools", "epoch": 3, "step": 0, "tool": "find", "args": {"id": 7}},
        {
            "subject": "tools",
            "epoch": 3,
            "step": 1,
            "tool": "refund",
            "args": {"id": 7, "why": "broken"},
        },
    ]


def test_of_a_call_what_the_tool_told_is_kept(of_tools: Trace) -> None:
    """The result, the error and what was printed are kept; no time is."""
    assert answers(of_tools)[1] == {"result": {"refunded": 7}, "error": None, "output": ""}


def test_a_turn_is_found_by_the_conversation_so_far(of_agent: Trace) -> None:
    """The request of a turn is the conversation up to it; that of the end counts the turns."""
    first, second, end = requests(of_agent)
    assert first == {"subject": "agent", "epoch": 1, "conversation": of_agent["turns"][:1]}
    assert second == {"subject": "agent", "epoch": 1, "conversation": of_agent["turns"][:3]}
    assert end == {"subject": "agent", "epoch": 1, "end": True, "after": 2}


def test_of_a_turn_the_answer_and_its_calls_are_kept(of_agent: Trace) -> None:
    """Text, messages, and the calls of that turn alone; no time is."""
    first, second, _ = answers(of_agent)
    assert first["text"] == "Refunded, after 1 messages."
    assert first["messages"] == of_agent["turns"][1:2]
    assert [call["tool"] for call in first["calls"]] == ["find", "refund"]
    assert first["calls"][0].keys() == {"tool", "args", "result", "error", "output"}
    assert second["stop_cause"] == first["stop_cause"] == "completed"


def test_of_the_whole_run_no_time_and_no_cost_is_kept(of_agent: Trace) -> None:
    """What an agent used is kept, and what it cost or how long it took is not even observed."""
    of_agent["cost_usd"] = 0.25
    of_agent["observed"].append("cost_usd")
    of_agent["meta"]["worker_deaths"] = 1
    end = answers(of_agent)[-1]
    assert end.keys() == {"observed", "usage", "state", "meta", "errors"}
    assert not {"seconds", "cost_usd"} & set(end["observed"])
    assert end["meta"].keys() == {"turns", "turns_told", "ended_on_failed_call"}


def test_the_state_of_the_tools_is_kept_where_it_was_captured(of_tools: Trace) -> None:
    """What the calls have left is one more recording, which says after how many calls."""
    of_tools["observed"], of_tools["state"] = [*of_tools["observed"], "state"], {"open": 2}
    assert requests(of_tools)[-1] == {"subject": "tools", "epoch": 1, "end": True, "after": 2}
    assert answers(of_tools)[-1] == {"state": {"open": 2}}


def test_the_errors_of_tries_are_kept(of_tools: Trace) -> None:
    """A call that was tried again says so, in a replay too."""
    error: Any = {"kind": "transport", "type": "TransportError", "message": "gone"}
    of_tools["calls"][0]["attempts"] = [{"error": error, "seconds": 1.0}]
    assert answers(of_tools)[0]["attempts"] == [error]


def test_why_a_step_was_not_run_is_kept(of_tools: Trace) -> None:
    """Where time was over, a replay can't know it by itself; that a value is missing, it can."""
    left: NotRun = {"step": 1, "tool": "refund", "cause": "scenario_timeout", "needs": None}
    del of_tools["calls"][1]
    of_tools["not_run"] = [left]
    asked = {"subject": "tools", "epoch": 1, "step": 1, "tool": "refund", "args": None}
    assert requests(of_tools)[1] == asked
    assert answers(of_tools)[1] == {"not_run": "scenario_timeout"}
    of_tools["not_run"] = [{**left, "cause": "unsaved_value", "needs": "id"}]
    assert len(requests(of_tools)) == 1


UNMEASURED = [
    *("tools_unavailable", "crashed", "agent_unreachable", "state_uncaptured", "no_recording"),
    *("no_prediction", "no_answer", "transport", "error_if"),
]


@pytest.mark.parametrize("kind", UNMEASURED)
def test_what_was_not_measured_is_not_recorded(of_tools: Trace, kind: str) -> None:
    """Where the instrument failed, there is a reason in place of recordings."""
    of_tools["errors"] = [{"call": None, "kind": kind, "type": "Error", "message": "gone"}]
    assert recordings_of(1, of_tools) == f"{kind}: gone"


@pytest.mark.parametrize(
    "kind", ["raised", "timeout", "invalid_arguments", "unserialisable", "unknown_tool"]
)
def test_what_the_subject_did_wrong_is_recorded(of_tools: Trace, kind: str) -> None:
    """An error of the tool's is an answer like any other."""
    error: Any = {"kind": kind, "type": "Error", "message": "no"}
    of_tools["calls"][1] |= {"result": None, "error": error}
    failed: Any = {"call": 1, **error}
    of_tools["errors"] = [failed]
    assert answers(of_tools)[1]["error"] == error


def test_a_far_end_out_of_reach_is_not_recorded() -> None:
    """A real run whose transport failed gives no recordings."""

    def gone() -> None:
        raise TransportError("no route")

    trace = run(Scenario("s", tool_calls=[ToolCall("t")]), tools={"t": gone})["s"].trace
    assert trace is not None
    assert recordings_of(1, trace) == "transport: no route"


def test_a_prediction_is_not_recorded(of_agent: Trace) -> None:
    """An answer from a file is in that file, and has no conversation."""
    of_agent["observed"] = ["schema", "subject", "observed", "response"]
    assert "in a file already" in str(recordings_of(1, of_agent))


def _moved(call: Call, **changes: Any) -> Call:
    moved: Any = {**call, **changes}
    return cast("Call", moved)


def test_a_trace_that_does_not_fit_is_not_recorded(of_tools: Trace, of_agent: Trace) -> None:
    """Calls without a step or of no turn, and answers that nobody gave, are not guessed at."""
    twice = [_moved(call, step=0) for call in of_tools["calls"]]
    stepless = [_moved(call, step=None) for call in of_tools["calls"]]
    for calls in (twice, stepless):
        changed: Trace = {**of_tools, "calls": calls}
        assert "which step" in str(recordings_of(1, changed))
    late: Trace = {**of_agent, "calls": [_moved(call, turn=2) for call in of_agent["calls"]]}
    assert "in which turn" in str(recordings_of(1, late))
    other: Trace = {**of_agent, "responses": ["something", "else"]}
    assert "which of its turns" in str(recordings_of(1, other))
