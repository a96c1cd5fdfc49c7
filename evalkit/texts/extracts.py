"""Which part of an answer is scored: a stage with a name, so that it is seen and recorded.

A model that says more than it was asked for fails an exact match. What is cut off is the author's
decision, never the scorer's.
"""

import re
from collections.abc import Callable

Extract = Callable[[str], str | None]

ANSWER = "(?ia:answer:)"
"""The pattern of what models are told to write before their answer, in any case."""

_ANSWER = re.compile(ANSWER)
_TERSE_EDGES = "*_` \t"


def extract(name: str, text: str) -> str | None:
    r"""Give the part of the text that the name stands for; None where nothing is left.

    A name that the table does not hold is a KeyError.

    >>> extract("after_answer", "I think so.\nAnswer: Paris.\nDone")
    'Paris.'
    """
    return EXTRACTS[name](text)


def first_line(text: str) -> str | None:
    r"""Give the first line that is not blank, stripped.

    >>> first_line("\n  Paris \nBecause")
    'Paris'
    """
    lines = map(str.strip, text.split("\n"))
    return next(filter(None, lines), None)


def after_answer(text: str) -> str | None:
    """Give what follows the last `ANSWER:`, in any case, on its line."""
    parts = _ANSWER.split(text)
    return parts[-1].split("\n", maxsplit=1)[0].strip() or None if len(parts) > 1 else None


def terse(text: str) -> str | None:
    """Give the first line without its emphasis, as zeph-bench takes it.

    >>> terse("**Answer** is `Paris`_")
    'Answer is Paris'
    """
    line = (first_line(text) or "").strip(_TERSE_EDGES)
    # one after the other: taking away a backtick may bring two asterisks together
    return line.replace("**", "").replace("`", "").strip() or None


EXTRACTS: dict[str, Extract] = {
    "first_line": first_line,
    "after_answer": after_answer,
    "terse": terse,
}
