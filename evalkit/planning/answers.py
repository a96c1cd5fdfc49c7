"""What gold answers come down to: assertions on the response, reported like any other."""

from typing import Any

from evalkit.model import Answers, Assertion, Op

RESPONSE = "response"
NORMALIZE = "squad"
"""By what the texts are normalised where `Answers` does not say."""
_TEXTUAL = {"exact_match": Op.EXACT_MATCH, "f1": Op.F1, "contains": Op.CONTAINS_ANY}
_OTHERWISE = {"numeric": Op.NUMERIC, "similar": Op.SIMILAR, "semantic": Op.SEMANTIC}
RECORDED = (Op.EXACT_MATCH, Op.F1)
"""The operators whose means people publish: recorded whichever decides."""


def assertions_of(answers: Answers) -> tuple[Assertion, ...]:
    """Give the assertion that decides, and exact match and F1 beside it, which change no verdict.

    >>> [str(each.op) for each in assertions_of(Answers(["Paris"], match="contains"))]
    ['contains_any', 'exact_match', 'f1']
    """
    deciding = _deciding(answers)
    texts = list(map(str, answers.golds))
    beside = [
        Assertion(
            RESPONSE,
            op,
            texts,
            "recorded",
            normalize=answers.normalize or NORMALIZE,
            extract=answers.extract,
            weight=0,
            severity="warn",
        )
        for op in RECORDED
        if op is not deciding.op
    ]
    return (deciding, *beside)


def _deciding(answers: Answers) -> Assertion:
    said: dict[str, Any] = {"extract": answers.extract}
    if answers.match in _TEXTUAL:
        op, said["normalize"] = _TEXTUAL[answers.match], answers.normalize or NORMALIZE
    else:
        op = _OTHERWISE[answers.match]
        if answers.match != "numeric":
            said["normalize"] = answers.normalize
    if answers.threshold is not None:
        said["threshold"] = answers.threshold
    return Assertion(RESPONSE, op, list(answers.golds), "answers", **said)
