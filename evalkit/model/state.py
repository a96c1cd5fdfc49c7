"""What a scenario must leave behind: the state of its tools once it is over."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import attrs
from attrs import field

from evalkit.jsonvalue import Json, brief
from evalkit.model import fields
from evalkit.model.assertion import refs
from evalkit.model.tool_call import ToolCall
from evalkit.registry import hint_for

Capture = Callable[[Any], Any] | str | dict[str, ToolCall]
BARE = (
    *("assertions", "label", "save_as", "context_args", "arg_transforms", "expect_error"),
    *("timeout_s", "retry", "arg_assertions"),
)
"""The fields of a tool call that say nothing where it captures state."""


def _expected(value: Mapping[str, Json]) -> dict[str, Json]:
    expected = fields.json_object("State.expected", value)
    for name in expected:
        fields.text("State.expected", name)
    return expected


def _capture(value: Callable[[Any], Any] | str | Mapping[str, ToolCall | str] | None) -> Any:  # noqa: ANN401
    """Take a function, the name of a tool, or a call (or the name of a tool) for each name."""
    if value is None or callable(value):
        return value
    if isinstance(value, str):
        return fields.text("State.capture", value)
    if not isinstance(value, Mapping):
        hint = "a function, the name of a tool, or a mapping of name to ToolCall"
        fields.fail("State.capture", f"got {brief(value)}", hint)
    return {fields.text("State.capture", name): _call(name, each) for name, each in value.items()}


def _call(name: str, value: ToolCall | str) -> ToolCall:
    where = f"State.capture[{name!r}]"
    call = ToolCall(value) if isinstance(value, str) else value
    if not isinstance(call, ToolCall):
        fields.fail(where, f"expected a ToolCall, got {brief(value)}", "or the name of a tool")
    for each in BARE:
        if getattr(call, each):
            fields.fail(f"{where}.{each}", "says nothing here", "give the tool and its args alone")
    if call.args_match != "exact":
        fields.fail(f"{where}.args_match", "says nothing here", "it is for calls of an agent")
    saved = next(refs(call.args), None)
    if saved is not None:
        fields.fail(f"{where}.args", f"can't take the saved value {saved!r}", "write the value")
    return call


def _replayed(value: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(fields.texts("State.replayed", value)))


@attrs.frozen
class State:
    """What must be there once a scenario is over: a JSON value for each name.

    `capture` gives it: a function of the `Env` that gives a mapping (where the tools came without
    one, of an `Env` that has nothing but these); the name of a tool that does; or a tool call for
    each name. The names in `replayed` must be as the scenario's own tool calls leave them, on tools
    that are opened afresh.

    >>> State({"open": 2}, capture=lambda env: {"open": env.db.count()}).replayed
    ()
    """

    expected: dict[str, Json] = field(factory=dict, converter=_expected)
    capture: Capture | None = field(default=None, converter=_capture, kw_only=True)
    replayed: tuple[str, ...] = field(default=(), converter=_replayed, kw_only=True)

    def __attrs_post_init__(self) -> None:
        """Check what hangs together."""
        if not self.expected and not self.replayed:
            fields.fail(
                "State", "expects nothing", "give expected={name: value}, or replayed=[...]"
            )
        for name in self.replayed:
            if name in self.expected:
                fields.fail("State.replayed", f"{name!r} is expected as well", "leave one out")
        if isinstance(self.capture, dict):
            for name in (*self.expected, *self.replayed):
                if name not in self.capture:
                    hint = hint_for(name, self.capture)
                    fields.fail("State.capture", f"does not capture {name!r}", hint)
