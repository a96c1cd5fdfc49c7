"""What a caller asks to be run, and what is about to run when that is prepared."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import attrs

from evalkit.catalogue import Catalogue
from evalkit.errors import Problem
from evalkit.jobs import Jobs
from evalkit.loaders import Reading
from evalkit.model import Scenario
from evalkit.protocols import Services
from evalkit.result import Outline
from evalkit.select import Selection
from evalkit.subjects.predictions import Predictions

Target = Catalogue | Scenario | str | Path


@attrs.frozen(eq=False, repr=False)
class Asked:
    """What a caller asks to be run.

    `epochs` is how often each scenario runs, else it is what it says itself, and `sure` the rate to
    be sure of. With `digests`, the code of the tools is looked at, for a run log. `reading` is how
    files of data are read. `embed` names what SEMANTIC embeds with, which else is in `services`.
    With `predictions`, nothing is run: they are graded. `agent` is an agent, a factory of one, or
    the name of either; `replay` the folder of recordings that answer in place of who was asked.
    """

    targets: tuple[Target, ...]
    tools: Any = None
    selection: Selection = attrs.field(factory=Selection)
    timeout_s: float | None = None
    epochs: int | None = None
    sure: float | None = None
    digests: bool = False
    reading: Reading = attrs.field(factory=Reading)
    services: Services = attrs.field(factory=Services)
    embed: str | None = None
    predictions: Predictions | None = None
    agent: Any = None
    replay: Path | None = None


@attrs.frozen(eq=False, repr=False)
class Prepared:
    """What is about to run: the jobs, how many scenarios there are, what planning found doubtful.

    `everything` has all scenarios there are, where they are held anyway, or none is selected.
    """

    jobs: Jobs = attrs.field(factory=Jobs)
    everything: tuple[Scenario, ...] = ()
    total: int = 0
    warnings: tuple[Problem, ...] = ()
    notes: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    scoring: tuple[str, ...] = ()
    until_sure: bool = False

    @property
    def outline(self) -> Outline:
        """Give what a reader should know of it."""
        counts = len(self.jobs), self.total, self.jobs.epochs
        return Outline(*counts, self.warnings, self.notes, self.until_sure, self.scoring)


def targets_of(target: Target | Iterable[Target]) -> tuple[Target, ...]:
    """Give the targets of a run, of which one may stand by itself."""
    if isinstance(target, Catalogue | Scenario | str | Path) or not isinstance(target, Iterable):
        return (target,)
    return tuple(target)
