"""Which report a file gets, by its suffix, and how it is written: whole, or not at all."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from evalkit.errors import CatalogueError
from evalkit.protocols import Sink
from evalkit.registry import hint_for
from evalkit.reports.json_report import JsonReport
from evalkit.runlog.redaction import Redaction

Write = Callable[[bytes], object]

BY_SUFFIX: Mapping[str, Callable[[Write, Redaction | None], Sink]] = {".json": JsonReport}


def report_to(path: Path, redaction: Redaction | None = None) -> Sink:
    """Make the report that is written to a file; `CatalogueError` where its kind is not known."""
    make = BY_SUFFIX.get(path.suffix)
    if make is None:
        hint = hint_for(path.suffix or path.name, BY_SUFFIX)
        raise CatalogueError(
            f"-o {path}", f"no report is known for the suffix {path.suffix!r}", hint
        )
    if path.is_dir() or not path.parent.is_dir():
        raise CatalogueError(f"-o {path}", "can't be written: no such folder, or it is one")
    place = path.absolute()  # a tool may change the current directory
    return make(lambda content: write_whole(place, content), redaction)


def write_whole(path: Path, content: bytes) -> None:
    """Write a file beside itself and put it in place, so that a reader never sees half of one.

    A link is written through; the mode is the old file's, or what a new file gets.
    """
    import tempfile  # noqa: PLC0415  - 5 ms, only where a file is written

    path = path.resolve()
    mode = path.stat().st_mode if path.exists() else 0o666 & ~_umask()
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(name).chmod(mode & 0o777)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
