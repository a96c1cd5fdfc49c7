"""ADK's eval sets, in the forms that there have been."""

import json
from pathlib import Path
from typing import Any

import pytest

from evalkit.datasets import DATASETS, recognised
from tests.datasets.records import asked, flaws, one

ADK = DATASETS["adk"]
FILES = Path(__file__).parents[2] / "../shared/data/formats/adk"
RULE = {
    "op": "f1",
    "threshold": 0.8,
    "normalize": "nfkc+words",
    "description": "response_match_score",
}
NULLS = dict.fromkeys(
    (
        *("video_metadata", "thought", "code_execution_result", "executable_code", "file_data"),
        *("function_call", "function_response", "inline_data"),
    )
)
OFF: dict[str, Any] = {"id": None, "name": "set_device", "args": {"id": "d2", "status": "OFF"}}
CALL = {"tool": "set_device", "args": {"id": "d2", "status": "OFF"}}
NONE: dict[str, Any] = {"path": "calls", "op": "calls_exactly", "expected": []}


def said(*texts: Any, role: str = "user") -> dict[str, Any]:
    """A content of these texts."""
    return {"parts": [{**NULLS, "text": each} for each in texts], "role": role}


def turn(asked_for: str, answer: Any = None, *calls: Any, **more: Any) -> dict[str, Any]:
    """An invocation."""
    return {
        "user_content": said(asked_for),
        "final_response": said(answer, role="model"),
        "intermediate_data": {"tool_uses": list(calls), "intermediate_responses": []},
        **more,
    }


def case(*turns: Any, **more: Any) -> dict[str, Any]:
    """A set of one case."""
    own = {"eval_id": "c1", "conversation": list(turns), "session_input": None, **more}
    return {"eval_set_id": "s", "name": "s", "description": None, "eval_cases": [own]}


def in_turn(at: int, *calls: Any) -> dict[str, Any]:
    """The assertion on the calls of one turn."""
    path = f"calls[?(@.turn == {at})]"
    described = {"description": f"calls in turn {at}"}
    return {"path": path, "op": "calls_exactly", "expected": list(calls), **described}


def test_one_turn() -> None:
    """A case of one turn is its text, exactly its calls, and the answer by ADK's own measure."""
    assert one(ADK, case(turn("Turn it off.", "It is off.", OFF))) == {
        "name": "c1",
        "prompt": "Turn it off.",
        "tool_calls": [CALL],
        "match": "exact",
        "assertions": [{"path": "response", "expected": "It is off.", **RULE}],
        "metadata": {"eval_set": {"eval_set_id": "s", "name": "s"}},
        "hygiene": False,
    }


def test_no_calls() -> None:
    """A turn without calls expects none, as it does where nothing is said of them."""
    found = [
        one(ADK, case(turn("Hi.", "Hello."))),
        one(ADK, case(turn("Hi.", "Hello.", intermediate_data=None))),
    ]
    for each in found:
        assert each["assertions"][0] == NONE
        assert "tool_calls" not in each
        assert "match" not in each


def test_turns() -> None:
    """Of several turns, each has its own calls and its own answer."""
    found = one(ADK, case(turn("Off.", "Off.", OFF), turn("What did I say?", "Off it is.")))
    assert found["prompt"] == ["Off.", "What did I say?"]
    assert found["tool_calls"] == [CALL]
    assert found["assertions"] == [
        in_turn(0, CALL),
        in_turn(1),
        {"path": "responses[0]", "expected": "Off.", **RULE},
        {"path": "responses[1]", "expected": "Off it is.", **RULE},
    ]


@pytest.mark.parametrize("answer", [None, "", " \n"])
def test_no_answer(answer: Any) -> None:
    """Without a text that is expected, the answer is held against nothing."""
    for record in (turn("Off.", answer, OFF), turn("Off.", "x", OFF, final_response=None)):
        assert "assertions" not in one(ADK, case(record))


def test_texts_are_lines() -> None:
    """The texts of a content are joined as ADK joins them; empty ones are left out."""
    found = one(ADK, case(turn("", user_content=said("Off,", "", "please."))))
    assert found["prompt"] == "Off,\nplease."


def test_camel_case() -> None:
    """ADK takes its fields in camel case as well; arguments keep their names."""
    camel = {
        "evalId": "c1",
        "conversation": [
            {
                "userContent": said("Off."),
                "finalResponse": said("Off.", role="model"),
                "intermediateData": {"toolUses": [{"name": "t", "args": {"deviceId": 1}}]},
                "invocationId": "i",
            }
        ],
        "sessionInput": {"appName": "a", "userId": "u", "sessionId": "s7"},
    }
    found = one(ADK, {"eval_set_id": "s", "eval_cases": [camel]})
    assert found["tool_calls"] == [{"tool": "t", "args": {"deviceId": 1}}]
    assert found["session_id"] == "s7"
    assert found["metadata"]["invocations"] == [{"invocation_id": "i"}]


