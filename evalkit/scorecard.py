"""What a run comes to: counts and rates, in all, by tag and by difficulty."""

from collections import Counter
from typing import Any

import attrs

from evalkit.model import DIFFICULTIES
from evalkit.result import PASSED, SKIPPED, ScenarioResult, Status


@attrs.define(eq=False, repr=False)
class Tally:
    """Counts of scenarios by status and of checks, and the sum of scores that a mean is made of."""

    statuses: Counter[Status] = attrs.field(factory=Counter)
    checks_total: int = 0
    checks_passed: int = 0
    scored: int = 0
    score_sum: float = 0.0

    def add(self, result: ScenarioResult, total: int, passed: int, score: float | None) -> None:
        """Count one result; `total` and `passed` are of its checks that were measured."""
        self.statuses[result.status] += 1
        self.checks_total += total
        self.checks_passed += passed
        if score is not None:
            self.scored += 1
            self.score_sum += score

    @property
    def total(self) -> int:
        """Count the scenarios."""
        return self.statuses.total()

    @property
    def measured(self) -> int:
        """Count the scenarios of which something was measured."""
        return self.total - self.statuses[Status.SKIPPED]

    def to_dict(self) -> dict[str, Any]:
        """Give the summary keys; rates are null where nothing was counted."""
        counts = {f"scenarios_{status.value}": self.statuses[status] for status in Status}
        return {
            "scenarios_total": self.total,
            **counts,
            "checks_total": self.checks_total,
            "checks_passed": self.checks_passed,
            "pass_rate": self.checks_passed / self.checks_total if self.checks_total else None,
            "score": self.score_sum / self.scored if self.scored else None,
        }


class Scorecard:
    """Tallies in all, by tag and by difficulty; tags are sorted, difficulties in their order."""

    def __init__(self) -> None:
        """Begin with nothing counted."""
        self.all = Tally()
        self._tags: dict[str, Tally] = {}
        self._difficulties: dict[str, Tally] = {}

    def add(self, result: ScenarioResult) -> None:
        """Count one result everywhere it belongs."""
        measured = [check for check in result.checks if check.status is not SKIPPED]
        passed = sum([check.status is PASSED for check in measured])
        score = result.score
        total = len(measured)
        self.all.add(result, total, passed, score)
        _tally(self._difficulties, result.difficulty).add(result, total, passed, score)
        for tag in result.tags:
            _tally(self._tags, tag).add(result, total, passed, score)

    @property
    def by_tag(self) -> dict[str, Tally]:
        """Give the tallies by tag, sorted."""
        return dict(sorted(self._tags.items()))

    @property
    def by_difficulty(self) -> dict[str, Tally]:
        """Give the tallies by difficulty, from basic to advanced."""
        return {
            each: self._difficulties[each] for each in DIFFICULTIES if each in self._difficulties
        }


def _tally(tallies: dict[str, Tally], key: str) -> Tally:
    tally = tallies.get(key)
    if tally is None:
        tally = tallies[key] = Tally()
    return tally
