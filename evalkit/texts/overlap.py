"""How near an answer comes to the golds: exact match, and F1 over tokens, the best of the golds.

The definitions are those of the official SQuAD v2.0 script, which takes a pair at a time; here each
text is normalised once for all of its pairs.
"""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from evalkit.jsonvalue import brief
from evalkit.texts.normalisers import normaliser, squad_tokens

SQUAD = "squad"
"""Of texts by this rule nothing is left but their tokens: two are equal where those are."""
SHORT = 16
"""A gold of at most so many tokens is crossed off token by token, which is faster than counting."""
REMEMBERED = 1_024
LONGEST_REMEMBERED = 2_000
"""The scores of so many answers are kept, none of them of more characters than this."""


def exact(prediction: str, golds: Sequence[str], normalize: str) -> bool:
    """Say whether the prediction, normalised, equals one of the golds.

    >>> exact("The Eiffel Tower.", ["Big Ben", "Eiffel Tower"], "squad")
    True
    """
    return _scores(prediction, golds, normalize)[0]


def f1(prediction: str, golds: Sequence[str], normalize: str) -> float:
    """Give the F1 of the prediction's tokens against those of the gold it meets best.

    Tokens are counted as often as they occur. Where one side has none, F1 is 1.0 if neither has,
    else 0.0, as in SQuAD v2.0.

    >>> f1("Paris Paris Paris Paris Paris", ["Paris"], "squad")
    0.33333333333333337
    """
    return _scores(prediction, golds, normalize)[1]


def exact_and_f1(prediction: str, golds: Sequence[str], normalize: str) -> tuple[bool, float]:
    """Give both in one go.

    No gold is a ValueError, and one text where several are meant a TypeError. An unknown part of
    `normalize` is a KeyError.

    >>> exact_and_f1("in 1066", ["1066", "October 1066"], "squad")
    (False, 0.6666666666666666)
    """
    if isinstance(golds, str):
        raise TypeError(f"golds are a sequence of texts, got {brief(golds)}")
    if not golds:
        raise ValueError("there is no gold to compare with")
    texts = (prediction, *golds)
    if normalize == SQUAD:
        said, *wanted = squad_tokens(texts)
        return (True, 1.0) if said in wanted else (False, _best_f1(said, wanted))
    first, *others = map(normaliser(normalize), texts)
    if first in others:
        return True, 1.0
    return False, _best_f1(first.split(), [other.split() for other in others])


def _scores(prediction: str, golds: Sequence[str], normalize: str) -> tuple[bool, float]:
    """Give both, from memory where they were asked for just now, as EM and F1 mostly are."""
    if isinstance(golds, str) or len(prediction) > LONGEST_REMEMBERED:
        return exact_and_f1(prediction, golds, normalize)
    return _remembered(prediction, tuple(golds), normalize)


_remembered = lru_cache(maxsize=REMEMBERED)(exact_and_f1)


def _best_f1(tokens: list[str], golds: list[list[str]]) -> float:
    """Give the greatest F1 of the tokens against any of the golds."""
    best = 0.0
    for wanted in golds:
        if same := _common(tokens, wanted):
            precision, recall = same / len(tokens), same / len(wanted)
            score = 2 * precision * recall / (precision + recall)
            # a call of max for each gold would cost more than the rest of the line
            if score > best:  # noqa: PLR1730
                best = score
        elif not tokens and not wanted:
            return 1.0
    return best


def _common(tokens: list[str], wanted: list[str]) -> int:
    """Count the tokens that both have, each as often as both have it."""
    if len(wanted) > SHORT:
        return (Counter(tokens) & Counter(wanted)).total()
    left = wanted.copy()
    for token in tokens:
        if token in left:
            left.remove(token)
    return len(wanted) - len(left)
