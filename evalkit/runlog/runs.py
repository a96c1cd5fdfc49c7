"""Where runs are kept: a directory for each, in the log directory, found by id, label or path."""

import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from evalkit.errors import RunLogError
from evalkit.registry import hint_for
from evalkit.runlog.lines import lines_of, read_line

DEFAULT = Path(".evalkit") / "runs"
FILE = "run.ndjson"
TAIL = 1_000_000


def new_run(log_dir: Path) -> Path:
    """Make the directory of a run, and the log directory with its ignore file around it."""
    try:
        ours = not log_dir.exists()
        place = _made(log_dir)
        if ours:  # a folder of the author's may hold what is to be kept
            (log_dir / ".gitignore").write_text("*\n", encoding="utf-8")
    except OSError as error:
        raise RunLogError(
            f"no run can be logged in {str(from_here(log_dir))!r}: {error.strerror}; name another "
            "folder by --log-dir, or leave the log out by --no-log"
        ) from error
    return place


def _made(log_dir: Path) -> Path:
    """Make a directory under an id that no other run has."""
    while True:
        place = log_dir / new_run_id()
        try:
            place.mkdir(parents=True)
        except FileExistsError:
            if not place.is_dir():
                raise
        else:
            return place


def new_run_id() -> str:
    """Give an id that sorts by when it was made, in UTC: to less than a microsecond."""
    now = time.time()
    second = time.strftime("%Y%m%d-%H%M%S", time.gmtime(now))
    return f"{second}-{int(now % 1 * 0x1000000):06x}"


def from_here(path: Path) -> Path:
    """Give a path as it is seen from the current directory, if it is below that."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def is_label(value: object) -> bool:
    """Say whether a run can be found by it: a name, and none that means another run."""
    named = isinstance(value, str) and value.isprintable() and bool(value.strip())
    return named and not re.fullmatch(r"latest(~\d*)?", str(value))


def runs_in(log_dir: Path) -> list[Path]:
    """Give the runs of a log directory, the oldest first."""
    if not log_dir.is_dir():
        return []
    return sorted(each for each in log_dir.iterdir() if (each / FILE).is_file())


def find_run(log_dir: Path, reference: str) -> Path:
    """Find a run by its id, its label, `latest`, `latest~1` (the one before), or its path."""
    runs = runs_in(log_dir)
    word, _, back = reference.partition("~")
    if word == "latest" and (back.isdigit() or not back):
        number = int(back or 0)
        if number < len(runs):
            return runs[-1 - number]
        raise RunLogError(f"there is no run {reference!r}: {str(log_dir)!r} holds {len(runs)}")
    path = Path(reference)
    for place in (log_dir / reference, path.parent if path.name == FILE else path):
        if (place / FILE).is_file():
            return place
    labelled = [run for run in runs if header_of(run).get("label") == reference]
    if labelled:
        return labelled[-1]
    known = [run.name for run in runs] + [str(label) for label in _labels(runs)]
    hint = hint_for(reference, ["latest", *known] if runs else known)
    raise RunLogError(f"there is no run {reference!r} in {str(from_here(log_dir))!r}; {hint}")


def header_of(run: Path) -> dict[str, Any]:
    """Give the first record of a run; empty where there is none to read."""
    line = next(lines_of(run / FILE), None)
    return {} if line is None or line.record is None else line.record


def summary_of(run: Path) -> dict[str, Any]:
    """Give the summary that a run ends with, read from the end of its file; empty without one."""
    path = run / FILE
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - TAIL))
        lines = file.read().splitlines(keepends=True)
    record = read_line(lines[-1]).record if lines else None
    return record if record is not None and record["kind"] == "summary" else {}


def _labels(runs: list[Path]) -> Iterator[str]:
    for run in runs:
        label = header_of(run).get("label")
        if label:
            yield label
