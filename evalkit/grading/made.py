"""Which call of a direct run was made for a step, and whether it is that step's still."""

from evalkit.jsonvalue import equal
from evalkit.operators.hidden import is_hidden
from evalkit.plan import BoundCall
from evalkit.trace import Call


def index_of(calls: list[Call], step: int) -> int | None:
    """Find the call that was made for a step; where all were made, it stands at its own place."""
    if step < len(calls) and calls[step]["step"] == step:
        return step
    return next((at for at, call in enumerate(calls) if call["step"] == step), None)


def is_of(call: Call, bound: BoundCall) -> bool:
    """Say whether a call is the one that a step asks for: its tool, and its literal arguments."""
    args = call["args"]
    if call["tool"] != bound.tool or args is bound.args:
        return call["tool"] == bound.tool
    if bound.needs and not args and call["error"] is not None:
        return True  # it failed before its arguments were made
    if args.keys() != bound.names:
        return False
    for name, value in bound.literal.items():
        sent = args[name]
        if sent is not value and not equal(sent, value) and not is_hidden(sent, value):
            return False
    return True
