"""The operator that puts a JSON Schema to a value."""

from time import perf_counter
from typing import Any

import pytest

from evalkit import Assertion, Status, check
from evalkit.operators.schema import schema_problem

PART = {
    "type": "object",
    "required": ["name"],
    "properties": {"name": {"type": "string"}, "sizes": {"items": {"type": "number"}}},
}


@pytest.mark.parametrize(
    ("schema", "value", "told"),
    [
        (PART, {"name": "oak"}, None),
        (PART, {}, "'name' is a required property"),
        (PART, {"name": 1}, "at name: 1 is not of type 'string'"),
        (PART, {"name": "oak", "sizes": [1, "2"]}, "at sizes[1]: '2' is not of type 'number'"),
        ({"enum": [1]}, True, "True is not one of [1]"),
        ({"const": [0]}, [False], "[0] was expected"),
        ({"type": "integer"}, True, "True is not of type 'integer'"),
        ({"uniqueItems": True}, [1, True], None),
        ({"uniqueItems": True}, [1, 1.0], "[1, 1.0] has non-unique elements"),
    ],
)
def test_problem(schema: Any, value: Any, told: str | None) -> None:
    """A value that is not valid is told with the place and what is wrong there."""
    assert schema_problem(schema, value) == told


def test_a_dialect_may_be_named() -> None:
    """A schema says by `$schema` which draft it is of; 2020-12 unless it does."""
    older = {"$schema": "http://json-schema.org/draft-07/schema#", "items": [{"type": "null"}]}
    assert schema_problem(older, [1]) is not None
    newer = {"prefixItems": [{"type": "null"}]}
    assert schema_problem(newer, [1]) is not None


def test_a_pattern_in_a_schema_has_a_time_limit() -> None:
    """Fault 40: a pattern of a schema can't hang the run on a text that the tool chose."""
    started = perf_counter()
    found = check(Assertion("", "schema", {"type": "string", "pattern": "^(a+)+$"}), "a" * 25 + "b")
    assert found.status in (Status.FAILED, Status.ERROR)
    assert perf_counter() - started < 1.5
