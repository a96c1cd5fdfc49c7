"""The JSON Schema of catalogue files, which editors complete and check by."""

from typing import Any

from evalkit.intervals import MOST_EPOCHS
from evalkit.jsonvalue import Json
from evalkit.model import DIFFICULTIES, MATCHES, Op
from evalkit.model.assertion import EACH, SEVERITIES
from evalkit.model.fields import EXTRACTS, NORMALISERS
from evalkit.model.scenario import MATCHINGS, ROLES
from evalkit.model.tool_call import ARGS_MATCHES

DIALECT = "https://json-schema.org/draft/2020-12/schema"
Schema = dict[str, Json]

_CONTROL = r"\x00-\x1f\x7f-\x9f"
_END = r"(?![\s\S])"
"""The end of a text, as every dialect of patterns has it."""
_TEXT: Schema = {
    "type": "string",
    "pattern": rf"^[^{_CONTROL}]*[^\s{_CONTROL}][^{_CONTROL}]*{_END}",
}
_SAID: Schema = {"type": "string", "pattern": r"\S"}
_PROSE: Schema = {"type": "string"}
_ANY: Schema = {}
_OBJECT: Schema = {"type": "object"}
_ABOVE_0: Schema = {"type": "number", "exclusiveMinimum": 0}
_SHARE: Schema = {"type": "number", "exclusiveMinimum": 0, "maximum": 1}
_NORMALISERS = "|".join(sorted(NORMALISERS))
_NORMALIZE: Schema = {"type": "string", "pattern": rf"^({_NORMALISERS})(\+({_NORMALISERS}))*{_END}"}
_FROM_0: Schema = {"type": "number", "minimum": 0}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_EPOCHS: Schema = {"type": "integer", "minimum": 1, "maximum": MOST_EPOCHS}


def _or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def _one_of(values: Any) -> Schema:  # noqa: ANN401
    return {"enum": sorted(values)}


def _list_of(item: Schema) -> Schema:
    return {"type": "array", "items": item}


def _names_to(item: Schema) -> Schema:
    return {"type": "object", "propertyNames": _TEXT, "additionalProperties": item}


