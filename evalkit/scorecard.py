"""What a run comes to: counts, rates and intervals, in all and by tag, difficulty and operator."""

from collections.abc import Iterable
from typing import Any

import attrs

from evalkit.epochs import Fold
from evalkit.intervals import ERROR as DECISION_ERROR
from evalkit.intervals import pass_at, pass_hat, wilson
from evalkit.metrics import SCORING
from evalkit.model import DIFFICULTIES
from evalkit.result import BAD, ERROR, PASSED, SKIPPED, Check, ScenarioResult, Status
from evalkit.tally import OperatorTally, Tally


@attrs.define(eq=False, repr=False)
class Repeats:
    """The scenarios that were run more than once: how reliable they are, and which are flaky."""

    folds: dict[str, Fold] = attrs.field(factory=dict)
    sure: float | None = None

    @property
    def flaky(self) -> dict[str, Fold]:
        """Give the scenarios whose epochs came out differently."""
        return {name: fold for name, fold in self.folds.items() if fold.flaky}

    @property
    def saved(self) -> int:
        """Count the epochs that were not run, because it was sure without them."""
        if self.sure is None:
            return 0
        done = [fold for fold in self.folds.values() if fold.status is not None]
        return sum(fold.first.epochs - fold.ran for fold in done if fold.first is not None)

    @property
    def open(self) -> dict[str, Fold]:
        """Give the scenarios of which all epochs were run, and that was not enough to be sure."""
        folds = self.folds if self.sure is not None else {}
        return {name: fold for name, fold in folds.items() if fold.status is ERROR}

    def to_dict(self) -> dict[str, Any]:
        """Give pass^k and pass@k for each k, the epochs that were saved, and the flaky ones.

        Each is the mean over scenarios; at the largest k they are shares of scenarios, with their
        95% intervals. Scenarios that are known to fail, or were not measured, are left out. Where
        epochs are cut short by what came of them, there is no such number that is not biased.
        """
        counted = [fold for fold in self.folds.values() if fold.measured and not fold.known]
        counts = [(fold.passed, fold.ran) for fold in counted]
        most = min((ran for _, ran in counts), default=0)
        powers = range(1, most + 1) if self.sure is None else range(0)
        return {
            "scenarios": len(counts),
            "pass_hat": {k: _mean([pass_hat(*each, k) for each in counts]) for k in powers},
            "pass_at": {k: _mean([pass_at(*each, k) for each in counts]) for k in powers},
            "pass_hat_interval": _all_of(counts, most) if self.sure is None else None,
            "verdicts": {name: _verdict(fold) for name, fold in self.folds.items()},
            "flaky": {name: fold.difference() for name, fold in self.flaky.items()},
            "until_sure": self.sure,
            "error_bound": None if self.sure is None else DECISION_ERROR,
            "epochs_run": sum(fold.ran for fold in self.folds.values()),
            "epochs_saved": self.saved,
        }


class Scorecard:
    """Tallies in all, by tag, difficulty and operator; a scenario counts once, over its epochs."""

    def __init__(self, sure: float | None = None) -> None:
        """Begin with nothing counted; `sure` is the rate by which epochs are cut short."""
        self.all = Tally()
        self.repeats = Repeats(sure=sure)
        self._tags: dict[str, Tally] = {}
        self._difficulties: dict[str, Tally] = {}
        self._checks: dict[tuple[str, Status], int] = {}

    def add(self, result: ScenarioResult) -> None:
        """Count one result everywhere it belongs."""
        total, passed, scored = self._count(result.checks)
        score = result.score
        once = result.epochs == 1 and self.repeats.sure is None
        before, after = (None, result.status) if once else self._folded(result)
        for tally in self._tallies(result):
            tally.add(total, passed, score)
            if scored:
                tally.metrics.add(scored, 0 if self.repeats.sure else result.epochs)
            if before is not None:
                tally.statuses[before] -= 1
            if after is not None:
                tally.statuses[after] += 1

    def _count(self, checks: list[Check]) -> tuple[int, int, list[Check]]:
        """Count checks by operator; give how many count, how many passed, and those that score."""
        total, passed = len(checks), 0
        counts = self._checks
        scored = []
        for check in checks:
            status, assertion = check.status, check.assertion
            op = assertion.op
            key = op, status
            counts[key] = counts.get(key, 0) + 1
            if op in SCORING:
                scored.append(check)
            if status is SKIPPED or not (assertion.weight or assertion.severity == "fail"):
                total -= 1
            elif status is PASSED:
                passed += 1
        return total, passed, scored

    def _tallies(self, result: ScenarioResult) -> list[Tally]:
        found = [self.all, _tally(self._difficulties, result.difficulty)]
        return found + [_tally(self._tags, tag) for tag in result.tags]

    def _folded(self, result: ScenarioResult) -> tuple[Status | None, Status | None]:
        """Fold an epoch into its scenario: what that came to before, and now."""
        fold = self.repeats.folds.get(result.name)
        if fold is None:
            fold = self.repeats.folds[result.name] = Fold(self.repeats.sure)
        before = fold.status
        fold.add(result)
        return before, fold.status

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

    @property
    def by_operator(self) -> dict[str, OperatorTally]:
        """Give the tallies by operator, sorted."""
        tallies: dict[str, OperatorTally] = {}
        for (op, status), count in sorted(self._checks.items()):
            if status is not SKIPPED:
                tally = tallies.setdefault(str(op), OperatorTally())
                tally.total += count
                tally.passed += count if status is PASSED else 0
                tally.errors += count if status is ERROR else 0
        return tallies


def _tally(tallies: dict[str, Tally], key: str) -> Tally:
    tally = tallies.get(key)
    if tally is None:
        tally = tallies[key] = Tally()
    return tally


def failing(results: Iterable[ScenarioResult], sure: float | None = None) -> list[str]:
    """Name the scenarios that fail a run of these results, each over its epochs."""
    card = Scorecard(sure)
    found: dict[str, None] = {}
    for result in results:
        card.add(result)
        if result.status in BAD or sure is not None:
            found[result.name] = None
    folds = card.repeats.folds
    return [name for name in found if name not in folds or folds[name].status in BAD]


def _verdict(fold: Fold) -> dict[str, Any]:
    status = fold.status
    return {
        "status": None if status is None else status.value,
        "passed": fold.passed,
        "ran": fold.ran,
    }


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


def _all_of(counts: list[tuple[int, int]], k: int) -> tuple[float, float] | None:
    """Give the interval of pass^k, where k is all epochs of every scenario; else there is none."""
    if any(ran != k for _, ran in counts):
        return None
    return wilson(sum(passed == ran for passed, ran in counts), len(counts))
