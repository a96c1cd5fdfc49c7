"""What the scoring operators come to: the mean of their scores, with a count and an interval."""

from collections.abc import Iterable
from typing import Any

import attrs

from evalkit.intervals import wilson
from evalkit.operators import OPERATORS
from evalkit.operators.scores import normaliser_of, usual_normaliser
from evalkit.result import ERROR, SKIPPED, Check

SCORING = frozenset(op for op, operator in OPERATORS.items() if operator.scores)
"""The operators whose mean score is told: of answers, it is the number that people publish."""

Key = tuple[str, str]


@attrs.define(eq=False, repr=False)
class Mean:
    """The mean of scores from 0 to 1; what could not be measured counts as 0, and is counted."""

    count: int = 0
    errors: int = 0
    total: float = 0.0

    @property
    def mean(self) -> float:
        """Give the mean."""
        return self.total / self.count

    @property
    def interval(self) -> tuple[float, float] | None:
        """Give the 95% interval of the mean, by Wilson.

        Scores between 0 and 1 vary at most as much as a yes or no of the same mean does, so it is
        wide enough for F1 as well, and never of no width.
        """
        return wilson(self.total, self.count)


class Metrics:
    """Means by operator and normaliser: what is normalised differently is never put together."""

    def __init__(self) -> None:
        """Begin with nothing scored."""
        self._means: dict[Key, Mean] = {}

    def add(self, checks: Iterable[Check]) -> None:
        """Take in checks of scoring operators; what was skipped is left out."""
        for check in checks:
            if check.status is not SKIPPED:
                self._add(check)

    def _add(self, check: Check) -> None:
        assertion = check.assertion
        key = str(assertion.op), normaliser_of(assertion)
        mean = self._means.get(key)
        if mean is None:
            mean = self._means[key] = Mean()
        mean.count += 1
        mean.errors += check.status is ERROR
        mean.total += check.score

    def by_name(self) -> dict[str, tuple[str, Mean]]:
        """Give each mean with its normaliser, by operator: `f1`, or `f1[words]` if unusual."""
        return {
            op if normalize == usual_normaliser(op) else f"{op}[{normalize}]": (normalize, mean)
            for (op, normalize), mean in sorted(self._means.items())
        }

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """Give each mean as JSON: n counts the scores, errors those of them that are none."""
        return {
            name: {
                "mean": mean.mean,
                "n": mean.count,
                "ci": mean.interval,
                "errors": mean.errors,
                "normalize": normalize or None,
            }
            for name, (normalize, mean) in self.by_name().items()
        }
