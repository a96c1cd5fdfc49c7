"""The operator that puts a JSON Schema to a value, and what makes a validator of one."""

import json
from functools import lru_cache
from typing import Any

from evalkit.jsonvalue import Json, dotted
from evalkit.model import Assertion
from evalkit.operators.verdicts import HOLDS, fails
from evalkit.protocols import Context
from evalkit.result import Verdict

SHOWN = 200


def schema(actual: Json, assertion: Assertion, _: Context) -> Verdict:
    """Hold where the value is valid against the schema (JSON Schema 2020-12 unless it says)."""
    problem = schema_problem(assertion.expected, actual)
    return HOLDS if problem is None else fails(problem)


def schema_problem(schema: Json, value: Json) -> str | None:
    """Say what a schema has against a value: the most telling problem; None where nothing."""
    from jsonschema.exceptions import best_match  # noqa: PLC0415  - 100 ms, only with a schema

    error = best_match(validator(json.dumps(schema, sort_keys=True)).iter_errors(value))
    if error is None:
        return None
    place = dotted(error.absolute_path)
    problem: str = f"at {place}: {error.message}" if place else error.message
    return problem if len(problem) <= SHOWN else f"{problem[: SHOWN - 1]}…"


def schema_flaw(schema: Json) -> str | None:
    """Say what is wrong with a schema itself; None where it is one."""
    from jsonschema.exceptions import SchemaError  # noqa: PLC0415

    try:
        validator(json.dumps(schema, sort_keys=True))
    except SchemaError as error:
        return f"is no JSON Schema: {error.message}"
    return None


@lru_cache(maxsize=1_024)
def validator(text: str) -> Any:  # noqa: ANN401
    """Make the validator of a schema given as JSON text; `SchemaError` where it is none."""
    from jsonschema import Draft202012Validator  # noqa: PLC0415
    from jsonschema.validators import validator_for  # noqa: PLC0415

    document = json.loads(text)
    kind = validator_for(document, default=Draft202012Validator)
    kind.check_schema(document)
    return kind(document)
