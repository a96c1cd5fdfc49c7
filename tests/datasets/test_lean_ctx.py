"""lean-ctx's tasks."""

import json
from pathlib import Path
from typing import Any

import pytest

from evalkit.datasets import DATASETS, recognised
from tests.datasets.records import flaws, one

LEAN_CTX = DATASETS["lean_ctx"]
FILES = Path(__file__).parents[2] / "../shared/data/formats/lean_ctx"
SUITES = {
    "accuracy-suite.ndjson": (3, 1),
    "footprint-suite.ndjson": (5, 0),
    "testbench/qa-api.ndjson": (1, 0),
    "testbench/code-fizz.ndjson": (0, 1),
}
QA = {
    "id": "q1",
    "domain": "qa",
    "prompt": "What discount?",
    "workspace": "docs",
    "retrieval_query": "discount percent",
    "answers": ["90%", "90 percent"],
}
CODE = {
    "id": "c1",
    "domain": "code",
    "prompt": "Implement add.",
    "workspace": "code",
    "target_file": "solution.sh",
    "test_cmd": "sh test.sh",
}


def test_qa() -> None:
    """A question passes where a gold is contained in the response, by lean-ctx's words."""
    assert one(LEAN_CTX, QA) == {
        "name": "q1",
        "prompt": "What discount?",
        "tags": ["qa"],
        "metadata": {"workspace": "docs", "retrieval_query": "discount percent"},
        "answers": {"golds": ["90%", "90 percent"], "match": "contains", "normalize": "words"},
    }


def test_code() -> None:
    """A code task is judged by the exit code of the last command in the workspace alone."""
    assert one(LEAN_CTX, CODE) == {
        "name": "c1",
        "prompt": "Implement add.",
        "tags": ["code"],
        "metadata": {
            "workspace": "code",
            "target_file": "solution.sh",
            "test_cmd": "sh test.sh",
        },
        "assertions": [
            {"path": "workspace.commands[-1].exit_code", "op": "eq", "expected": 0},
        ],
    }


@pytest.mark.parametrize(
    ("record", "flaw"),
    [
        (QA | {"id": " "}, "id: is blank: ' '"),
        (QA | {"prompt": ""}, "prompt: is blank: ''"),
        (QA | {"workspace": ""}, "workspace: is blank: ''"),
        (QA | {"domain": "aq"}, "domain: unknown domain 'aq'; known: 'code', 'qa'"),
        (QA | {"domain": 1}, "domain: expected a text, got 1"),
        (QA | {"retrieval_query": 3}, "retrieval_query: expected a text, got 3"),
        (
            QA | {"answers": []},
            "answers: there is no gold answer; what nothing is held against is not measured",
        ),
        (QA | {"answers": ["", "90%"]}, "answers[0]: is blank: ''"),
        (QA | {"answers": "90%"}, "answers: expected a list of texts, got '90%'; put it in [ ]"),
        (QA | {"test_cmd": "x"}, "test_cmd: is for the domain 'code', and this is 'qa'"),
        (CODE | {"answers": ["x"]}, "answers: is for the domain 'qa', and this is 'code'"),
        (CODE | {"target_file": ""}, "target_file: is blank: ''"),
        (CODE | {"test_cmd": None}, "test_cmd: expected a text, got None"),
    ],
)
def test_refused(record: dict[str, Any], flaw: str) -> None:
    """A task is validated as lean-ctx does, and holds nothing that its domain has no use for."""
    assert flaws(LEAN_CTX, record) == [flaw]


@pytest.mark.parametrize("suite", SUITES)
def test_suites(suite: str) -> None:
    """The tasks of lean-ctx's own suites are recognised and read, questions and code."""
    path = FILES / suite
    if not path.exists():
        pytest.skip("../shared/data is not there")
    lines = [line for line in path.read_text("utf-8").split("\n") if line.startswith("{")]
    records = [json.loads(line) for line in lines]
    assert all(recognised(record) == [LEAN_CTX] for record in records)
    found = [one(LEAN_CTX, record) for record in records]
    questions = sum("answers" in each for each in found)
    assert (questions, len(found) - questions) == SUITES[suite]
