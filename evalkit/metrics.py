"""What the scoring operators come to: the mean of their scores, with a count and an interval."""

from collections.abc import Iterable
from math import ceil
from typing import Any

import attrs

from evalkit.intervals import wilson
from evalkit.operators import OPERATORS
from evalkit.operators.scores import normaliser_of, usual_normaliser
from evalkit.result import ERROR, SKIPPED, Check

SCORING = frozenset(op for op, operator in OPERATORS.items() if operator.scores)
"""The operators whose mean score is told: of answers, it is the number that people publish."""

Key = tuple[str, str, str]
"""An operator, its normaliser, and what it takes out of an answer."""


@attrs.define(eq=False, repr=False)
class Mean:
    """The mean of scores from 0 to 1; what could not be measured counts as 0, and is counted.

    A scenario counts once: with the mean of its own scores, over its epochs too.
    """

    weight: float = 0.0
    unmeasured: float = 0.0
    total: float = 0.0

    @property
    def count(self) -> int:
        """Count the scenarios."""
        return round(self.weight)

    @property
    def errors(self) -> int:
        """Count the scenarios that could not be measured, in an epoch at least."""
        return ceil(round(self.unmeasured, 6))

    @property
    def mean(self) -> float:
        """Give the mean."""
        return self.total / self.weight

    @property
    def interval(self) -> tuple[float, float] | None:
        """Give the 95% interval of the mean, by Wilson.

        Scores between 0 and 1 vary at most as much as a yes or no of the same mean does, so it is
        wide enough for F1 as well, and never of no width.
        """
        return wilson(self.mean * self.count, self.count)


class Metrics:
    """Means by operator and normaliser: what is normalised differently is never put together."""

    def __init__(self) -> None:
        """Begin with nothing scored."""
        self._means: dict[Key, Mean] = {}

    def add(self, checks: Iterable[Check], epochs: int = 1) -> None:
        """Take in the checks of one of a scenario's epochs; what was skipped is left out.

        Of epochs that are cut short by what comes of them, told by 0, any mean would be biased.
        """
        scored: dict[Key, list[Check]] = {}
        for check in checks if epochs else ():
            if check.status is not SKIPPED:
                assertion = check.assertion
                key = str(assertion.op), normaliser_of(assertion), assertion.extract or ""
                scored.setdefault(key, []).append(check)
        for key, group in scored.items():
            mean = self._means.get(key)
            if mean is None:
                mean = self._means[key] = Mean()
            mean.weight += 1 / epochs
            mean.unmeasured += any(check.status is ERROR for check in group) / epochs
            mean.total += sum(check.score for check in group) / len(group) / epochs

    def by_name(self) -> dict[str, tuple[str, Mean]]:
        """Give each mean with its normaliser, by operator: `f1`, or `f1[words]` if unusual."""
        return {_named(*key): (key[1], mean) for key, mean in sorted(self._means.items())}

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """Give each mean as JSON: n counts the scenarios, errors those of them that have none."""
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


def _named(op: str, normalize: str, extract: str) -> str:
    """Name a mean by its operator, and by what of it is unusual."""
    unusual = [normalize] * (normalize != usual_normaliser(op)) + [extract] * bool(extract)
    return f"{op}[{', '.join(unusual)}]" if unusual else op
