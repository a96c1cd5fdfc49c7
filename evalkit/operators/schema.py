"""The operator that puts a JSON Schema to a value, and what makes a validator of one."""

import json
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from evalkit.jsonvalue import Json, brief, dotted
from evalkit.model import Assertion
from evalkit.operators.values import MATCH_TIMEOUT_S, pattern
from evalkit.operators.verdicts import HOLDS, fails
from evalkit.protocols import Context
from evalkit.registry import hint_for
from evalkit.result import Verdict

SHOWN = 200
_ONE = frozenset(
    {"additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then"}
    | {"unevaluatedItems", "unevaluatedProperties"}
)
_SEVERAL = frozenset(
    {"$defs", "allOf", "anyOf", "definitions", "dependencies", "dependentSchemas", "oneOf"}
    | {"prefixItems", "properties"}
)
KEYWORDS = (
    _ONE
    | _SEVERAL
    | frozenset(
        """
    $anchor $comment $dynamicAnchor $dynamicRef $id $ref $schema $vocabulary additionalItems const
    contentEncoding contentMediaType contentSchema default dependencies dependentRequired deprecated
    description enum examples exclusiveMaximum exclusiveMinimum format id maxContains maxItems
    maxLength maxProperties maximum minContains minItems minLength minProperties minimum multipleOf
    pattern readOnly required title type uniqueItems writeOnly
    """.split()  # noqa: SIM905  - a list of words reads best as words
    )
)
"""What a schema may say, in any of the drafts that are validated."""


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


def schema_flaw(schema: Json, *, strict: bool = True) -> str | None:
    """Say what is wrong with a schema itself; None where it is one.

    `strict` refuses keywords that are not known too: with one of them, nothing would be checked.
    """
    from jsonschema.exceptions import SchemaError  # noqa: PLC0415

    outside = next((ref for ref in _references(schema) if not _leads_inside(ref, schema)), None)
    if outside is not None:
        return f"refers to {brief(outside)}, which is not in it; nothing is fetched"
    try:
        validator(json.dumps(schema, sort_keys=True))
    except SchemaError as error:
        return f"is no JSON Schema: {error.message}"
    return _unknown(schema) if strict else None


def _unknown(schema: Json) -> str | None:
    idle = next((told for part in _parts(schema) for told in _idle(part)), None)
    if idle is not None:
        return idle
    unknown = next(_unknown_keywords(schema), None)
    if unknown == "patternProperties":
        return "has patternProperties, whose patterns would be searched without a time limit"
    if unknown is not None:
        return f"has the unknown keyword {unknown!r}: {hint_for(unknown, KEYWORDS)}"
    return None


def _parts(schema: Json) -> Iterator[dict[str, Json]]:
    """Yield every schema in a schema."""
    if type(schema) is list:
        for each in schema:
            yield from _parts(each)
    if type(schema) is not dict:
        return
    yield schema
    for key in (_ONE | _SEVERAL) & schema.keys():
        inner = schema[key]
        several = key in _SEVERAL and type(inner) is dict
        for each in inner.values() if several else [inner]:
            yield from _parts(each)


def _idle(schema: dict[str, Json]) -> Iterator[str]:
    """Yield what a schema says that checks nothing, as it stands."""
    if "format" in schema:
        yield "has format, which is not checked; say it by a pattern"
    if "if" in schema and not {"then", "else"} & schema.keys():
        yield "has 'if' without then or else, which checks nothing"
    if {"minContains", "maxContains"} & schema.keys() and "contains" not in schema:
        yield "has minContains or maxContains without contains, which checks nothing"


def _references(schema: Json, key: str = "$ref") -> Iterator[Json]:
    """Yield what stands under a key anywhere in a schema: its references, ids or anchors."""
    if type(schema) is dict:
        if key in schema:
            yield schema[key]
        for item in schema.values():
            yield from _references(item, key)
    elif type(schema) is list:
        for item in schema:
            yield from _references(item, key)


def _unknown_keywords(schema: Json) -> Iterator[str]:
    """Yield the keywords that JSON Schema does not know, which it would pass over in silence."""
    if type(schema) is list:
        for each in schema:
            yield from _unknown_keywords(each)
    if type(schema) is not dict:
        return
    yield from (key for key in schema if key not in KEYWORDS and not key.startswith("x-"))
    for key in _ONE & schema.keys():
        yield from _unknown_keywords(schema[key])
    for key in _SEVERAL & schema.keys():
        inner = schema[key]
        for each in inner.values() if type(inner) is dict else inner:
            yield from _unknown_keywords(each)


def _leads_inside(ref: Json, schema: Json) -> bool:
    """Say whether a reference leads to a place in the schema, or to a published one."""
    if type(ref) is not str or ref == "#" or ref.startswith("https://json-schema.org/"):
        return True
    if not ref.startswith("#/"):
        anchors = {f"#{anchor}" for anchor in _references(schema, "$anchor")}
        return ref in {*anchors, *map(str, _references(schema, "$id"))}
    for step in ref[2:].split("/"):
        name = step.replace("~1", "/").replace("~0", "~").replace("%25", "%")
        if type(schema) is list and name.isdecimal() and int(name) < len(schema):
            schema = schema[int(name)]
        elif type(schema) is dict and name in schema:
            schema = schema[name]
        else:
            return False
    return True


@lru_cache(maxsize=1_024)
def validator(text: str) -> Any:  # noqa: ANN401
    """Make the validator of a schema given as JSON text; `SchemaError` where it is none.

    Patterns are searched under a time limit, and references lead nowhere but to the schema itself
    and the published ones of JSON Schema, which come with the package.
    """
    from jsonschema import Draft202012Validator  # noqa: PLC0415
    from jsonschema.validators import extend, validator_for  # noqa: PLC0415
    from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]  # noqa: PLC0415

    document = json.loads(text)
    kind = validator_for(document, default=Draft202012Validator)
    kind.check_schema(document)
    limited: Any = extend(kind, {"pattern": _pattern})  # type: ignore[no-untyped-call]
    return limited(document, registry=REGISTRY)


def _pattern(_validator: object, wanted: str, instance: Json, _schema: Json) -> Iterator[Any]:
    """Search a pattern as MATCHES does, under its time limit."""
    from jsonschema.exceptions import ValidationError  # noqa: PLC0415

    if type(instance) is str and not pattern(wanted).search(instance, timeout=MATCH_TIMEOUT_S):
        yield ValidationError(f"{instance!r} does not match {wanted!r}")
