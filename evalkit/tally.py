"""What is counted of a run: scenarios by status, checks, scores; and the checks of an operator."""

from collections import Counter
from typing import Any

import attrs

from evalkit.intervals import wilson
from evalkit.metrics import Metrics
from evalkit.result import PASSED, Status


@attrs.define(eq=False, repr=False)
class Tally:
    """Counts of scenarios by status and of checks, the sum of scores, and means by operator."""

    statuses: Counter[Status] = attrs.field(factory=Counter)
    checks_total: int = 0
    checks_passed: int = 0
    scored: int = 0
    score_sum: float = 0.0
    metrics: Metrics = attrs.field(factory=Metrics)

    def add(self, total: int, passed: int, score: float | None) -> None:
        """Count the checks of one result that were measured, and its score."""
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

    @property
    def interval(self) -> tuple[float, float] | None:
        """Give the 95% interval of the share of measured scenarios that passed."""
        return wilson(self.statuses[PASSED], self.measured)

    def to_dict(self) -> dict[str, Any]:
        """Give the summary keys; rates are null where nothing was counted."""
        counts = {f"scenarios_{status.value}": self.statuses[status] for status in Status}
        return {
            "scenarios_total": self.total,
            **counts,
            "checks_total": self.checks_total,
            "checks_passed": self.checks_passed,
            "pass_rate": self.checks_passed / self.checks_total if self.checks_total else None,
            "scenario_pass_interval": self.interval,
            "score": self.score_sum / self.scored if self.scored else None,
            "metrics": self.metrics.to_dict(),
        }


@attrs.define(eq=False, repr=False)
class OperatorTally:
    """Counts of the checks of one operator; what could not be measured counts as not passed."""

    total: int = 0
    passed: int = 0
    errors: int = 0

    @property
    def interval(self) -> tuple[float, float] | None:
        """Give the 95% interval of the pass rate."""
        return wilson(self.passed, self.total)

    def to_dict(self) -> dict[str, Any]:
        """Give the counts and the 95% interval of the pass rate."""
        return {
            "checks_total": self.total,
            "checks_passed": self.passed,
            "checks_error": self.errors,
            "pass_rate": self.passed / self.total if self.total else None,
            "interval": self.interval,
        }
