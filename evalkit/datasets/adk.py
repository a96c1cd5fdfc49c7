"""ADK: cases of Google's Agent Development Kit, with the calls and the answer of each turn."""

from collections.abc import Iterator

from evalkit.datasets.adk_turns import Turn, old_turn_of, opened, turn_of
from evalkit.datasets.dataset import Dataset, Gathered, Record, ScenarioData
from evalkit.datasets.reading import (
    Part,
    has,
    inner,
    kept,
    name,
    note,
    parts,
    scenario,
    settled,
    text,
    whole,
)
from evalkit.datasets.rules import RESPONSE
from evalkit.datasets.trajectories import on_calls, only, skipping, unique
from evalkit.jsonvalue import Json

LIKE_ROUGE = "nfkc+words"
"""The normaliser that is nearest to the tokens of ADK's ROUGE-1, which stems them as well."""
ENOUGH = 0.8
"""The `response_match_score` that ADK asks for where no `test_config.json` says another."""
FIELDS = {
    "eval_set_id": "metadata `eval_set`",
    "name": "metadata `eval_set`; of an older case: name",
    "description": "metadata `eval_set`",
    "creation_timestamp": "metadata `eval_set`",
    "eval_cases[].eval_id": "name",
    "eval_cases[].conversation[].user_content": "a turn of the prompt: the texts of its `parts`, a "
    "line each; a part of another kind is refused",
    "eval_cases[].conversation[].final_response": "the answer to this turn, likewise: F1 of at "
    "least 0.8, normalised by `nfkc+words`; without text, any answer will do",
    "eval_cases[].conversation[].intermediate_data.tool_uses": "the calls of this turn, by `name` "
    "and `args`: these, in this order, and no other",
    "eval_cases[].conversation[].intermediate_data.invocation_events": "metadata `invocations`; "
    "the calls of this turn are the `function_call`s in it",
    "eval_cases[].conversation[].intermediate_data.tool_responses": "metadata `invocations`",
    "eval_cases[].conversation[].intermediate_data.intermediate_responses": "metadata "
    "`invocations`",
    "eval_cases[].conversation[].rubrics": "metadata `invocations`; the case is skipped, for it "
    "needs a judge",
    "eval_cases[].conversation[].invocation_id": "metadata `invocations`",
    "eval_cases[].conversation[].creation_timestamp": "metadata `invocations`",
    "eval_cases[].conversation[].duration": "metadata `invocations`",
    "eval_cases[].conversation[].model_duration": "metadata `invocations`",
    "eval_cases[].conversation[].tool_duration": "metadata `invocations`",
    "eval_cases[].conversation[].app_details": "metadata `invocations`",
    "eval_cases[].conversation_scenario": "metadata; its `starting_prompt` is the prompt, and the "
    "case is skipped, for it needs a simulated user",
    "eval_cases[].session_input": "metadata; its `session_id` is the session_id",
    "eval_cases[].rubrics": "metadata; the case is skipped, for it needs a judge",
    "eval_cases[].final_session_state": "`state.expected`; what captures it is not in the file",
    "eval_cases[].creation_timestamp": "metadata",
    "data[].query": "a turn of the prompt; the older form, as all of the following",
    "data[].expected_tool_use[].tool_name": "the tool of a call of this turn",
    "data[].expected_tool_use[].tool_input": "its arguments",
    "data[].expected_tool_use[].mock_tool_output": "metadata `invocations`",
    "data[].reference": "as `final_response`",
    "data[].expected_intermediate_agent_responses": "metadata `invocations`",
    "initial_session": "metadata",
    "query": "as in `data[]`: a file that is a list of turns is one case, named after the file",
    "expected_tool_use": "as in `data[]`",
    "reference": "as in `data[]`",
    "expected_intermediate_agent_responses": "as in `data[]`",
}
_SET = ("eval_set_id", "name", "description", "eval_cases", "creation_timestamp")
_CASE = (
    *("eval_id", "conversation", "conversation_scenario", "session_input", "rubrics"),
    *("final_session_state", "creation_timestamp"),
)
_SCENARIO = ("starting_prompt", "conversation_plan", "user_persona")


def scenarios(record: Record, number: int) -> Iterator[ScenarioData]:
    """Give the cases of a record, judged by the criteria that ADK takes where none are said.

    The calls of each turn are exactly the expected ones, and each answer is near to the one that
    is expected. ADK asks for the mean over the turns, and stems the words.
    """
    part = whole(record)
    if "eval_cases" in part.data:
        found = _set(part)
    elif "data" in part.data:
        only(part, ("name", "data", "initial_session"))
        turns = [old_turn_of(each) for each in parts(part, "data")]
        if part.data["data"] == []:
            note(part, "data", "there is no turn, so there is nothing to check")
        found = [_case(name(part, "name"), turns, kept(part, "initial_session"))]
    else:
        found = [_case(f"case_{number}", [old_turn_of(part)], {})]
    return settled(part, found)


def _set(part: Part) -> list[ScenarioData]:
    only(part, _SET)
    text(part, "eval_set_id")
    about = {"eval_set": kept(part, *(key for key in _SET if key != "eval_cases"))}
    cases = [opened(each, _CASE) for each in parts(part, "eval_cases")]
    if part.data["eval_cases"] == []:
        note(part, "eval_cases", "there is no case, so there is nothing to check")
    unique(cases, "eval_id")
    return [_new_case(each, about) for each in cases]


def _new_case(part: Part, about: Record) -> ScenarioData:
    named = name(part, "eval_id")
    own = {key: value for key, value in kept(part, *_CASE[2:]).items() if value}
    own.pop("final_session_state", None)
    needs = [("a judge", "rubrics")] if part.data.get("rubrics") else []
    if has(part, "conversation") == has(part, "conversation_scenario"):
        hint = "exactly one of conversation and conversation_scenario"
        note(part, "conversation", "is there twice, or not at all", hint)
    turns = _turns(part)
    if any("rubrics" in each.kept for each in turns):
        needs.append(("a judge", "conversation[].rubrics"))
    if has(part, "conversation_scenario"):
        needs.append(("a simulated user", "conversation_scenario"))
    found = _case(named, turns, {**about, **own}, judged=not has(part, "conversation_scenario"))
    return {**found, **_state(part), **_session(part), **skipping(needs)}


def _turns(part: Part) -> list[Turn]:
    if has(part, "conversation_scenario"):
        planned = inner(part, "conversation_scenario")
        if planned is None:
            return []
        planned = opened(planned, _SCENARIO)
        return [Turn(text(planned, "starting_prompt"), [], "", {})]
    if part.data.get("conversation") == []:
        note(part, "conversation", "there is no turn, so there is nothing to check")
    found = parts(part, "conversation") if has(part, "conversation") else []
    return [turn_of(each) for each in found]


def _state(part: Part) -> Record:
    if not part.data.get("final_session_state"):
        return {}
    state = inner(part, "final_session_state")
    return {} if state is None else {"state": {"expected": state.data}}


def _session(part: Part) -> Record:
    session = inner(part, "session_input") if has(part, "session_input") else None
    if session is None:
        return {}
    key = "session_id" if "session_id" in session.data else "sessionId"
    return {"session_id": text(session, key)} if has(session, key) else {}


def _case(named: str, turns: list[Turn], said: Record, *, judged: bool = True) -> ScenarioData:
    prompts = [turn.asked for turn in turns]
    calls = [call for turn in turns for call in turn.calls]
    beside = [turn.kept for turn in turns]
    found = scenario(
        name=named,
        prompt=prompts[0] if len(prompts) == 1 else prompts,
        tool_calls=calls,
        match="exact" if calls else None,
        assertions=[*_on_calls(turns), *_on_answers(turns)] if judged else [],
        metadata={**said, **({"invocations": beside} if any(beside) else {})},
    )
    return {**found, "hygiene": False}


def _on_calls(turns: list[Turn]) -> Iterator[Json]:
    """Ask for the calls of each turn; of one turn that has some, `match` does."""
    if len(turns) > 1:
        for index, turn in enumerate(turns):
            yield on_calls("calls_exactly", turn.calls, index, description=f"calls in turn {index}")
    elif not any(turn.calls for turn in turns):
        yield on_calls("calls_exactly", [])


def _on_answers(turns: list[Turn]) -> Iterator[Json]:
    rule = {"threshold": ENOUGH, "normalize": LIKE_ROUGE, "description": "response_match_score"}
    for index, turn in enumerate(turns):
        path = RESPONSE if len(turns) == 1 else f"responses[{index}]"
        if turn.answer:
            yield {"path": path, "op": "f1", "expected": turn.answer, **rule}


ADK = Dataset(
    name="adk",
    about="cases for agents, with the calls and the answer of each turn",
    source="the .test.json and .evalset.json files of Google's Agent Development Kit",
    fields=FIELDS,
    needs=(
        frozenset({"eval_set_id", "eval_cases"}),
        frozenset({"name", "data"}),
        frozenset({"query", "reference"}),
        frozenset({"query", "expected_tool_use"}),
    ),
    scenarios=scenarios,
    gathered=Gathered("query", "name", "data"),
)
