"""How sure a rate is: intervals, pass^k, pass@k and early decisions, against plain definitions."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations, pairwise
from math import comb, sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit.intervals import ERROR, MOST_EPOCHS, Z_95, decided, pass_at, pass_hat, wilson

RATES = [0.5, 0.8, 0.9, 0.99]
LOOKS = 80
"""How often a verdict is asked for in a row, in what is counted out exactly."""

counts = st.integers(1, 2_000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


# from Newcombe (1998), table I: the score method without continuity correction
@pytest.mark.parametrize(
    ("passed", "total", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_of_the_literature(passed: int, total: int, low: float, high: float) -> None:
    """The intervals are those that were published for these counts."""
    assert wilson(passed, total) == pytest.approx((low, high), abs=5e-5)


def test_wilson_of_nothing() -> None:
    """Where nothing was counted there is no interval."""
    assert wilson(0, 0) is None


@given(counts)
@settings(max_examples=50, deadline=None)
def test_wilson_is_what_a_score_test_does_not_refuse(count: tuple[int, int]) -> None:
    """Each bound is the rate whose own standard error puts it at 1.96 from what was seen."""
    passed, total = count
    bounds = wilson(passed, total)
    assert bounds is not None
    for bound in bounds:
        if 1e-9 < bound < 1 - 1e-9:
            error = sqrt(bound * (1 - bound) / total)
            assert abs(passed / total - bound) / error == pytest.approx(Z_95, rel=1e-6)


@given(counts)
@settings(max_examples=50, deadline=None)
def test_wilson_holds_the_rate_within_0_and_1(count: tuple[int, int]) -> None:
    """Low, rate and high are in this order, and passing and failing are each other's mirror."""
    passed, total = count
    low, high = wilson(passed, total) or (2.0, -1.0)
    assert 0 <= low <= passed / total + 1e-12
    assert passed / total - 1e-12 <= high <= 1
    assert wilson(total - passed, total) == pytest.approx((1 - high, 1 - low), abs=1e-12)


def drawn(passed: int, total: int, k: int) -> Iterator[tuple[bool, ...]]:
    """Every way to draw k of the epochs that were run."""
    return combinations([True] * passed + [False] * (total - passed), k)


@pytest.mark.parametrize(("estimate", "of"), [(pass_hat, all), (pass_at, any)], ids=["hat", "at"])
@pytest.mark.parametrize("total", range(1, 9))
def test_pass_k_is_the_share_of_all_draws(
    estimate: Callable[[int, int, int], float], of: Callable[[tuple[bool, ...]], bool], total: int
) -> None:
    """Counted out: the draws of k epochs in which all, or one at least, passed."""
    for passed in range(total + 1):
        for k in range(1, total + 1):
            draws = list(map(of, drawn(passed, total, k)))
            assert estimate(passed, total, k) == pytest.approx(sum(draws) / len(draws))


@pytest.mark.parametrize(("estimate", "power"), [(pass_hat, 1), (pass_at, 0)], ids=["hat", "at"])
def test_pass_k_is_unbiased(estimate: Callable[[int, int, int], float], power: int) -> None:
    """Its mean over all outcomes is the true chance: rate^k, or 1 - (1 - rate)^k."""
    rate, total, k = 0.3, 7, 3
    mean = sum(
        comb(total, passed)
        * rate**passed
        * (1 - rate) ** (total - passed)
        * estimate(passed, total, k)
        for passed in range(total + 1)
    )
    assert mean == pytest.approx(rate**k if power else 1 - (1 - rate) ** k)


def test_pass_k_of_as_many_epochs_as_can_be() -> None:
    """Counts of a thousand neither overflow nor lose what they say."""
    assert pass_hat(MOST_EPOCHS, MOST_EPOCHS, 500) == 1
    assert pass_hat(MOST_EPOCHS - 1, MOST_EPOCHS, 500) == pytest.approx(0.5)
    assert pass_at(1, MOST_EPOCHS, 500) == pytest.approx(0.5)
    assert pass_at(0, MOST_EPOCHS, 500) == 0


def integral(passed: int, failed: int, low: Fraction, high: Fraction) -> Fraction:
    """The likelihood of so many passes and failures, summed over all rates between two."""
    terms = (
        Fraction((-1) ** j * comb(failed, j), passed + j + 1)
        * (high ** (passed + j + 1) - low ** (passed + j + 1))
        for j in range(failed + 1)
    )
    return sum(terms, Fraction(0))


