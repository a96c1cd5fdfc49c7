"""Swink's sets of cases."""

from typing import Any

import pytest

from evalkit.datasets import DATASETS, recognised
from tests.datasets.records import asked, flaws, one

SWINK = DATASETS["swink"]
CASE: dict[str, Any] = {
    "id": "c1",
    "name": "Refund",
    "system_prompt": "Be kind.",
    "user_messages": ["Where is my order?"],
    "expected_response": {"mode": "contains", "substring": "Oslo"},
}
CONTAINS = {"path": "response", "op": "contains", "expected": "Oslo"}
TRAJECTORY = [{"tool_name": "find", "arguments": {"id": 7}}, {"tool_name": "refund"}]
CALLS = [{"tool": "find", "args": {"id": 7}}, {"tool": "refund", "args_match": "ignore"}]
JUDGED = {"description": "the user is helped", "kind": "goal_completed"}


def case(**fields: Any) -> dict[str, Any]:
    """A case that expects this alone."""
    kept = {key: value for key, value in CASE.items() if key != "expected_response"}
    return kept | fields


def test_case() -> None:
    """A case is its id, its prompts and its name; hygiene is none of Swink's rules."""
    assert one(SWINK, CASE) == {
        "name": "c1",
        "description": "Refund",
        "prompt": "Where is my order?",
        "system_prompt": "Be kind.",
        "assertions": [CONTAINS],
        "hygiene": False,
    }


def test_set() -> None:
    """A set is its cases, each of which says which set it is of."""
    record = {
        "id": "s",
        "name": "Shop",
        "description": "Orders",
        "cases": [CASE, CASE | {"id": "c2"}],
    }
    assert recognised(record) == [SWINK]
    found = asked(SWINK, record)
    assert [each["name"] for each in found] == ["c1", "c2"]
    about = {"id": "s", "name": "Shop", "description": "Orders"}
    assert [each["metadata"] for each in found] == [{"eval_set": about}] * 2


def test_prompts() -> None:
    """Several messages are turns of the user; a blank system prompt is none."""
    found = one(SWINK, CASE | {"user_messages": ["Hi.", "And?"], "system_prompt": ""})
    assert found["prompt"] == ["Hi.", "And?"]
    assert "system_prompt" not in found


def test_description() -> None:
    """The description of a case follows its name."""
    assert one(SWINK, CASE | {"description": "late"})["description"] == "Refund: late"


def test_trajectory() -> None:
    """The calls are tool calls in order; without arguments, any will do."""
    found = one(SWINK, case(expected_trajectory=TRAJECTORY))
    assert found["tool_calls"] == CALLS
    assert "match" not in found


def test_no_arguments() -> None:
    """An empty object is no arguments at all, and null is as if it were not there."""
    given = [{"tool_name": "a", "arguments": {}}, {"tool_name": "b", "arguments": None}]
    assert one(SWINK, case(expected_trajectory=given))["tool_calls"] == [
        {"tool": "a", "args": {}},
        {"tool": "b", "args_match": "ignore"},
    ]


@pytest.mark.parametrize(
    ("criteria", "op", "expected"),
    [
        ({"mode": "exact", "expected": "In Oslo."}, "eq", "In Oslo."),
        ({"mode": "exact", "expected": ""}, "eq", ""),
        ({"mode": "contains", "substring": " "}, "contains", " "),
        ({"mode": "regex", "pattern": "(?i)oslo"}, "matches", "(?i)oslo"),
    ],
)
def test_response(criteria: dict[str, str], op: str, expected: str) -> None:
    """The response equals, contains or matches, letter by letter."""
    (found,) = one(SWINK, case(expected_response=criteria))["assertions"]
    assert found == {"path": "response", "op": op, "expected": expected}


def test_a_tool_that_is_invoked() -> None:
    """That a tool is invoked needs no judge: it can be seen."""
    said = {"description": "it looks", "kind": {"tool_invoked": "find"}}
    found = one(SWINK, case(expected_assertion=said))
    assert found["assertions"] == [
        {"path": "calls", "op": "calls", "expected": ["find"], "description": "it looks"},
    ]
    assert "skip" not in found


def test_budget() -> None:
    """The budget is evalkit's, under other names."""
    given = {"max_cost": 0.5, "max_input": 1000, "max_output": 200, "max_turns": 3}
    assert one(SWINK, CASE | {"budget": given})["budget"] == {
        "max_cost_usd": 0.5,
        "max_input_tokens": 1000,
        "max_output_tokens": 200,
        "max_turns": 3,
    }


