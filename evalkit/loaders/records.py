"""What every reader of a file of data gives: records, and where each part of them stands."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from types import MappingProxyType
from typing import BinaryIO, Final, TypeAlias

import attrs

from evalkit.errors import CatalogueError, Problem
from evalkit.jsonvalue import Json, brief, dotted

Steps: TypeAlias = tuple[str | int, ...]
Locate: TypeAlias = Callable[[Steps], str]

MAX_FILE: Final = 256 * 2**20
"""Bytes of a file that is read as a whole."""
MAX_PROBLEMS: Final = 100
"""Problems of one file that are told in full; of more, their number is told."""
MAX_NESTING: Final = 254
"""Levels of lists and mappings in a file; those of a noun's field (200), and some around them."""
MAX_STEPS: Final = 20
BLOCK: Final = 2**17
"""Bytes that are read at once; the lines of a larger block are out of the cache when parsed."""
MAX_DIGITS: Final = 4_000
"""Digits of an integer: CPython refuses to write one that is much longer."""

BOM: Final = b"\xef\xbb\xbf"
_PACKED: Final = {
    b"\x1f\x8b": "gzip",
    b"PK\x03\x04": "zip",
    b"PK\x05\x06": "zip",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zstandard",
    b"7z\xbc\xaf\x27\x1c": "7z",
}
_ENCODINGS: Final = {  # the longer ones first: UTF-32 begins as UTF-16 does
    b"\xff\xfe\x00\x00": "UTF-32",
    b"\x00\x00\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}
_CONTAINERS = frozenset({dict, list})


@attrs.define(eq=False)  # not frozen: one is made for each line of a file, at half the cost
class Record:
    """One value of a file: `number` is its place there, from 0; of an NDJSON file, its line.

    `locate` takes the steps to a part of `data` and gives file:line:column, from 1: of the key in
    a mapping, of the item in a list, and of the deepest part on the way where there is no such one.
    """

    data: Json
    number: int
    locate: Locate


@attrs.frozen(eq=False)
class Document:
    """A file that was read: its records, as often as they are asked for.

    `whole` is the record of a file that is one value (YAML, JSON, TOML), whose records are the
    items of its list, or its one mapping. `by_line` says that a record's number is its line's.
    """

    path: str
    records: Callable[[], Iterator[Record]]
    whole: Record | None = None
    by_line: bool = False


@attrs.frozen(eq=False)
class Place:
    """Where a value begins in its text, counted in characters, and where its parts do."""

    at: int
    parts: Mapping[str | int, "Place"] = MappingProxyType({})


@attrs.define(eq=False)
class Problems:
    """What is found wrong with a file: the first hundred, and the number of the others."""

    shown: str
    found: list[Problem] = attrs.field(factory=list)
    more: int = 0

    def add(self, problem: Callable[[], Problem]) -> None:
        """Take one more, or count it: its place, which takes a walk to find, is not asked for."""
        if len(self.found) < MAX_PROBLEMS:
            self.found.append(problem())
        else:
            self.more += 1

    def refuse(self) -> None:
        """Raise all that was found, if anything was."""
        if self.more:
            self.found.append(Problem("", f"and {self.more:,} more problems", source=self.shown))
        if self.found:
            raise CatalogueError(problems=self.found)


def document(shown: str, value: Json, locate: Locate) -> Document:
    """Make a document of a file's one value, which is a list or a mapping."""
    if type(value) not in _CONTAINERS:
        problem = f"expected a list or a mapping, got {brief(value)}"
        raise CatalogueError(problem=problem, source=locate(()))
    whole = Record(value, 0, locate)
    return Document(shown, partial(_records, whole), whole)


def _records(whole: Record) -> Iterator[Record]:
    if type(whole.data) is dict:
        yield whole
        return
    for number, item in enumerate(whole.data):
        yield Record(item, number, partial(_below, whole.locate, number))


def _below(locate: Locate, number: int, steps: Steps) -> str:
    return locate((number, *steps))


def locator(shown: str, read: Callable[[], tuple[str, Place]]) -> Locate:
    r"""Give what locates a part of a value; its text and places are asked for once, when needed.

    >>> locator("a.json", lambda: ('[\n 1]', Place(0, {0: Place(3)})))((0, "deeper"))
    'a.json:2:2'
    """

    @cache
    def known() -> tuple[Place, list[int]]:
        text, root = read()
        return root, [0, *(found.end() for found in re.finditer("\n", text))]

    def locate(steps: Steps) -> str:
        root, starts = known()
        at = offset_of(root, steps)
        line = bisect_right(starts, at)
        return f"{shown}:{line}:{at - starts[line - 1] + 1}"

    return locate


def offset_of(place: Place, steps: Steps) -> int:
    """Follow the steps as far as they lead, and give the offset of what is there."""
    for step in steps:
        if step not in place.parts:
            break
        place = place.parts[step]
    return place.at


def spot(shown: str, text: str, at: int) -> str:
    """Write an offset in a text as file:line:column."""
    line_start = text.rfind("\n", 0, at) + 1
    return f"{shown}:{text.count(chr(10), 0, at) + 1}:{at - line_start + 1}"


def where(steps: Sequence[str | int]) -> str:
    """Write steps as the field of a problem, unless they are too many to be read."""
    return dotted(steps) if len(steps) <= MAX_STEPS else ""


def parts_of(value: Json) -> Iterator[tuple[Steps, Json]]:
    """Give a value and all that is in it, each with its steps; no depth is too much for it."""
    todo: list[tuple[Steps, Json]] = [((), value)]
    while todo:
        steps, held = todo.pop()
        yield steps, held
        if type(held) in _CONTAINERS:
            items = held.items() if type(held) is dict else enumerate(held)
            todo += [((*steps, step), item) for step, item in items]


def is_deeper(value: Json) -> bool:
    """Say whether a value is nested deeper than `MAX_NESTING` levels."""
    level = [value]
    for _ in range(MAX_NESTING + 1):
        held = [each for each in level if type(each) in _CONTAINERS]
        if not held:
            return False
        level = [part for each in held for part in (each.values() if type(each) is dict else each)]
    return True


def content_of(path: Path, shown: str) -> bytes:
    """Read a file that is bounded and not packed; a byte order mark of UTF-8 is left out."""
    blocks, left = [], MAX_FILE
    with opened(path, shown) as file:
        while block := block_of(file, shown):
            blocks.append(block)
            left -= len(block)
            if left < 0:
                problem = f"a file of more than {MAX_FILE // 2**20} MB"
                raise CatalogueError(source=shown, problem=problem, hint="use NDJSON, or several")
    content = b"".join(blocks)
    refuse_packed(content, shown)
    return content.removeprefix(BOM)


def text_of(content: bytes, shown: str) -> str:
    """Decode UTF-8; a byte that is none, or a NUL, is refused with its place."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        before = content[: error.start].decode("utf-8")
        problem = f"the byte 0x{content[error.start]:02x} is no UTF-8"
        source = spot(shown, before, len(before))
        raise CatalogueError(source=source, problem=problem, hint="save it as UTF-8") from error
    if "\0" in text:
        source = spot(shown, text, text.index("\0"))
        raise CatalogueError(source=source, problem="a NUL character", hint="save it as UTF-8")
    return text


def opened(path: Path, shown: str) -> BinaryIO:
    """Open a file to be read, or say why that can't be."""
    try:
        return path.open("rb")
    except OSError as error:
        raise _unreadable(error, shown) from error


def block_of(file: BinaryIO, shown: str) -> bytes:
    """Read the next block of a file; the last is shorter, and what follows is empty."""
    try:
        return file.read(BLOCK)
    except OSError as error:
        raise _unreadable(error, shown) from error


def refuse_packed(content: bytes, shown: str) -> None:
    """Refuse what is no text in UTF-8 by its first bytes."""
    for magic, kind in _PACKED.items():
        if content.startswith(magic):
            raise CatalogueError(source=shown, problem=f"is packed ({kind})", hint="unpack it")
    for mark, name in _ENCODINGS.items():
        if content.startswith(mark):
            source = f"{shown}:1:1"
            raise CatalogueError(source=source, problem=f"is {name}", hint="save it as UTF-8")


def _unreadable(error: OSError, shown: str) -> CatalogueError:
    return CatalogueError(source=shown, problem=f"can't be read: {error.strerror or error}")
