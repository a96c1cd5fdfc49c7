r"""Which number an answer states: where it is looked for, and how it is read.

Where. After the last `ANSWER:` (in any case) or `####`, or inside the last `\boxed{...}`, whichever
stands last in the text: there the first number counts, and if there is none the answer states none,
whatever stands earlier. Without such a marker the last number of the text counts.

What. Digits, with a sign (+ - U+2212) and a currency symbol before them, in either order. Groups of
three may be set off by commas, apostrophes, no-break or thin spaces, plain spaces ("1 234 567"), or
LaTeX's `{,}` `\,` `\;` `\!`, one of these throughout. The point is the decimal one. Exponents: 1e5,
`\times 10^{5}` (also x, *, a middle dot, and raised digits). Fractions: `\frac{a}{b}`, and a/b
of whole numbers.

A number that counts and can't be read gives no value, and the reason why; another is not taken in
its place. Such are 1.2.3 and 12,34 and 1.234,56, dates and times, powers and roots, mixed numbers
("2 1/2"), and what has over 400 digits or an exponent beyond 400 either way.

What is no number: digits directly after a letter or after its hyphen (H2O, x2, covid-19) where the
script has spaces between words, an index or exponent of a name, a numeral in words. A hyphen after
a digit is no sign: 10-20 states 10 and 20. What follows a number is its unit, and left out: "20kg"
and "20%" state 20, "5 million" states 5.
"""

import re
from collections import deque
from fractions import Fraction
from math import isfinite

import attrs

from evalkit.jsonvalue import brief
from evalkit.texts.amounts import Amount, amounts, closing, said, worth
from evalkit.texts.extracts import ANSWER

LONGEST = 1_000_000
"""A text of more characters is not read."""

_MARKER = re.compile(rf"{ANSWER}|####|\\boxed ?\{{")


@attrs.frozen
class Stated:
    """The number that a text states, and what it was read from; without a value, why not."""

    value: Fraction | None = None
    said: str = ""
    why: str = ""


def number_in(text: str) -> Stated:
    r"""Give the number that the text states, by the rules of this module; never raises.

    >>> number_in("It costs 3 or 4, so \\boxed{\\$1{,}234.50}").value
    Fraction(2469, 2)
    >>> number_in("First 3. ANSWER: 1.2.3").why
    "'1.2.3' is no number that can be read"
    """
    if len(text) > LONGEST:
        return Stated(why=f"the text has {len(text):,} characters, over {LONGEST:,}")
    markers = deque(_MARKER.finditer(text), maxlen=1)
    if not markers:
        every = deque(amounts(text, 0, len(text)), maxlen=1)
        return _stated(next(iter(every), None), "no number is stated")
    marker = markers[0]
    begin, end = marker.end(), len(text)
    if marker[0].endswith("{"):
        end = closing(text, begin, end)
        if end < 0:
            return Stated(why=f"the last {marker[0]!r} is never closed")
    first = next(amounts(text, begin, end), None)
    return _stated(first, f"no number stands after the last {marker[0]!r}")


def fraction_of(value: float | str) -> Fraction | None:
    """Give the number that a gold is: an int, a finite float as it is written, or a text's.

    >>> fraction_of(0.1), fraction_of("20%"), fraction_of("twenty")
    (Fraction(1, 10), Fraction(20, 1), None)
    """
    if isinstance(value, str):
        return number_in(value).value
    if isinstance(value, bool) or not (isinstance(value, int) or isfinite(value)):
        return None
    return Fraction(value) if isinstance(value, int) else number_in(float.__repr__(value)).value


def _stated(amount: Amount | None, absent: str) -> Stated:
    """Read what counts as the number, or say that nothing does."""
    if amount is None:
        return Stated(why=absent)
    value, text = worth(amount), said(amount)
    if value is None:
        return Stated(None, text, f"{brief(text)} is no number that can be read")
    return Stated(value, text)