def test_state() -> None:
    """The state is expected by name, null too; what captures it is the user's."""
    given = [{"name": "db", "state": {"open": 0}}, {"name": "error", "state": None}]
    found = one(SWINK, case(expected_environment_state=given))
    assert found["state"] == {"expected": {"db": {"open": 0}, "error": None}}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("expected_assertion", JUDGED),
        ("expected_assertion", JUDGED | {"kind": "user_satisfied"}),
        ("expected_assertion", JUDGED | {"kind": {"custom": {"predicate": "is polite"}}}),
        ("expected_interactions", [{"from": "a", "to": "b", "description": "hands over"}]),
        ("expected_tool_intent", {"intent": "reads the file", "tool_name": "read"}),
        ("semantic_tool_selection", True),
    ],
)
def test_judged(field: str, value: Any) -> None:
    """What is for a judge skips the case by its field, and is kept."""
    found = one(SWINK, CASE | {field: value})
    assert found["skip"] == f"needs a judge: {field}"
    assert found["metadata"] == {field: value}


def test_nothing_for_a_judge() -> None:
    """A list without interactions, and a flag that is off, ask for nothing."""
    found = one(SWINK, CASE | {"expected_interactions": [], "semantic_tool_selection": False})
    assert "skip" not in found
    assert "metadata" not in found


def test_examples_are_not_for_the_agent() -> None:
    """Few-shot examples are Swink's for the judge: an agent that saw them would be told."""
    examples = [{"input": "2 + 2", "expected": "4", "reasoning": "sum"}]
    found = one(SWINK, CASE | {"few_shot_examples": examples})
    assert found["metadata"] == {"few_shot_examples": examples}
    assert "few_shot" not in found


@pytest.mark.parametrize(
    ("attachment", "becomes"),
    [
        ({"path": "img/a.png"}, {"path": "img/a.png"}),
        ({"url": "https://example.com/a.png"}, {"url": "https://example.com/a.png"}),
        (
            {"base64": {"mime": "Image/PNG; q=1", "bytes": [137, 80, 78, 71]}},
            {"mime": "image/png", "base64": "iVBORw=="},
        ),
    ],
)
def test_attachments(attachment: Any, becomes: Any) -> None:
    """Attachments are evalkit's, with the bytes in base64."""
    assert one(SWINK, CASE | {"attachments": [attachment]})["attachments"] == [becomes]


def test_session() -> None:
    """The session id goes along."""
    named = "25651ccb-76e7-57f4-93f8-983bdeae50e2"
    assert one(SWINK, CASE | {"session_id": named})["session_id"] == named


@pytest.mark.parametrize(
    ("given", "kept"),
    [({"team": "a", "n": [1]}, {"team": "a", "n": [1]}), ("note", {"metadata": "note"})],
)
def test_metadata(given: Any, kept: Any) -> None:
    """An object of metadata stays as it is, another value keeps the field's name."""
    assert one(SWINK, CASE | {"metadata": given})["metadata"] == kept


