"""What is said where nothing has been recorded of a request: what comes nearest, and why not it."""

import re
from collections.abc import Iterable
from typing import Final

from evalkit.errors import EvalkitError
from evalkit.jsonvalue import Json, equal
from evalkit.operators.difference import differences
from evalkit.recordings.requests import asked, asked_where
from evalkit.trace import REDACTED

SHOWN: Final = 3
COUNTED: Final = 20
"""Requests that differ in more are all equally far."""
MARK: Final = REDACTED[:-1]
_MARKS = re.compile(r"\[redacted(?:: [^\]]*)?\]")


class NoRecordingError(EvalkitError):
    """Nothing has been recorded of a request; the message names the nearest that has been."""


def is_answered(recorded: Json, wanted: Json) -> bool:
    """Say whether a recorded request is the one that is wanted.

    What was taken out of it as a secret is any text or number, for nobody can compare it.

    >>> is_answered({"id": 7, "token": "[redacted]"}, {"id": 7, "token": "s3cret"})
    True
    """
    if type(recorded) is dict and type(wanted) is dict:
        return recorded.keys() == wanted.keys() and all(
            is_answered(item, wanted[key]) for key, item in recorded.items()
        )
    if type(recorded) is list and type(wanted) is list:
        return len(recorded) == len(wanted) and all(map(is_answered, recorded, wanted))
    if type(recorded) is str and MARK in recorded:
        return _is_hidden(recorded, wanted)
    return equal(recorded, wanted)


def _is_hidden(recorded: str, wanted: Json) -> bool:
    """Say whether a value is a text with something else in the place of each mark."""
    if type(wanted) is not str:
        number = type(wanted) is int or type(wanted) is float
        return number and _MARKS.fullmatch(recorded) is not None
    first, *rest = _MARKS.split(recorded)
    if not rest:
        return recorded == wanted
    if not wanted.startswith(first) or not wanted.endswith(rest[-1]):
        return False
    at, end = len(first), len(wanted) - len(rest[-1])
    for part in rest[:-1]:
        found = wanted.find(part, at + 1, end)
        if found < 0:
            return False
        at = found + len(part)
    return at < end


def nothing_said(wanted: dict[str, Json], recorded: Iterable[dict[str, Json]]) -> str:
    """Say that a request was not recorded, which one comes nearest, and where they differ."""
    told = f"no recording of {asked_where(wanted)}"
    found = min(recorded, key=lambda request: _distance(request, wanted), default=None)
    if found is None:
        return f"{told}, nor of anything else"
    apart = differences(found, wanted, COUNTED)
    said = "; ".join(map(str, apart[:SHOWN]))
    more = f" and {len(apart) - SHOWN} more" if len(apart) > SHOWN else ""
    return f"{told}; nearest: {asked(found)}: {said}{more}"


def _distance(request: dict[str, Json], wanted: dict[str, Json]) -> tuple[bool, bool, int]:
    """Tell how far a request is: one of the same subject, and of the same form, is nearer."""
    unlike = request["subject"] != wanted["subject"], request.keys() != wanted.keys()
    return *unlike, len(differences(request, wanted, COUNTED))
