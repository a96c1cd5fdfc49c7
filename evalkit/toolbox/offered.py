"""What tools an agent is offered: how each is called, and its description for a model."""

import inspect
import types
import typing
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any

from evalkit.jsonvalue import Json, copy_json
from evalkit.model import Tool
from evalkit.toolbox.specs import ToolSpec, handler_of, spec_of

_TYPES = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}


class Offered:
    """What is known of a table's tools: looked at once, and good for each time it is opened."""

    def __init__(self, entries: Mapping[str, Any]) -> None:
        """Take the entries of the table: handlers, or `Tool`."""
        self._entries = entries
        self._specs: dict[str, ToolSpec] = {}
        self._functions: list[dict[str, Any]] | None = None

    def spec(self, name: str) -> ToolSpec:
        """Give how a tool is called, and what it accepts."""
        spec = self._specs.get(name)
        if spec is None:
            spec = self._specs[name] = spec_of(self._entries[name])
        return spec

    def functions(self) -> list[dict[str, Any]]:
        """Describe all tools as OpenAI's clients take it, for the caller to keep."""
        if self._functions is None:
            self._functions = [_function(name, each) for name, each in self._entries.items()]
        copied: list[dict[str, Any]] = copy_json(self._functions)
        return copied


def _function(name: str, entry: Any) -> dict[str, Any]:  # noqa: ANN401
    handler = handler_of(entry)
    schema = entry.schema if type(entry) is Tool else None
    described = {
        "name": name,
        "description": inspect.getdoc(handler) or "",
        "parameters": _parameters(handler) if schema is None else copy_json(schema),
    }
    return {"type": "function", "function": described}


def _parameters(handler: Any) -> dict[str, Json]:  # noqa: ANN401
    """Make a JSON Schema of a signature; where there is none, any object will do."""
    try:
        parameters = inspect.signature(handler).parameters.values()
    except (TypeError, ValueError):
        return {"type": "object"}
    if spec_of(handler).by_dict:
        return {"type": "object"}
    try:
        hints = typing.get_type_hints(handler)
    except Exception:  # noqa: BLE001  - annotations may name anything, and say it in vain
        hints = {}
    kinds = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    named = [each for each in parameters if each.kind in kinds]
    schema: dict[str, Json] = {
        "type": "object",
        "properties": {each.name: schema_of(hints.get(each.name, Any)) for each in named},
        "required": [each.name for each in named if each.default is each.empty],
    }
    if not any(each.kind is each.VAR_KEYWORD for each in parameters):
        schema["additionalProperties"] = False
    return schema


def schema_of(annotation: Any) -> dict[str, Json]:  # noqa: ANN401
    """Give the JSON Schema of a type; an empty one, which takes anything, where it is not known.

    >>> schema_of(list[str])
    {'type': 'array', 'items': {'type': 'string'}}
    """
    if annotation in _TYPES:
        return {"type": _TYPES[annotation]}
    origin, inside = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return schema_of(inside[0])
    if origin is typing.Literal:
        return {"enum": list(inside)}
    if origin in (typing.Union, types.UnionType):
        return {"anyOf": [schema_of(each) for each in inside]}
    kind = origin or annotation
    if isinstance(kind, type) and issubclass(kind, Enum):
        return {"enum": [each.value for each in kind]}
    if isinstance(kind, type) and issubclass(kind, Mapping):
        return {"type": "object"}
    if isinstance(kind, type) and issubclass(kind, Sequence | set | frozenset):
        items = {"items": schema_of(inside[0])} if inside else {}
        return {"type": "array", **items}
    return {}