def _noun(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


_OP: Schema = {"anyOf": [_one_of([op.value for op in Op]), _TEXT]}
_SCORING: dict[str, Schema] = {
    "threshold": _or_null(_SHARE),
    "normalize": _or_null(_NORMALIZE),
    "extract": _or_null(_one_of(EXTRACTS)),
}

FIELDS: dict[str, dict[str, Schema]] = {
    "turn": {"role": _one_of(ROLES), "content": _SAID},
    "assertion": {
        "path": _PROSE,
        "op": _OP,
        "expected": _ANY,
        "description": _PROSE,
        "each": _or_null(_one_of(EACH)),
        "tolerance": _or_null(_ABOVE_0),
        "rel": _or_null(_ABOVE_0),
        **_SCORING,
        "weight": _FROM_0,
        "severity": _one_of(SEVERITIES),
    },
    "tool_call": {
        "tool": _TEXT,
        "args": _OBJECT,
        "assertions": _list_of(_noun("assertion_or_list")),
        "label": _PROSE,
        "save_as": _names_to(_PROSE),
        "context_args": _names_to(_PROSE),
        "arg_transforms": _names_to({"type": "string", "pattern": rf"^[\w.]+:[\w.]+{_END}"}),
        "expect_error": {
            "anyOf": [{"const": True}, {"type": "string", "minLength": 1}, {"type": "null"}]
        },
        "timeout_s": _or_null(_ABOVE_0),
        "retry": {"type": "integer", "minimum": 0},
        "args_match": _one_of(ARGS_MATCHES),
        "arg_assertions": _list_of(_noun("assertion_or_list")),
    },
    "budget": {
        **{name: _or_null(_COUNT) for name in ("max_turns", "max_calls")},
        **{name: _or_null(_COUNT) for name in ("max_input_tokens", "max_output_tokens")},
        **{
            name: _or_null({"type": "number", "minimum": 0})
            for name in ("max_cost_usd", "max_seconds")
        },
    },
    "limits": {
        name: _or_null({"type": "integer", "minimum": 1})
        for name in ("max_turns", "max_calls", "compact_at_tokens")
    },
    "state": {
        "expected": _names_to(_ANY),
        "capture": {
            "anyOf": [_TEXT, _names_to({"anyOf": [_TEXT, _noun("tool_call")]}), {"type": "null"}]
        },
        "replayed": _list_of(_TEXT),
    },
    "few_shot": {"input": _SAID, "expected": _SAID, "reasoning": _or_null(_SAID)},
    "attachment": {
        "path": _or_null(_TEXT),
        "base64": _or_null({"type": "string", "minLength": 1}),
        "mime": _or_null(_TEXT),
        "url": _or_null(_TEXT),
    },
    "answers": {
        "golds": {"type": "array", "items": {"type": ["string", "number"]}, "minItems": 1},
        "match": _one_of(MATCHES),
        **_SCORING,
    },
    "scenario": {
        "name": _TEXT,
        "prompt": {
            "anyOf": [
                _SAID,
                {**_list_of(_SAID), "minItems": 1},
                {**_list_of(_noun("turn")), "minItems": 1},
                {"type": "null"},
            ]
        },
        "tool_calls": _list_of(_noun("tool_call")),
        "tags": _list_of(_TEXT),
        "description": _PROSE,
        "difficulty": _one_of(DIFFICULTIES),
        "assertions": _list_of(_noun("assertion_or_list")),
        "answers": {
            "anyOf": [
                {**_list_of({"type": "string"}), "minItems": 1},
                _noun("answers"),
                {"type": "null"},
            ]
        },
        "epochs": _or_null(_EPOCHS),
        "pass_epochs": _or_null(_EPOCHS),
        "timeout_s": _or_null(_ABOVE_0),
        "xfail": _or_null(_TEXT),
        "metadata": _or_null(_OBJECT),
        "skip": _or_null(_TEXT),
        "state": _or_null(_noun("state")),
        "match": _one_of(MATCHINGS),
        "forbid_tools": _list_of(_TEXT),
        "hygiene": {"enum": [True, False, "strict"]},
        "budget": _or_null(_noun("budget")),
        "limits": _or_null(_noun("limits")),
        "system_prompt": _or_null(_SAID),
        "few_shot": _list_of(_noun("few_shot")),
        "attachments": _list_of(_noun("attachment")),
        "session_id": _or_null(_TEXT),
    },
}
"""What each field of each noun accepts; a field that is not here is unknown."""

REQUIRED = {
    "turn": ["role", "content"],
    "assertion": ["op"],
    "tool_call": ["tool"],
    "answers": ["golds"],
    "budget": [],
    "limits": [],
    "state": [],
    "few_shot": ["input", "expected"],
    "attachment": [],
    "scenario": ["name"],
}
ROWS = "parametrize"
"""The field of a scenario in a file that makes several of it, one for each row."""


def schema() -> Schema:
    """Give the JSON Schema of a catalogue file: a list of scenarios, or a mapping that holds one.

    >>> schema()["$defs"]["assertion"]["required"]
    ['op']
    """
    nouns = {name: _closed(FIELDS[name], REQUIRED[name]) for name in FIELDS}
    rows = {"type": "array", "items": {**_OBJECT, "minProperties": 1}, "minItems": 1}
    nouns["scenario"]["properties"] = {**FIELDS["scenario"], ROWS: rows}
    defaults = {name: FIELDS["scenario"][name] for name in FIELDS["scenario"] if name != "name"}
    fields = FIELDS["assertion"]
    positional = [fields[name] for name in ("path", "op", "expected", "description")]
    as_list: Schema = {"type": "array", "prefixItems": positional, "minItems": 2, "maxItems": 4}
    return {
        "$schema": DIALECT,
        "title": "evalkit catalogue",
        "anyOf": [
            {**_list_of(_noun("scenario")), "minItems": 1},
            _closed(
                {
                    "$schema": _PROSE,
                    "tools": _TEXT,
                    "defaults": _closed(defaults, []),
                    "scenarios": {**_list_of(_noun("scenario")), "minItems": 1},
                },
                ["scenarios"],
            ),
        ],
        "$defs": {**nouns, "assertion_or_list": {"anyOf": [_noun("assertion"), as_list]}},
    }


def _closed(properties: dict[str, Schema], required: list[str]) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }
