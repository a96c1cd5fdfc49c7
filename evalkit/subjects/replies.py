"""What an agent returned, read as one thing: its answer, its calls, and what they took."""

from collections.abc import Mapping
from typing import Any

import attrs

from evalkit.jsonvalue import Json, NotJsonError, plain
from evalkit.model.reply import Reply
from evalkit.subjects.messages import (
    UNOBSERVED,
    ReplyError,
    Transcript,
    new_call,
    part,
    raised,
    refuse,
    saying,
)
from evalkit.toolbox.documents import convert
from evalkit.trace import Call

COMPLETED, NO_OUTPUT = "completed", "no_output"
ACCEPTED = (
    "a text, None, Reply, a message {'role': 'assistant', ...}, "
    "a list of messages of the assistant and its tools, or a chat completion"
)
FINISHED = {
    "stop": COMPLETED,
    "tool_calls": COMPLETED,
    "function_call": COMPLETED,
    "length": "output_token_budget",
    "content_filter": "content_filter",
    "end_turn": COMPLETED,
    "stop_sequence": COMPLETED,
    "tool_use": COMPLETED,
    "max_tokens": "output_token_budget",
}
"""Why a completion ended, in the words of a trace; any other reason stays what it is."""
TOKENS = {
    "prompt_tokens": "input_tokens",
    "completion_tokens": "output_tokens",
    "total_tokens": "total_tokens",
}


@attrs.define(eq=False)
class Told:
    """What one answer of an agent tells; None is not told, and says nothing.

    `messages` are what the conversation goes on with. `alone` says that it was one message of the
    model: of messages before it, of their calls and what they used, it tells nothing.
    """

    text: str | None = None
    calls: list[Call] | None = None
    messages: list[dict[str, Json]] = attrs.field(factory=list)
    usage: dict[str, int] | None = None
    cost_usd: float | None = None
    stop_cause: str = NO_OUTPUT
    turns: int | None = None
    meta: dict[str, Json] = attrs.field(factory=dict)
    alone: bool = False


def read_reply(returned: Any) -> Told:  # noqa: ANN401
    """Read what an agent returned; `ReplyError`, a TypeError, where it is nothing of the kind.

    Accepted are a text; None, which is no output; `Reply`; and what OpenAI-compatible clients give,
    as dicts or as objects: a message of the assistant, a list of its messages and those of its
    tools, a completion. Where no other cause is told, an answer that says nothing, and asks for no
    call, has stopped with "no_output". A call whose result is not told has an error of the kind
    "unobserved".

    >>> read_reply("It is on its way.").messages
    [{'role': 'assistant', 'content': 'It is on its way.'}]
    """
    try:
        if returned is None or isinstance(returned, str):
            return _of_text(plain(returned, convert))
        told = _read(returned)
        return Told(**plain(attrs.asdict(told, recurse=False), convert))
    except NotJsonError as error:
        raise ReplyError(f"what the agent returned is no JSON: {error}") from error


def _read(returned: Any) -> Told:  # noqa: ANN401, RET503  - `refuse` does not return
    if isinstance(returned, Reply):
        return _of_reply(returned)
    if isinstance(returned, list | tuple):
        return _of_messages(returned)
    if part(returned, "choices") is not None:
        return _of_completion(returned)
    if part(returned, "role") is not None:
        return _of_message("the message", returned)
    refuse("what the agent returned", returned, ACCEPTED)


def _of_text(text: str | None) -> Told:
    messages = [] if text is None else [saying(text)]
    return Told(text, messages=messages, stop_cause=_cause(text))


def _of_reply(reply: Reply) -> Told:
    told = _of_text(reply.text)
    told.calls = None if reply.calls is None else list(map(_of_told_call, reply.calls))
    told.usage = reply.usage or None
    told.cost_usd, told.turns = reply.cost_usd, reply.turns
    if reply.stop_cause is not None:
        told.stop_cause = FINISHED.get(reply.stop_cause, reply.stop_cause)
    told.meta = reply.meta or {}
    return told


def _of_told_call(told: Mapping[str, Json]) -> Call:
    if "error" in told:
        return new_call(told["tool"], told["args"], error=raised(told["error"]))
    if "result" in told:
        return new_call(told["tool"], told["args"], result=told["result"])
    return new_call(told["tool"], told["args"], error=UNOBSERVED)


def _of_messages(messages: list[Any] | tuple[Any, ...]) -> Told:
    """Read what a turn added to the conversation: all the calls there were are in it."""
    if not messages:
        refuse("what the agent returned", messages, "at least one message of the assistant")
    transcript = Transcript()
    for index, message in enumerate(messages):
        transcript.add(f"message {index}", message)
    return Told(
        transcript.text,
        transcript.calls,
        transcript.messages,
        stop_cause=COMPLETED if transcript.asks else _cause(transcript.text),
        turns=transcript.turns,
    )


def _of_message(where: str, message: Any) -> Told:  # noqa: ANN401
    """Read one message of the assistant: that others before it made no calls, it does not tell."""
    if part(message, "role") != "assistant":
        refuse(where, message, "a message of role 'assistant'")
    told = _of_messages([message])
    told.calls = told.calls or None
    told.turns = None
    told.alone = True
    return told


def _of_completion(completion: Any) -> Told:  # noqa: ANN401
    """Read the one choice of a completion: of several, nobody says which is the answer."""
    choices = part(completion, "choices")
    if not isinstance(choices, list | tuple):
        refuse("the choices of a completion", choices, "a list of one choice")
    if len(choices) != 1:
        raise ReplyError(f"a completion has {len(choices)} choices, expected one")
    told = _of_message("the choice's message", part(choices[0], "message"))
    reason = part(choices[0], "finish_reason")
    if reason is not None and type(reason) is not str:
        refuse("the finish_reason of a completion", reason, "a string")
    cause = FINISHED.get(reason, reason) if reason else COMPLETED
    told.stop_cause = told.stop_cause if cause == COMPLETED else cause
    told.usage = _usage(part(completion, "usage"))
    return told


def _usage(value: Any) -> dict[str, int] | None:  # noqa: ANN401
    usage: dict[str, int] = {}
    for theirs, ours in TOKENS.items():
        count = part(value, theirs)
        if count is None:
            continue
        if type(count) is not int or count < 0:
            refuse(f"the usage's {theirs}", count, "a whole number, 0 or more")
        usage[ours] = count
    return usage or None


def _cause(text: str | None) -> str:
    return COMPLETED if text and not text.isspace() else NO_OUTPUT
