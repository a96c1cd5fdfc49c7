"""How JSON is read strictly: no key twice, no number that is none, and no digit lost."""

import json
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any, Final

import orjson

from evalkit.errors import CatalogueError
from evalkit.jsonvalue import Json
from evalkit.loaders.json_places import Flaw, flaws_of, places_of, problem_of
from evalkit.loaders.records import (
    MAX_DIGITS,
    Document,
    Place,
    Problems,
    content_of,
    document,
    is_deeper,
    locator,
    spot,
    text_of,
)

_LONG: Final = b"0" * 19
"""The shortest integer that may take more than 64 bits, its sign left out."""
_DIGITS: Final = bytes(48 if 48 <= code <= 57 else 32 for code in range(256))  # noqa: PLR2004
"""Every digit as 0, everything else as a blank."""
_HALVES: Final = ("\\ud", "\\uD")


class BadJsonError(ValueError):
    """A text that is no strict JSON: `flaws` is all that is wrong with it."""

    def __init__(self, flaws: Iterable[Flaw]) -> None:
        """Take what was found."""
        self.flaws = tuple(flaws)
        super().__init__("; ".join(flaw.problem for flaw in self.flaws))


def read_json(path: Path, shown: str) -> Document:
    """Read a file of one JSON value, which is a list or an object.

    `CatalogueError` carries all that is wrong with it: every key that is there twice, every NaN.
    """
    content = content_of(path, shown)
    if not content or content.isspace():
        raise CatalogueError(source=shown, problem="the file is empty")
    try:
        value = strict_loads(content)
    except BadJsonError as error:
        text, problems = text_of(content, shown), Problems(shown)
        for flaw in error.flaws:
            problems.add(partial(problem_of, flaw, partial(spot, shown, text)))
        problems.refuse()
        raise
    return document(shown, value, locator(shown, partial(_placed, content)))


def _placed(content: bytes) -> tuple[str, Place]:
    text = content.decode("utf-8")
    return text, places_of(text)


def strict_loads(content: bytes) -> Json:
    """Read one JSON value in UTF-8, or raise `BadJsonError` with all that is wrong with it.

    Integers are exact, whatever their size. A text that is what the fast library writes of what it
    has read is read by that alone: nothing was lost. It writes nothing deeper than `MAX_NESTING`.

    >>> strict_loads(b'{"n": 18446744073709551616}')
    {'n': 18446744073709551616}
    >>> strict_loads(b'{"n": 1, "n": 2}')
    Traceback (most recent call last):
    evalkit.loaders.json_file.BadJsonError: the key 'n' is there twice
    """
    try:
        value = orjson.loads(content)
        written = orjson.dumps(value)
    except (ValueError, TypeError):
        return _thorough(content)
    return value if written == content or _is_kept(content, written) else _thorough(content)


def _is_kept(read: bytes, written: bytes) -> bool:
    """Say whether no key and no digit was lost, though the text is written in another way.

    The fast library keeps the last of equal keys, and makes floats of long integers, without a
    word. But with a key that is left out a colon is lost, and none comes in but by its escape.
    """
    if b"\\" in read and b"\\u003" in read:
        return False
    return read.count(b":") == written.count(b":") and not _has_long_digits(read)


def _has_long_digits(text: bytes) -> bool:
    """Say whether 19 digits stand in a row; if so, so do three of every sixth byte."""
    few = text[5::6].translate(_DIGITS)
    return b"000" in few and _LONG in text.translate(_DIGITS)


def _thorough(content: bytes) -> Json:
    """Read one JSON value by the standard library, watching it."""
    text = _decoded(content)
    try:
        value = json.loads(
            text,
            object_pairs_hook=_once,
            parse_int=_whole,
            parse_float=_finite,
            parse_constant=_refused,
        )
    except (ValueError, RecursionError) as error:
        raise BadJsonError(flaws_of(text) or [Flaw(0, f"can't be read: {error}")]) from error
    if is_deeper(value) or any(half in text for half in _HALVES):
        flaws = flaws_of(text)
        if flaws:
            raise BadJsonError(flaws)
    return value


def _decoded(content: bytes) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        before = content[: error.start].decode("utf-8")
        problem = f"the byte 0x{content[error.start]:02x} is no UTF-8"
        raise BadJsonError([Flaw(len(before), problem, "save it as UTF-8")]) from error


def _once(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    held = dict(pairs)
    return held if len(held) == len(pairs) else _refused("a key that is there twice")


def _whole(digits: str) -> int:
    return int(digits) if len(digits.lstrip("-")) <= MAX_DIGITS else _refused("a long integer")


def _finite(digits: str) -> float:
    number = float(digits)
    return number if number - number == 0 else _refused(digits)


def _refused(what: str) -> Any:  # noqa: ANN401  - it never returns; what it stands in for has types
    """Stop reading: what is wrong, and where, is then found out by walking over the text."""
    raise ValueError(what)
