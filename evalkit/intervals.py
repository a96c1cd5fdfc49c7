"""How sure a rate is: Wilson intervals, pass^k and pass@k, and when enough epochs have been run."""

from functools import cache
from math import comb, fsum, inf, log, log1p, sqrt

Z_95 = 1.959963984540054
ERROR = 0.05
"""The chance, at most, that a decision of `decided` is wrong, either way."""

MOST_EPOCHS = 1_000


def wilson(passed: float, total: int) -> tuple[float, float] | None:
    """Give the 95% interval of a rate after Wilson (1927); None where nothing was counted.

    >>> [round(bound, 3) for bound in wilson(9, 10)]
    [0.596, 0.982]
    """
    if not total:
        return None
    rate, square = passed / total, Z_95 * Z_95
    centre = (rate + square / (2 * total)) / (1 + square / total)
    spread = rate * (1 - rate) / total + square / (4 * total * total)
    half = Z_95 * sqrt(spread) / (1 + square / total)
    return max(0.0, centre - half), min(1.0, centre + half)


def pass_hat(passed: int, total: int, k: int) -> float:
    """Give the chance that k epochs all pass, C(passed, k) / C(total, k): the pass^k of tau-bench.

    >>> pass_hat(3, 4, 2)
    0.5
    """
    return comb(passed, k) / comb(total, k)


def pass_at(passed: int, total: int, k: int) -> float:
    """Give the chance that one of k epochs passes, 1 - C(failed, k) / C(total, k), unbiased.

    The estimator of pass@k that came with HumanEval (2021).

    >>> round(pass_at(1, 4, 2), 3)
    0.5
    """
    return 1 - comb(total - passed, k) / comb(total, k)


@cache
def decided(passed: int, total: int, rate: float) -> int:
    """Say on which side of `rate` the pass rate is: 1 above or at it, -1 below, 0 not sure yet.

    May be asked after every epoch: a decision is wrong with a chance of at most `ERROR`, however
    often it was asked. It is a test by betting: the likelihood of what was seen, averaged over all
    rates on one side, against the likelihood at `rate` itself, is a martingale (or falls) where the
    truth is on the other side, and by Ville's inequality reaches 1 / ERROR that seldom. `rate` is
    between 0 and 1, neither included; `total` is at most `MOST_EPOCHS`.

    >>> decided(7, 7, 0.5), decided(6, 6, 0.5), decided(0, 7, 0.5)
    (1, 0, -1)
    """
    at_rate = passed * log(rate) + (total - passed) * log1p(-rate)
    whole = -log((total + 1) * comb(total, passed))
    beneath = _at_most(passed, total + 1, rate)
    if whole + _log(beneath) - log1p(-rate) >= at_rate - log(ERROR):
        return 1
    return -1 if whole + _log(1 - beneath) - log(rate) >= at_rate - log(ERROR) else 0


def _at_most(passed: int, total: int, rate: float) -> float:
    """Give the chance that at most so many of `total` tries pass."""
    chances = (comb(total, k) * rate**k * (1 - rate) ** (total - k) for k in range(passed + 1))
    return min(1.0, fsum(chances))


def _log(value: float) -> float:
    return log(value) if value > 0 else -inf
