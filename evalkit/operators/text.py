"""The operators on texts: an answer held against gold answers, with a score from 0 to 1.

This module is imported when one of them is first used: `table.OPERATORS` names them.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import hypot
from typing import Any

from evalkit.jsonvalue import Json, brief, is_number
from evalkit.model import Assertion, Op, Ref
from evalkit.operators.operands import Flaw
from evalkit.operators.scores import RAW, normaliser_of, threshold_of
from evalkit.operators.verdicts import HOLDS, fails, wrong_type
from evalkit.protocols import Context, Embed, OperatorFunction
from evalkit.result import Verdict
from evalkit.texts import exact, extract, f1, fraction_of, normaliser, number_in

MAY_BE_EMPTY = "squad"
"""The normaliser under which an empty gold is one: the answer to what can't be answered."""
NEAR = 1e-9
"""Scores that differ by less are one: a mean of thirds is not to fail its own threshold."""
KEPT = 4_096


def exact_match(actual: Json, assertion: Assertion, _: Context) -> Verdict:
    """Hold where the answer equals a gold, both normalised."""
    return _scored(actual, assertion, _exact)


def token_f1(actual: Json, assertion: Assertion, _: Context) -> Verdict:
    """Hold where the tokens of answer and gold overlap enough: SQuAD's F1, best over the golds."""
    return _scored(actual, assertion, f1)


def similar(actual: Json, assertion: Assertion, _: Context) -> Verdict:
    """Hold where few edits lead to a gold: 1 - Levenshtein distance / length of the longer text."""
    return _scored(actual, assertion, _similarity)


def numeric(actual: Json, assertion: Assertion, _: Context) -> Verdict:
    """Hold where the number that the answer states equals a gold's, or is within the tolerance."""
    if is_number(actual):
        value, said = fraction_of(actual), brief(actual)
    else:
        answer = taken(actual, assertion)
        if isinstance(answer, Verdict):
            return answer
        stated = number_in(answer)
        if stated.value is None:
            return fails(f"{stated.why}, in {brief(answer)}")
        value, said = stated.value, repr(stated.said)
    golds = _listed(assertion.expected)
    if value is not None and any(_near(value, fraction_of(gold), assertion) for gold in golds):
        return HOLDS
    return fails(f"states {said}, which is {_none_of(golds)}")


def _near(value: Fraction, gold: Fraction | None, assertion: Assertion) -> bool:
    if gold is None:
        return False
    off = abs(value - gold)
    wide = fraction_of(assertion.tolerance or 0) or Fraction(0)
    share = fraction_of(assertion.rel or 0) or Fraction(0)
    return off == 0 or off < max(wide, share * abs(gold))


def semantic(embed: Embed) -> OperatorFunction:
    """Make the operator that holds where the embeddings of answer and gold point the same way."""
    known: dict[str, list[float]] = {}

    def vectors_of(texts: Sequence[str]) -> list[list[float]]:
        unknown = [text for text in dict.fromkeys(texts) if text not in known]
        if len(known) + len(unknown) > KEPT:
            known.clear()
            unknown = list(dict.fromkeys(texts))
        known.update(zip(unknown, _embedded(embed, unknown), strict=True))
        return [known[text] for text in texts]

    def likeness(answer: str, golds: Sequence[str], normalize: str) -> float:
        normalised = normaliser(normalize)
        if not normalised(answer).strip():  # there is nothing that could mean anything
            return 0.0
        first, *others = vectors_of([normalised(text) for text in (answer, *golds)])
        return max(_cosine(first, other) for other in others)

    return lambda actual, assertion, _: _scored(actual, assertion, likeness)


def _embedded(embed: Embed, texts: list[str]) -> list[list[float]]:
    """Ask for the vectors of texts, and refuse what is none."""
    vectors = [[_component(value) for value in vector] for vector in embed(texts)] if texts else []
    if len(vectors) != len(texts):
        raise ValueError(f"embed gave {len(vectors)} vectors for {len(texts)} texts")
    for vector in vectors:
        if not any(vector) or any(value - value != 0 for value in vector):
            raise ValueError(f"embed gave a vector of no direction: {brief(vector)}")
    return vectors


def _component(value: Any) -> float:  # noqa: ANN401
    """Take a number of whatever package; a text or a bool is none, though Python takes it."""
    if isinstance(value, str | bytes | bool):
        raise TypeError(f"embed gave {brief(value)} where a number is to be")
    return float(value)


def _cosine(left: list[float], right: list[float]) -> float:
    """Give the cosine of the angle between two vectors, 0 where it is wider than a right one."""
    product = sum(one * other for one, other in zip(left, right, strict=True))
    return min(1.0, max(0.0, product / (hypot(*left) * hypot(*right))))


