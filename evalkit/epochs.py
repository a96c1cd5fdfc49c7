"""What a scenario comes to over its epochs: one status, and whether the epochs agree."""

from collections import Counter

import attrs

from evalkit.intervals import decided
from evalkit.jsonvalue import brief
from evalkit.operators.difference import differences
from evalkit.result import FAILED, PASSED, Check, ScenarioResult, Status

_PASSED = (PASSED, Status.XPASSED)
_FAILED = (FAILED, Status.XFAILED)


@attrs.define(eq=False, repr=False)
class Fold:
    """Folds the results of one scenario, epoch by epoch; `sure` is the rate to be sure of, if any.

    `first` is the first result, `odd` the first whose checks came out differently.
    """

    sure: float | None = None
    counts: Counter[Status] = attrs.field(factory=Counter)
    first: ScenarioResult | None = None
    odd: ScenarioResult | None = None

    def add(self, result: ScenarioResult) -> None:
        """Take the result of one epoch."""
        self.counts[result.status] += 1
        if self.first is None:
            self.first = result
        elif self.odd is None and _came_out(result) != _came_out(self.first):
            self.odd = result

    @property
    def ran(self) -> int:
        """Count the epochs so far."""
        return self.counts.total()

    @property
    def passed(self) -> int:
        """Count those that passed."""
        return sum(self.counts[status] for status in _PASSED)

    @property
    def known(self) -> bool:
        """Say whether it is known to fail."""
        return bool(self.counts[Status.XFAILED] or self.counts[Status.XPASSED])

    @property
    def measured(self) -> int:
        """Count those of which something was measured."""
        return self.ran - self.counts[Status.SKIPPED]

    @property
    def status(self) -> Status | None:
        """Give what the scenario came to; None where that is still open.

        It passed where as many epochs as needed did; else any failed one makes it FAILED, else any
        that could not be measured ERROR. To be sure of a rate, it passed where its own rate is at
        least that, failed where it is below, and is ERROR where its epochs did not tell.
        """
        if self.first is None:
            return None
        if self.sure is not None:
            return self._sure(self.first, self.sure)
        missing = self.first.needed - self.passed
        if missing <= 0:
            return self._known(PASSED)
        return None if missing <= self.first.epochs - self.ran else self._worst()

    def _sure(self, first: ScenarioResult, rate: float) -> Status | None:
        verdict = decided(self.passed, self.measured, rate)
        if verdict:
            return self._known(PASSED) if verdict > 0 else self._worst()
        if self.ran < first.epochs:
            return None
        return Status.ERROR if self.measured else Status.SKIPPED

    def _worst(self) -> Status:
        unmeasured = self.known and self.counts[Status.ERROR]  # no known failure is to hide it
        if any(self.counts[status] for status in _FAILED) and not unmeasured:
            return self._known(FAILED)
        if self.counts[Status.ERROR]:
            return Status.ERROR
        return Status.SKIPPED

    def _known(self, status: Status) -> Status:
        """Give a status as it counts for a scenario that is known to fail."""
        if not self.known:
            return status
        return Status.XPASSED if status is PASSED else Status.XFAILED

    @property
    def flaky(self) -> bool:
        """Say whether its epochs came out differently."""
        return self.odd is not None

    def difference(self) -> str:
        """Say in which check two epochs differ first, and by which leaf; empty where none does."""
        if self.first is None or self.odd is None:
            return ""
        one, other = self.first, self.odd
        for left, right in zip(one.checks, other.checks, strict=False):
            if left.status is not right.status:
                told = f"{_told(one, left)}, {_told(other, right)}"
                return f"{_check_named(left)}: {told}{_leaf(left, right)}"
        return f"epoch {one.epoch} {one.status.value}, epoch {other.epoch} {other.status.value}"


def _came_out(result: ScenarioResult) -> tuple[Status, list[Status]]:
    return result.status, [check.status for check in result.checks]


def _check_named(check: Check) -> str:
    where = "the trace" if check.step is None else f"step {check.step}"
    return f"{where}, {check.path!r} {check.op}"


def _told(result: ScenarioResult, check: Check) -> str:
    return f"epoch {result.epoch} {check.code or check.status.value}"


def _leaf(left: Check, right: Check) -> str:
    """Say which leaf of the value differed, as far as there was a value both times."""
    for one, other in ((left.actual, right.actual), (left.expected, right.expected)):
        found = differences(one, other, 1)
        if found:
            path = f" at {found[0].path}" if found[0].path else ""
            return f"{path}: {brief(found[0].expected)}, then {brief(found[0].actual)}"
    return ""
