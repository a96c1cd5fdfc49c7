"""How a file becomes a catalogue: one loader for each kind of file, in one table."""

import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from evalkit.catalogue import Catalogue
from evalkit.errors import CatalogueError
from evalkit.loaders.python import load_python, named_from_here
from evalkit.loaders.reading import Reading
from evalkit.registry import listing, nearest

__all__ = [
    "LAZY",
    "PYTHON",
    "READERS",
    "STDIN",
    "Reading",
    "beside",
    "files_in",
    "load",
    "named_from_here",
    "opened",
    "read",
    "reader_of",
    "size_of",
]

PYTHON = ".py"
READERS: Mapping[str, str] = {
    ".yaml": "yaml_file:read_yaml",
    ".yml": "yaml_file:read_yaml",
    ".json": "json_lines:read_json_or_lines",
    ".toml": "toml_file:read_toml",
    ".ndjson": "ndjson_file:read_ndjson",
    ".jsonl": "ndjson_file:read_ndjson",
    ".csv": "csv_file:read_csv",
    ".tsv": "csv_file:read_csv",
}
"""The readers of data by suffix, each imported when a file of that kind is first read."""
TABLES = frozenset({".csv", ".tsv"})
"""What a folder may hold beside its catalogues: it is read where it is named itself."""
LAZY = frozenset({".ndjson", ".jsonl"})
"""What is read line by line, so that it need not be held."""
STDIN = "-"
PLAIN = Reading()


def load(  # noqa: PLR0913  - a door: each option by its name
    path: str | Path,
    *,
    allow_import: bool = False,
    format: str | None = None,  # noqa: A002  - the word of the command line
    columns: Mapping[str, Sequence[str]] | None = None,
    match: str | None = None,
    normalize: str | None = None,
    extract: str | None = None,
) -> Catalogue:
    """Load a catalogue from a file; `CatalogueError` carries all that is wrong with it.

    A Python file is executed afresh, with its root (the nearest folder with a pyproject.toml, else
    its own) and the current directory on `sys.path`. The scenarios of modules that it imports
    belong to it; its `TOOL_DISPATCH` becomes the catalogue's `tools`.

    Files of data (.yaml, .json, .toml, .ndjson, .csv) hold scenarios or a question set: see
    `Reading` for the options.
    """
    catalogue = read(path, Reading(allow_import, format, columns, match, normalize, extract))
    if catalogue.problems:
        raise CatalogueError(problems=catalogue.problems)
    return catalogue


def read(path: str | Path, reading: Reading = PLAIN) -> Catalogue:
    """Load as `load` does, but leave names that are taken in the catalogue's `problems`."""
    path = Path(path)
    if path.suffix.lower() == PYTHON and path.is_file():
        for_data = [name for name in reading.said if name != "allow_import"]
        if for_data:
            problem = f"{listing(for_data)} is for files of data, and this is a program"
            raise CatalogueError(str(path), problem, "leave it out")
        return load_python(path)
    return opened(path, reading).load()  # type: ignore[no-any-return]


def opened(path: str | Path, reading: Reading = PLAIN) -> Any:  # noqa: ANN401
    """Open a file of data, and give its `Source`: its scenarios can be read again and again."""
    path = Path(path)
    shown = str(path)
    if shown == STDIN:
        shown, path = "stdin, as NDJSON", Path(_module("ndjson_file").spooled(sys.stdin.buffer))
    elif path.is_dir():
        files = sorted(each.name for each in files_in(path))
        raise CatalogueError(shown, "is a folder", f"name the files in it: {listing(files)}")
    elif not path.exists():
        raise CatalogueError(shown, "there is no such file", beside(path))
    elif path.suffix.lower() not in READERS:
        problem = f"a file of kind {path.suffix!r} can't be loaded"
        known = ", ".join((PYTHON, *READERS))
        raise CatalogueError(shown, problem, f"known: {known}; - is standard input, as NDJSON")
    return _module("declared").Source(path, shown, reader_of(path), reading)


def size_of(path: str | Path) -> int:
    """Give the bytes of a file of data; 0 for a program, which takes no longer for being long."""
    file = Path(path)
    return file.stat().st_size if file.suffix.lower() in READERS and file.is_file() else 0


def files_in(folder: Path) -> list[Path]:
    """Give the catalogues in a folder and those below it, in order; what is hidden is left out.

    Links are followed; one that leads nowhere is among them, and refused when it is read.
    """
    kinds = {PYTHON, *READERS} - TABLES
    found: list[Path] = []
    seen: set[str] = set()
    for place, folders, files in os.walk(folder, followlinks=True):
        real = os.path.realpath(place)
        folders[:] = [] if real in seen else [name for name in folders if name[0] not in "._"]
        if real not in seen:
            found += [Path(place, name) for name in files if name[0] not in "._"]
        seen.add(real)
    return sorted(file for file in found if file.suffix.lower() in kinds)


def reader_of(path: Path) -> Any:  # noqa: ANN401
    """Give the function that reads a file of data of this kind."""
    module, _, function = READERS.get(path.suffix.lower(), READERS[".ndjson"]).partition(":")
    return getattr(_module(module), function)


def _module(name: str) -> Any:  # noqa: ANN401
    return import_module(f"evalkit.loaders.{name}")


def beside(path: Path) -> str | None:
    """Name the file beside it that could be meant."""
    files = path.parent.iterdir() if path.parent.is_dir() else ()
    names = [each.name for each in files if each.suffix in (PYTHON, *READERS)]
    close = nearest(path.name, names)
    return f"did you mean {str(path.parent / close)!r}?" if close else None