def on_normalised(function: OperatorFunction) -> OperatorFunction:
    """Put an operator for texts to both sides normalised, after what is to be taken out."""

    def put(actual: Json, assertion: Assertion, context: Context) -> Verdict:
        answer = taken(actual, assertion)
        if isinstance(answer, Verdict):
            return answer
        normalised = normaliser(assertion.normalize or RAW)
        wanted: Any = assertion.expected
        wanted = normalised(wanted) if type(wanted) is str else list(map(normalised, wanted))
        return function(normalised(answer), assertion.but(expected=wanted), context)

    return put


def taken(actual: Json, assertion: Assertion) -> str | Verdict:
    """Give the text to be judged, or what is to be taken out of it; a verdict where none is."""
    if type(actual) is not str:
        return wrong_type("a text", actual)
    if assertion.extract is None:
        return actual
    found = extract(assertion.extract, actual)
    if found is None:
        return fails(f"nothing is left of {brief(actual)} by {assertion.extract!r}")
    return found


def _scored(
    actual: Json, assertion: Assertion, score_of: Callable[[str, Sequence[str], str], float]
) -> Verdict:
    """Score an answer against its golds, and hold the score against the threshold."""
    golds = _listed(assertion.expected)
    answer = taken(actual, assertion)
    if isinstance(answer, Verdict):
        if "" not in golds or type(actual) is not str or actual.strip():
            return answer
        answer = ""  # to say nothing is what is wanted, and nothing can be taken out of it
    normalize = normaliser_of(assertion)
    score = score_of(answer, golds, normalize)
    wanted = threshold_of(assertion)
    if score > 0 and score >= wanted - NEAR:
        return Verdict(passed=True, score=score)
    shown = brief(normaliser(normalize)(answer))
    if wanted == 1.0:
        reason = f"{shown} is {_none_of(golds)}, by {normalize!r}"
    else:
        reason = (
            f"scores {score:.2f}, below {wanted:g}: {shown} to {_best(golds)}, by {normalize!r}"
        )
    return Verdict(passed=False, score=score, reason=reason)


def _exact(answer: str, golds: Sequence[str], normalize: str) -> float:
    return float(exact(answer, golds, normalize))


def _similarity(answer: str, golds: Sequence[str], normalize: str) -> float:
    from rapidfuzz.distance import Levenshtein  # noqa: PLC0415  - 15 ms, for this operator alone

    normalised = normaliser(normalize)
    text = normalised(answer)
    similarity = Levenshtein.normalized_similarity
    return max(float(similarity(text, normalised(gold))) for gold in golds)


def _listed(expected: Any) -> list[Any]:  # noqa: ANN401
    return expected if type(expected) is list else [expected]


def _none_of(golds: Sequence[Json]) -> str:
    return f"not {brief(golds[0])}" if len(golds) == 1 else f"none of {brief(golds)}"


def _best(golds: Sequence[str]) -> str:
    return brief(golds[0]) if len(golds) == 1 else f"the nearest of {brief(golds)}"


def golds_flaw(assertion: Assertion) -> Flaw | None:
    """Find what is wrong with gold answers: one text or several, of which something is left."""
    golds = _listed(assertion.expected)
    if not golds:
        return Flaw("there is no gold answer", "what nothing is held against is not measured")
    normalize = normaliser_of(assertion)
    for gold in golds:
        if type(gold) is Ref:
            continue
        if type(gold) is not str:
            return Flaw(f"expected a text, or a list of texts, got {brief(gold)}")
        if not gold.strip() and (gold or MAY_BE_EMPTY not in normalize.split("+")):
            return Flaw(f"the gold {gold!r} is blank", "an empty answer would do")
        if gold and not normaliser(normalize)(gold):
            hint = "an empty answer would do; give another normalize"
            return Flaw(f"nothing is left of the gold {gold!r} by {normalize!r}", hint)
    if len(golds) > 1 and "" in golds:
        return Flaw("an empty gold beside others", "alone it says that there is no answer")
    return None


def members_flaw(assertion: Assertion) -> Flaw | None:
    """Find what of a text to be contained is left by the normaliser: nothing is in every text."""
    normalised = normaliser(assertion.normalize or RAW)
    members = _listed(assertion.expected)
    if assertion.op in (Op.CONTAINS, Op.NOT_CONTAINS):
        members = [assertion.expected]
    for member in members:
        if type(member) is Ref:
            continue
        if type(member) is not str:
            problem = f"normalize and extract are for texts, and {brief(member)} is none"
            return Flaw(problem, "leave them out")
        if not normalised(member):
            return Flaw(f"nothing is left of {member!r} by {assertion.normalize!r}")
    return None


def numbers_flaw(assertion: Assertion) -> Flaw | None:
    """Find a gold that states no number."""
    golds = _listed(assertion.expected)
    if not golds:
        return Flaw("there is no gold answer", "what nothing is held against is not measured")
    for gold in golds:
        if type(gold) is Ref:
            continue
        if (type(gold) is not str and not is_number(gold)) or fraction_of(gold) is None:
            return Flaw(f"the gold {brief(gold)} states no number")
    return None
