"""How a run is recorded for replay: a fold over its results, a file for each scenario."""

from pathlib import Path

from evalkit.recordings import Recorder, RecordingsError
from evalkit.registry import counted, listing
from evalkit.result import ScenarioResult
from evalkit.runlog.records import redacted
from evalkit.runlog.redaction import Redaction


class Keeper:
    """Keeps what was answered in a run, without what is secret; says what could not be kept."""

    def __init__(self, folder: Path, redaction: Redaction) -> None:
        """Take the folder; `CatalogueError` where nothing can be kept there."""
        self._recorder = Recorder(folder)
        self._redaction = redaction
        self._unkept: dict[str, list[str]] = {}

    def add(self, result: ScenarioResult) -> None:
        """Keep what was answered in one epoch of a scenario."""
        if result.trace is None:
            return
        trace = redacted(result, self._redaction).trace
        try:
            why = None if trace is None else self._recorder.add(result.name, result.epoch, trace)
        except (RecordingsError, OSError) as error:  # the run itself is none the worse for it
            why = str(error)
        if why is not None:
            self._unkept.setdefault(why, []).append(result.name)

    def finish(self) -> tuple[str, ...]:
        """Bring it to the disk; give a note on each reason why something was not kept."""
        try:
            self._recorder.close()
        except OSError as error:
            self._unkept.setdefault(f"the folder is gone: {error.strerror}", [])
        return tuple(
            f"{counted(len(names), 'result')} not recorded ({why}): {listing(dict.fromkeys(names))}"
            for why, names in self._unkept.items()
        )
