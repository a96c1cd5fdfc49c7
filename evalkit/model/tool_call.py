"""What a tool call is: a tool, its arguments, what must hold of the result, what is kept."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

import attrs
from attrs import field

from evalkit.jsonvalue import Json, NotJsonError, plain
from evalkit.model import fields
from evalkit.model.assertion import Assertion, allow_ref


def _tool(value: str) -> str:
    return fields.text("ToolCall.tool", value)


def _args(value: Mapping[str, Json]) -> dict[str, Json]:
    if type(value) is dict:
        try:
            return plain(value, allow_ref)  # type: ignore[no-any-return]
        except NotJsonError:
            pass
    return fields.json_object("ToolCall.args", value, allow_ref)


def _assertions(value: Iterable[Assertion]) -> tuple[Assertion, ...]:
    return fields.several("ToolCall.assertions", value, Assertion)


def _save_as(value: Mapping[str, str]) -> dict[str, str]:
    return fields.names("ToolCall.save_as", value) if value else _none("ToolCall.save_as", value)


def _context_args(value: Mapping[str, str]) -> dict[str, str]:
    return (
        fields.names("ToolCall.context_args", value)
        if value
        else _none("ToolCall.context_args", value)
    )


def _transforms(value: Mapping[str, Callable[[Any], Any]]) -> dict[str, Callable[[Any], Any]]:
    return fields.callables("ToolCall.arg_transforms", value) if value != {} else {}


def _none(where: str, value: object) -> dict[str, Any]:
    return {} if type(value) is dict else fields.names(where, value)


def _arg_assertions(value: Iterable[Assertion]) -> tuple[Assertion, ...]:
    return () if value == () else fields.several("ToolCall.arg_assertions", value, Assertion)


ARGS_MATCHES = ("exact", "subset", "superset", "ignore")
ArgsMatch = Literal["exact", "subset", "superset", "ignore"]


@attrs.frozen
class ToolCall:
    """One call of a tool, and what must hold of its result.

    `save_as` keeps values of the result by path, under names that later calls use: `Ref("name")`
    anywhere in `args`, or `context_args={"argument": "name"}`, through `arg_transforms` if given.
    `expect_error` (True, or a pattern that the message must match) makes the tool's refusal what is
    wanted; the document is then `{"error": {"type", "message"}}`. `timeout_s` is 60 unless given.
    `retry` is how many more times a call is made whose transport failed; a wrong answer never is.

    Two fields are for agents only. `args_match` says which calls of an agent can be this one: of
    exactly these arguments; with more ("subset"), with fewer ("superset"), with any ("ignore").
    `arg_assertions` are put to the arguments of the agent's call; an argument that one of their
    paths begins with is judged by them alone.

    >>> ToolCall("refund", {"reason": "broken"}, [Assertion("amount", "eq", 12)]).tool
    'refund'
    """

    tool: str = field(converter=_tool)
    args: dict[str, Json] = field(factory=dict, converter=_args)
    assertions: tuple[Assertion, ...] = field(default=(), converter=_assertions)
    label: str = ""
    save_as: dict[str, str] = field(factory=dict, converter=_save_as)
    context_args: dict[str, str] = field(factory=dict, converter=_context_args)
    arg_transforms: dict[str, Callable[[Any], Any]] = field(factory=dict, converter=_transforms)
    expect_error: bool | str | None = field(default=None, kw_only=True)
    timeout_s: float | None = field(default=None, kw_only=True)
    retry: int = field(default=0, kw_only=True)
    args_match: ArgsMatch = field(default="exact", kw_only=True)
    arg_assertions: tuple[Assertion, ...] = field(
        default=(), converter=_arg_assertions, kw_only=True
    )

    def __attrs_post_init__(self) -> None:
        """Check what has no converter; the rarely used fields only where one of them was used."""
        if type(self.label) is not str:
            fields.prose("ToolCall.label", self.label)
        rare = (self.expect_error, self.timeout_s, self.retry, self.args_match)
        if rare != _USUAL or type(self.retry) is not int:
            _check_unusual(self)

    def but(self, **changes: Any) -> "ToolCall":  # noqa: ANN401
        """Give a copy with some fields changed."""
        return attrs.evolve(self, **changes)

    def as_data(self) -> dict[str, Any]:
        """Give tool and arguments as data, as they stand where an assertion expects a call."""
        for name in NOT_EXPECTED:
            if getattr(self, name):
                hint = "what holds of its result belongs into tool_calls"
                fields.fail(f"ToolCall.{name}", "says nothing where a call is expected", hint)
        return {"tool": self.tool, "args": self.args, "args_match": self.args_match}


NOT_EXPECTED = (
    *("assertions", "save_as", "context_args", "arg_transforms", "expect_error", "retry"),
    *("timeout_s", "arg_assertions"),
)
"""The fields that say nothing of a call which an assertion expects."""
_USUAL = (None, None, 0, "exact")


def _check_unusual(call: ToolCall) -> None:
    if call.expect_error is not None and call.expect_error is not True:
        _check_expect_error(call.expect_error)
    if call.timeout_s is not None:
        fields.positive("ToolCall.timeout_s", call.timeout_s)
    fields.count("ToolCall.retry", call.retry)
    fields.one_of("ToolCall.args_match", call.args_match, ARGS_MATCHES)


def _check_expect_error(value: object) -> None:
    if type(value) is not str or not value:
        fields.fail(
            "ToolCall.expect_error",
            f"expected True or a pattern for the message, got {value!r}",
            "leave it out where no error is expected",
        )
