"""LoCoMo, in its three shapes."""

import json
from pathlib import Path
from typing import Any

import pytest

from evalkit.datasets import DATASETS
from tests.datasets.records import asked, flaws, one

LOCOMO = DATASETS["locomo"]
FILE = Path(__file__).parents[2] / "../shared/data/formats/lean_ctx/reference-suite.ndjson"
CONVERSATION = {"speaker_a": "Ann", "session_1": [{"speaker": "Ann", "text": "Hi"}]}
PUBLISHED = {
    "sample_id": "conv-26",
    "conversation": CONVERSATION,
    "event_summary": {"e": 1},
    "observation": {"o": 1},
    "session_summary": {"s": 1},
    "qa": [
        {"question": "When?", "answer": 2022, "evidence": ["D1:3"], "category": 2},
        {
            "question": "What did Bob paint?",
            "adversarial_answer": "a horse",
            "evidence": ["D2:1"],
            "category": 5,
        },
    ],
}


def qa(**changed: Any) -> dict[str, Any]:
    """A record of one question of category 1, changed."""
    return {"sample_id": "c", "qa": [{"question": "Q", "answer": "A", "category": 1} | changed]}


def test_of_zeph() -> None:
    """Questions are named after session and index, and F1 over distinct tokens decides."""
    record = {
        "session_id": "s1",
        "qa": [{"question": "Q0", "answer": "A0"}, {"question": "Q1", "answer": "A1"}],
    }
    rule = {"match": "f1", "threshold": 0.5, "normalize": "basic+distinct"}
    assert asked(LOCOMO, record) == [
        {"name": "s1_0", "prompt": "Q0", "answers": {"golds": ["A0"], **rule}},
        {"name": "s1_1", "prompt": "Q1", "answers": {"golds": ["A1"], **rule}},
    ]


def test_published() -> None:
    """The category is a tag, a number its decimal text, the conversation metadata of each."""
    first, second = asked(LOCOMO, PUBLISHED)
    shared = {
        key: PUBLISHED[key]
        for key in ("conversation", "event_summary", "observation", "session_summary")
    }
    assert first["name"] == "conv-26_0"
    assert first["tags"] == ["temporal"]
    assert first["answers"]["golds"] == ["2022"]
    assert first["metadata"] == {"category": 2, "evidence": ["D1:3"], **shared}
    assert second["metadata"] == {
        "category": 5,
        "evidence": ["D2:1"],
        "adversarial_answer": "a horse",
        **shared,
    }


@pytest.mark.parametrize("answer", [{}, {"answer": "a horse"}, {"answer": None}], ids=repr)
def test_adversarial(answer: dict[str, Any]) -> None:
    """An adversarial question passes where the response says it is not there, whatever the gold."""
    record = {"sample_id": "c", "qa": [{"question": "Q", "category": 5} | answer]}
    found = one(LOCOMO, record)
    assert found["tags"] == ["adversarial"]
    assert "answers" not in found
    assert found["assertions"] == [
        {
            "path": "response",
            "op": "contains_any",
            "expected": ["no information available", "not mentioned"],
            "normalize": "prose",
            "description": "says that it is not there",
        }
    ]
    assert found["metadata"].get("answer") == answer.get("answer")


@pytest.mark.parametrize(
    ("category", "published", "of_lean_ctx"),
    [
        (1, "multi-hop", "single-hop"),
        (2, "temporal", "multi-hop"),
        (3, "open-domain", "temporal"),
        (4, "single-hop", "open-domain"),
        ("5", "adversarial", "adversarial"),
    ],
)
def test_categories(category: Any, published: str, of_lean_ctx: str) -> None:
    """A number means what its own system means by it: the published order is not lean-ctx's."""
    lean = {"question": "Q", "answers": ["A"], "category": category}
    assert one(LOCOMO, qa(category=category))["tags"] == [published]
    assert one(LOCOMO, {"id": "c", "sessions": [], "qa": [lean]})["tags"] == [of_lean_ctx]


def test_of_lean_ctx() -> None:
    """A gold that is contained passes, also for an adversarial question; the sessions are kept."""
    sessions = [{"session_id": "s1", "turns": []}]
    asks = {"question": "How tall?", "answers": ["3,776 meters", "3776"], "category": 5}
    assert one(LOCOMO, {"id": "trip", "sessions": sessions, "qa": [asks]}) == {
        "name": "trip_0",
        "prompt": "How tall?",
        "tags": ["adversarial"],
        "metadata": {"category": 5, "sessions": sessions},
        "answers": {"golds": ["3,776 meters", "3776"], "match": "contains", "normalize": "words"},
    }


@pytest.mark.parametrize(
    ("record", "flaw"),
    [
        (qa(answer=""), "qa[0].answer: is blank: ''"),
        (qa(answer=None), "qa[0].answer: expected a text, got None"),
        (qa(question=" "), "qa[0].question: is blank: ' '"),
        (qa(category=6), "qa[0].category: unknown category 6; 1 to 5"),
        (qa(category=True), "qa[0].category: unknown category True; 1 to 5"),
        (qa(anwser="x"), "qa[0].anwser: unknown field 'anwser'; did you mean 'answer'?"),
        (qa(answers=["x"]), "qa[0].answers: unknown field 'answers'; did you mean 'answer'?"),
        ({"sample_id": "c", "qa": [3]}, "qa[0]: expected an object, got 3"),
        ({"sample_id": "c", "qa": {}}, "qa: expected a list of objects, got {}"),
        (
            {"id": "c", "sessions": [], "qa": [{"question": "Q", "answers": []}]},
            "qa[0].answers: there is no gold answer; what nothing is held against is not measured",
        ),
        (
            {"id": "c", "sessions": [], "qa": [{"question": "Q", "answers": ["a", ""]}]},
            "qa[0].answers[1]: is blank: ''",
        ),
    ],
)
def test_refused(record: dict[str, Any], flaw: str) -> None:
    """What bears on a question or its verdict is as it must be, or named with its place."""
    assert flaws(LOCOMO, record) == [flaw]


def test_all_flaws_of_all_questions() -> None:
    """Each question names what is wrong with it."""
    record = {"session_id": "s", "qa": [{"question": ""}, {"answer": "A"}]}
    assert len(flaws(LOCOMO, record)) == 3


def test_reference_suite() -> None:
    """The samples of lean-ctx's reference suite are read, each question with its golds."""
    if not FILE.exists():
        pytest.skip("../shared/data is not there")
    lines = [line for line in FILE.read_text("utf-8").split("\n") if line.startswith("{")]
    found = [each for line in lines for each in asked(LOCOMO, json.loads(line))]
    assert [each["name"] for each in found] == [
        *(f"trip-japan_{index}" for index in range(7)),
        *(f"study-group_{index}" for index in range(6)),
    ]
    assert {each["answers"]["match"] for each in found} == {"contains"}
    assert {tag for each in found for tag in each["tags"]} == {"single-hop", "temporal"}
