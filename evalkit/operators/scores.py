"""By what an answer is scored where an assertion does not say: its threshold, its normaliser."""

from evalkit.model import Assertion, Op

RAW = "raw"
USUAL_NORMALISER: dict[str, str] = {Op.EXACT_MATCH: "squad", Op.F1: "squad", Op.NUMERIC: ""}
"""By what both texts are normalised where an assertion does not say; elsewhere they stay raw. There
is none for numbers."""
THRESHOLDS: dict[str, float] = {Op.F1: 0.5, Op.SIMILAR: 0.8, Op.SEMANTIC: 0.8}
"""The score from which an operator holds where an assertion does not say; elsewhere it is 1."""


def usual_normaliser(op: str) -> str:
    """Name by what an operator normalises where an assertion does not say."""
    return USUAL_NORMALISER.get(op, RAW)


def normaliser_of(assertion: Assertion) -> str:
    """Name by what the texts of an assertion are normalised."""
    return assertion.normalize or usual_normaliser(assertion.op)


def threshold_of(assertion: Assertion) -> float:
    """Give the score from which an assertion holds."""
    if assertion.threshold is not None:
        return assertion.threshold
    return THRESHOLDS.get(assertion.op, 1.0)


def scoring_of(assertion: Assertion) -> str:
    """Say in words by what an answer is scored.

    >>> scoring_of(Assertion("response", Op.F1, "Paris"))
    'f1 from 0.5 by squad'
    """
    threshold, normalize = threshold_of(assertion), normaliser_of(assertion)
    words = [str(assertion.op)]
    words += [f"from {threshold:g}"] if threshold < 1 else []
    words += [f"by {normalize}"] if normalize not in ("", RAW) else []
    words += [f"after {assertion.extract!r}"] if assertion.extract is not None else []
    return " ".join(words)
