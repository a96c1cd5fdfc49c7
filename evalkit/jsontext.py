"""How JSON is written and read as text: strict, and nothing lost on the way.

The fast library refuses integers of more than 64 bits when it writes, and reads them as floats
without a word. So what holds one is written by the standard library, and marked to be read by it.
"""

import json
from collections.abc import Callable
from typing import Any

import orjson

WIDE = b'{"wide":true,'
"""How an object begins that holds an integer of more than 64 bits."""
_READABLE = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE


def dumped(value: Any) -> bytes:  # noqa: ANN401
    """Write strict JSON, in one line.

    >>> dumped({"a": 2**70})
    b'{"a":1180591620717411303424}'
    """
    try:
        return orjson.dumps(value)
    except TypeError:
        return json.dumps(value, allow_nan=False, separators=(",", ":")).encode("ascii")


def dumped_object(value: dict[str, Any]) -> bytes:
    """Write an object that is not empty, so that `loaded` reads the very same values again."""
    try:
        return orjson.dumps(value)
    except TypeError:
        return WIDE + dumped(value)[1:]


def unmarked(text: bytes) -> bytes:
    """Take away the mark of `dumped_object`, for a reader who is not `loaded`."""
    return b"{" + text.removeprefix(WIDE) if text.startswith(WIDE) else text


def loaded(text: bytes) -> Any:  # noqa: ANN401
    """Read JSON; a ValueError says what is wrong with it.

    >>> loaded(dumped_object({"a": 2**70}))["a"] == 2**70
    True
    """
    return json.loads(text) if text.startswith(WIDE) else orjson.loads(text)


def canonical(value: Any, other: Callable[[Any], Any] | None = None) -> bytes:  # noqa: ANN401
    """Write JSON with sorted keys: equal values give equal bytes. `other` writes what is no JSON.

    >>> canonical({"b": 1, "a": 2})
    b'{"a":2,"b":1}'
    """
    try:
        return orjson.dumps(value, default=other, option=orjson.OPT_SORT_KEYS)
    except TypeError:
        return json.dumps(
            value, allow_nan=False, separators=(",", ":"), sort_keys=True, default=other
        ).encode("ascii")


def readable(value: Any) -> bytes:  # noqa: ANN401
    """Write JSON to be read by people, its keys in the order they have.

    >>> print(readable({"b": [1], "a": "é"}).decode(), end="")
    {
      "b": [
        1
      ],
      "a": "é"
    }
    """
    try:
        return orjson.dumps(value, option=_READABLE)
    except TypeError:
        text = json.dumps(value, allow_nan=False, ensure_ascii=False, indent=2)
        return f"{text}\n".encode()
