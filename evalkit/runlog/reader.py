"""What a log says: the run it is of, and the one record that counts for each scenario and epoch."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, overload

import attrs

from evalkit.errors import RunLogError
from evalkit.registry import counted
from evalkit.result import ScenarioResult
from evalkit.runlog.lines import Line, line_of, lines_of, record_at
from evalkit.runlog.records import result_of, run_digest
from evalkit.runlog.runs import FILE

SCHEMA = 1
"""The version of what is in the records; a log of another one is refused, not guessed at."""

Key = tuple[str, int]


@attrs.define(eq=False, repr=False)
class Entry:
    """Where the record of one scenario and epoch is, and what resuming asks of it.

    `number` is the scenario's place in the order of the run, `attempt` counts how often it was run.
    """

    offset: int
    number: int
    attempt: int
    status: str
    digest: str
    fingerprint: str
    tools: str
    opaque: bool


class RunLog:
    """A log as it was found: read through once, its results read again when they are asked for."""

    def __init__(self, run: Path, *, salvage: bool = False) -> None:
        """Read a run; `RunLogError` where it is damaged, unless what is whole is to be salvaged."""
        self.run = run
        self.path = run / FILE
        self.header: dict[str, Any] = {}
        self.summary: dict[str, Any] | None = None
        self.entries: dict[Key, Entry] = {}
        self.damaged: list[Line] = []
        self.notes: list[str] = []
        self.torn: Line | None = None
        self.missing = 0
        self.written = 0
        self._skipped = 0
        self.conflicting: list[Key] = []
        self._read(salvage=salvage)

    @property
    def id(self) -> str:
        """Give the run's id, which is its directory's name."""
        return self.run.name

    @property
    def finished(self) -> bool:
        """Say whether the run came to its end."""
        return self.summary is not None and not self.summary["interrupted"]

    @property
    def digest(self) -> str:
        """Give the digest of the run: of all that counts."""
        return run_digest({key: entry.digest for key, entry in self.entries.items()})

    def in_order(self) -> list[Key]:
        """Give what there are results of, in the run's order."""
        return sorted(self.entries, key=lambda key: (self.entries[key].number, key[1]))

    def result(self, key: Key) -> ScenarioResult:
        """Read the result that counts for a scenario and epoch."""
        return result_of(record_at(self.path, self.entries[key].offset))

    def _read(self, *, salvage: bool) -> None:
        if not self.path.is_file():
            raise RunLogError(f"{str(self.path)!r} is no run log")
        for line in lines_of(self.path):
            if line.torn:
                self.torn = line
                told = f"was cut off at byte {line.offset}, and is dropped"
                self.notes.append(f"the last record of {self.id} {told}")
            elif line.damage:
                self._damaged(line, line.damage, salvage=salvage)
            elif line.record is not None:
                self._take(line, line.record, salvage=salvage)
        if self.conflicting:
            told = counted(len(self.conflicting), "result")
            self.notes.append(f"{told} came twice and differently; the first counts")

    def _damaged(self, line: Line, damage: str, *, salvage: bool) -> None:
        place = f"{self.path}: line {line.number}, byte {line.offset}"
        if not salvage:
            raise RunLogError(f"{place}: {damage}; --salvage goes on without it")
        self.damaged.append(line)
        self._skipped += 1
        self.notes.append(f"{place}: {damage}; left out")

    def _take(self, line: Line, record: dict[str, Any], *, salvage: bool) -> None:
        number, wanted = record["seq"], self.written + self._skipped + 1
        self._skipped = 0
        if number != wanted:
            self._damaged(line, f"is record {number}, not {wanted}", salvage=salvage)
            self._skipped = 0
        self.written = number
        kind = record["kind"]
        if kind == "result":
            self.summary = None
            self._result(line, record)
        elif kind == "run":
            self._header(record)
        elif kind == "resume":
            self.summary = None
            self._resumed(record)
        elif kind == "summary":
            self.summary = record
            for name, epoch in record["unused"]:  # of an epoch that was not asked for any more
                self.entries.pop((name, epoch), None)

    def _header(self, record: dict[str, Any]) -> None:
        if record["schema"] != SCHEMA:
            raise RunLogError(
                f"{self.path} has schema {record['schema']}, of evalkit {record['evalkit']}; "
                f"this one reads {SCHEMA}"
            )
        self.header = record

    def _resumed(self, record: dict[str, Any]) -> None:
        """Take in what a resume found changed: who is gone, and who stands elsewhere now."""
        for name in record["gone"]:
            for key in [key for key in self.entries if key[0] == name]:
                del self.entries[key]
        moved = record["moved"]
        for (name, _), entry in self.entries.items():
            entry.number = moved.get(name, entry.number)

    def _result(self, line: Line, record: dict[str, Any]) -> None:
        key = record["name"], record["epoch"]
        entry = Entry(
            line.offset,
            record["number"],
            record["attempt"],
            record["status"],
            record["digest"],
            record["fingerprint"],
            record["tools"],
            record["opaque"],
        )
        known = self.entries.get(key)
        if known is None or known.attempt < entry.attempt:
            self.entries[key] = entry
        elif known.attempt == entry.attempt and known.digest != entry.digest:
            self.conflicting.append(key)


def salvage(log: RunLog) -> None:
    """Put what is whole of a damaged log in its place, numbered anew; the old file stays beside."""
    number = len(list(log.run.glob("damaged-*")))
    lines = [line.record for line in lines_of(log.path) if line.record is not None]
    whole = [line_of({**record, "seq": at}) for at, record in enumerate(lines, 1)]
    fresh = log.run / "salvaged.tmp"
    fresh.write_bytes(b"".join(whole))
    (log.run / f"damaged-{number}.ndjson").write_bytes(log.path.read_bytes())
    fresh.replace(log.path)


class LoggedResults(Sequence[ScenarioResult]):
    """The results of a log, in order, each read when it is asked for: memory stays flat."""

    def __init__(self, run: Path) -> None:
        """Take the run's directory; nothing is read before it is asked for."""
        self._run = run
        self._read: RunLog | None = None
        self._ordered: list[Key] = []

    @property
    def log(self) -> RunLog:
        """Give the log, read through the first time."""
        if self._read is None:
            self._read = RunLog(self._run, salvage=True)
            self._ordered = self._read.in_order()
        return self._read

    @property
    def _keys(self) -> list[Key]:
        return self.log.in_order() if self._read is None else self._ordered

    def __len__(self) -> int:
        """Count the results."""
        return len(self._keys)

    @overload
    def __getitem__(self, index: int) -> ScenarioResult: ...

    @overload
    def __getitem__(self, index: slice) -> list[ScenarioResult]: ...

    def __getitem__(self, index: int | slice) -> ScenarioResult | list[ScenarioResult]:
        """Read one result, or several by slice."""
        if isinstance(index, slice):
            return [self.log.result(key) for key in self._keys[index]]
        return self.log.result(self._keys[index])

    def __iter__(self) -> Iterator[ScenarioResult]:
        """Read one after the other."""
        return map(self.log.result, self._keys)
