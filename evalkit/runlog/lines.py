"""How a record is one line of a file: JSON, with a checksum of its own at the end.

A line that has no end was being written when the process died: it is torn, and dropped. A line
that has one and does not fit its checksum was damaged later, and is never passed over in silence.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zlib import crc32

import attrs

from evalkit.jsontext import dumped_object, loaded

_TAIL = len(b',"crc":"00000000"}\n')


@attrs.frozen(eq=False, repr=False)
class Line:
    """One line of a log: `number` from 1, `offset` in bytes from the start of the file.

    `record` is None where `damage` says what is wrong with it; `torn` where it has no end.
    """

    number: int
    offset: int
    size: int
    record: dict[str, Any] | None
    damage: str = ""
    torn: bool = False


def line_of(record: dict[str, Any]) -> bytes:
    """Write a record as one line."""
    return sealed(dumped_object(record))


def sealed(text: bytes) -> bytes:
    """Put the checksum of an object's JSON at its end."""
    return b'%b,"crc":"%08x"}\n' % (text[:-1], crc32(text))


def lines_of(path: Path) -> Iterator[Line]:
    """Read a log line by line, whatever is wrong with some of them."""
    offset = 0
    with path.open("rb") as file:
        for number, raw in enumerate(file, 1):
            yield read_line(raw, number, offset)
            offset += len(raw)


def record_at(path: Path, offset: int) -> dict[str, Any]:
    """Read the one record that begins at an offset."""
    with path.open("rb") as file:
        file.seek(offset)
        return read_line(file.readline(), 0, offset).record or {}


def read_line(raw: bytes, number: int = 0, offset: int = 0) -> Line:
    """Read one line, with its end."""
    if not raw.endswith(b"\n"):
        return Line(number, offset, len(raw), None, "has no end", torn=True)
    text = raw[:-_TAIL] + b"}"
    if raw != sealed(text):
        return Line(number, offset, len(raw), None, "does not fit its checksum")
    try:
        record = loaded(text)
    except ValueError as error:
        return Line(number, offset, len(raw), None, f"is no JSON: {error}")
    return Line(number, offset, len(raw), record)
