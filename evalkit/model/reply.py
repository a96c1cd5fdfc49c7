"""What an agent may return where a text does not say it all: a reply, and what it took."""

from collections.abc import Iterable, Mapping
from typing import Any

import attrs
from attrs import field

from evalkit.jsonvalue import Json, brief
from evalkit.model import fields
from evalkit.registry import hint_for

CALL_KEYS = ("tool", "args", "result", "error")
ERROR_KEYS = ("type", "message")
OURS = (
    *("turns", "turns_told", "handed", "ended_on_failed_call", "output"),
    *("replayed_state", "replayed_calls"),
)
"""What stands in a trace's meta already."""
TOKENS = ("input_tokens", "output_tokens", "total_tokens")


def _text(value: str | None) -> str | None:
    if value is None:
        return None
    told: str = fields.json_value("Reply.text", fields.prose("Reply.text", value))
    return told


def _calls(value: Iterable[Mapping[str, Json]] | None) -> tuple[dict[str, Json], ...] | None:
    """Take calls as they were made; None says nothing of them, an empty list that none was."""
    if value is None:
        return None
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        fields.fail("Reply.calls", f"expected a list of calls, got {brief(value)}", "put it in [ ]")
    return tuple(_call(f"Reply.calls[{index}]", call) for index, call in enumerate(value))


def _call(where: str, value: Mapping[str, Json]) -> dict[str, Json]:
    _keys(where, value, CALL_KEYS)
    for name in ("tool", "args"):
        if name not in value:
            fields.fail(where, f"has no {name!r}", 'such as {"tool": "find", "args": {"id": 1}}')
    call: dict[str, Json] = {
        "tool": fields.text(f"{where}.tool", value["tool"]),
        "args": fields.json_object(f"{where}.args", value["args"]),
    }
    if "result" in value:
        call["result"] = fields.json_value(f"{where}.result", value["result"])
    if value.get("error") is not None:
        if "result" in call:
            hint = "a call that failed has no result"
            fields.fail(where, "has a result and an error", hint)
        call["error"] = _error(f"{where}.error", value["error"])
    return call


def _error(where: str, value: object) -> str | dict[str, Json]:
    """Take a message, or a mapping of type and message; neither says nothing."""
    if isinstance(value, str):
        return _said(where, value)
    if not isinstance(value, Mapping):
        hint = 'or {"type": ..., "message": ...}'
        fields.fail(where, f"expected a message, got {brief(value)}", hint)
    _keys(where, value, ERROR_KEYS)
    for name in ERROR_KEYS:
        if name not in value:
            fields.fail(where, f"has no {name!r}", "give both, or the message alone")
    return {
        "type": fields.text(f"{where}.type", value["type"]),
        "message": _said(f"{where}.message", value["message"]),
    }


def _said(where: str, value: object) -> str:
    if not fields.prose(where, value).strip():
        fields.fail(where, "is blank", "leave the error out where there is none")
    said: str = fields.json_value(where, value)
    return said


def _keys(where: str, value: object, known: tuple[str, ...]) -> None:
    """Refuse what is no mapping, and a key that nobody would look at."""
    if not isinstance(value, Mapping):
        fields.fail(where, f"expected a mapping, got {brief(value)}")
    for key in value:
        if key not in known:
            fields.fail(where, f"unknown key {brief(key)}", hint_for(str(key), known))


def _usage(value: Mapping[str, int] | None) -> dict[str, int] | None:
    if value is None:
        return None
    _keys("Reply.usage", value, TOKENS)
    return {name: fields.count(f"Reply.usage.{name}", count) for name, count in value.items()}


def _cost_usd(value: float | None) -> float | None:
    return None if value is None else fields.not_negative("Reply.cost_usd", value)


def _stop_cause(value: str | None) -> str | None:
    return None if value is None else fields.text("Reply.stop_cause", value)


def _turns(value: int | None) -> int | None:
    return None if value is None else fields.count("Reply.turns", value)


def _meta(value: Mapping[str, Json] | None) -> dict[str, Json] | None:
    if value is None:
        return None
    meta = fields.json_object("Reply.meta", value)
    for name in OURS:
        if name in meta:
            hint = "say turns=..." if name == "turns" else "another name"
            fields.fail(f"Reply.meta.{name}", "is what the trace itself says", hint)
    return meta


@attrs.frozen
class Reply:
    """What an agent answers to one turn of the user, and as much of the way there as it tells.

    `text` is the answer, None where there is none. `calls` are the calls that it made, in order,
    each `{"tool", "args"}` with its `"result"`, or its `"error"` (a message, or `{"type",
    "message"}`); an empty list says that there was none, None says nothing of calls. `usage` is
    `{"input_tokens", "output_tokens", "total_tokens"}` or some of them, `cost_usd` in US dollars,
    `turns` how many turns of the model it took. `stop_cause` is why it stopped: "completed", or
    what cut it short. `meta` is any JSON, which the trace then holds.

    >>> Reply("Done.", calls=[{"tool": "refund", "args": {"id": 7}, "result": {"ok": True}}]).text
    'Done.'
    """

    text: str | None = field(converter=_text)
    calls: tuple[dict[str, Any], ...] | None = field(default=None, converter=_calls, kw_only=True)
    usage: dict[str, int] | None = field(default=None, converter=_usage, kw_only=True)
    cost_usd: float | None = field(default=None, converter=_cost_usd, kw_only=True)
    stop_cause: str | None = field(default=None, converter=_stop_cause, kw_only=True)
    turns: int | None = field(default=None, converter=_turns, kw_only=True)
    meta: dict[str, Json] | None = field(default=None, converter=_meta, kw_only=True)
