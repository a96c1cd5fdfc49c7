"""How a file of recordings is read: strictly, for what is lost in it would be graded."""

import json
from pathlib import Path
from typing import Any, Final

from evalkit.errors import EvalkitError
from evalkit.jsonvalue import MAX_DEPTH, Json
from evalkit.recordings.requests import Recording, asked_where, slot_of
from evalkit.recordings.shapes import FILE, flaw, recording_flaw

SCHEMA: Final = 1
MOST_BYTES: Final = 100_000_000
_DEEPEST = MAX_DEPTH + 10
"""A value that a tool gives may be as deep as a value may be, below the keys of a recording."""


class RecordingsError(EvalkitError):
    """A file of recordings can't be read or written; the message names file and place."""


def content_of(path: Path) -> bytes:
    """Read a file of a size that is bounded; `RecordingsError` where it is no such file."""
    try:
        if not path.is_file():
            raise RecordingsError(f"{path.name}: is no file")
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise RecordingsError(f"{path.name}: can't be read: {error.strerror}") from error
    if len(content) > MOST_BYTES:
        raise RecordingsError(f"{path.name}: holds more than {MOST_BYTES:,} bytes")
    return content


def read_file(path: Path, name: str | None = None) -> tuple[str, list[Recording]]:
    """Read the recordings of one scenario, and its name, which is to be `name` where that is given.

    `RecordingsError` says what is wrong with the file, and where.
    """
    document = _loaded(content_of(path), path.name)
    problem = _schema_problem(document) or flaw(document, FILE, "the file")
    if problem is not None:
        raise RecordingsError(f"{path.name}: {problem}")
    if name is not None and document["scenario"] != name:
        said = f"holds the recordings of {document['scenario']!r}, not of {name!r}"
        raise RecordingsError(f"{path.name}: {said}")
    return document["scenario"], _checked(document["recordings"], path.name)


def _schema_problem(document: Json) -> str | None:
    """Say that a file is of another schema, or no file of recordings at all."""
    schema = document.get("schema") if type(document) is dict else None
    if type(schema) is not int:
        return "is no file of recordings: it has no schema"
    return None if schema == SCHEMA else f"is of schema {schema}, and {SCHEMA} is what is read here"


def _checked(found: list[dict[str, Any]], shown: str) -> list[Recording]:
    """Take recordings, each of which has its shape, and is the only one in its place."""
    recordings, places = [], set()
    for index, each in enumerate(found):
        recording = Recording(each["request"], each["answer"])
        problem = recording_flaw(recording.request, recording.answer)
        if problem is not None:
            raise RecordingsError(f"{shown}: recordings[{index}].{problem}")
        slot = slot_of(recording.request)
        if slot in places:
            said = f"there is another recording in the place of {asked_where(recording.request)}"
            raise RecordingsError(f"{shown}: recordings[{index}]: {said}")
        places.add(slot)
        recordings.append(recording)
    return recordings


def _loaded(content: bytes, shown: str) -> Json:
    """Read strict JSON: no key twice, no number that is none, no text that can't be written."""
    try:
        value = json.loads(
            content.decode("utf-8-sig"),
            object_pairs_hook=_once,
            parse_float=_finite,
            parse_constant=_finite,
        )
        if _is_deeper(value):
            raise RecordingsError(f"{shown}: is nested deeper than {_DEEPEST} levels")
        json.dumps(value, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        said = error.msg[:1].lower() + error.msg[1:]
        raise RecordingsError(f"{shown}: {place}: no JSON: {said}") from error
    except UnicodeEncodeError as error:
        raise RecordingsError(f"{shown}: holds half of a surrogate pair") from error
    except (ValueError, RecursionError) as error:
        raise RecordingsError(f"{shown}: can't be read: {error}") from error
    return value


def _once(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    held = dict(pairs)
    if len(held) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise ValueError(f"the key {twice!r} is there twice")
    return held


def _finite(digits: str) -> float:
    number = float(digits)
    if number - number != 0:
        raise ValueError(f"the number {digits} is not finite")
    return number


def _is_deeper(value: Json) -> bool:
    """Say whether a value is nested too deep, level by level."""
    level, depth = [value], 0
    while level and depth <= _DEEPEST:
        depth += 1
        level = [
            item
            for held in level
            if type(held) is dict or type(held) is list
            for item in (held.values() if type(held) is dict else held)
        ]
    return bool(level)
