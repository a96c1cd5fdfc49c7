"""How TOML is read: into plain JSON, so that its dates and infinities are refused."""

import re
import tomllib
from functools import partial
from pathlib import Path
from typing import Any, Final

from evalkit.errors import CatalogueError, Problem
from evalkit.jsonvalue import BIG, brief
from evalkit.loaders.records import (
    MAX_DIGITS,
    MAX_NESTING,
    Document,
    Problems,
    content_of,
    document,
    is_deeper,
    parts_of,
    spot,
    text_of,
    where,
)

_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
_PLAIN: Final = frozenset({dict, list, str, bool, int, float})


def read_toml(path: Path, shown: str) -> Document:
    """Read a TOML file, whose value is a mapping; its parts are located by the file alone.

    `CatalogueError` names the field of each date, time, infinity and NaN.
    """
    text = text_of(content_of(path, shown), shown)
    value = _loaded(text, shown)
    if not value:
        raise CatalogueError(source=shown, problem="the file is empty")
    if is_deeper(value):
        raise _too_deep(shown)
    problems = Problems(shown)
    for steps, held in parts_of(value):
        problem = _odd(held)
        if problem is not None:
            problems.add(partial(Problem, where(steps), problem, "put it in quotes", shown))
    problems.refuse()
    return document(shown, value, lambda _: shown)


def _loaded(text: str, shown: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise _too_deep(shown) from error
    except ValueError as error:
        told = str(error)
        place = _PLACE.search(told)
        source = shown
        if place is not None:
            told = told[: place.start()]
            source = (
                spot(shown, text, len(text))
                if place[1] is None
                else f"{shown}:{place[1]}:{place[2]}"
            )
        raise CatalogueError(source=source, problem=told[:1].lower() + told[1:]) from error


def _odd(held: object) -> str | None:
    """Say what is wrong with a value that is no JSON."""
    if type(held) not in _PLAIN:
        return f"{brief(str(held))} is a {type(held).__name__}, which JSON has not"
    if type(held) is float and held - held != 0:
        return f"{held!r} is no number of JSON"
    if type(held) is int and abs(held) >= BIG:
        return f"an integer of more than {MAX_DIGITS:,} digits"
    return None


def _too_deep(shown: str) -> CatalogueError:
    return CatalogueError(source=shown, problem=f"nested deeper than {MAX_NESTING} levels")
