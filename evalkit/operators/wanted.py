"""What an expected call asks of one that was made, and why another is not it."""

from collections.abc import Mapping
from typing import Any

import attrs

from evalkit.jsonvalue import Json, brief, equal
from evalkit.operators.hidden import is_hidden
from evalkit.operators.schema import schema_problem

KEYS = ("tool", "args", "args_match", "free", "schema")
OTHER_TOOL = "another tool"


@attrs.define(eq=False)
class Wanted:
    """An expected call: its tool, and what its arguments must be.

    `args` None takes any. `args_match` is as in `ToolCall`; what is `free` may be sent or not, and
    be anything. With a `schema` it is that which all the arguments are held to. One that is
    `lenient` takes what was taken out of a recorded trace, as secret, for whatever is expected.
    """

    tool: str
    args: Mapping[str, Json] | None = None
    args_match: str = "exact"
    free: frozenset[str] = frozenset()
    schema: dict[str, Json] | None = None
    lenient: bool = False


def wanted_of(operand: Any) -> Wanted:  # noqa: ANN401
    """Read an operand: the name of a tool, or a mapping with what its arguments must be.

    >>> wanted_of("refund").args is None
    True
    """
    if type(operand) is str:
        return Wanted(operand)
    return Wanted(
        operand["tool"],
        operand.get("args"),
        operand.get("args_match", "exact"),
        frozenset(operand.get("free", ())),
        operand.get("schema"),
    )


def misfit(wanted: Wanted, call: Mapping[str, Any]) -> str | None:
    """Say why a call is not the expected one; None where it is. Ids are never looked at.

    >>> misfit(Wanted("refund", {"id": 7}), {"tool": "refund", "args": {"id": 8}})
    'args.id: expected 7, got 8'
    """
    if wanted.tool != call["tool"]:
        return OTHER_TOOL
    sent, args = call["args"], wanted.args
    if wanted.schema is not None:
        problem = schema_problem(wanted.schema, sent)
        return None if problem is None else f"args: {problem}"
    if args is None or wanted.args_match == "ignore" or sent is args:
        return None
    flaws = [
        _told(name, value, sent)
        for name, value in args.items()
        if (name not in sent and wanted.args_match != "superset")
        or (name in sent and not _is_equal(wanted, sent[name], value))
    ]
    if wanted.args_match != "subset" and not sent.keys() <= args.keys():
        flaws += [
            f"args.{name}: sent, and not expected"
            for name in sent
            if name not in args and name not in wanted.free
        ]
    return "; ".join(flaws) if flaws else None


def _told(name: str, value: Json, sent: Mapping[str, Json]) -> str:
    if name not in sent:
        return f"args.{name}: not sent"
    return f"args.{name}: expected {brief(value)}, got {brief(sent[name])}"


def _is_equal(wanted: Wanted, sent: Json, value: Json) -> bool:
    return equal(sent, value) or (wanted.lenient and is_hidden(sent, value))
