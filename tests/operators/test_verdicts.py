"""How an operator says yes and no."""

from evalkit.operators.verdicts import HOLDS, fails, wrong_type


def test_yes() -> None:
    """A yes has the full score, and no reason."""
    assert (HOLDS.passed, HOLDS.score, HOLDS.reason) == (True, 1.0, "")


def test_no() -> None:
    """A no scores 0 and gives its reason."""
    verdict = fails("too late")
    assert (verdict.passed, verdict.score, verdict.reason) == (False, 0.0, "too late")


def test_wrong_type() -> None:
    """A value of a wrong type is told with its JSON type, shortly."""
    assert wrong_type("a number", "3").reason == "a number is needed, got the string '3'"
    assert len(wrong_type("a number", "x" * 500).reason) < 150
