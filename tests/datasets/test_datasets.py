"""The table of datasets: every format is recognised by itself alone, and reads strictly."""

import json
import pickle
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit.datasets import DATASETS, DatasetError, Flaw, recognised
from tests.datasets.records import asked, flaws

FILES = Path(__file__).parents[2] / "../shared/data/formats/lean_ctx"

FIXED = settings(deadline=None, derandomize=True, max_examples=300)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=3),
    lambda inside: (
        st.lists(inside, max_size=3)
        | st.dictionaries(
            st.sampled_from(["text", "role", "content", "type", "question", "answers", "category"]),
            inside,
            max_size=3,
        )
    ),
    max_leaves=8,
)
QA = {"question": "Where?", "answer": "Rome"}
CASE = {
    "id": "c",
    "name": "C",
    "system_prompt": "",
    "user_messages": ["Q"],
    "expected_response": {"mode": "contains", "substring": "A"},
}
OLD_TURN = {"query": "Q", "expected_tool_use": [], "reference": "A"}
INVOCATION = {
    "user_content": {"parts": [{"text": "Q"}]},
    "final_response": {"parts": [{"text": "A"}]},
    "intermediate_data": {"tool_uses": [{"name": "t", "args": {}}]},
}
SAMPLES: list[tuple[str, dict[str, Any]]] = [
    (
        "longmemeval",
        {"question_id": "q", "question": "Q", "answer": "A", "session_id": "s", "sessions": []},
    ),
    ("longmemeval", {"question_id": "q", "question": "Q", "answer": "A", "question_type": "t"}),
    ("locomo", {"session_id": "s", "qa": [QA]}),
    ("locomo", {"sample_id": "s", "qa": [QA], "conversation": {}}),
    ("locomo", {"id": "s", "sessions": [], "qa": [{"question": "Q", "answers": ["A"]}]}),
    ("frames", {"Prompt": "Q", "Answer": "A"}),
    ("gaia", {"task_id": "t", "Question": "Q", "Level": 1, "Final answer": "A"}),
    ("squad", {"version": "v2.0", "data": []}),
    ("squad", {"id": "1", "context": "C", "question": "Q", "answers": {"text": ["A"]}}),
    (
        "lean_ctx",
        {"id": "1", "domain": "qa", "prompt": "Q", "workspace": "w", "answers": ["A"]},
    ),
    ("inspect", {"input": "Q", "target": "A"}),
    ("swink", CASE),
    ("swink", {"id": "s", "name": "S", "cases": [CASE]}),
    ("mecha", {"id": "c", "tags": ["t"], "prompt": "Q", "expect": {"contains": ["A"]}}),
    ("adk", {"eval_set_id": "s", "eval_cases": [{"eval_id": "c", "conversation": [INVOCATION]}]}),
    ("adk", {"name": "c", "data": [OLD_TURN]}),
    ("adk", OLD_TURN),
    ("adk", {"query": "Q", "expected_tool_use": []}),
]
OTHERS: list[Any] = [
    {},
    [],
    None,
    "Prompt",
    {"name": "q", "prompt": "Q", "answers": ["A"]},
    {"query": "Q", "expected_files": ["a.rs"], "category": "search"},
    {"question": "Q", "answer": "A"},
]


@pytest.mark.parametrize(("name", "record"), SAMPLES)
def test_recognised(name: str, record: dict[str, Any]) -> None:
    """A record of each shape is of one dataset, which reads it."""
    assert [found.name for found in recognised(record)] == [name]
    asked(DATASETS[name], record)


@pytest.mark.parametrize("record", OTHERS, ids=repr)
def test_not_recognised(record: Any) -> None:
    """What is a question set of nobody, or evalkit's own, is taken for no other's."""
    assert recognised(record) == []


def test_search_suite_is_no_question_set() -> None:
    """Queries with the files to be found, as of lean-ctx, are questions without answers."""
    path = FILES / "search-suite.ndjson"
    if not path.exists():
        pytest.skip("../shared/data is not there")
    lines = [line for line in path.read_text("utf-8").split("\n") if line.startswith("{")]
    assert len(lines) == 24
    assert all(recognised(json.loads(line)) == [] for line in lines)


def test_names_are_the_table_s() -> None:
    """Each dataset is found under its own name."""
    assert {name: dataset.name for name, dataset in DATASETS.items()} == {
        name: name for name in DATASETS
    }


