"""What a JSON value is here: plain builtins only, copied, finite, bounded, and compared strictly.

Every document that an assertion sees has passed `plain` before. That is what lets the rest of the
code trust exact types: a class whose `__eq__` lies never gets as far as an operator.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, TypeAlias

import orjson

Json: TypeAlias = Any
"""None, bool, int, finite float, str, list of these, or dict from str to these; exact types."""

MAX_DEPTH: Final = 200
MAX_SIZE: Final = 10_000_000
QUICK: Final = 100_000
LONG: Final = 1_000
"""A value of more parts, or with a longer text, is copied by the thorough walk alone."""

BIG: Final = 10**4000
LOW: Final = -BIG
"""Beyond these, CPython refuses to write an integer as text, so it could not be logged."""

_LARGE = frozenset({bytes, bytearray, memoryview, set, frozenset})
"""Types whose repr may be as large as they are."""

_RESERVED = frozenset(".[]*()'\"")
_AS_IS = frozenset({bool, type(None)})
_dumps = orjson.dumps
_NUMBERS = frozenset({int, float})
_SCALARS = frozenset({str, bool, type(None), int, float})


class Missing:
    """The type of `MISSING`: what a path that finds nothing gives, which passes no check."""

    __slots__ = ()

    def __repr__(self) -> str:
        """Read as what it is in a message."""
        return "MISSING"

    def __reduce__(self) -> str:
        """Stay the one object through pickling and copying."""
        return "MISSING"

    def __bool__(self) -> bool:
        """Be false, so that a careless `if value` does not pass on it."""
        return False


MISSING: Final = Missing()


class NotJsonError(ValueError):
    """A value that is no JSON, with the steps that lead to it and what is wrong there."""

    def __init__(self, problem: str) -> None:
        """Take what is wrong; the steps are added on the way out."""
        super().__init__(problem)
        self.problem = problem
        self.steps: list[str | int] = []

    def __str__(self) -> str:
        """Name the place and the problem."""
        where = dotted(reversed(self.steps))
        return f"at {where}: {self.problem}" if where else self.problem


def refuse(value: object) -> Json:
    """Refuse whatever is no plain JSON value, naming its type."""
    kind = type(value)
    shown = "" if kind in _LARGE else f": {brief(value)}"
    raise NotJsonError(f"{kind.__module__}.{kind.__qualname__} is no JSON value{shown}")


def plain(value: object, other: Callable[[Any], Json] = refuse) -> Json:
    """Copy a value into plain JSON builtins, or raise `NotJsonError` naming the place.

    Exact builtins are copied, tuples become lists; anything else is handed to `other`, whose answer
    is copied in turn unless it is the very object that was given. Depth is at most 200, size about
    10 MB: of JSON text, or the characters of texts and keys, plus eight for each value.

    Most of the time of a run is spent here, so there are two walks: a quick one that copies what is
    exactly JSON, its leaves checked by the JSON writer in C; and the one that says what is wrong.

    >>> plain({"a": (1, 2.5)})
    {'a': [1, 2.5]}
    """
    kind = type(value)
    if (kind is dict or kind is list) and len(value) <= QUICK:  # type: ignore[arg-type]
        try:
            copied = _quick(value)
            if len(_dumps(copied)) <= MAX_SIZE:
                return copied
        except (_OddError, TypeError, RuntimeError):  # the last: a key that lies about its hash
            pass
    return _copy(value, other, MAX_DEPTH, [MAX_SIZE])


class _OddError(Exception):
    """Something that the quick walk leaves to the other one."""


def _quick(value: Any) -> Json:  # noqa: ANN401
    """Copy a dict or list of exact JSON values, and each that is in it, one after the other.

    Their number and their depth are bounded, so that no shape takes the process.
    """
    left = QUICK
    copies = [value.copy()]
    for held in copies:
        for key, item in held.items() if type(held) is dict else enumerate(held):
            kind = type(item)
            if kind is int or (kind is str and len(item) <= LONG):
                continue
            if kind is dict or kind is list:
                left -= len(item)
                if left < 0:
                    raise _OddError
                held[key] = copied = item.copy()
                copies.append(copied)
            elif (kind is not float or item - item != 0.0) and kind not in _AS_IS:
                raise _OddError
    if len(copies) > MAX_DEPTH:  # fewer can't be nested deeper
        _bound(copies[0], MAX_DEPTH)
    return copies[0]


def _bound(value: Json, depth: int) -> None:
    """Refuse what is nested deeper."""
    if not depth:
        raise _OddError
    for item in value.values() if type(value) is dict else value:
        if type(item) is dict or type(item) is list:
            _bound(item, depth - 1)


def _copy(value: Any, other: Callable[[Any], Json], depth: int, left: list[int]) -> Json:  # noqa: ANN401
    kind = type(value)
    if kind in _SCALARS:
        return _scalar(value, left)
    if not depth:
        raise NotJsonError(f"nested deeper than {MAX_DEPTH} levels, or cyclic")
    if kind is dict or kind is list or kind is tuple:
        _charge(left, 8 * len(value))
        walk = _copy_dict if kind is dict else _copy_list
        return walk(value, other, depth - 1, left)
    replaced = other(value)
    return value if replaced is value else _copy(replaced, other, depth - 1, left)


def _copy_dict(
    value: dict[Any, Any], other: Callable[[Any], Json], depth: int, left: list[int]
) -> dict[str, Json]:
    copied: dict[str, Json] = {}
    for key, item in value.items():
        name = key if type(key) is str else _key(key, other)
        _charge(left, len(name))
        _check_characters(name)
        try:
            copied[name] = _copy(item, other, depth, left)
        except NotJsonError as error:
            error.steps.append(name)
            raise
    return copied


def _key(key: object, other: Callable[[Any], Json]) -> str:
    """Take a key that is a string of its own kind as the string it stands for."""
    if not issubclass(type(key), str):
        raise NotJsonError(f"the key {brief(key)} is no string")
    name: str = other(key)
    return name


def _copy_list(
    value: Sequence[Any], other: Callable[[Any], Json], depth: int, left: list[int]
) -> list[Json]:
    copied: list[Json] = []
    for index, item in enumerate(value):
        try:
            copied.append(_copy(item, other, depth, left))
        except NotJsonError as error:
            error.steps.append(index)
            raise
    return copied


def _scalar(value: Any, left: list[int]) -> Json:  # noqa: ANN401
    if type(value) is str:
        _charge(left, len(value))
        _check_characters(value)
    elif type(value) in _NUMBERS:
        if value - value != 0:
            raise NotJsonError(f"{value!r} is not finite")
        if not LOW < value < BIG:
            raise NotJsonError("an integer of more than 4,000 digits")
    return value


def _check_characters(text: str) -> None:
    """Refuse half of a surrogate pair: JSON would join it with its neighbour, or lose it."""
    if not text.isascii() and any("\ud800" <= char <= "\udfff" for char in text):
        raise NotJsonError(f"half of a surrogate pair in {brief(text)}")


def _charge(left: list[int], size: int) -> None:
    left[0] -= size
    if left[0] < 0:
        raise NotJsonError(f"larger than {MAX_SIZE:,} characters")


def copy_json(value: Json) -> Json:
    """Copy a value that is known to be plain."""
    kind = type(value)
    if kind is dict:
        return {key: copy_json(item) for key, item in value.items()}
    if kind is list:
        return [copy_json(item) for item in value]
    return value


def equal(left: Json, right: Json) -> bool:
    """Compare as JSON: 600 is 600.0, true is not 1, NaN equals nothing, dict order is ignored.

    >>> equal({"a": [1]}, {"a": [1.0]}), equal([True], [1])
    (True, False)
    """
    kind, other = type(left), type(right)
    if kind is not other:
        return kind in _NUMBERS and other in _NUMBERS and bool(left == right)
    if kind is dict:
        return len(left) == len(right) and all(
            key in right and equal(item, right[key]) for key, item in left.items()
        )
    if kind is list:
        return len(left) == len(right) and all(map(equal, left, right))
    same: bool = left == right
    return same


def is_number(value: Json) -> bool:
    """Say whether a value is a number; a bool is none."""
    return type(value) in _NUMBERS


def type_name(value: Json) -> str:
    """Give the JSON name of a value's type: object, array, string, integer, number, ..."""
    return _NAMES.get(type(value), type(value).__name__)


_NAMES: dict[type, str] = {
    dict: "object",
    list: "array",
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    type(None): "null",
    Missing: "missing",
}


def dotted(steps: Iterable[str | int]) -> str:
    """Write steps as a path that leads there: names with dots, indexes and odd names in brackets.

    >>> dotted(["items", 0, "dotted.key"])
    'items[0]["dotted.key"]'
    """
    text = ""
    for step in steps:
        if type(step) is int:
            text += f"[{step}]"
        elif type(step) is not str or _needs_quotes(step):
            text += f"[{json.dumps(str(step), ensure_ascii=False)}]"
        else:
            text += f".{step}" if text else step
    return text


def _needs_quotes(name: str) -> bool:
    odd = not name or name != name.strip() or name == "$" or not name.isprintable()
    return odd or not _RESERVED.isdisjoint(name)


def brief(value: object, limit: int = 80) -> str:
    """Write a value's repr, cut in the middle of nothing: the head, and that there is more."""
    try:
        text = repr(value)
    except Exception as error:  # noqa: BLE001  - a repr of the subject's own, which may do anything
        text = f"<{type(value).__name__} whose repr raised {type(error).__name__}>"
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
