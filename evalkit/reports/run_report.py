"""What a finished run gives: its results, and what they come to."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import attrs

from evalkit.errors import CatalogueError, Problem
from evalkit.registry import counted, hint_for
from evalkit.reports.records import Head, run_to_dict
from evalkit.result import BAD, ScenarioResult, Status
from evalkit.runlog.reader import LoggedResults
from evalkit.runlog.records import result_digest, run_digest
from evalkit.scorecard import Scorecard

PASSED, FAILED, INTERRUPTED, NOTHING = 0, 1, 2, 5
BAD_WORDS = (
    (Status.FAILED, "failed"),
    (Status.ERROR, "could not be measured"),
    (Status.XPASSED, "passed though known to fail"),
)


@attrs.define(eq=False, repr=False)
class RunReport:
    """A finished run: `results` in the catalogue's order, and the summary over them.

    `passed` is exit code 0: all that was measured passed, and something was. `warnings` are what
    planning found doubtful, `notes` what a reader should know of how it went. With a run log,
    `run` is its directory, and `results` are read from it.
    """

    results: Sequence[ScenarioResult]
    scorecard: Scorecard
    seconds: float
    warnings: tuple[Problem, ...] = ()
    notes: tuple[str, ...] = ()
    interrupted: bool = False
    threads_lost: int = 0
    selected: int = 0
    run_id: str | None = None
    run: Path | None = None

    @property
    def digest(self) -> str:
        """Give the digest of verdicts and values, which is the same wherever the run was made."""
        if isinstance(self.results, LoggedResults):
            return self.results.log.digest
        return run_digest({(each.name, each.epoch): result_digest(each) for each in self.results})

    @property
    def by_operator(self) -> dict[str, dict[str, Any]]:
        """Give the counts of checks by operator, sorted."""
        return {op: tally.to_dict() for op, tally in self.scorecard.by_operator.items()}

    @property
    def epochs(self) -> dict[str, Any]:
        """Give how reliable scenarios are that were run more than once: pass^k, pass@k, flaky."""
        return self.scorecard.repeats.to_dict()

    @property
    def summary(self) -> dict[str, Any]:
        """Give counts, rates and the mean score of the whole run."""
        return {**self.scorecard.all.to_dict(), "seconds": self.seconds}

    @property
    def metrics(self) -> dict[str, dict[str, Any]]:
        """Give the mean score of each scoring operator, with its count and 95% interval."""
        return self.scorecard.all.metrics.to_dict()

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
    def why(self) -> str:
        """Say why the run ends with its exit code."""
        if self.exit_code == FAILED:
            counts = ((self.scorecard.all.statuses[status], word) for status, word in BAD_WORDS)
            return ", ".join(f"{count} {word}" for count, word in counts if count)
        return {
            PASSED: "all that was measured passed",
            INTERRUPTED: "interrupted",
            NOTHING: "nothing was measured",
        }[self.exit_code]

    @property
    def passed(self) -> bool:
        """Say whether all that was measured passed, and something was."""
        return self.exit_code == PASSED

    @property
    def failures(self) -> list[ScenarioResult]:
        """Give the results that fail the run; those of epochs that may fail are none."""
        return [result for result in self.results if result.status in BAD and self._fails(result)]

    def _fails(self, result: ScenarioResult) -> bool:
        fold = self.scorecard.repeats.folds.get(result.name)
        return fold is None or fold.status in BAD

    def __getitem__(self, name: str) -> ScenarioResult:
        """Give a result by the scenario's name, of its first epoch; a wrong name, the nearest."""
        for result in self.results:
            if result.name == name:
                return result
        raise CatalogueError(
            "report", f"no scenario {name!r}", hint_for(name, _names(self.results))
        )

    @property
    def head(self) -> Head:
        """Give all of it but its results."""
        return Head(
            self.scorecard, self.seconds, self.interrupted, self.warnings, self.run_id, self.notes
        )

    def to_dict(self) -> dict[str, Any]:
        """Give the run as one JSON object, the one that `--json` prints."""
        return run_to_dict(
            self.results,
            self.head,
            self.digest,
        )

    def __repr__(self) -> str:
        """Say what came of it."""
        tally = self.scorecard.all
        passed = tally.statuses[Status.PASSED]
        return f"<RunReport: {passed} of {counted(tally.total, 'scenario')} passed>"


def _names(results: Iterable[ScenarioResult]) -> list[str]:
    return [result.name for result in results]
