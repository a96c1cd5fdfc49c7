"""FRAMES."""

from typing import Any

import pytest

from evalkit.datasets import DATASETS
from tests.datasets.records import flaws, one

FRAMES = DATASETS["frames"]
RECORD = {
    "Prompt": "How old was the younger one?",
    "Answer": "37 years",
    "reasoning_types": "Numerical reasoning | Multiple constraints",
    "wiki_links": "['https://en.wikipedia.org/wiki/A']",
}


def test_question() -> None:
    """It is named after its place; its kinds of reasoning are tags; what else there is, is kept."""
    assert one(FRAMES, RECORD, 41) == {
        "name": "frames_41",
        "prompt": "How old was the younger one?",
        "tags": ["Numerical reasoning", "Multiple constraints"],
        "metadata": {
            "reasoning_types": "Numerical reasoning | Multiple constraints",
            "wiki_links": "['https://en.wikipedia.org/wiki/A']",
        },
        "answers": {"golds": ["37 years"], "match": "exact_match", "normalize": "basic"},
    }


@pytest.mark.parametrize("kinds", [None, "Tabular reasoning", " | Tabular reasoning| "])
def test_tags(kinds: str | None) -> None:
    """Blank kinds are none, and a question may have none at all."""
    wanted = [] if kinds is None else ["Tabular reasoning"]
    assert one(FRAMES, RECORD | {"reasoning_types": kinds}).get("tags", []) == wanted


def test_bare() -> None:
    """Prompt and answer are enough."""
    assert one(FRAMES, {"Prompt": "Q", "Answer": "A"}).keys() == {"name", "prompt", "answers"}


@pytest.mark.parametrize(
    ("changed", "flaw"),
    [
        ({"Answer": ""}, "Answer: is blank: ''"),
        ({"Answer": 37}, "Answer: expected a text, got 37"),
        ({"Prompt": None}, "Prompt: expected a text, got None"),
        ({"reasoning_types": ["a"]}, "reasoning_types: expected a text, got ['a']"),
    ],
)
def test_refused(changed: dict[str, Any], flaw: str) -> None:
    """What bears on the question or its verdict is as it must be, or named."""
    assert flaws(FRAMES, RECORD | changed) == [flaw]