@pytest.mark.parametrize(
    ("record", "flaw"),
    [
        (CASE | {"id": ""}, "id: is blank: ''"),
        (CASE | {"name": 3}, "name: expected a text, got 3"),
        (CASE | {"system_prompt": None}, "system_prompt: expected a text, got None"),
        (
            CASE | {"user_messages": []},
            "user_messages: there is no message, so nothing is put to an agent",
        ),
        (CASE | {"user_messages": ["a", ""]}, "user_messages[1]: is blank: ''"),
        (
            CASE | {"expected_respnse": 1},
            "expected_respnse: unknown field 'expected_respnse'; did you mean 'expected_response'?",
        ),
        (case(), "id: 'c1' has nothing to check"),
        (case(expected_trajectory=[]), "id: 'c1' has nothing to check"),
        (
            case(budget={"max_turns": 2}),
            "id: 'c1' has nothing to check; a budget alone is no expectation",
        ),
        (
            case(expected_trajectory=[{"tool_name": "a", "args": {}}]),
            "expected_trajectory[0].args: unknown field 'args'; did you mean 'arguments'?",
        ),
        (
            case(expected_trajectory=[{"tool_name": " "}]),
            "expected_trajectory[0].tool_name: is blank: ' '",
        ),
        (
            case(expected_trajectory=[{"tool_name": "a", "arguments": [1]}]),
            "expected_trajectory[0].arguments: expected an object, got [1]",
        ),
        (
            case(expected_trajectory=[{"tool_name": "a", "arguments": {"$ref": "y"}}]),
            "expected_trajectory[0].arguments: holds {'$ref': ...}, which is a saved value here",
        ),
        (
            case(expected_response={"mode": "custom"}),
            "expected_response.mode: unknown mode 'custom'; known: 'contains', 'exact', 'regex'",
        ),
        (
            case(expected_response={"mode": "exact", "expected": "a", "substring": "b"}),
            "expected_response.substring: says nothing where the mode is 'exact'",
        ),
        (
            case(expected_response={"mode": "contains", "substring": ""}),
            "expected_response.substring: is blank: ''",
        ),
        (
            case(expected_response={"mode": "regex", "pattern": "x", "expected": "x"}),
            "expected_response.expected: says nothing where the mode is 'regex'",
        ),
        (
            CASE | {"budget": {"max_cost": -1}},
            "budget.max_cost: expected a number from 0, got -1",
        ),
        (
            CASE | {"budget": {"max_input": 1.5}},
            "budget.max_input: expected a whole number from 0, got 1.5",
        ),
        (
            CASE | {"expected_environment_state": [{"name": "a", "state": 1}] * 2},
            "expected_environment_state[1].name: 'a' is there twice",
        ),
        (
            CASE | {"expected_environment_state": [{"name": "a"}]},
            "expected_environment_state[0].state: there is no 'state'",
        ),
        (
            CASE | {"expected_assertion": {"description": " ", "kind": "goal_completed"}},
            "expected_assertion.description: is blank: ' '",
        ),
        (
            CASE | {"expected_assertion": JUDGED | {"kind": "goal_complete"}},
            "expected_assertion.kind: unknown kind 'goal_complete'; did you mean 'goal_completed'?",
        ),
        (
            CASE | {"expected_assertion": JUDGED | {"kind": "tool_invoked"}},
            "expected_assertion.kind: 'tool_invoked' is not said in full; {tool_invoked: ...}",
        ),
        (
            CASE | {"expected_assertion": JUDGED | {"kind": {"tool_invoked": ""}}},
            "expected_assertion.kind.tool_invoked: is blank: ''",
        ),
        (
            CASE | {"expected_assertion": JUDGED | {"kind": {"custom": {"predicate": " "}}}},
            "expected_assertion.kind.custom.predicate: is blank: ' '",
        ),
        (
            CASE | {"expected_interactions": [{"from": "a", "to": "", "description": "d"}]},
            "expected_interactions[0].to: is blank: ''",
        ),
        (
            CASE | {"few_shot_examples": [{"input": "a", "expected": ""}]},
            "few_shot_examples[0].expected: is blank: ''",
        ),
        (
            CASE | {"few_shot_examples": [{"input": "a", "expected": "b", "reasoning": " "}]},
            "few_shot_examples[0].reasoning: is blank: ' '",
        ),
        (
            CASE | {"attachments": [{"path": "a", "url": "https://a.org"}]},
            "attachments[0].url: expected exactly one of path, base64 and url",
        ),
        (
            CASE | {"attachments": [{"base64": {"mime": "image/bmp", "bytes": [1]}}]},
            "attachments[0].base64.mime: unknown mime 'image/bmp'; did you mean 'image/webp'?",
        ),
        (
            CASE | {"attachments": [{"base64": {"mime": "image/png", "bytes": [256]}}]},
            "attachments[0].base64.bytes: expected a list of numbers from 0 to 255, got [256]",
        ),
        (
            CASE | {"attachments": [{"base64": {"mime": "image/png", "bytes": []}}]},
            "attachments[0].base64.bytes: expected a list of numbers from 0 to 255, got []",
        ),
        (CASE | {"session_id": "me"}, "session_id: 'me' is no UUID"),
        (
            CASE | {"expected_tool_intent": {"intent": ""}},
            "expected_tool_intent.intent: is blank: ''",
        ),
        (
            CASE | {"metadata": {"evaluators": 1}, "evaluators": ["response"]},
            "metadata: has a field 'evaluators', and the case keeps its own there",
        ),
    ],
)
def test_refused(record: dict[str, Any], flaw: str) -> None:
    """A case is validated as Swink does it, whatever the file's kind, and more strictly."""
    assert flaws(SWINK, record) == [flaw]


@pytest.mark.parametrize(
    ("record", "flaw"),
    [
        (
            {"id": "s", "name": "n", "cases": []},
            "cases: there is no case, so there is nothing to check",
        ),
        ({"id": "s", "name": "n", "cases": [CASE, CASE]}, "cases[1].id: 'c1' is there twice"),
        (
            {"id": "s", "name": "n", "cases": [CASE], "case": 1},
            "case: unknown field 'case'; did you mean 'cases'?",
        ),
        (
            {"id": "s", "name": "n", "cases": [CASE | {"budgt": {}}]},
            "cases[0].budgt: unknown field 'budgt'; did you mean 'budget'?",
        ),
        ({"id": "s", "name": "n", "cases": [1]}, "cases[0]: expected an object, got 1"),
        ({"id": "s", "name": "", "cases": [CASE]}, "name: is blank: ''"),
    ],
)
def test_a_set_is_refused(record: dict[str, Any], flaw: str) -> None:
    """A set has cases, each of its own id, and nothing that is unknown."""
    assert flaws(SWINK, record) == [flaw]


def test_all_that_is_wrong_with_a_set() -> None:
    """A case with nothing to check is told though another one is wrong."""
    wrong = [CASE | {"id": ""}, case(id="c2")]
    assert flaws(SWINK, {"id": "s", "name": "n", "cases": wrong}) == [
        "cases[0].id: is blank: ''",
        "cases[1].id: 'c2' has nothing to check",
    ]
