"""How a run is found that is to be gone on with, and what has changed since."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import attrs

from evalkit.errors import RunLogError
from evalkit.jobs import Job
from evalkit.runlog.reader import RunLog, salvage
from evalkit.runlog.runs import DEFAULT, find_run, header_of, runs_in, summary_of

FORCEABLE = frozenset({"files", "tools"})
"""What may be named otherwise by who is told so: the scenarios and their digests decide then."""
NEWEST = ""
"""What stands for the newest unfinished run, where a run to go on with is asked for."""


def _absolute(path: Path) -> Path:
    """Give a path that a tool's change of directory does not move."""
    return path.absolute()


@attrs.frozen(eq=False, repr=False)
class LogOptions:
    """Where and how a run is recorded.

    `resume` names the run to go on with (`NEWEST`: the newest unfinished one, if there is any).
    `anyway` goes on where files or tools are named otherwise, `salvage` where the log is damaged.
    """

    log_dir: Path = attrs.field(default=DEFAULT, converter=_absolute)
    label: str | None = None
    resume: str | None = None
    anyway: bool = False
    salvage: bool = False
    argv: tuple[str, ...] = ()


def run_to_resume(options: LogOptions, bears: dict[str, Any]) -> Path | None:
    """Find the run to go on with; None where none is asked for, or there is none unfinished.

    Without a name it is the newest unfinished run of the same files.
    """
    if options.resume is None:
        return None
    if options.resume != NEWEST:
        return find_run(options.log_dir, options.resume)
    for run in reversed(runs_in(options.log_dir)):
        files = header_of(run).get("bears", {}).get("files")
        if files == bears["files"] and summary_of(run).get("interrupted", True):
            return run
    return None


def refuse_another(old: RunLog, bears: dict[str, Any], options: LogOptions) -> None:
    """Refuse to go on with what would be another run, naming what differs.

    What files and tools are called may differ where that is asked for.
    """
    before = old.header.get("bears", bears)
    known = dict.fromkeys((*before, *bears))
    names = [name for name in known if before.get(name) != bears.get(name)]
    told = [f"{name} was {before.get(name)!r}, now {bears.get(name)!r}" for name in names]
    if names and not (options.anyway and set(names) <= FORCEABLE):
        way = "; --force goes on with it, and leaves out what is in none of these files"
        way = way if set(names) <= FORCEABLE else ""
        raise RunLogError(f"run {old.id} is another run: {'; '.join(told)}{way}")


def refuse_open_secrets(old: RunLog, redacted: list[str]) -> None:
    """Refuse to go on without keeping out what was kept out before."""
    missing = [name for name in old.header.get("redact", ()) if name not in redacted]
    if missing:
        options = " ".join(f"--redact {name}" for name in missing)
        raise RunLogError(f"run {old.id} keeps values out that are not named now: say {options}")


def mended(old: RunLog) -> RunLog:
    """Take out of a log what is torn or damaged, so that more can be written to it."""
    if old.damaged:
        salvage(old)
        return RunLog(old.run)
    if old.torn is not None:
        os.truncate(old.path, old.torn.offset)
    return old


def changes(old: RunLog, jobs: Iterable[Job]) -> dict[str, Any]:
    """Say which scenarios of a log are gone, and which stand elsewhere in the order now."""
    numbers = {job.plan.scenario.name: number for number, job in enumerate(jobs)}
    gone = sorted({name for name, _ in old.entries if name not in numbers})
    moved = {
        name: numbers[name]
        for (name, _), entry in old.entries.items()
        if name in numbers and numbers[name] != entry.number
    }
    return {"gone": gone, "moved": moved}
