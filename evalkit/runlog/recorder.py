"""How a run is recorded as it goes, begun anew or gone on with."""

import os
import platform
import sys
import time
from pathlib import Path
from typing import Any

import attrs

from evalkit.callables import Callables, digest_of
from evalkit.errors import RunLogError
from evalkit.fingerprints import declared, ref_written
from evalkit.jsontext import dumped_object
from evalkit.plan import Plan
from evalkit.result import ERROR, ScenarioResult
from evalkit.runlog.reader import SCHEMA, RunLog, salvage
from evalkit.runlog.records import record_text, result_digest, run_digest
from evalkit.runlog.redaction import Redaction
from evalkit.runlog.runs import DEFAULT, FILE, find_run, new_run, new_run_id, runs_in, summary_of
from evalkit.runlog.writer import Lock, LogWriter
from evalkit.schedule import Job, Task
from evalkit.version import VERSION

NEWEST = ""
"""What stands for the newest unfinished run, where a run to go on with is asked for."""


@attrs.frozen(eq=False, repr=False)
class LogOptions:
    """Where and how a run is recorded.

    `resume` names the run to go on with (`NEWEST`: the newest unfinished one, if there is any).
    `anyway` goes on where options differ, `salvage` where the log is damaged.
    """

    log_dir: Path = DEFAULT
    label: str | None = None
    resume: str | None = None
    anyway: bool = False
    salvage: bool = False
    argv: tuple[str, ...] = ()


