"""How recordings get into their folder: one file for each scenario, whole or not at all."""

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from evalkit.errors import CatalogueError
from evalkit.jsontext import readable
from evalkit.jsonvalue import Json
from evalkit.recordings.folding import recordings_of
from evalkit.recordings.names import SUFFIX, file_of
from evalkit.recordings.reading import MOST_BYTES, SCHEMA, RecordingsError, read_file
from evalkit.recordings.requests import Recording, run_of
from evalkit.trace import Trace

PLACE = "record"
Redact = Callable[[Trace], Trace]


class Recorder:
    """Keeps what was answered in a folder, by scenario; what is there of others stays."""

    def __init__(self, folder: Path, redact: Redact | None = None) -> None:
        """Take the folder, which is made, and what takes secrets out of a trace.

        `CatalogueError` where it can't be written, or holds what was not recorded here.
        """
        self._folder = folder
        self._redact = redact
        self._begun: set[tuple[str, str]] = set()
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            problem = f"no folder can be made at {str(folder)!r}: {error.strerror}"
            raise CatalogueError(PLACE, problem) from error
        if not os.access(folder, os.W_OK | os.X_OK):
            raise CatalogueError(PLACE, f"the folder {str(folder)!r} can't be written")
        for path in sorted(folder.glob(f"*{SUFFIX}")):
            try:
                read_file(path)
            except RecordingsError as error:
                hint = "record into a folder of its own"
                raise CatalogueError(PLACE, f"{str(folder)!r}: {error}", hint) from error

    def add(self, name: str, epoch: int, trace: Trace) -> str | None:
        """Keep one epoch of a scenario, or say why it is not kept.

        The first that is kept takes the place of all that is there of the scenario and subject, for
        epochs of two runs do not belong together.

        `RecordingsError` where it can't be written; what was there before is then still there.
        """
        found = recordings_of(epoch, trace if self._redact is None else self._redact(trace))
        if isinstance(found, str):
            return found
        path = self._folder / file_of(name)
        kept = read_file(path, name)[1] if path.exists() else []
        run = (trace["subject"], epoch)
        first = (name, trace["subject"]) not in self._begun
        self._begun.add((name, trace["subject"]))
        kept = [each for each in kept if not _is_replaced(run_of(each.request), run, whole=first)]
        content = written(name, [*kept, *found])
        if len(content) > MOST_BYTES:
            return f"the recordings are more than {MOST_BYTES:,} bytes"
        _put(path, content)
        return None

    def close(self) -> None:
        """Bring the names of what was written to the disk."""
        handle = os.open(self._folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _is_replaced(old: tuple[str, int], new: tuple[str, int], *, whole: bool) -> bool:
    """Say whether a recording makes way: one of the same epoch, or of any at a run's first."""
    return old[0] == new[0] if whole else old == new


def written(name: str, recordings: list[Recording]) -> bytes:
    """Write the file of a scenario: equal recordings give equal bytes, whichever run ended first.

    The keys of an answer stay in order, for a path may select all of them; those of a request, by
    which it is found whatever their order, are sorted.

    >>> print(written("a", []).decode(), end="")
    {
      "schema": 1,
      "scenario": "a",
      "recordings": []
    }
    """
    return readable(
        {
            "schema": SCHEMA,
            "scenario": name,
            "recordings": [
                {"request": _sorted(each.request), "answer": each.answer}
                for each in sorted(recordings, key=lambda each: run_of(each.request))
            ],
        }
    )


def _sorted(value: Json) -> Json:
    """Copy a value with the keys of every object sorted."""
    if type(value) is dict:
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(item) for item in value] if type(value) is list else value


def _put(path: Path, content: bytes) -> None:
    """Write a file beside its place, bring it to the disk, and put it there."""
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=".recording.")
    except OSError as error:
        raise RecordingsError(f"{path.name}: can't be written: {error.strerror}") from error
    beside = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        beside.chmod(path.stat().st_mode & 0o777 if path.exists() else 0o644)
        beside.replace(path)
    except OSError as error:
        raise RecordingsError(f"{path.name}: can't be written: {error.strerror}") from error
    finally:
        beside.unlink(missing_ok=True)
