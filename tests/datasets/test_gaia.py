"""GAIA."""

from typing import Any

import pytest

from evalkit.datasets import DATASETS
from tests.datasets.records import flaws, one

GAIA = DATASETS["gaia"]
RECORD = {
    "task_id": "t1",
    "Question": "What year did it end?",
    "Level": 1,
    "Final answer": "1945",
    "Annotator Metadata": {"Steps": "1. look it up"},
    "file_name": "",
}


def test_question() -> None:
    """The level is tag and metadata; an empty file name is nothing."""
    assert one(GAIA, RECORD) == {
        "name": "t1",
        "prompt": "What year did it end?",
        "tags": ["level-1"],
        "metadata": {"level": 1, "annotator_metadata": {"Steps": "1. look it up"}},
        "answers": {"golds": ["1945"], "match": "exact_match", "normalize": "gaia"},
    }


def test_file() -> None:
    """A question with a file is tagged, for it is asked without it."""
    found = one(GAIA, RECORD | {"file_name": "a.xlsx", "file_path": "2023/a.xlsx", "Level": "2"})
    assert found["tags"] == ["level-2", "has-file"]
    assert found["metadata"]["file_name"] == "a.xlsx"
    assert found["metadata"]["file_path"] == "2023/a.xlsx"


@pytest.mark.parametrize("level", [None, 0, 4, True, 1.0, "one", [1]], ids=repr)
def test_level(level: Any) -> None:
    """A level is 1, 2 or 3, as a number or a text."""
    assert flaws(GAIA, RECORD | {"Level": level}) == [
        f"Level: expected a level, got {level!r}; 1, 2 or 3"
    ]


def test_hidden_answer() -> None:
    """The question mark of the test split is no gold."""
    (flaw,) = flaws(GAIA, RECORD | {"Final answer": "?"})
    assert flaw.startswith('["Final answer"]: the answer is hidden') or "Final answer" in flaw
    assert "validation split" in flaw


@pytest.mark.parametrize("answer", ["", 1945, None], ids=repr)
def test_answer(answer: Any) -> None:
    """An answer is a text that says something."""
    (flaw,) = flaws(GAIA, RECORD | {"Final answer": answer})
    assert "Final answer" in flaw