class Recorder:
    """Records one run: its header, each result as it comes, its summary."""

    def __init__(self, options: LogOptions, redaction: Redaction, bears: dict[str, Any]) -> None:
        """Take the options, what to keep out, and what bears on the verdicts, by name."""
        self._options = options
        self._redaction = redaction
        self._bears = bears
        self._prints: dict[int, tuple[str, bool]] = {}
        self._digests: dict[tuple[str, int], str] = {}
        self._old: RunLog | None = None
        self._writer: LogWriter | None = None
        self._lock: Lock | None = None
        self.notes: list[str] = []
        self.run: Path = options.log_dir

    def begin(self, jobs: tuple[Job, ...], unread: list[str]) -> None:
        """Find or make the run, take its lock, and write what it is."""
        self._old = self._found()
        if self._old is None:
            self.run = new_run(self._options.log_dir, new_run_id())
        else:
            self.run = self._old.run
        self._lock = Lock(self.run)
        if self._old is not None:
            self._old = self._mended(self.run)  # read again, under the lock
        old = self._old if self._old is not None and self._old.header else None
        self._writer = LogWriter(self.run / FILE, 0 if self._old is None else self._old.written)
        said = self._header(jobs, unread) if old is None else self._resume(old, jobs)
        self._append(said)
        self._writer.sync(now=True)

    def kept(self, task: Task) -> ScenarioResult | None:
        """Give the result of an earlier attempt, where nothing has changed since."""
        scenario = task.job.plan.scenario
        key = scenario.name, task.epoch
        entry = None if self._old is None else self._old.entries.get(key)
        if entry is None or self._old is None or entry.status == ERROR or entry.opaque:
            return None
        print_, opaque = self._fingerprint(task.job.plan)
        if opaque or (print_, task.job.tools_digest) != (entry.fingerprint, entry.tools):
            return None
        self._digests[key] = entry.digest
        result = self._old.result(key)
        result.epochs, result.needed = task.job.epochs, task.job.needed
        return result

    def record(self, task: Task, result: ScenarioResult) -> None:
        """Write one result."""
        writer = self._open()
        result.fingerprint, opaque = self._fingerprint(task.job.plan)
        key = result.name, result.epoch
        before = None if self._old is None else self._old.entries.get(key)
        head = {
            "kind": "result",
            "number": task.number,
            "attempt": 1 if before is None else before.attempt + 1,
            "tools": task.job.tools_digest,
            "opaque": opaque,
        }
        text = record_text(head, result)
        if self._redaction.concerns(result, text):
            text = self._redaction.text_of(text)
        writer.append_text(text)
        self._digests[key] = result_digest(result)

    def finish(self, told: dict[str, Any], *, interrupted: bool) -> None:
        """Write what the run came to, as `told`, and let go of it."""
        if self._writer is None or self._lock is None:
            return
        record = {"kind": "summary", "interrupted": interrupted, "at": _now()}
        try:
            self._append({**record, "digest": self.digest, **told})
        finally:
            self._writer.close()
            self._lock.release()

    def sync(self) -> None:
        """Bring what was recorded to the disk now and then."""
        if self._writer is not None:
            self._writer.sync()

    @property
    def digest(self) -> str:
        """Give the digest of the run so far."""
        return run_digest(self._digests)

    def _append(self, record: dict[str, Any]) -> None:
        self._open().append_text(self._redaction.text_of(dumped_object(record)))

    def _open(self) -> LogWriter:
        if self._writer is None:
            raise RunLogError("the log is not open")
        return self._writer

    def _found(self) -> RunLog | None:
        """Find the run to go on with, if one is asked for."""
        if self._options.resume is None:
            return None
        if self._options.resume != NEWEST:
            run = find_run(self._options.log_dir, self._options.resume)
            return RunLog(run, salvage=self._options.salvage)
        for run in reversed(runs_in(self._options.log_dir)):
            if summary_of(run).get("interrupted", True):
                log = RunLog(run, salvage=self._options.salvage)
                if log.header:
                    return log
        return None

    def _mended(self, run: Path) -> RunLog:
        """Read a log that is to be gone on with; what is torn or damaged is taken out of it."""
        old = RunLog(run, salvage=self._options.salvage)
        self.notes += old.notes
        if old.damaged:
            salvage(old)
            return RunLog(run)
        if old.torn is not None:
            os.truncate(old.path, old.torn.offset)
        return old

    def _header(self, jobs: tuple[Job, ...], unread: list[str]) -> dict[str, Any]:
        return {
            "kind": "run",
            "schema": SCHEMA,
            "evalkit": VERSION,
            "run": self.run.name,
            "label": self._options.label,
            "unread": unread,
            **self._circumstances(jobs),
        }

    def _resume(self, old: RunLog, jobs: tuple[Job, ...]) -> dict[str, Any]:
        """Give the record of a resume; `RunLogError` where it would be another run."""
        differing = _differing(old.header["bears"], self._bears)
        if differing and not self._options.anyway:
            raise RunLogError(
                f"run {old.id} is another run: {'; '.join(differing)}; --force goes on with it"
            )
        numbers = {job.plan.scenario.name: number for number, job in enumerate(jobs)}
        gone = sorted({name for name, _ in old.entries if name not in numbers})
        moved = {
            name: numbers[name]
            for (name, _), entry in old.entries.items()
            if name in numbers and numbers[name] != entry.number
        }
        if gone:
            self.notes.append(f"no longer in the catalogue, and left out: {', '.join(gone)}")
        for key in [key for key in old.entries if key[0] in gone]:
            del old.entries[key]
        return {"kind": "resume", "gone": gone, "moved": moved, **self._circumstances(jobs)}

    def _circumstances(self, jobs: tuple[Job, ...]) -> dict[str, Any]:
        return {
            "at": _now(),
            "argv": list(self._options.argv),
            "bears": self._bears,
            "scenarios": len(jobs),
            "catalogue_digest": catalogue_digest(jobs, self._fingerprint),
            "tools_digest": digest_of(sorted({job.tools_digest for job in jobs})),
            "environment": {
                "python": platform.python_version(),
                "system": f"{sys.platform} {platform.machine()}",
            },
        }

    def _fingerprint(self, plan: Plan) -> tuple[str, bool]:
        """Give the fingerprint of a plan's scenario, and whether it holds what can't be told."""
        known = self._prints.get(id(plan))
        if known is None:
            callables = Callables()
            print_ = digest_of(declared(plan.scenario, callables), ref_written)
            known = self._prints[id(plan)] = print_, bool(callables.opaque)
        return known


def catalogue_digest(jobs: tuple[Job, ...], prints: Any) -> str:  # noqa: ANN401
    """Give the digest of the scenarios that are meant to run: of their fingerprints, sorted."""
    return digest_of(sorted(prints(job.plan)[0] for job in jobs))


def _differing(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    """Say what bears on the verdicts and is not as it was."""
    names = dict.fromkeys((*old, *new))
    return [
        f"{name} was {old.get(name)!r}, now {new.get(name)!r}"
        for name in names
        if old.get(name) != new.get(name)
    ]


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime())
