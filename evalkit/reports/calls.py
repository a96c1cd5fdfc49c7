"""How a call is written for people, made or expected."""

from typing import Any

from evalkit.jsonvalue import brief

WIDE = 100


def call_text(call: Any) -> str:  # noqa: ANN401
    """Write a call, made or expected, as code has it.

    >>> call_text({"tool": "refund", "args": {"id": 7}})
    'refund(id=7)'
    """
    if type(call) is not dict:
        return str(call)
    args = call.get("args")
    if type(args) is not dict:
        return str(call.get("tool"))
    given = [f"{name}={brief(value, 60)}" for name, value in args.items()]
    given += [f"{name}=…" for name in call.get("free", ()) if name not in args]
    return _cut(f"{call.get('tool')}({', '.join(given)})")


def _cut(text: str) -> str:
    """Cut a line that is too wide to be read."""
    return text if len(text) <= WIDE else f"{text[: WIDE - 1]}…"
