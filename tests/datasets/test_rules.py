"""What decides a question, and how it is given another rule."""

import re
import string
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit.datasets import DATASETS, with_rule
from evalkit.datasets.rules import on_response, recorded, says_nothing
from tests.datasets.records import one

FIXED = settings(deadline=None, derandomize=True, max_examples=300)
QUESTION = {"name": "q", "answers": {"golds": ["A"], "match": "f1", "threshold": 0.5}}


def official(text: str) -> str:
    """The official script's normalising, word for word what it does."""
    kept = "".join(char for char in text.lower() if char not in set(string.punctuation))
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", kept).split())


@FIXED
@given(st.text(st.sampled_from("aantheTHE .,-–!\t\x1f\u200b\x00é")))
def test_says_nothing(text: str) -> None:
    """A text says nothing where the official script leaves nothing of it."""
    assert says_nothing(text) == (official(text) == "")


def test_nothing_given_changes_nothing() -> None:
    """Without another rule, a question is as it was."""
    assert with_rule(QUESTION) == QUESTION


@pytest.mark.parametrize(
    ("answers", "given_rule", "became"),
    [
        (["A"], {"match": "f1"}, {"golds": ["A"], "match": "f1"}),
        (["A"], {"threshold": 0.7}, {"golds": ["A"], "threshold": 0.7}),
        (
            {"golds": ["A"], "match": "f1", "threshold": 0.5, "normalize": "basic"},
            {"normalize": "squad"},
            {"golds": ["A"], "match": "f1", "threshold": 0.5, "normalize": "squad"},
        ),
        (
            {"golds": ["A"], "match": "f1", "threshold": 0.5, "normalize": "basic"},
            {"match": "exact_match"},
            {"golds": ["A"], "match": "exact_match", "normalize": "basic"},
        ),
        (
            {"golds": ["A"], "match": "f1", "threshold": 0.5},
            {"match": "f1", "extract": "first_line"},
            {"golds": ["A"], "match": "f1", "threshold": 0.5, "extract": "first_line"},
        ),
        (
            {"golds": ["A"], "match": "f1", "threshold": 0.5},
            {"match": "similar", "threshold": 0.9},
            {"golds": ["A"], "match": "similar", "threshold": 0.9},
        ),
    ],
)
def test_answers(answers: Any, given_rule: dict[str, Any], became: dict[str, Any]) -> None:
    """What is given replaces, what is not stays, and a threshold goes with its own match."""
    data = {"name": "q", "answers": answers}
    assert with_rule(data, **given_rule) == {"name": "q", "answers": became}
    assert data == {"name": "q", "answers": answers}


def test_text_assertions_become_answers() -> None:
    """Assertions that judged the response go, with all that stood beside; others stay."""
    other = {"path": "calls", "op": "len_eq", "expected": 0}
    data = {
        "name": "q",
        "assertions": [
            on_response("exact_match", "A", normalize="basic"),
            recorded("f1", "A", "raw+distinct"),
            other,
        ],
    }
    assert with_rule(data, match="contains") == {
        "name": "q",
        "answers": {"golds": ["A"], "match": "contains", "normalize": "basic"},
        "assertions": [other],
    }


def test_what_is_only_recorded_does_not_decide() -> None:
    """Golds may come from what is recorded, the way to match does not."""
    data = one(DATASETS["inspect"], {"input": "Q", "target": ["A1", "B1"]})
    assert with_rule(data, normalize="prose")["answers"] == {
        "golds": ["A1", "B1"],
        "normalize": "prose",
    }
    assert "assertions" not in with_rule(data, normalize="prose")


@pytest.mark.parametrize(
    "data",
    [
        {"name": "q"},
        {"name": "q", "assertions": [{"path": "workspace", "op": "eq", "expected": 0}]},
        {"name": "q", "assertions": [on_response("contains_any", ["not mentioned"])]},
        {"name": "q", "assertions": [["response", "eq", "A"]]},
        {"name": "q", "answers": []},
    ],
    ids=repr,
)
def test_without_golds_it_stays(data: dict[str, Any]) -> None:
    """A question without golds keeps its own rule: it is never judged by less than before."""
    assert with_rule(data, match="f1") == data
