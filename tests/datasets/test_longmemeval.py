"""LongMemEval, in both of its shapes."""

from typing import Any

import pytest

from evalkit.datasets import DATASETS
from tests.datasets.records import flaws, one

LONGMEMEVAL = DATASETS["longmemeval"]
SESSION = [{"role": "user", "content": "I adopted a beagle."}]
OF_ZEPH = {
    "question_id": "q1",
    "question": "What is Rust?",
    "answer": "A systems language",
    "session_id": "s1",
    "sessions": [SESSION],
}
PUBLISHED = {
    "question_id": "gpt4_7",
    "question_type": "temporal-reasoning",
    "question": "How many days passed?",
    "answer": 14,
    "question_date": "2023/05/30 (Tue) 23:40",
    "haystack_dates": ["2023/05/20 (Sat) 02:21"],
    "haystack_session_ids": ["a1"],
    "haystack_sessions": [SESSION],
    "answer_session_ids": ["a1"],
}


def test_of_zeph() -> None:
    """Exact match decides, F1 of the raw texts as sets is beside it; the sessions are metadata."""
    assert one(LONGMEMEVAL, OF_ZEPH) == {
        "name": "q1",
        "prompt": "What is Rust?",
        "metadata": {"session_id": "s1", "sessions": [SESSION]},
        "assertions": [
            {
                "path": "response",
                "op": "exact_match",
                "expected": "A systems language",
                "normalize": "basic",
            },
            {
                "path": "response",
                "op": "f1",
                "expected": "A systems language",
                "normalize": "raw+distinct",
                "severity": "warn",
                "weight": 0,
                "description": "recorded",
            },
        ],
    }


def test_published() -> None:
    """The type is a tag, a number its decimal text, everything about the history metadata."""
    found = one(LONGMEMEVAL, PUBLISHED)
    assert found["name"] == "gpt4_7"
    assert found["tags"] == ["temporal-reasoning"]
    assert [each["expected"] for each in found["assertions"]] == ["14", "14"]
    assert found["metadata"] == {
        key: PUBLISHED[key]
        for key in (
            "question_date",
            "haystack_dates",
            "haystack_session_ids",
            "haystack_sessions",
            "answer_session_ids",
        )
    }


def test_abstention() -> None:
    """A question that is to be turned down is tagged so."""
    found = one(LONGMEMEVAL, PUBLISHED | {"question_id": "gpt4_7_abs"})
    assert found["tags"] == ["temporal-reasoning", "abstention"]


@pytest.mark.parametrize(
    ("changed", "flaw"),
    [
        ({"answer": ""}, "answer: is blank: ''"),
        ({"answer": None}, "answer: expected a text, got None"),
        ({"answer": True}, "answer: expected a text, got True"),
        ({"answer": ["a"]}, "answer: expected a text, got ['a']"),
        ({"question": "  "}, "question: is blank: '  '"),
        ({"question_id": 7}, "question_id: expected a text, got 7"),
        ({"question_type": 7}, "question_type: expected a text, got 7"),
        ({"anwser": "x"}, "anwser: unknown field 'anwser'; did you mean 'answer'?"),
    ],
)
def test_refused(changed: dict[str, Any], flaw: str) -> None:
    """What bears on the question or its verdict is as it must be, or named."""
    assert flaws(LONGMEMEVAL, OF_ZEPH | changed) == [flaw]


def test_all_flaws_at_once() -> None:
    """A record names everything that is wrong with it."""
    assert len(flaws(LONGMEMEVAL, {"question_id": "", "question": 1, "x": 2})) == 4