def test_calls_among_events() -> None:
    """Where events tell what happened, the calls are those in their contents."""
    events = [
        {"author": "a", "content": {"parts": [{"text": "On it."}, {"function_call": OFF}]}},
        {"author": "a", "content": None},
        {"author": "a", "content": {"parts": [{"function_response": {"name": "set_device"}}]}},
    ]
    data = {"invocation_events": events}
    found = one(ADK, case(turn("Off.", intermediate_data=data)))
    assert found["tool_calls"] == [CALL]
    assert found["metadata"]["invocations"] == [{"intermediate_data": data}]


def test_what_is_kept() -> None:
    """What informs stays in the metadata, under its own names."""
    responses = [["sub_agent", [{"text": "thinking"}]]]
    record = turn("Off.", "Off.", invocation_id="i", creation_timestamp=1.5)
    record["intermediate_data"] = {"tool_uses": [], "intermediate_responses": responses}
    session = {"app_name": "a", "user_id": "u", "state": {"city": "Rome"}}
    found = one(ADK, case(record, session_input=session, creation_timestamp=2.5))
    kept = {"intermediate_data": {"intermediate_responses": responses}}
    assert found["metadata"] == {
        "eval_set": {"eval_set_id": "s", "name": "s"},
        "session_input": session,
        "creation_timestamp": 2.5,
        "invocations": [{"invocation_id": "i", "creation_timestamp": 1.5, **kept}],
    }
    assert "session_id" not in found


RUBRICS = [{"rubric_id": "r", "rubric_content": {"text_property": "is kind"}}]


@pytest.mark.parametrize(
    ("record", "skip"),
    [
        (case(turn("Off.", "Off."), rubrics=RUBRICS), "needs a judge: rubrics"),
        (
            case(turn("Off.", "Off.", rubrics=RUBRICS)),
            "needs a judge: conversation[].rubrics",
        ),
    ],
)
def test_rubrics(record: Any, skip: str) -> None:
    """Rubrics need a judge: the case is skipped by the field, and they are kept."""
    found = one(ADK, record)
    assert found["skip"] == skip
    assert "is kind" in json.dumps(found["metadata"])


def test_no_rubrics() -> None:
    """An empty list of rubrics asks for nothing."""
    found = one(ADK, case(turn("Off.", "Off.", rubrics=[]), rubrics=[]))
    assert "skip" not in found


def test_a_simulated_user() -> None:
    """A plan for a simulated user is skipped by the field; it begins with its own prompt."""
    plan = {"starting_prompt": "Book it.", "conversation_plan": "Then pay."}
    record = {"eval_set_id": "s", "eval_cases": [{"eval_id": "c", "conversation_scenario": plan}]}
    found = one(ADK, record)
    assert found["skip"] == "needs a simulated user: conversation_scenario"
    assert found["prompt"] == "Book it."
    assert found["metadata"]["conversation_scenario"] == plan


def test_state() -> None:
    """The state at the end is expected by name."""
    found = one(ADK, case(turn("Off.", "Off."), final_session_state={"device": "OFF"}))
    assert found["state"] == {"expected": {"device": "OFF"}}
    assert "state" not in one(ADK, case(turn("Off.", "Off."), final_session_state={}))


OLD = {
    "query": "Turn it off.",
    "expected_tool_use": [
        {
            "tool_name": "set_device",
            "tool_input": {"id": "d2", "status": "OFF"},
            "mock_tool_output": "done",
        }
    ],
    "reference": "It is off.",
}


def test_older_case() -> None:
    """The older form of a case has a name and turns; it is read as the newer one is."""
    session = {"state": {}, "app_name": "a", "user_id": "u"}
    found = one(ADK, {"name": "off", "data": [OLD], "initial_session": session})
    assert found == {
        "name": "off",
        "prompt": "Turn it off.",
        "tool_calls": [CALL],
        "match": "exact",
        "assertions": [{"path": "response", "expected": "It is off.", **RULE}],
        "metadata": {"initial_session": session, "invocations": [{"mock_tool_output": ["done"]}]},
        "hygiene": False,
    }


def test_a_turn_by_itself() -> None:
    """A turn that is a record by itself is a case, named after its place."""
    found = one(ADK, OLD, 3)
    assert (found["name"], found["prompt"]) == ("case_3", "Turn it off.")


IN = "eval_cases[0].conversation[0]"
PICTURE = {"inline_data": {"data": "aGk=", "mime_type": "image/png"}}
EMPTY = "there is no turn, so there is nothing to check"


