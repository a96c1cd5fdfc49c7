"""Which of a Swink case's expectations its evaluators have decide."""

from typing import Any

import pytest

from evalkit.datasets import DATASETS
from evalkit.datasets.swink_evaluators import BY_FIELD, EVALUATORS, needs_of
from tests.datasets.records import flaws, one

SWINK = DATASETS["swink"]
CASE: dict[str, Any] = {
    "id": "c1",
    "name": "Refund",
    "system_prompt": "",
    "user_messages": ["Where is my order?"],
    "expected_trajectory": [{"tool_name": "find"}],
    "expected_response": {"mode": "exact", "expected": "In Oslo."},
    "budget": {"max_turns": 3},
    "expected_environment_state": [{"name": "db", "state": 1}],
}
DECIDING = {
    "expected_trajectory": "tool_calls",
    "expected_response": "assertions",
    "budget": "budget",
    "expected_environment_state": "state",
}


def test_all_decide() -> None:
    """Without a list of evaluators, and with an empty one, all that is expected decides."""
    for record in (CASE, CASE | {"evaluators": []}):
        found = one(SWINK, record)
        assert found.keys() >= set(DECIDING.values())
        assert "metadata" not in found


@pytest.mark.parametrize("field", [field for field in DECIDING if field != "budget"])
def test_some_decide(field: str) -> None:
    """What no listed evaluator looks at decides nothing, and is kept."""
    named = list(BY_FIELD[field])
    found = one(SWINK, CASE | {"evaluators": named})
    assert found.keys() & set(DECIDING.values()) == {DECIDING[field]}
    left = {key: CASE[key] for key in DECIDING if key != field}
    assert found["metadata"] == {**left, "evaluators": named}
    assert "skip" not in found


def test_an_expectation_for_a_judge_is_left_out() -> None:
    """A case is not skipped for what its evaluators leave out."""
    said = {"description": "helped", "kind": "goal_completed"}
    found = one(SWINK, CASE | {"expected_assertion": said, "evaluators": ["response"]})
    assert "skip" not in found
    assert found["metadata"]["expected_assertion"] == said


@pytest.mark.parametrize(
    ("name", "skip"),
    [
        ("helpfulness", "needs a judge: evaluators (helpfulness)"),
        ("json_match", "needs code: evaluators (json_match)"),
        ("efficiency", "needs Swink's own measure: evaluators (efficiency)"),
    ],
)
def test_what_an_evaluator_needs(name: str, skip: str) -> None:
    """An evaluator that a file alone can't follow has the case skipped, by its name."""
    assert one(SWINK, CASE | {"evaluators": ["response", name]})["skip"] == skip


@pytest.mark.parametrize(
    ("evaluators", "flaw"),
    [
        (
            ["response", "trajectry"],
            "evaluators[1]: unknown evaluator 'trajectry'; did you mean 'trajectory'?",
        ),
        (
            ["interactions"],
            "id: 'c1' has nothing to check; its evaluators leave out what is expected",
        ),
        (["budget"], "id: 'c1' has nothing to check; a budget alone is no expectation"),
        ("response", "evaluators: expected a list of texts, got 'response'; put it in [ ]"),
    ],
)
def test_refused(evaluators: Any, flaw: str) -> None:
    """A name that is none of Swink's is an error, and so is a list that leaves nothing."""
    assert flaws(SWINK, CASE | {"evaluators": evaluators}) == [flaw]


def test_every_field_has_known_evaluators() -> None:
    """The evaluators of fields need nothing else, and all others need something."""
    by_field = {name for names in BY_FIELD.values() for name in names}
    assert {name for name, needs in EVALUATORS.items() if needs is None} == by_field


def test_needs() -> None:
    """What is needed is told by name, in the order of the list."""
    assert needs_of(["clippy", "response", "toxicity"]) == [
        ("code", "evaluators (clippy)"),
        ("a judge", "evaluators (toxicity)"),
    ]
