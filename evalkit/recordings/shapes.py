"""What a recording looks like in its file, and where one does not."""

from collections.abc import Callable, Mapping
from typing import Any, Final

import attrs

from evalkit.jsonvalue import Json, brief, is_number, type_name
from evalkit.recordings.requests import AGENT, TOOLS
from evalkit.registry import listing, nearest
from evalkit.trace import CAUSES, ERROR_KINDS, KEYS, KINDS


@attrs.frozen(eq=False, repr=False)
class Value:
    """A value that is tested, and what it is in words."""

    fits: Callable[[Json], bool]
    words: str


@attrs.frozen(eq=False, repr=False)
class Nullable:
    """A value, or null."""

    shape: Any


@attrs.frozen(eq=False, repr=False)
class Items:
    """A list of values of one shape."""

    shape: Any


Shape = Value | Nullable | Items | Mapping[str, Any]
"""What a value must be; a mapping has just these keys, but for those that end with "?"."""


def _one_of(known: frozenset[str]) -> Value:
    return Value(lambda value: type(value) is str and value in known, f"one of {listing(known)}")


def _is_count(value: Json) -> bool:
    return is_number(value) and type(value) is int and value >= 0


ANY = Value(lambda _: True, "any JSON")
TEXT = Value(lambda value: type(value) is str, "a text")
OBJECT = Value(lambda value: type(value) is dict, "an object")
COUNT = Value(_is_count, "a whole number, 0 or more")
EPOCH = Value(lambda value: _is_count(value) and value > 0, "a whole number, 1 or more")
TRUE = Value(lambda value: value is True, "true")
USAGE = Value(
    lambda value: type(value) is dict and all(map(_is_count, value.values())),
    "an object of whole numbers",
)
SUBJECT = _one_of(frozenset({TOOLS, AGENT}))

CALL_ERROR = {"kind": _one_of(KINDS), "type": TEXT, "message": TEXT}
RUN_ERROR = {"kind": _one_of(ERROR_KINDS), "type": TEXT, "message": TEXT}
TOLD = {
    "result": ANY,
    "error": Nullable(CALL_ERROR),
    "output": TEXT,
    "attempts?": Items(Nullable(CALL_ERROR)),
}
MESSAGES = Items({"role": TEXT, "content": TEXT})

STEP = {"subject": _one_of(frozenset({TOOLS})), "epoch": EPOCH, "step": COUNT, "tool": TEXT}
TURN = {"subject": _one_of(frozenset({AGENT})), "epoch": EPOCH, "conversation": MESSAGES}
END = {"subject": SUBJECT, "epoch": EPOCH, "end": TRUE, "after": COUNT}

TURN_ANSWER = {
    "text": Nullable(TEXT),
    "messages": MESSAGES,
    "calls": Items({"tool": TEXT, "args": OBJECT, **TOLD}),
    "stop_cause": Nullable(TEXT),
}
END_ANSWER = {
    "observed": Items(_one_of(KEYS)),
    "usage": Nullable(USAGE),
    "state": OBJECT,
    "meta": OBJECT,
    "errors": Items(RUN_ERROR),
}
FILE: Final = {
    "schema": COUNT,
    "scenario": TEXT,
    "recordings": Items({"request": OBJECT, "answer": OBJECT}),
}


def recording_flaw(request: dict[str, Json], answer: dict[str, Json]) -> str | None:
    """Say where a recording is not what it must be; None where it is."""
    asks, tells = _shapes_of(request)
    return flaw(request, asks, "request") or flaw(answer, tells, "answer")


def _shapes_of(request: dict[str, Json]) -> tuple[Shape, Shape]:
    """Give the shapes of a request and of its answer, by what it asks for."""
    if "end" in request:
        return END, {"state": OBJECT} if request.get("subject") == TOOLS else END_ANSWER
    if "conversation" in request:
        return TURN, TURN_ANSWER
    if "args" in request and request["args"] is None:
        return {**STEP, "args": Nullable(OBJECT)}, {"not_run": _one_of(CAUSES)}
    return {**STEP, "args": OBJECT}, TOLD


def flaw(value: Json, shape: Shape, where: str) -> str | None:
    """Say where a value does not have a shape; None where it has.

    >>> flaw({"n": "1"}, {"n": COUNT}, "answer")
    "answer.n: expected a whole number, 0 or more, got '1'"
    """
    if isinstance(shape, Nullable):
        return None if value is None else flaw(value, shape.shape, where)
    if isinstance(shape, Value):
        return None if shape.fits(value) else f"{where}: expected {shape.words}, got {brief(value)}"
    if isinstance(shape, Items):
        if type(value) is not list:
            return f"{where}: expected a list, got {type_name(value)}"
        found = (flaw(each, shape.shape, f"{where}[{at}]") for at, each in enumerate(value))
        return next((each for each in found if each is not None), None)
    return _flaw_of_keys(value, shape, where)


def _flaw_of_keys(value: Json, shape: Mapping[str, Any], where: str) -> str | None:
    if type(value) is not dict:
        return f"{where}: expected an object, got {type_name(value)}"
    known = {key.removesuffix("?"): each for key, each in shape.items()}
    for key in value:
        if key not in known:
            close = nearest(key, known)
            return f"{where}: unknown key {key!r}" + (f"; did you mean {close!r}?" if close else "")
    for key in shape:
        if key not in value and not key.endswith("?"):
            return f"{where}: has no {key!r}"
    found = (flaw(each, known[key], f"{where}.{key}") for key, each in value.items())
    return next((each for each in found if each is not None), None)
