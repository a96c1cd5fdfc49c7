"""Whatever stands anywhere in a record of nested parts, it is read or refused: no crash."""

import copy
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit.codec import Codec
from evalkit.datasets import Dataset, DatasetError
from evalkit.datasets.bfcl import BFCL
from evalkit.datasets.tau2 import TAU2
from evalkit.operators import OPERATORS
from tests.datasets.records import asked

FIXED = settings(deadline=None, derandomize=True, max_examples=250)
WORDS = st.sampled_from(["", " ", "user", "assistant", "dict", "array", "DB", "id", "$ref", "\n"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(0, 9) | WORDS,
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(WORDS, inside, max_size=3),
    max_leaves=6,
)
PARAMETERS = {
    "type": "dict",
    "properties": {
        "a": {"type": "string"},
        "b": {"type": "array", "items": {"type": "dict"}},
        "c": {"type": "dict"},
        "d": {"type": "integer"},
    },
    "required": ["a"],
}
QUESTION = {
    "id": "parallel_0",
    "question": [[{"role": "system", "content": "S"}, {"role": "user", "content": "Q"}]],
    "function": [{"name": "f", "description": "F", "parameters": PARAMETERS}],
    "ground_truth": [
        {"f": {"a": ["x", ""], "b": [[{"k": ["v", ""]}]], "c": [{"k": [1]}], "d": [2, ""]}}
    ],
}
TASK = {
    "id": "t",
    "description": {"purpose": "P"},
    "user_scenario": {"persona": "N", "instructions": {"domain": "d", "reason_for_call": "r"}},
    "ticket": "T",
    "initial_state": {"message_history": [{"role": "user", "content": "Hi"}]},
    "evaluation_criteria": {
        "actions": [
            {"action_id": "1", "name": "f", "arguments": {"x": 1}, "compare_args": ["x"]},
            {"action_id": "2", "name": "g", "arguments": {}, "requestor": "user"},
        ],
        "env_assertions": [{"env_type": "assistant", "func_name": "h", "arguments": {"y": [1]}}],
        "communicate_info": ["done"],
        "nl_assertions": ["polite"],
        "reward_basis": ["DB", "ACTION", "ENV_ASSERTION", "COMMUNICATE"],
    },
}
OLDER = {"user_id": "u", "instruction": "I", "actions": [{"name": "f", "kwargs": {"x": 1}}]}


def places(value: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The steps to every part of a value but the whole."""
    inside = value.items() if type(value) is dict else enumerate(value)
    for step, part in inside:
        yield (*way, step)
        if type(part) in (dict, list):
            yield from places(part, (*way, step))


def with_another(record: dict[str, Any], way: tuple[Any, ...], value: Any) -> dict[str, Any]:
    """A copy of a record with another value in one place."""
    changed = copy.deepcopy(record)
    part: Any = changed
    for step in way[:-1]:
        part = part[step]
    part[way[-1]] = value
    return changed


@FIXED
@given(st.sampled_from([(BFCL, QUESTION), (TAU2, TASK), (TAU2, OLDER)]), st.data())
def test_anything_anywhere(sample: tuple[Dataset, dict[str, Any]], data: st.DataObject) -> None:
    """Any JSON in any place gives scenarios as evalkit's own files have them, or an error."""
    dataset, record = sample
    way = data.draw(st.sampled_from(list(places(record))))
    changed = with_another(record, way, data.draw(VALUES))
    try:
        found = asked(dataset, changed)
    except DatasetError:
        return
    codec = Codec(None, set(OPERATORS))
    for each in found:
        codec.scenario(each)


@pytest.mark.parametrize(("dataset", "record"), [(BFCL, QUESTION), (TAU2, TASK), (TAU2, OLDER)])
def test_what_is_not_there(dataset: Dataset, record: dict[str, Any]) -> None:
    """A record with any one part taken out is read, or refused."""
    for way in places(record):
        changed = copy.deepcopy(record)
        part: Any = changed
        for step in way[:-1]:
            part = part[step]
        del part[way[-1]]
        try:
            asked(dataset, changed)
        except DatasetError as error:
            assert error.flaws  # noqa: PT017  - either is right