def verdict(passed: int, total: int, rate: Fraction) -> int:
    """The definition in fractions: the mean likelihood on a side, 20 times that at the rate."""
    failed, bar = total - passed, rate**passed * (1 - rate) ** (total - passed) * 20
    if integral(passed, failed, rate, Fraction(1)) / (1 - rate) >= bar:
        return 1
    return -1 if integral(passed, failed, Fraction(0), rate) / rate >= bar else 0


@pytest.mark.parametrize("rate", RATES)
def test_a_decision_is_that_of_the_definition(rate: float) -> None:
    """Up to 19 epochs, and here and there up to 120, it is the exact ratio that decides."""
    exact = Fraction(str(rate))
    totals = [*range(1, 20), 40, 120]
    for total in totals:
        for passed in range(0, total + 1, 1 if total < 40 else 9):
            assert decided(passed, total, rate) == verdict(passed, total, exact), (passed, total)


def step(chances: dict[int, float], total: int, truth: float) -> dict[int, float]:
    """One epoch more: the chance of each number of passes, among those that are undecided."""
    after = dict.fromkeys(range(total + 1), 0.0)
    for passed, chance in chances.items():
        after[passed] += chance * (1 - truth)
        after[passed + 1] += chance * truth
    return after


@cache
def outcomes(truth: float, rate: float) -> dict[int, float]:
    """The chance of each verdict within so many looks, counted out over every sequence."""
    found = {1: 0.0, -1: 0.0}
    chances = {0: 1.0}
    for total in range(1, LOOKS + 1):
        after = step(chances, total, truth)
        said = {passed: decided(passed, total, rate) for passed in after}
        for passed, side in said.items():
            if side:
                found[side] += after[passed]
        chances = {passed: after[passed] for passed, side in said.items() if not side}
    return found


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("off", [0.0, 0.005, 0.05, 0.2])
def test_a_decision_is_seldom_wrong_at_and_below_the_rate(rate: float, off: float) -> None:
    """Asked after every epoch, "above" is said of a rate that is not by the bound at most."""
    assert outcomes(rate - off, rate)[1] <= ERROR


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("off", [0.0, 0.005, 0.05, 0.2])
def test_a_decision_is_seldom_wrong_at_and_above_the_rate(rate: float, off: float) -> None:
    """Asked after every epoch, "below" is said of a rate that is not by the bound at most."""
    assert outcomes(min(1.0, rate + off), rate)[-1] <= ERROR


@pytest.mark.parametrize(
    ("truth", "rate", "side"),
    [(1.0, 0.5, 1), (1.0, 0.9, 1), (0.0, 0.5, -1), (0.5, 0.9, -1), (0.9, 0.5, 1)],
)
def test_a_clear_case_is_decided_nearly_always(truth: float, rate: float, side: int) -> None:
    """Who is far from the rate is told so: else a bound on errors would be worth nothing."""
    assert outcomes(truth, rate)[side] > 0.99


@pytest.mark.parametrize("total", [1, 7, 40, MOST_EPOCHS])
@pytest.mark.parametrize("rate", [0.001, *RATES, 0.999])
def test_more_passes_never_speak_against(total: int, rate: float) -> None:
    """Among as many epochs, more passes never turn a verdict down."""
    passes = sorted({*range(0, total + 1, max(1, total // 16)), total})
    verdicts = [decided(passed, total, rate) for passed in passes]
    assert all(fewer <= more for fewer, more in pairwise(verdicts))


@pytest.mark.parametrize("rate", RATES)
def test_more_of_the_same_stays_decided(rate: float) -> None:
    """Who has only passed, or only failed, and was decided, is so with every further epoch."""
    above = [decided(total, total, rate) for total in range(1, 600, 13)]
    below = [decided(0, total, rate) for total in range(1, 200, 3)]
    assert above == sorted(above)
    assert above[-1] == 1
    assert below == sorted(below, reverse=True)
    assert below[-1] == -1


@pytest.mark.parametrize(
    ("passed", "rate", "side"),
    [
        (1_000, 0.9, 1),
        (999, 0.99, 1),
        (950, 0.9, 1),
        (900, 0.9, 0),
        (500, 0.5, 0),
        (850, 0.9, -1),
        (0, 0.001, 0),
        (0, 0.999, -1),
        (0, 0.1, -1),
        (300, 0.001, 1),
        (1_000, 0.001, 1),
        (1_000, 0.999, 0),
    ],
)
def test_a_thousand_epochs_are_decided_soundly(passed: int, rate: float, side: int) -> None:
    """At the most epochs there can be, verdicts are what common sense says, without overflow."""
    assert decided(passed, MOST_EPOCHS, rate) == side
