"""How what a handler returns becomes one JSON document, once, and what it raises an error."""

import json
from collections.abc import Callable, Iterable
from typing import Any

from evalkit.errors import TransportError
from evalkit.jsonvalue import Json, NotJsonError, brief, plain, refuse
from evalkit.trace import CallError

TRANSPORT = (TransportError, ConnectionError, TimeoutError)
TRANSPORT_NAMES = frozenset(
    {
        "httpx.TransportError",
        "httpcore.NetworkError",
        "requests.exceptions.ConnectionError",
        "requests.exceptions.Timeout",
        "urllib3.exceptions.HTTPError",
        "aiohttp.client_exceptions.ClientConnectionError",
    }
)
"""Exceptions of clients that are not imported here, known by the names in their ancestry."""
TOO_MANY_REQUESTS = 429
SERVER_ERROR = 500
MESSAGE_LIMIT = 2_000


class SubjectError(Exception):
    """A result by which a tool reports an error, as MCP's `isError` does."""


def document_of(returned: Any, error_if: Callable[[Json], Any] | None) -> Json:  # noqa: ANN401
    """Make a handler's result a JSON document of its own.

    Plain values, attrs, dataclass and pydantic objects, MCP results, lists of text blocks, and text
    that holds a JSON object or array. `NotJsonError` names the place and type of anything else;
    `SubjectError` carries the error that a result reports.
    """
    kind = type(returned)
    if kind is not dict:
        returned = _unpacked(returned)
    document = plain(returned, convert)
    if error_if is not None:
        reported = error_if(document)
        if reported:
            raise SubjectError(reported if isinstance(reported, str) else brief(document))
    return document


def _unpacked(returned: Any) -> Any:  # noqa: ANN401
    """Take a result out of what wraps it: an MCP result, a list of text blocks, JSON text."""
    if type(returned) is str:
        return _parsed(returned) if returned[:1] in ("{", "[") else returned
    if _is_mcp_result(returned):
        return _of_mcp(returned)
    if type(returned) in (list, tuple) and returned and all(map(_is_block, returned)):
        return _of_blocks(returned)
    return returned


def _is_mcp_result(returned: object) -> bool:
    return hasattr(returned, "content") and (
        hasattr(returned, "isError") or hasattr(returned, "is_error")
    )


def _of_mcp(returned: Any) -> Any:  # noqa: ANN401
    """Read an MCP result: `isError` first, then `structuredContent`, then the text blocks."""
    if _either(returned, "isError", "is_error"):
        raise SubjectError(
            "\n".join(str(getattr(block, "text", block)) for block in returned.content)
        )
    structured = _either(returned, "structuredContent", "structured_content")
    return structured if structured is not None else _of_blocks(returned.content)


def _either(value: object, first: str, second: str) -> Any:  # noqa: ANN401
    return getattr(value, first, None) or getattr(value, second, None)


def _is_block(value: object) -> bool:
    return (
        not isinstance(value, dict)
        and hasattr(value, "type")
        and (hasattr(value, "text") or value.type != "text")
    )


def _of_blocks(blocks: Iterable[Any]) -> Json:
    """Give the text of one block, parsed where it is JSON; of several, the list of them."""
    texts = []
    for index, block in enumerate(blocks):
        if block.type != "text":
            raise NotJsonError(f"block {index} is of type {block.type!r}, which is no text")
        texts.append(_parsed(block.text))
    if not texts:
        raise NotJsonError("the result has no content")
    return texts[0] if len(texts) == 1 else texts


def _parsed(text: str) -> Json:
    """Parse strict JSON; a text that is none stays the text it is."""
    try:
        return json.loads(text, parse_constant=_no_constant, object_pairs_hook=_no_duplicates)
    except (ValueError, RecursionError):
        return text


def _no_constant(name: str) -> None:
    raise ValueError(name)


def _no_duplicates(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    keyed = dict(pairs)
    if len(keyed) != len(pairs):
        raise ValueError("a key stands twice")
    return keyed


def convert(value: Any) -> Any:  # noqa: ANN401
    """Turn an object that is a record into a dict, and a subclass of a builtin into the builtin."""
    kind = type(value)
    if hasattr(kind, "__attrs_attrs__"):
        return {each.name: getattr(value, each.name) for each in kind.__attrs_attrs__}
    if hasattr(kind, "__dataclass_fields__"):
        return {name: getattr(value, name) for name in kind.__dataclass_fields__}
    if hasattr(kind, "__pydantic_fields__"):
        return value.model_dump(mode="json", by_alias=True)
    for base, rebuild in _REBUILD.items():
        if issubclass(kind, base):
            return rebuild(value)
    return refuse(value)


_REBUILD: dict[type, Callable[[Any], Any]] = {
    dict: lambda value: dict(dict.items(value)),
    list: lambda value: list(list.__iter__(value)),
    tuple: lambda value: list(tuple.__iter__(value)),
    str: str.__str__,
    int: int.__int__,
    float: float.__float__,
}
"""How a subclass of a builtin is read, by the builtin's own methods: its own may say anything."""


def error_of(raised: BaseException) -> CallError:
    """Describe what a handler raised: its kind, its type, its message."""
    if isinstance(raised, NotJsonError):
        kind = "unserialisable"
    elif is_transport(raised):
        kind = "transport"
    else:
        kind = "raised"
    return {"kind": kind, "type": type(raised).__name__, "message": message_of(raised)}


def message_of(raised: BaseException) -> str:
    """Give an exception's message, or say why it has none to give."""
    try:
        return str(raised)[:MESSAGE_LIMIT]
    except Exception as error:  # noqa: BLE001  - the subject's own `__str__`
        return f"<{type(raised).__name__} whose message raised {type(error).__name__}>"


def is_transport(raised: BaseException) -> bool:
    """Say whether an exception means that the far end was out of reach: connection, 429, 5xx."""
    if isinstance(raised, TRANSPORT):
        return True
    status = getattr(
        getattr(raised, "response", None), "status_code", getattr(raised, "status_code", None)
    )
    if type(status) is int:
        return status == TOO_MANY_REQUESTS or status >= SERVER_ERROR
    ancestry = {
        f"{kind.__module__.split('.')[0]}.{kind.__qualname__}" for kind in type(raised).__mro__
    }
    ancestry |= {f"{kind.__module__}.{kind.__qualname__}" for kind in type(raised).__mro__}
    return not ancestry.isdisjoint(TRANSPORT_NAMES)
