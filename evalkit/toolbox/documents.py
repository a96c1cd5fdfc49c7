"""How what a handler returns becomes one JSON document, once, and what it raises an error."""

import json
from collections.abc import Callable, Sequence
from enum import Enum
from inspect import isawaitable
from types import SimpleNamespace
from typing import Any

from evalkit.jsonvalue import (
    MAX_DEPTH,
    MAX_SIZE,
    Json,
    NotJsonError,
    brief,
    copy_json,
    plain,
    refuse,
)
from evalkit.toolbox.errors import ErrorIfError, SubjectError, message_of, outcome_of


def document_of(returned: Any, error_if: Callable[[Json], Any] | None) -> Json:  # noqa: ANN401
    """Make a handler's result a JSON document of its own.

    Plain values, attrs, dataclass and pydantic objects, MCP results, lists of text blocks, and text
    that holds a JSON object or array. `NotJsonError` names the place and type of anything else;
    `SubjectError` carries the error that a result reports.
    """
    if type(returned) is not dict or "isError" in returned:
        returned = _unpacked(returned)
    try:
        document = plain(returned, convert)
    except NotJsonError:
        raise
    except BaseException as error:  # an object that can't be read, whatever it raises
        outcome_of(error)
        told = f"can't be read: {type(error).__name__}: {message_of(error)}"
        raise NotJsonError(told) from error
    if error_if is not None:
        reported = _reported(error_if, document)
        if reported:
            raise SubjectError(reported if isinstance(reported, str) else brief(document))
    return document


def _reported(error_if: Callable[[Json], Any], document: Json) -> Any:  # noqa: ANN401
    try:
        reported = error_if(copy_json(document))
    except BaseException as error:
        outcome_of(error)
        told = f"error_if raised {type(error).__name__}: {message_of(error)}"
        raise ErrorIfError(told) from error
    if isawaitable(reported):
        getattr(reported, "close", reported.__await__)()
        raise ErrorIfError("error_if is async, which nobody awaits")
    return reported


def _unpacked(returned: Any) -> Any:  # noqa: ANN401
    """Take a result out of what wraps it: an MCP result, a list of text blocks, JSON text."""
    if type(returned) is str:
        return _parsed(returned) if returned.lstrip()[:1] in ("{", "[") else returned
    if type(returned) is dict:
        returned = _as_objects(returned)
    if _is_mcp_result(returned):
        return _of_mcp(returned)
    if type(returned) in (list, tuple) and returned and all(map(_is_text_block, returned)):
        return _of_blocks(returned)
    return returned


def _as_objects(returned: dict[str, Any]) -> Any:  # noqa: ANN401
    """Read an MCP result that came as a dict as the object it stands for; another dict as it is."""
    blocks = returned.get("content")
    if type(returned["isError"]) is not bool or type(blocks) is not list:
        return returned
    if not all(type(block) is dict and "type" in block for block in blocks):
        return returned
    if not all(type(key) is str for part in (returned, *blocks) for key in part):
        return returned
    return SimpleNamespace(
        **{**returned, "content": [SimpleNamespace(**block) for block in blocks]}
    )


def _is_mcp_result(returned: object) -> bool:
    """Know an MCP result by its two fields, of their types: an object may have any attribute."""
    error = _either(returned, "isError", "is_error")
    return type(error) is bool and type(getattr(returned, "content", None)) in (list, tuple)


def _of_mcp(returned: Any) -> Any:  # noqa: ANN401
    """Read an MCP result: `isError` first, then `structuredContent`, then the text blocks."""
    if _either(returned, "isError", "is_error"):
        said = "\n".join(str(getattr(block, "text", block)) for block in returned.content)
        raise SubjectError(said)
    structured = _either(returned, "structuredContent", "structured_content")
    return structured if structured is not None else _of_blocks(returned.content)


def _either(value: object, first: str, second: str) -> Any:  # noqa: ANN401
    found = getattr(value, first, None)
    return getattr(value, second, None) if found is None else found


def _is_text_block(value: object) -> bool:
    return (
        not isinstance(value, dict)
        and type(getattr(value, "text", None)) is str
        and (getattr(value, "type", None) == "text")
    )


def _of_blocks(blocks: Sequence[Any]) -> Json:
    """Give the text of one block, parsed where it is JSON; of several, the list of them."""
    if not blocks:
        raise NotJsonError("the result has no content")
    for index, block in enumerate(blocks):
        if not _is_text_block(block):
            kind = getattr(block, "type", type(block).__name__)
            raise NotJsonError(f"block {index} is of type {kind!r}, which is no text")
    texts = [_parsed(block.text) for block in blocks]
    return texts[0] if len(texts) == 1 else texts


def _parsed(text: str) -> Json:
    """Parse strict JSON; a text that is none stays the text it is.

    JSON that is not strict, or too large or deep to be read, is refused, not taken for prose.
    """
    if len(text) > MAX_SIZE:
        raise NotJsonError(f"larger than {MAX_SIZE:,} characters")
    flaws: list[str] = []
    try:
        document = json.loads(
            text,
            parse_constant=lambda name: flaws.append(
                f"JSON text holds {name}, which is not finite"
            ),
            object_pairs_hook=lambda pairs: _keyed(pairs, flaws),
        )
    except json.JSONDecodeError:
        return text
    except RecursionError:
        raise NotJsonError(f"JSON text nested deeper than {MAX_DEPTH} levels") from None
    except ValueError as error:
        raise NotJsonError(f"JSON text can't be read: {error}") from None
    if flaws:
        raise NotJsonError(flaws[0])
    return document


def _keyed(pairs: list[tuple[str, Json]], flaws: list[str]) -> dict[str, Json]:
    keyed = dict(pairs)
    if len(keyed) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        flaws.append(f"JSON text holds the key {brief(twice)} twice")
    return keyed


def convert(value: Any) -> Any:  # noqa: ANN401
    """Turn a record into a dict, an enum member into its value, a kind of builtin into it."""
    kind = type(value)
    if hasattr(kind, "__attrs_attrs__"):
        return {each.name: getattr(value, each.name) for each in kind.__attrs_attrs__}
    if hasattr(kind, "__dataclass_fields__"):
        return _of_dataclass(value)
    if hasattr(kind, "model_dump") and hasattr(kind, "model_fields"):
        return value.model_dump(mode="json", by_alias=True)
    if issubclass(kind, Enum):
        return value.value
    for base, rebuild in _REBUILD.items():
        if issubclass(kind, base):
            return rebuild(value)
    return refuse(value)


def _of_dataclass(value: Any) -> dict[str, Any]:  # noqa: ANN401
    from dataclasses import fields  # noqa: PLC0415  - 5 ms; loaded already where there is one

    return {each.name: getattr(value, each.name) for each in fields(value)}


_REBUILD: dict[type, Callable[[Any], Any]] = {
    dict: lambda value: dict(dict.items(value)),
    list: lambda value: list(list.__iter__(value)),
    tuple: lambda value: list(tuple.__iter__(value)),
    str: str.__str__,
    int: int.__int__,
    float: float.__float__,
}
"""How a subclass of a builtin is read, by the builtin's own methods: its own may say anything."""
