"""How messages of OpenAI's form are read: what was said, and which calls were made.

Providers hand out ids for calls. They pair a result with its call here, and are not kept: two runs
that did the same are then told the same.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NoReturn

from evalkit.jsonvalue import Json, NotJsonError, brief, plain
from evalkit.toolbox.documents import convert, document_of
from evalkit.toolbox.errors import error_of
from evalkit.trace import Call, CallError

UNOBSERVED: CallError = {
    "kind": "unobserved",
    "type": "LookupError",
    "message": "the agent does not tell the result",
}
TOOL_ERROR = "ToolError"
"""The type of an error of which only the message is told."""


class ReplyError(TypeError):
    """What an agent returned can't be read as a reply; the message says what could."""


class Transcript:
    """Messages read so far: what was said last, the calls made, whether the last message asks."""

    def __init__(self) -> None:
        """Begin with nothing said."""
        self.text: str | None = None
        self.asks = False
        self.turns = 0
        self.calls: list[Call] = []
        self.messages: list[dict[str, Json]] = []
        self._open: dict[tuple[str, str], list[Call]] = {}
        self._readers: dict[str, Callable[[str, Any], None]] = {
            "assistant": self._assistant,
            "tool": self._tool,
            "function": self._function,
        }

    def add(self, where: str, message: Any) -> None:  # noqa: ANN401
        """Read one message by its role; `ReplyError` where it is none, or not the agent's."""
        role = part(message, "role")
        reader = self._readers.get(role) if type(role) is str else None
        if reader is None:
            wanted = "a new message, of role 'assistant' or 'tool'"
            refuse(where, message if role is None else {"role": role}, wanted)
        reader(where, message)

    def _assistant(self, where: str, message: Any) -> None:  # noqa: ANN401
        self.turns += 1
        self.text, self.asks = _content(where, message), False
        for key, call in _asked(where, message):
            self.asks = True
            self.calls.append(call)
            self._open.setdefault(key, []).append(call)
        if self.text is not None and (self.text or not self.asks):
            self.messages.append(saying(self.text))

    def _tool(self, where: str, message: Any) -> None:  # noqa: ANN401
        self._answer(where, message, ("tool", part(message, "tool_call_id")))

    def _function(self, where: str, message: Any) -> None:  # noqa: ANN401
        self._answer(where, message, ("function", part(message, "name")))

    def _answer(self, where: str, message: Any, key: tuple[str, Any]) -> None:  # noqa: ANN401
        """Give a call its result: the one that waits under this id, or the old form's name."""
        waiting = self._open.pop(key, []) if type(key[1]) is str else []
        if len(waiting) != 1:
            found = "several calls wait" if waiting else "no call waits"
            raise ReplyError(f"{where} gives the result of {brief(key[1])}, and {found} for that")
        text = _content(where, message)
        if text is None:
            refuse(f"{where}, its content,", None, "the text of a result")
        self.text, self.asks = None, False
        if waiting[0]["error"] is UNOBSERVED:
            _settle(waiting[0], text, failed=part(message, "is_error") is True)


def _settle(call: Call, text: str, *, failed: bool) -> None:
    """Note the result of a call as a tool's own would be: JSON where the text holds it."""
    if failed:
        call["error"] = raised(text)
        return
    try:
        call["result"], call["error"] = document_of(text, None), None
    except NotJsonError as error:
        call["error"] = error_of(error)


def _asked(where: str, message: Any) -> Iterator[tuple[tuple[str, str], Call]]:  # noqa: ANN401
    """Give the calls that a message asks for, each with what its result will name it by."""
    calls = part(message, "tool_calls")
    if calls is not None and type(calls) not in (list, tuple):
        refuse(f"{where}, its tool_calls,", calls, "a list")
    for index, asked in enumerate(calls or ()):
        place = f"{where}, its call {index},"
        if part(asked, "type") not in ("function", None):
            refuse(place, asked, "a call of type 'function'")
        yield ("tool", part(asked, "id")), _function_call(place, part(asked, "function"))
    old = part(message, "function_call")
    if old is not None:
        call = _function_call(f"{where}, its function_call,", old)
        yield ("function", call["tool"]), call


def _function_call(where: str, function: Any) -> Call:  # noqa: ANN401
    """Read a call; one whose arguments are malformed was made all the same, and failed."""
    name = part(function, "name")
    if type(name) is not str or not name.strip():
        refuse(where, function, "the name of a function, and its arguments")
    try:
        args = _arguments(part(function, "arguments"))
    except NotJsonError as error:
        told = CallError(kind="invalid_arguments", type="ValueError", message=str(error))
        return new_call(name, {}, error=told)
    return new_call(name, args, error=UNOBSERVED)


def _arguments(told: Any) -> dict[str, Json]:  # noqa: ANN401
    """Read arguments: the JSON text of an object, or the object; `NotJsonError` for all else."""
    arguments = document_of(told, None) if type(told) is str else plain(told, convert)
    if type(arguments) is not dict:
        raise NotJsonError(f"the arguments are no JSON object: {brief(told)}")
    return arguments


def _content(where: str, message: Any) -> str | None:  # noqa: ANN401
    """Give the text of a message; of a refusal, which is what a user reads, its own."""
    content = part(message, "content")
    if content is None:
        content = part(message, "refusal")
    if isinstance(content, list | tuple):
        content = "".join(_text_of(where, at, each) for at, each in enumerate(content))
    if content is not None and not isinstance(content, str):
        refuse(f"{where}, its content,", content, "a text, null, or a list of parts")
    text: str | None = plain(content, convert)
    return text


def _text_of(where: str, index: int, each: Any) -> str:  # noqa: ANN401
    kind = part(each, "type")
    text = part(each, kind) if kind in ("text", "refusal") else None
    if not isinstance(text, str):
        refuse(f"{where}, its part {index},", each, "{'type': 'text', 'text': ...}")
    return text


def new_call(
    tool: str, args: dict[str, Json], *, result: Json = None, error: CallError | None = None
) -> Call:
    """Give the note of a call of an agent's, by what the agent tells of it."""
    return {
        "step": None,
        "turn": 0,
        "tool": tool,
        "args": args,
        "result": result,
        "error": error,
        "attempts": [],
        "seconds": 0.0,
        "output": "",
    }


def raised(error: str | Mapping[str, Json]) -> CallError:
    """Give the error of a call that failed, by its message, or its type and message.

    >>> raised("out of stock")["type"]
    'ToolError'
    """
    told = {"type": TOOL_ERROR, "message": error} if isinstance(error, str) else error
    return {"kind": "raised", "type": told["type"], "message": told["message"]}


def saying(text: str) -> dict[str, Json]:
    """Give the message that goes into the conversation for an answer."""
    return {"role": "assistant", "content": text}


def part(value: Any, name: str) -> Any:  # noqa: ANN401
    """Give a part of a mapping, or of an object that has it as an attribute; else None."""
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


def refuse(what: str, got: object, wanted: str) -> NoReturn:
    """Say that what an agent returned can't be read: where, what it is, what it should be."""
    raise ReplyError(f"{what} is {brief(got)} ({type(got).__name__}), expected {wanted}")
