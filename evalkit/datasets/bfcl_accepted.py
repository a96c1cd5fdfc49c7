"""What BFCL accepts as the arguments of a call, as a JSON Schema for all of them together.

The published answers give a list of accepted values for each argument; the empty text among them
means that it may be left out. What counts as equal is the rule of the published checker: texts are
compared without case, blanks and some punctuation, where the argument's type is a text; where the
values are of another type than the argument (a variable's name, null), as they are.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from evalkit.jsonvalue import Json

Schema = dict[str, Any]

PYTHON: Final[Mapping[str, type]] = {
    "string": str,
    "any": str,
    "integer": int,
    "float": float,
    "boolean": bool,
    "array": list,
    "tuple": list,
    "dict": dict,
}
"""The types of an argument, as BFCL's functions name them, with Python's own."""
MAY_BE_ABSENT: Final = ""
PASSED_OVER: Final = " ,./-_*^"
"""The characters that count for nothing in a text."""
NOTHING: Final[Schema] = {"not": {}}
_BETWEEN: Final = "[ ,./_*^-]*"
_QUOTES: Final = "[\"']"


def accepted_arguments(
    arguments: Mapping[str, Any], required: Iterable[str], answer: Mapping[str, list[Json]]
) -> Schema:
    """Give the schema that holds exactly for the arguments that an answer accepts.

    `arguments` has what BFCL says of each of the function's, and `required` those that a call must
    have, whatever the answer says.

    >>> accepted_arguments({"n": {"type": "integer"}}, [], {"n": [5, ""]})["properties"]
    {'n': {'enum': [5]}}
    """
    needed = {*required, *(name for name in answer if not _optional(answer[name]))}
    accepted = {
        name: accepted_value(arguments[name], values)
        for name, values in answer.items()
        if name in arguments
    }
    return {
        "type": "object",
        "properties": accepted,
        "required": sorted(needed),
        "additionalProperties": False,
    }


def impossible(schema: Schema) -> list[str]:
    """Name the arguments that a call must have and can't: no call is accepted."""
    known = schema["properties"]
    return [name for name in schema["required"] if known.get(name, NOTHING) == NOTHING]


def _optional(values: list[Json]) -> bool:
    return MAY_BE_ABSENT in values


def accepted_value(said: Mapping[str, Any], values: list[Json]) -> Schema:
    """Give the schema of one argument's value, by its type and the values that are accepted."""
    own = PYTHON[said["type"]]
    first = next((type(value) for value in values if value != MAY_BE_ABSENT), own)
    if first is not own:
        return _one_of(value for value in values if type(value) in (own, first))
    if own is list and _items_type(said) is dict:
        return _any_of(_list_of(value, _object) for value in _lists(values))
    return BY_TYPE[own](values)


def _items_type(said: Mapping[str, Any]) -> type | None:
    items = said.get("items")
    return PYTHON.get(str(items.get("type"))) if type(items) is dict else None


def _texts(values: list[Json]) -> Schema:
    return _spelt([value for value in values if type(value) is str])


def _numbers(values: list[Json]) -> Schema:
    return _one_of(value for value in values if type(value) in (int, float))


def _of_type(kind: type) -> Callable[[list[Json]], Schema]:
    return lambda values: _one_of(value for value in values if type(value) is kind)


def _objects(values: list[Json]) -> Schema:
    return _any_of(_object(value) for value in values if type(value) is dict)


def _arrays(values: list[Json]) -> Schema:
    return _any_of(_list_of(value, _item) for value in _lists(values))


def _lists(values: list[Json]) -> Iterable[list[Json]]:
    """Give the lists among the values: the empty text counts as the empty one."""
    return (
        [] if value == MAY_BE_ABSENT else value for value in values if type(value) in (list, str)
    )


BY_TYPE: Final[Mapping[type, Callable[[list[Json]], Schema]]] = {
    str: _texts,
    int: _of_type(int),
    float: _numbers,
    bool: _of_type(bool),
    dict: _objects,
    list: _arrays,
}
"""How the values of an argument are compared, by its type."""


def _object(values: Json) -> Schema:
    """Accept an object: of each of its keys, one of the values that are listed for it."""
    if type(values) is not dict:
        return NOTHING
    return {
        "type": "object",
        "properties": {key: _member(accepted) for key, accepted in values.items()},
        "required": [key for key, accepted in values.items() if not _optional(accepted)],
        "additionalProperties": False,
    }


def _member(values: list[Json]) -> Schema:
    texts = [value for value in values if type(value) is str]
    others = [value for value in values if type(value) is not str]
    return _any_of([*([_spelt(texts)] if texts else []), *([_one_of(others)] if others else [])])


def _list_of(values: list[Json], item: Callable[[Json], Schema]) -> Schema:
    """Accept a list of just these, in this order."""
    bounds = {"minItems": len(values), "maxItems": len(values)}
    listed = {"prefixItems": [item(value) for value in values]} if values else {}
    return {"type": "array", **bounds, **listed}


def _item(value: Json) -> Schema:
    return _spelt([value]) if type(value) is str else {"const": value}


def _spelt(texts: list[str]) -> Schema:
    """Accept a text that is one of these but for case and what is passed over."""
    if not texts:
        return NOTHING
    patterns = "|".join(dict.fromkeys(map(_pattern, texts)))
    return {"type": "string", "pattern": rf"(?i)\A(?:{patterns})\Z", "examples": texts}


def _pattern(text: str) -> str:
    r"""Write the pattern of a text: what is passed over may stand anywhere.

    >>> _pattern("O'B.")
    '[ ,./_*^-]*o[ ,./_*^-]*["\'][ ,./_*^-]*b[ ,./_*^-]*'
    """
    kept = (char for char in text.lower() if char not in PASSED_OVER)
    letters = (_QUOTES if char in "'\"" else re.escape(char) for char in kept)
    return _BETWEEN + "".join(letter + _BETWEEN for letter in letters)


def _one_of(values: Iterable[Json]) -> Schema:
    listed = list(values)
    return {"enum": listed} if listed else NOTHING


def _any_of(schemas: Iterable[Schema]) -> Schema:
    listed = list(schemas)
    return {"anyOf": listed} if len(listed) > 1 else next(iter(listed), NOTHING)