@pytest.mark.parametrize(
    ("record", "flaw"),
    [
        (
            {"eval_set_id": "s", "eval_cases": []},
            "eval_cases: there is no case, so there is nothing to check",
        ),
        (case(turn("Hi.")) | {"eval_case": 1}, "eval_case: unknown field 'eval_case'"),
        (case(), f"eval_cases[0].conversation: {EMPTY}"),
        (
            case(turn("Hi."), conversation_scenario={"starting_prompt": "a"}),
            "eval_cases[0].conversation: is there twice, or not at all",
        ),
        (
            case(turn("Hi."), conversatoin=1),
            "eval_cases[0].conversatoin: unknown field 'conversatoin'",
        ),
        (case(turn("Hi."), eval_id=""), "eval_cases[0].eval_id: is blank: ''"),
        (
            case(turn("Hi."), evalId="c1"),
            "eval_cases[0].evalId: the field 'eval_id' is there twice",
        ),
        (case(turn(" ")), f"{IN}.user_content: holds no text"),
        (case({"final_response": said("x")}), f"{IN}.user_content: there is no 'user_content'"),
        (
            case(turn("", user_content={"parts": [{"text": "Look:"}, PICTURE]})),
            f"{IN}.user_content.parts[1].inline_data: can't be sent or compared",
        ),
        (
            case(turn("", user_content={"parts": [{"text": "Hi.", "txt": "."}]})),
            f"{IN}.user_content.parts[0].txt: unknown field 'txt'",
        ),
        (case(turn("Hi.", 3)), f"{IN}.final_response.parts[0].text: expected a text, got 3"),
        (
            case(turn("Hi.", "x", {"name": "t", "arguments": {}})),
            f"{IN}.intermediate_data.tool_uses[0].arguments: unknown field 'arguments'",
        ),
        (
            case(turn("Hi.", "x", {"args": {}})),
            f"{IN}.intermediate_data.tool_uses[0].name: there is no 'name'",
        ),
        (
            case(turn("Hi.", "x", {"name": "t", "will_continue": True})),
            f"{IN}.intermediate_data.tool_uses[0].will_continue: is of a call that is not whole",
        ),
        (
            case(turn("Hi.", intermediate_data={"tool_use": []})),
            f"{IN}.intermediate_data.tool_use: unknown field 'tool_use'",
        ),
        (
            case(turn("Hi.", intermediate_data={"tool_uses": [], "invocation_events": []})),
            f"{IN}.intermediate_data.tool_uses: says the same as invocation_events",
        ),
        ({"name": "a", "data": []}, f"data: {EMPTY}"),
        ({"name": "a", "data": [{"query": ""}]}, "data[0].query: is blank: ''"),
        (
            {"name": "a", "data": [OLD | {"expected_tool_uses": []}]},
            "data[0].expected_tool_uses: unknown field 'expected_tool_uses'",
        ),
        (
            OLD | {"expected_tool_use": [{"tool_name": "t"}]},
            "expected_tool_use[0].tool_input: there is no 'tool_input'",
        ),
        (OLD | {"reference": 3}, "reference: expected a text, got 3"),
    ],
)
def test_refused(record: dict[str, Any], flaw: str) -> None:
    """What ADK would refuse, or drop without a word, is refused with its place."""
    assert [each.partition("; ")[0] for each in flaws(ADK, record)] == [flaw]


def test_equal_ids() -> None:
    """Two cases of a set have two ids."""
    record = case(turn("Hi.", "x"))
    record["eval_cases"] *= 2
    assert flaws(ADK, record) == ["eval_cases[1].eval_id: 'c1' is there twice"]


def test_files() -> None:
    """ADK's own files are recognised and read, with the number of turns and calls in them."""
    if not FILES.exists():
        pytest.skip("../shared/data is not there")
    counts = {}
    for path in sorted(FILES.glob("*.json")):
        record = json.loads(path.read_text("utf-8"))
        if type(record) is list:
            record = {"name": path.stem, "data": record}
        assert recognised(record) == [ADK]
        (found,) = asked(ADK, record)
        turns = 1 if type(found["prompt"]) is str else len(found["prompt"])
        counts[path.name.partition(".")[0]] = (turns, len(found.get("tool_calls", ())))
    assert counts == {
        "ecommerce_customer_service_agent__order_query": (4, 7),
        "hello_world_agent__roll_die": (3, 1),
        "home_automation_agent__simple_test": (1, 1),
        "home_automation_agent__simple_test2": (1, 1),
        "home_automation_agent__test_files__dependent_tool_calls": (2, 2),
        "home_automation_agent__test_files__memorizing_past_events__eval_data": (2, 1),
        "home_automation_agent__test_files__simple_multi_turn_conversation": (2, 2),
        "home_automation_agent__test_files__simple_test": (2, 1),
        "home_automation_agent__test_files__simple_test2": (1, 1),
        "trip_planner_agent__test_files__trip_inquiry_sub_agent": (1, 0),
        "trip_planner_agent__trip_inquiry": (2, 1),
    }
