"""Recordings of agents as subject: the traces are those of the runs, but for times and cost."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit import Assertion, Budget, Op, Reply, Scenario, State, Status, ToolCall, Turn, run
from evalkit.grading import grade
from evalkit.recordings import Recorder, Recordings
from evalkit.subjects.conversation import conversation_of, pieces_of
from evalkit.subjects.replay import REPLAYED_AGENTS, REPLAYED_TOOLS, ReplaySubject
from tests.subjects.replayed import TOOLS, codes, missed, planned, recorded, timeless


def clerk(conversation: list[dict[str, str]], context: Any) -> Any:
    """An agent that does what the last message says."""
    said = conversation[-1]["content"]
    if said == "raise":
        raise ValueError("no")
    if said == "stop":
        return Reply("that is all", stop_cause="loop", usage={"input_tokens": 3}, cost_usd=0.5)
    if said == "nothing":
        return None
    if said == "break":
        try:
            context.tools["refund"](id=7, cents=900)
        except ValueError:
            return "it broke"
    order = context.tools["find"](id=7)
    return f"{order['id']} after {len(conversation)}"


ASKS = ToolCall("find", {"id": 7}, [Assertion("id", Op.EQ, 7)])
PROMPTS: dict[str, Any] = {
    "one turn": "hello",
    "two turns": ["hello", "hello again"],
    "a tool that raises": ["break", "hello"],
    "an agent that raises": ["hello", "raise", "hello"],
    "an agent that stops": ["stop", "hello"],
    "no answer": ["hello", "nothing", "hello"],
    "history": [Turn("user", "a"), Turn("assistant", "b"), Turn("user", "c"), Turn("user", "d")],
    "a system turn": [Turn("user", "a"), Turn("system", "be brief"), Turn("user", "c")],
}


@pytest.mark.parametrize("case", PROMPTS)
def test_a_run_of_an_agent_is_given_again(tmp_path: Path, case: str) -> None:
    """Answers, calls, why it stopped, what it used: the trace is that of the run."""
    scenario = Scenario(
        "s",
        PROMPTS[case],
        [ASKS],
        system_prompt="You are a clerk.",
        state=State({"x": 1}, capture=lambda env: {"x": 1}),
        budget=Budget(max_turns=9),
    )
    live = run(scenario, tools=TOOLS, agent=clerk)["s"]
    plan = planned(scenario, REPLAYED_AGENTS)
    trace = recorded(tmp_path, [live]).trace_of(plan, 1)
    assert timeless(trace) == timeless(live.trace)
    assert codes(grade(plan, trace)) == codes(live)


def test_a_recording_costs_nothing(tmp_path: Path) -> None:
    """Neither time nor cost is counted against a budget, nor for it; tokens are."""
    budget = Budget(max_seconds=0.001, max_cost_usd=0.01, max_input_tokens=2)
    scenario = Scenario("s", "stop", assertions=[Assertion("stop_cause", Op.EQ, "loop")])
    scenario = scenario.but(budget=budget)
    replay = recorded(tmp_path, [run(scenario, agent=clerk)["s"]])
    plan = planned(scenario, REPLAYED_AGENTS)
    trace = replay.trace_of(plan, 1)
    checks = {check.path: check.code for check in grade(plan, trace).checks}
    assert trace["cost_usd"] is None
    assert checks["seconds"] == checks["cost_usd"] == "not_observed"
    assert checks["usage.input_tokens"] == "over_budget"


def test_an_agent_that_was_asked_something_else_is_an_error(tmp_path: Path) -> None:
    """Another prompt, another turn, or one turn less is no recording, and says how it differs."""
    scenario = Scenario("s", ["hello", "hello again"], [ASKS])
    replay = recorded(tmp_path, [run(scenario, tools=TOOLS, agent=clerk)["s"]])
    said = {
        "expected 'hello again', got 'goodbye'": scenario.but(prompt=["hello", "goodbye"]),
        "nearest: the end, after 2 turns": scenario.but(prompt="hello"),
        "'be kind'": scenario.but(system_prompt="be kind"),
        "the answer to 'more'": scenario.but(prompt=["hello", "hello again", "more"]),
    }
    for part, asked in said.items():
        plan = planned(asked, REPLAYED_AGENTS)
        trace = replay.trace_of(plan, 1)
        assert part in missed(trace)
        assert grade(plan, trace).status is Status.ERROR


def test_tools_and_an_agent_share_a_folder(tmp_path: Path) -> None:
    """One scenario, recorded of both, gives to each its own."""
    scenario = Scenario("s", "hello", [ASKS])
    lives = [run(scenario, tools=TOOLS)["s"], run(scenario, tools=TOOLS, agent=clerk)["s"]]
    replay = recorded(tmp_path, lives)
    for live, kind in zip(lives, (REPLAYED_TOOLS, REPLAYED_AGENTS), strict=True):
        trace = replay.trace_of(planned(scenario, kind), 1)
        assert timeless(trace) == timeless(live.trace)


SAID = st.sampled_from(["a", "b", "ok"])
TURNS = st.builds(Turn, st.sampled_from(["user", "assistant", "system"]), SAID)


@settings(max_examples=80, deadline=None)
@given(
    turns=st.lists(TURNS, min_size=1, max_size=7).map(lambda some: [*some, Turn("user", "end")]),
    answers=st.lists(st.sampled_from(["ok", "a", "other", ""]), min_size=8, max_size=8),
)
def test_scripted_answers_are_never_taken_for_the_agent_s(
    turns: list[Turn], answers: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Whatever a prompt is scripted to, a replay gives the trace of the run, or an error."""
    scenario = Scenario("s", turns, [ASKS])
    pieces = pieces_of(conversation_of(scenario))
    conversation: list[Any] = []
    for piece, text in zip(pieces, answers, strict=False):
        conversation += [*piece, {"role": "assistant", "content": text}]
    live = run(Scenario("s", "hello", [ASKS]), tools=TOOLS, agent=clerk)["s"]
    assert live.trace is not None
    folder = tmp_path_factory.mktemp("kept")
    recorder = Recorder(folder)
    recorder.add("other", 1, live.trace)
    live.trace |= {
        "turns": conversation,
        "responses": answers[: len(pieces)],
        "response": answers[len(pieces) - 1] or None,
    }
    recorder.add("s", 1, live.trace)
    trace = ReplaySubject(Recordings(folder)).trace_of(planned(scenario, REPLAYED_AGENTS), 1)
    if trace["errors"]:
        assert missed(trace)
    else:
        assert timeless(trace) == timeless(live.trace)
    scripted = {turn.content for turn in turns if turn.role == "assistant"}
    if not scripted & set(answers[: len(pieces)]):
        assert trace["errors"] == []
