"""SQuAD, as the official document and as rows."""

from typing import Any

import pytest

from evalkit.datasets import DATASETS
from tests.datasets.records import asked, flaws, one

SQUAD = DATASETS["squad"]
ROW = {
    "id": "56be",
    "title": "Super_Bowl_50",
    "context": "Denver beat Carolina 24-10.",
    "question": "Who won?",
    "answers": {"text": ["Denver", "Denver", "the Broncos"], "answer_start": [0, 0, 0]},
}
ANSWERED = {
    "id": "q1",
    "question": "Who won?",
    "answers": [{"text": "Denver", "answer_start": 0}, {"text": "Denver", "answer_start": 0}],
    "is_impossible": False,
}
IMPOSSIBLE = {
    "id": "q2",
    "question": "Who drew?",
    "answers": [],
    "is_impossible": True,
    "plausible_answers": [{"text": "Carolina", "answer_start": 12}],
}


def document(*qas: Any) -> dict[str, Any]:
    """An official document of one paragraph with these questions."""
    paragraph = {"context": "Denver beat Carolina.", "qas": list(qas)}
    return {"version": "v2.0", "data": [{"title": "Bowl", "paragraphs": [paragraph]}]}


def test_row() -> None:
    """The prompt is context and question; golds stand once, in order; the rest is metadata."""
    assert one(SQUAD, ROW) == {
        "name": "56be",
        "prompt": "Denver beat Carolina 24-10.\n\nWho won?",
        "metadata": {"title": "Super_Bowl_50", "answers": ROW["answers"]},
        "answers": {
            "golds": ["Denver", "the Broncos"],
            "match": "exact_match",
            "normalize": "squad",
        },
    }


def test_document() -> None:
    """One record is the whole document: each question of each paragraph is a scenario."""
    first, second = asked(SQUAD, document(ANSWERED, IMPOSSIBLE))
    assert (first["name"], second["name"]) == ("q1", "q2")
    assert first["prompt"] == "Denver beat Carolina.\n\nWho won?"
    assert first["answers"]["golds"] == ["Denver"]
    assert first["metadata"] == {
        "version": "v2.0",
        "title": "Bowl",
        "answers": ANSWERED["answers"],
        "is_impossible": False,
    }
    assert second["answers"]["golds"] == [""]
    assert second["metadata"]["plausible_answers"] == IMPOSSIBLE["plausible_answers"]
    assert second["metadata"]["is_impossible"] is True


def test_unanswerable_row() -> None:
    """A row without answers is a question that can't be answered: its gold is empty."""
    row = ROW | {"answers": {"text": [], "answer_start": []}}
    assert one(SQUAD, row)["answers"]["golds"] == [""]


@pytest.mark.parametrize(
    ("texts", "golds"),
    [
        (["a", "the letter a"], ["the letter a"]),
        (["The.", "Denver"], ["Denver"]),
        (["a"], [""]),
        (["%"], [""]),
    ],
)
def test_golds_that_say_nothing(texts: list[str], golds: list[str]) -> None:
    """Golds of which the normaliser leaves nothing are left out, as in the official script."""
    assert one(SQUAD, ROW | {"answers": {"text": texts}})["answers"]["golds"] == golds


@pytest.mark.parametrize(
    ("record", "flaw"),
    [
        (ROW | {"answers": ["Denver"]}, "answers: expected an object, got ['Denver']"),
        (
            ROW | {"answers": {"text": "Denver"}},
            "answers.text: expected a list of texts, got 'Denver'; put it in [ ]",
        ),
        (ROW | {"answers": {"text": ["Denver", " "]}}, "answers.text[1]: is blank: ' '"),
        (ROW | {"answers": {"text": [3]}}, "answers.text[0]: expected a text, got 3"),
        (ROW | {"answers": {}}, "answers.text: there is no 'text'"),
        (ROW | {"context": ""}, "context: is blank: ''"),
        (
            document(ANSWERED | {"is_impossible": True}),
            "data[0].paragraphs[0].qas[0].is_impossible: is true, and there are answers",
        ),
        (
            document(IMPOSSIBLE | {"is_impossible": False}),
            "data[0].paragraphs[0].qas[0].is_impossible: is false, and there are no answers",
        ),
        (
            document(ANSWERED | {"is_impossible": "no"}),
            "data[0].paragraphs[0].qas[0].is_impossible: expected true or false, got 'no'",
        ),
        (
            document(ANSWERED | {"answers": [{"text": ""}]}),
            "data[0].paragraphs[0].qas[0].answers[0].text: is blank: ''",
        ),
        (
            document(ANSWERED | {"answers": [{"text": "x", "strat": 1}]}),
            (
                "data[0].paragraphs[0].qas[0].answers[0].strat: unknown field 'strat'; "
                "known: 'answer_start', 'text'"
            ),
        ),
        ({"version": "v2.0", "data": {}}, "data: expected a list of objects, got {}"),
    ],
)
def test_refused(record: dict[str, Any], flaw: str) -> None:
    """What bears on a question or its verdict is as it must be, or named with its place."""
    assert flaws(SQUAD, record) == [flaw]


def test_a_document_names_all_its_flaws() -> None:
    """All questions of a document are looked at before it is refused."""
    found = flaws(SQUAD, document({"id": "", "question": "", "answers": 1}, ANSWERED, {}))
    assert len(found) == 6
