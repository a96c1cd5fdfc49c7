"""How what was recorded is found: by scenario, and in its file by what is asked."""

from functools import lru_cache
from hashlib import sha256
from pathlib import Path

from evalkit.errors import CatalogueError
from evalkit.jsonvalue import Json
from evalkit.recordings.missing import NoRecordingError, is_answered, nothing_said
from evalkit.recordings.names import SUFFIX, file_of
from evalkit.recordings.reading import RecordingsError, content_of, read_file
from evalkit.recordings.requests import Recording, Slot, run_of, slot_of
from evalkit.registry import nearest

PLACE = "replay"
HELD = 8
"""So many scenarios' files are held at once."""


class Recordings:
    """What a folder holds, each file read when it is first asked for. Safe among threads."""

    def __init__(self, folder: Path) -> None:
        """Take the folder; `CatalogueError` where there is none, or nothing in it."""
        if not folder.is_dir():
            raise CatalogueError(PLACE, f"there is no folder {str(folder)!r}", "record one first")
        self._folder = folder
        self._stems = sorted(path.name.removesuffix(SUFFIX) for path in self._paths())
        if not self._stems:
            raise CatalogueError(PLACE, f"nothing is recorded in {str(folder)!r}")
        self._read = lru_cache(HELD)(self._slots)

    def answer(self, name: str, request: dict[str, Json]) -> dict[str, Json]:
        """Give the answer to a request of a scenario's; nobody may change it.

        `NoRecordingError` says that there is none, and what comes nearest; `RecordingsError` that
        the file can't be read.
        """
        answer = self.find(name, request)
        if answer is None:
            recorded = self._read(name).values()
            raise NoRecordingError(nothing_said(request, (each.request for each in recorded)))
        return answer

    def find(self, name: str, request: dict[str, Json]) -> dict[str, Json] | None:
        """Give the answer to a request of a scenario's, or None where there is none."""
        recording = self._read(name).get(slot_of(request))
        if recording is None or not is_answered(recording.request, request):
            return None
        return recording.answer

    def digest_of(self, name: str, /) -> str:
        """Give the digest of a scenario's file, by which a change of it is seen in a run log."""
        try:
            content = content_of(self._folder / file_of(name))
        except RecordingsError as error:
            content = str(error).encode("utf-8", "backslashreplace")
        return sha256(content).hexdigest()[:16]

    def subjects(self) -> set[str]:
        """Say who has been recorded: the tools, an agent, or both.

        `CatalogueError` where a file can't be read.
        """
        found: set[str] = set()
        for path in self._paths():
            try:
                found |= {run_of(each.request)[0] for each in read_file(path)[1]}
            except RecordingsError as error:
                raise CatalogueError(PLACE, f"{str(self._folder)!r}: {error}") from error
        return found

    def _paths(self) -> list[Path]:
        return sorted(self._folder.glob(f"*{SUFFIX}"))

    def _slots(self, name: str) -> dict[Slot, Recording]:
        """Read the recordings of a scenario, by their places."""
        path = self._folder / file_of(name)
        if not path.exists():
            raise NoRecordingError(self._no_file(name, path.name))
        return {slot_of(each.request): each for each in read_file(path, name)[1]}

    def _no_file(self, name: str, file: str) -> str:
        """Say that nothing is recorded of a scenario, and of which one with a like name it is."""
        close = nearest(file.removesuffix(SUFFIX), self._stems)
        hint = "" if close is None else f"; nearest: {close + SUFFIX!r}"
        return f"nothing is recorded of {name!r}: there is no file {file!r}{hint}"
