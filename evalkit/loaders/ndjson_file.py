"""How NDJSON is read: line by line, in little memory, as often as asked, and each time the same."""

import atexit
import os
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import BinaryIO, Final, NoReturn

import attrs

from evalkit.errors import CatalogueError
from evalkit.loaders.json_file import BadJsonError, strict_loads
from evalkit.loaders.json_places import Flaw, places_of, problem_of
from evalkit.loaders.records import (
    BOM,
    Document,
    Problems,
    Record,
    Steps,
    block_of,
    offset_of,
    opened,
    refuse_packed,
)

MAX_LINE: Final = 10_000_000
MAX_SPOOLED: Final = 8 * 2**30
"""Bytes that are taken from a stream."""
_COMMENTS: Final = (b"#", b"//")


@attrs.define(eq=False)
class _Seen:
    """What a file was when it was read first: a hash of each block, and whether these are all."""

    blocks: list[int] = attrs.field(factory=list)
    is_whole: bool = False


def read_ndjson(path: Path, shown: str) -> Document:
    """Read a file of one JSON value a line; blank lines and comments (# or //) are left out.

    The records are read as they are asked for. A pass that comes to the end raises
    `CatalogueError` with all lines that are wrong; one that finds the file changed since an
    earlier pass raises it before it gives anything of the block that has changed. What can be
    read only once (a pipe) is copied first.
    """
    if path.exists() and not path.is_file():
        with opened(path, shown) as stream:
            path = spooled(stream)
    return Document(shown, partial(_records, path, shown, _Seen()), by_line=True)


def spooled(stream: BinaryIO) -> Path:
    """Copy a stream into a temporary file, which is deleted when the process ends."""
    descriptor, name = tempfile.mkstemp(prefix="evalkit-", suffix=".ndjson")
    path, left = Path(name), MAX_SPOOLED
    atexit.register(_delete, path, os.getpid())
    with os.fdopen(descriptor, "wb") as file:
        while block := block_of(stream, "-"):
            left -= len(block)
            if left < 0:
                path.unlink()
                problem = f"more than {MAX_SPOOLED // 2**30} GB"
                raise CatalogueError(source="-", problem=problem, hint="give it as a file")
            file.write(block)
    return path


def _delete(path: Path, owner: int) -> None:
    """Delete the copy, but not in a process that was forked off from its owner."""
    if os.getpid() == owner:
        path.unlink(missing_ok=True)


def _records(path: Path, shown: str, seen: _Seen) -> Iterator[Record]:
    problems, first = Problems(shown), 0
    for lines in _lines(path, shown, seen):
        for number, line in enumerate(lines, first):
            if not line.startswith(b"{") and _is_left_out(line):
                continue
            try:
                value = strict_loads(line) if len(line) <= MAX_LINE else _too_long()
            except BadJsonError as error:
                for flaw in error.flaws:
                    problems.add(partial(problem_of, flaw, partial(_place, shown, number)))
                continue
            yield Record(value, number, partial(_located, shown, number, line))
        first += len(lines)
    problems.refuse()


def _is_left_out(line: bytes) -> bool:
    text = line.strip()
    return not text or text.startswith(_COMMENTS)


def _too_long() -> NoReturn:
    raise BadJsonError([Flaw(0, f"a line of more than {MAX_LINE:,} bytes")])


def _lines(path: Path, shown: str, seen: _Seen) -> Iterator[list[bytes]]:
    """Give the lines of a file, those of a block at once; of one that is too long, its head."""
    rest = b""
    for block in _blocks(path, shown, seen):
        lines = block.split(b"\n")
        lines[0] = rest + lines[0] if len(rest) <= MAX_LINE else rest
        rest = lines.pop()
        yield lines
    if rest:
        yield [rest]


def _blocks(path: Path, shown: str, seen: _Seen) -> Iterator[bytes]:
    """Give a file's blocks, each once it is known to be what it was.

    Python's own hash does: it is fast, and what it is compared with never leaves the process.
    """
    number = 0
    with opened(path, shown) as file:
        while block := block_of(file, shown):
            if number == len(seen.blocks) and not seen.is_whole:
                seen.blocks.append(hash(block))
            if number >= len(seen.blocks) or seen.blocks[number] != hash(block):
                raise _changed(shown)
            if number == 0:
                refuse_packed(block, shown)
                yield block.removeprefix(BOM)
            else:
                yield block
            number += 1
    if number < len(seen.blocks):
        raise _changed(shown)
    seen.is_whole = True


def _changed(shown: str) -> CatalogueError:
    hint = "run it again once nothing writes to it"
    return CatalogueError(source=shown, problem="changed while it was being read", hint=hint)


def _located(shown: str, number: int, line: bytes, steps: Steps) -> str:
    if not steps:  # asked for each record, to say where it stands
        return _place(shown, number, len(line) - len(line.lstrip()))
    return _place(shown, number, offset_of(places_of(line.decode("utf-8")), steps))


def _place(shown: str, number: int, at: int) -> str:
    """Write a character of a line as file:line:column."""
    return f"{shown}:{number + 1}:{at + 1}"
