"""What goes over the wire of an OpenAI-compatible client, for the tests that read it."""

from types import SimpleNamespace
from typing import Any

from evalkit.subjects.replies import Told
from evalkit.trace import Call


def assistant(content: Any, *calls: dict[str, Any], **more: Any) -> dict[str, Any]:
    """One message of an assistant, which may ask for calls."""
    asked = {"tool_calls": list(calls)} if calls else {}
    return {"role": "assistant", "content": content, **asked, **more}


def asks(name: str, arguments: Any = "{}", ident: str = "call_1") -> dict[str, Any]:
    """A call as a message asks for it."""
    function = {"name": name, "arguments": arguments}
    return {"id": ident, "type": "function", "function": function}


def gives(content: Any, ident: str = "call_1", **more: Any) -> dict[str, Any]:
    """The result of a call as a message gives it."""
    return {"role": "tool", "tool_call_id": ident, "content": content, **more}


def completion(message: Any, reason: str | None = "stop", **more: Any) -> dict[str, Any]:
    """A completion with one choice."""
    return {"choices": [{"index": 0, "message": message, "finish_reason": reason}], **more}


def as_objects(value: Any) -> Any:
    """The same with attributes for keys, all the way down."""
    if isinstance(value, dict):
        return SimpleNamespace(**{key: as_objects(item) for key, item in value.items()})
    return [as_objects(item) for item in value] if isinstance(value, list) else value


def outcomes(told: Told) -> list[Any]:
    """For each call its tool, its arguments, and its result or the kind of its error."""
    return [
        [each["tool"], each["args"], each["error"]["kind"] if each["error"] else each["result"]]
        for each in told.calls or []
    ]


def only(told: Told) -> Call:
    """The one call there is."""
    assert told.calls is not None
    (call,) = told.calls
    return call


WHOLE = [
    assistant(None, asks("find", '{"id": 7}', "a"), asks("count", "{}", "b")),
    gives("3", "b"),
    gives('{"status": "late"}', "a"),
    assistant("One moment.", asks("refund", '{"id": 7}', "c")),
    gives("no such order", "c"),
    assistant("It is late."),
]
