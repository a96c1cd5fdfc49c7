"""By what an answer is scored where an assertion does not say."""

from typing import Any

import pytest

from evalkit import Assertion, Op, Services, check
from evalkit.operators import OPERATORS
from evalkit.operators.scores import normaliser_of, scoring_of, threshold_of

SCORING = ["exact_match", "f1", "numeric", "semantic", "similar"]
USUAL: dict[str, tuple[float, str, str]] = {
    "exact_match": (1.0, "squad", "exact_match by squad"),
    "f1": (0.5, "squad", "f1 from 0.5 by squad"),
    "similar": (0.8, "raw", "similar from 0.8"),
    "semantic": (0.8, "raw", "semantic from 0.8"),
    "numeric": (1.0, "", "numeric"),
}


def test_the_operators_that_score() -> None:
    """The means of these operators are published, and of no others."""
    assert sorted(op for op, row in OPERATORS.items() if row.scores) == SCORING == sorted(USUAL)


@pytest.mark.parametrize("op", SCORING)
def test_what_is_usual(op: str) -> None:
    """Threshold and normaliser that stand for nothing being said, and how that is told."""
    assertion = Assertion("a", op, "x")
    told = threshold_of(assertion), normaliser_of(assertion), scoring_of(assertion)
    assert told == USUAL[op]


@pytest.mark.parametrize("op", sorted(set(OPERATORS) - set(SCORING)))
def test_other_operators_hold_or_do_not(op: str) -> None:
    """An operator without a score of its own holds at 1, and leaves texts as they are."""
    assertion = Assertion("a", op, "x")
    assert (threshold_of(assertion), normaliser_of(assertion)) == (1.0, "raw")


@pytest.mark.parametrize(
    ("op", "fields", "told"),
    [
        ("f1", {"threshold": 0.25, "normalize": "raw"}, "f1 from 0.25"),
        ("f1", {"threshold": 1}, "f1 by squad"),
        ("f1", {"threshold": 2 / 3}, "f1 from 0.666667 by squad"),
        ("exact_match", {"normalize": "nfkc+squad"}, "exact_match by nfkc+squad"),
        ("similar", {"normalize": "basic"}, "similar from 0.8 by basic"),
        (Op.F1, {}, "f1 from 0.5 by squad"),
    ],
)
def test_what_is_said_counts(op: str, fields: dict[str, Any], told: str) -> None:
    """What an assertion says itself stands in the place of what is usual."""
    assertion = Assertion("a", op, "x", **fields)
    assert scoring_of(assertion) == told
    assert threshold_of(assertion) == fields.get("threshold", threshold_of(Assertion("a", op)))


@pytest.mark.parametrize("op", ["f1", "similar", "semantic"])
def test_the_usual_is_what_the_operator_does(op: str) -> None:
    """Said or not, the usual threshold and normaliser give the same check."""
    services = Services(embed=lambda texts: [[len(text), 1.0] for text in texts])
    unsaid = Assertion("", op, "The Oak tree")
    threshold, normalize, _ = USUAL[op]
    said = unsaid.but(threshold=threshold, normalize=normalize)
    for answer in ("oak", "the oak tree!", "The Oak tree", "elm", "o"):
        one, other = (check(each, answer, services=services) for each in (unsaid, said))
        assert (one.status, one.score, one.reason) == (other.status, other.score, other.reason)