@pytest.mark.parametrize(("name", "record"), SAMPLES)
def test_unknown_field(name: str, record: dict[str, Any]) -> None:
    """A field that is in no table is an error naming it, or metadata where the format allows it."""
    dataset = DATASETS[name]
    changed = record | {"hint_for_solvers": "look"}
    if dataset.extra:
        metadata = asked(dataset, changed)[0]["metadata"]
        assert metadata["hint_for_solvers"] == "look"
    else:
        assert any("unknown field 'hint_for_solvers'" in flaw for flaw in flaws(dataset, changed))


@pytest.mark.parametrize(
    ("at", "key"),
    [
        (0, "question_id"),
        (0, "question"),
        (0, "answer"),
        (3, "sample_id"),
        (3, "qa"),
        (5, "Prompt"),
        (5, "Answer"),
        (6, "task_id"),
        (6, "Question"),
        (6, "Final answer"),
        (8, "id"),
        (8, "context"),
        (8, "question"),
        (8, "answers"),
        (9, "id"),
        (9, "domain"),
        (9, "prompt"),
        (9, "workspace"),
        (9, "answers"),
        (10, "input"),
        (10, "target"),
        (11, "id"),
        (11, "name"),
        (11, "system_prompt"),
        (11, "user_messages"),
        (12, "id"),
        (13, "id"),
        (13, "tags"),
        (13, "prompt"),
        (13, "expect"),
        (14, "eval_set_id"),
        (15, "name"),
        (16, "query"),
    ],
)
def test_a_missing_field_is_named(at: int, key: str) -> None:
    """Without a field that the question or its verdict needs, a record is refused."""
    name, record = SAMPLES[at]
    without = {field: value for field, value in record.items() if field != key}
    assert any(f"there is no {key!r}" in flaw for flaw in flaws(DATASETS[name], without))


@pytest.mark.parametrize("name", DATASETS)
@pytest.mark.parametrize("record", [[], None, "text", 1], ids=repr)
def test_a_record_is_an_object(name: str, record: Any) -> None:
    """What is no object is refused."""
    assert flaws(DATASETS[name], record) == [f"expected an object, got {record!r}"]


@pytest.mark.parametrize(("name", "record"), SAMPLES)
def test_records_are_left_as_they_are(name: str, record: dict[str, Any]) -> None:
    """Reading changes nothing in the record."""
    before = json.dumps(record)
    asked(DATASETS[name], record)
    assert json.dumps(record) == before


@FIXED
@given(st.sampled_from(SAMPLES), st.data())
def test_whatever_a_field_holds_is_read_or_refused(
    sample: tuple[str, dict[str, Any]], data: st.DataObject
) -> None:
    """Any JSON in any field gives scenarios that are held against texts, or a `DatasetError`."""
    name, record = sample
    dataset = DATASETS[name]
    tops = sorted({field.partition(".")[0].partition("[")[0] for field in dataset.fields})
    key = data.draw(st.sampled_from(tops))
    try:
        found = asked(dataset, record | {key: data.draw(VALUES)})
    except DatasetError:
        return
    for scenario in found:
        assert scenario["name"].strip()
        assert held_against(scenario) or scenario["skip"]
        blank = [gold for gold in gold_texts(scenario) if gold in (None, [], [""])]
        assert not blank or name == "squad"


def gold_texts(data: Mapping[str, Any]) -> list[Any]:
    """Whatever the response is held against, by gold answers or by assertions."""
    answers = data.get("answers", {"golds": []})
    asserted = [each for each in data.get("assertions", ()) if each["path"] == "response"]
    return [*answers["golds"], *(each["expected"] for each in asserted)]


def held_against(data: Mapping[str, Any]) -> list[Any]:
    """Whatever a scenario is held against, beside how it came to its end."""
    asserted = [each for each in data.get("assertions", ()) if each["path"] != "stop_cause"]
    fields = ("tool_calls", "state", "forbid_tools")
    return [*gold_texts(data), *asserted, *(data[key] for key in fields if key in data)]


@pytest.mark.parametrize(("name", "record"), SAMPLES)
def test_every_scenario_is_held_against_something(name: str, record: dict[str, Any]) -> None:
    """No scenario comes out that nothing is asked of."""
    for data in asked(DATASETS[name], record):
        assert held_against(data)
        assert data["name"]
        assert data["prompt"]


def test_error_lists_every_flaw() -> None:
    """The error is a ValueError with all flaws, and survives pickling."""
    error = DatasetError([Flaw(("a", 0), "is blank"), Flaw((), "no object", "an object")])
    assert str(error) == "a[0]: is blank\nno object; an object"
    copied = pickle.loads(pickle.dumps(error))  # noqa: S301  - our own bytes
    assert isinstance(copied, DatasetError)
    assert copied.flaws == error.flaws
    assert issubclass(DatasetError, ValueError)
