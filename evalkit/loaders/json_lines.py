"""How a file of JSON is read that may be one value, or one on each line, whatever it is called."""

from functools import partial
from pathlib import Path
from typing import Final

from evalkit.loaders.json_file import BadJsonError, read_json, strict_loads
from evalkit.loaders.ndjson_file import MAX_LINE, read_ndjson
from evalkit.loaders.records import BLOCK, BOM, Document, opened

OPENS: Final = b"{"


def read_json_or_lines(path: Path, shown: str) -> Document:
    """Read a file of one JSON value, or of one on each line: its first line tells.

    Where that is an object by itself, and others follow, the file as a whole is no JSON.
    """
    return read_ndjson(path, shown) if _begins_lines(path, shown) else read_json(path, shown)


def _begins_lines(path: Path, shown: str) -> bool:
    """Say whether the first line is an object by itself, and the next one begins another."""
    if not path.is_file():
        return False
    with opened(path, shown) as file:
        first = file.readline(MAX_LINE).removeprefix(BOM)
        if not first.startswith(OPENS) or not first.endswith(b"\n"):
            return False
        lines = iter(partial(file.readline, BLOCK), b"")
        following = next((line for line in lines if line.strip()), b"")
    return following.lstrip().startswith(OPENS) and _is_json(first)


def _is_json(line: bytes) -> bool:
    try:
        strict_loads(line)
    except BadJsonError:
        return False
    return True
