"""What a finished run gives: its results, and what they come to."""

from collections.abc import Iterable
from typing import Any

import attrs

from evalkit.errors import CatalogueError, Problem
from evalkit.registry import counted, hint_for
from evalkit.reports.records import run_to_dict
from evalkit.result import BAD, ScenarioResult, Status
from evalkit.scorecard import Scorecard

PASSED, FAILED, INTERRUPTED, NOTHING = 0, 1, 2, 5


@attrs.define(eq=False, repr=False)
class RunReport:
    """A finished run: `results` in the catalogue's order, and the summary over them.

    `passed` is exit code 0: all that was measured passed, and something was. `warnings` are what
    planning found doubtful, `notes` what a reader should know of how it went.
    """

    results: list[ScenarioResult]
    scorecard: Scorecard
    seconds: float
    warnings: tuple[Problem, ...] = ()
    notes: tuple[str, ...] = ()
    interrupted: bool = False
    threads_lost: int = 0
    selected: int = 0

    @property
    def summary(self) -> dict[str, Any]:
        """Give counts, rates and the mean score of the whole run."""
        return {**self.scorecard.all.to_dict(), "seconds": self.seconds}

    @property
    def by_tag(self) -> dict[str, dict[str, Any]]:
        """Give the summary by tag, sorted."""
        return {tag: tally.to_dict() for tag, tally in self.scorecard.by_tag.items()}

    @property
    def by_difficulty(self) -> dict[str, dict[str, Any]]:
        """Give the summary by difficulty, from basic to advanced."""
        return {each: tally.to_dict() for each, tally in self.scorecard.by_difficulty.items()}

    @property
    def exit_code(self) -> int:
        """Give pytest's exit code: 0 passed, 1 failed, 2 interrupted, 5 nothing measured."""
        if self.interrupted:
            return INTERRUPTED
        if any(self.scorecard.all.statuses[status] for status in BAD):
            return FAILED
        return PASSED if self.scorecard.all.measured else NOTHING

    @property
    def passed(self) -> bool:
        """Say whether all that was measured passed, and something was."""
        return self.exit_code == PASSED

    @property
    def failures(self) -> list[ScenarioResult]:
        """Give the results that fail the run."""
        return [result for result in self.results if result.status in BAD]

    def __getitem__(self, name: str) -> ScenarioResult:
        """Give a result by the scenario's name; a wrong name is answered with the nearest."""
        for result in self.results:
            if result.name == name:
                return result
        raise CatalogueError(
            "report", f"no scenario {name!r}", hint_for(name, _names(self.results))
        )

    def to_dict(self) -> dict[str, Any]:
        """Give the run as one JSON object, the one that `--json` prints."""
        return run_to_dict(
            self.results,
            self.scorecard,
            self.seconds,
            interrupted=self.interrupted,
            warnings=map(str, self.warnings),
        )

    def __repr__(self) -> str:
        """Say what came of it."""
        tally = self.scorecard.all
        passed = tally.statuses[Status.PASSED]
        return f"<RunReport: {passed} of {counted(tally.total, 'scenario')} passed>"


def _names(results: Iterable[ScenarioResult]) -> list[str]:
    return [result.name for result in results]
