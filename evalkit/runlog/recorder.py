"""How a run is recorded as it goes, begun anew or gone on with."""

import os
import sys
import time
from typing import Any

from evalkit.callables import digest_of
from evalkit.errors import RunLogError
from evalkit.jobs import Job, Jobs
from evalkit.jsontext import dumped_object
from evalkit.registry import counted, listing
from evalkit.result import ERROR, ScenarioResult
from evalkit.runlog.reader import SCHEMA, Entry, RunLog
from evalkit.runlog.records import RunDigest, record_text, result_digest
from evalkit.runlog.redaction import Redaction
from evalkit.runlog.resume import (
    LogOptions,
    changes,
    mended,
    refuse_another,
    refuse_open_secrets,
    run_to_resume,
)
from evalkit.runlog.runs import FILE, new_run
from evalkit.runlog.writer import Lock, LogWriter
from evalkit.schedule import Task
from evalkit.version import VERSION


class Recorder:
    """Records one run: its header, each result as it comes, its summary."""

    def __init__(self, options: LogOptions, redaction: Redaction, bears: dict[str, Any]) -> None:
        """Take the options, what to keep out, and what bears on the verdicts, by name."""
        self._options = options
        self._redaction = redaction
        self._bears = bears
        self._digest = RunDigest()
        self._done: set[tuple[str, int]] = set()
        self._jobs = Jobs()
        self._old: RunLog | None = None
        self._writer: LogWriter | None = None
        self._lock: Lock | None = None
        self.notes: list[str] = []
        self.run = options.log_dir

    def begin(self, jobs: Jobs, unread: list[str]) -> None:
        """Find or make the run, take its lock, and write what it is."""
        self._jobs = jobs
        self._refuse_secret_names(jobs)
        found = run_to_resume(self._options, self._bears)
        self.run = new_run(self._options.log_dir) if found is None else found
        self._lock = Lock(self.run)
        if found is not None:
            old = RunLog(found, salvage=self._options.salvage)
            refuse_another(old, self._bears, self._options)
            refuse_open_secrets(old, self._redaction.names)
            self.notes += old.notes
            self._old = mended(old)
        elif self._options.resume is not None:
            self.notes.append("there is no unfinished run to go on with: this is a new one")
        known = self._old is not None and bool(self._old.header)
        written = 0 if self._old is None else self._old.written
        self._writer = LogWriter(self.run / FILE, written)
        self._append(self._resume(jobs) if known else self._header(jobs, unread))
        self._writer.sync(now=True)

    def kept(self, task: Task) -> ScenarioResult | None:
        """Give the result of an earlier attempt, where nothing has changed since."""
        entry = self._good(task.job, task.epoch)
        if entry is None or self._old is None:
            return None
        key = task.job.plan.scenario.name, task.epoch
        self._note(key, entry.digest)
        result = self._old.result(key)
        result.epochs, result.needed = task.job.epochs, task.job.needed
        return result

    def _good(self, job: Job, epoch: int) -> Entry | None:
        """Find what an earlier attempt measured, where it still counts."""
        key = job.plan.scenario.name, epoch
        entry = None if self._old is None else self._old.entries.get(key)
        if entry is None or entry.status == ERROR or entry.opaque:
            return None
        same = (job.fingerprint, job.tools_digest) == (entry.fingerprint, entry.tools)
        return entry if same and not job.opaque else None

    def record(self, task: Task, result: ScenarioResult) -> None:
        """Write one result."""
        writer = self._open()
        result.fingerprint = task.job.fingerprint
        key = result.name, result.epoch
        before = None if self._old is None else self._old.entries.get(key)
        head = {
            "kind": "result",
            "number": task.number,
            "attempt": 1 if before is None else before.attempt + 1,
            "tools": task.job.tools_digest,
            "opaque": task.job.opaque,
        }
        text = record_text(head, result)
        if self._redaction.concerns(result, text):
            text = self._redaction.text_of(text)
        writer.append_text(text)
        self._note(key, result_digest(result))

    def _note(self, key: tuple[str, int], digest: str) -> None:
        """Take a result into the digest; which they are matters only where some are kept."""
        self._digest.add(key, digest)
        if self._old is not None:
            self._done.add(key)

    def finish(self, told: dict[str, Any], *, interrupted: bool) -> None:
        """Write what the run came to, as `told`, and let go of it."""
        if self._lock is None:
            return
        if self._writer is None:
            self._lock.release()
            return
        record = {"kind": "summary", "interrupted": interrupted, "at": _now()}
        record["unused"] = [] if interrupted else sorted(map(list, self._stale()))
        try:
            self._append({**record, "digest": self.digest, **told})
        finally:
            self._writer.close()
            self._lock.release()

    def _stale(self) -> set[tuple[str, int]]:
        """Give what was recorded before and does not hold any more, and was not run again."""
        if self._old is None:
            return set()
        good = {
            (job.plan.scenario.name, epoch + 1)
            for job in self._jobs
            for epoch in range(job.epochs)
            if self._good(job, epoch + 1) is not None
        }
        return self._old.entries.keys() - self._done - good

    def _refuse_secret_names(self, jobs: Jobs) -> None:
        """Refuse scenarios whose name holds a secret: it could be neither written nor changed."""
        for job in jobs if self._redaction.names else ():
            if self._redaction.message_of(job.plan.scenario.name) != job.plan.scenario.name:
                raise RunLogError("the name of a scenario holds a value that is to be kept out")

    def sync(self) -> None:
        """Bring what was recorded to the disk now and then."""
        if self._writer is not None:
            self._writer.sync()

    @property
    def digest(self) -> str:
        """Give the digest of the run so far."""
        return self._digest.hexdigest()

    def _append(self, record: dict[str, Any]) -> None:
        self._open().append_text(self._redaction.text_of(dumped_object(record)))

    def _open(self) -> LogWriter:
        if self._writer is None:
            raise RunLogError("the log is not open")
        return self._writer

    def _header(self, jobs: Jobs, unread: list[str]) -> dict[str, Any]:
        return {
            "kind": "run",
            "schema": SCHEMA,
            "evalkit": VERSION,
            "run": self.run.name,
            "label": self._options.label,
            "unread": unread,
            "redact": self._redaction.names,
            **self._circumstances(jobs),
        }

    def _resume(self, jobs: Jobs) -> dict[str, Any]:
        """Give the record of a resume, and note what it means."""
        old = self._old
        if old is None:
            raise RunLogError("there is no run to go on with")
        changed = changes(old, jobs)
        for key in [key for key in old.entries if key[0] in changed["gone"]]:
            del old.entries[key]
        each = [(job, epoch + 1) for job in jobs for epoch in range(job.epochs)]
        kept = sum(self._good(*one) is not None for one in each)
        self.notes.append(f"going on with {old.id}: {counted(kept, 'result')} kept")
        if changed["gone"]:
            told = listing(changed["gone"])
            self.notes.append(f"no longer in the catalogue, and left out: {told}")
        label = old.header.get("label")
        if self._options.label not in (None, label):
            self.notes.append(f"a run keeps its label: {label or 'this one has none'}")
        return {"kind": "resume", **changed, **self._circumstances(jobs)}

    def _circumstances(self, jobs: Jobs) -> dict[str, Any]:
        return {
            "at": _now(),
            "argv": list(self._options.argv),
            "bears": self._bears,
            "scenarios": len(jobs),
            "catalogue_digest": jobs.catalogue_digest,
            "tools_digest": digest_of(sorted(jobs.tools_digests)),
            "environment": {
                "python": ".".join(map(str, sys.version_info[:3])),
                "system": f"{sys.platform} {os.uname().machine}",
            },
        }


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime())
