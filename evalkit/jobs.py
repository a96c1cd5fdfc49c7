"""What is to be run: a job for each scenario, gone through as often as is needed."""

from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from typing import TYPE_CHECKING, Protocol

import attrs

from evalkit.plan import Plan
from evalkit.protocols import Scope
from evalkit.spill import Spill
from evalkit.subjects.kinds import TOOLS
from evalkit.toolbox import FactoryToolbox, TableToolbox
from evalkit.trace import Trace

if TYPE_CHECKING:
    from evalkit.subjects.agent import Agent
    from evalkit.toolbox.offered import Offered


class Recorded(Protocol):
    """What has a trace of every plan, without running anything."""

    def trace_of(self, plan: Plan, epoch: int, /) -> Trace:
        """Give the trace of one epoch of a plan."""
        ...

    def digest_of(self, name: str, /) -> str:
        """Give the digest of what is recorded of a scenario, by which an edit is seen."""
        ...


@attrs.frozen(eq=False, repr=False)
class Job:
    """One plan, the tools it is for, the scope its file's code runs in, and its epochs.

    `first` is the number of the first epoch. `tools_digest` is that of the tools' code, and
    `fingerprint` that of the scenario, where a run log or another process needs them; it is
    `opaque` where it does not tell all. With an `agent` the prompt is put to it, and it is
    `offered` the tools. What is `recorded` is not run: the trace that it gives is graded.
    """

    plan: Plan
    toolbox: TableToolbox | FactoryToolbox
    scope: Scope | None = None
    epochs: int = 1
    needed: int = 1
    tools_digest: str = ""
    fingerprint: str = ""
    opaque: bool = False
    recorded: Recorded | None = None
    agent: "Agent | None" = None
    offered: "Offered | None" = None
    first: int = 1


class Jobs:
    """The jobs of a run in the catalogue's order: held, or made anew each time.

    What they come to is known without going through them: `epochs` is the sum of theirs,
    `shortest_s` the shortest deadline of all, by which a watcher sets its pace.
    """

    def __init__(self, each: Callable[[], Iterable[Job]] = tuple) -> None:
        """Take what gives the jobs; `count` then says of each that there is one."""
        self._each = each
        self._count = 0
        self._prints = Spill()
        self.epochs = 0
        self.shortest_s = TOOLS.timeout_s
        self.tools_digests: set[str] = set()

    def count(self, job: Job) -> None:
        """Count a job that is among them."""
        self._count += 1
        self.epochs += job.epochs
        limits = [job.plan.timeout_s, *(bound.timeout_s for bound in job.plan.calls)]
        whole = job.plan.scenario.timeout_s
        if whole is not None:
            limits.append(whole)
        self.shortest_s = min(self.shortest_s, *limits)
        if job.fingerprint:
            self._prints.add(job.fingerprint)
            self.tools_digests.add(job.tools_digest)

    @property
    def catalogue_digest(self) -> str:
        """Give the digest of the scenarios: of their fingerprints as a sorted list in JSON."""
        whole = sha256(b"[")
        for index, text in enumerate(self._prints):
            whole.update(f'{"," * bool(index)}"{text}"'.encode())
        whole.update(b"]")
        return whole.hexdigest()

    def __iter__(self) -> Iterator[Job]:
        """Go through the jobs, from the first."""
        return iter(self._each())

    def __len__(self) -> int:
        """Count the jobs."""
        return self._count


def held(jobs: Iterable[Job]) -> Jobs:
    """Give jobs that are there already."""
    kept = tuple(jobs)
    found = Jobs(lambda: kept)
    for job in kept:
        found.count(job)
    return found
