r"""Where numbers stand in a text, and what each of them is worth.

A text is read once from left to right, by patterns without nested repetition, so that the time is
linear whatever the text is. A number is taken together with all that hangs on it. So what is more
than a number, as 1.2.3, 12:30, 2^10 or \frac{\pi}{4}, is found as a whole and has no worth, and no
part of it is taken for the number that was meant.
"""

import re
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from re import Match

import attrs

MOST_DIGITS = 400
MOST_EXPONENT = 400
_MINUS = ("-", "\N{MINUS SIGN}")
_DEPTHS = {"{": 1, "}": -1}

# for character classes; what is no sign of ours but may be meant as one is in _SIGN_LIKE
_SIGN = r"+\-\u2212"
_SIGN_LIKE = rf"{_SIGN}\xb1\u2213\u2010-\u2013\uff0d"
_CURRENCY = (
    r"$\xa2-\xa5\u058f\u060b\u07fe\u07ff\u09f2\u09f3\u09fb\u0af1\u0bf9\u0e3f\u17db\u20a0-\u20cf"
    r"\ua838\ufdfc\ufe69\uff04\uffe0\uffe1\uffe5\uffe6\U00011fdd-\U00011fe0\U0001e2ff\U0001ecb0"
)
_VULGAR = r"\xbc-\xbe\u2150-\u215f\u2189"
_RAISED = r"\u2070\xb9\xb2\xb3\u2074-\u2079"
_SLASH = r"[/\u2044]"
# scripts that put no space between words: a numeral beside such a letter is one all the same
_UNSPACED = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
    r"\U00020000-\U0003ffff"
)
_LETTER = rf"[^\W\d_{_UNSPACED}]"
_IN_WORD = rf"[^\W{_UNSPACED}]"

# between digits: what groups them in threes, and what else makes one run of them
_GROUPING = r"(?:,?\\!|\\[,;: ]|\{,\}|[,'\u2019 \xa0\u2007\u2009\u202f])"
_JOINT = r"(?:,?\\!|\\[,;: ]|\{,\}|[.,'\u2019_\xa0\u2007\u2009\u202f\u066b\u066c])"
_DIGITS = rf"\d+(?:{_JOINT}\d+)*"
_SPACED = r"(?<!\d[ ])(?!0)\d{1,3}(?:[ ]\d{3}(?!\d))++(?![ ]\d)"
_COMMAND = r"\\(?:[dtc]?frac|sqrt)(?![^\W\d_])|\u221a"

_TOKEN = rf"""(?x)
    # a word with the digits in it or after its hyphen; an index; a power of what is no number
    (?P<word> (?![{_VULGAR}]){_LETTER}{_IN_WORD}* (?:[-\u2010\u2011]{_IN_WORD}+)*
              (?:(?<=\d)[.,]\d+)* (?:(?<=_)\{{[^{{}}]*\}})?
            | [\^_]\{{[^{{}}]*\}} | \^[{_SIGN}]?\w+)
    # a sign counts where nothing is before it that it could be subtracted from
  | (?P<sign> (?:(?<![)\]}}%\xb0.{_SIGN_LIKE}])(?<!{_IN_WORD})[{_SIGN_LIKE}]{{1,2}}
                # a blank after it is none of a bullet's where it opens what is stated
                (?: (?:(?<=[=:({{\#][{_SIGN}])|(?<=[=:({{\#][ ][{_SIGN}]))[ ]{{1,2}} )?)?
              (?:\\?[{_CURRENCY}][ ]?[{_SIGN_LIKE}]?)?)
    (?: (?P<command> {_COMMAND})
      | (?P<vulgar> [{_VULGAR}])
      | (?P<body> (?:{_SPACED}|(?:(?<![\w.)\]}}])\.)?\d+)(?:{_JOINT}\d+)*)
        (?: [ ]?{_SLASH}[ ]?(?P<under>{_DIGITS}))?
        (?: [eE](?P<e>[{_SIGN}]?\d+)
          | [ ]?(?:\\times|\\cdot|[\xd7xX\xb7\u22c5*])[ ]?10
            (?: [ ]?(?:\^|\*\*)[ ]?
                (?: (?P<ten>[{_SIGN}]?\d+) | \{{[ ]?(?P<braced>[{_SIGN}]?\d+)[ ]?\}})
              | (?P<raised>[\u207a\u207b]?[{_RAISED}]+)))?)
"""
_HANGING = rf"""(?x)
    (?: \^(?![{{]?[ ]?\\circ)(?:\{{[^{{}}]*\}}|[{_SIGN}]?\w+|.)?    # powers, no degrees
      | \*\*[{_SIGN}]?\d+ | [\u207a\u207b]?[{_RAISED}]+ | [{_VULGAR}]
      | _\{{[^{{}}]*\}}                                             # a base
      | [ ]?[\xb1\u2213][ ]?\d+                                     # give or take
      | (?:[-\u2010-\u2013]\d+){{2,}} | (?:[/\u2044:.,]\d+)+        # dates, times, ratios
      | [ ]\d+[ ]?{_SLASH}[ ]?\d+                                   # a mixed number
      | (?<=0)[xX][0-9A-Fa-f]+
      | [ ]?(?:\\pi(?![^\W\d_])|\u03c0) | [ ]?(?P<command>{_COMMAND}))
  | (?P<unit> {_LETTER}{_IN_WORD}*)
"""
_PLAIN = rf"(?:(?!0)\d{{1,3}}(?P<by>{_GROUPING})\d{{3}}(?:(?P=by)\d{{3}})*|\d*)(?:\.(?P<part>\d+))?"
_FRACTION = r"\\[dtc]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}"
_SIGNED = rf"(?P<sign>[{_SIGN}]?)(?P<body>\S*)"
_OPENING = r"\s*(?:\[[^\[\]{}]*\]\s*)?\{"
_LOOSE = r"\s?(?:\([^()]*\)|[\w.,]*)"
_BRACE = r"(?s)\\.|[{}]"
_NO_DIGIT = r"\D+"
_AS_ASCII = str.maketrans(
    "\N{MINUS SIGN}\u207b\u207a\u2070\xb9\xb2\xb3\u2074\u2075\u2076\u2077\u2078\u2079",
    "--+0123456789",
)


# compiled when a number is first looked for: the package is imported for other scores as well
_compiled = cache(re.compile)


@attrs.define
class Amount:
    """What stands for a number: its characters, and whether it is more than a number."""

    found: Match[str]
    end: int
    spoilt: bool


def amounts(text: str, start: int, end: int) -> Iterator[Amount]:
    """Give each number between the two offsets, in order, whether or not it can be read.

    >>> list(map(said, amounts("10-20 of H2O, covid-19 at -$5.", 0, 99)))
    ['10', '20', '-$5']
    """
    token, hanging = _compiled(_TOKEN), _compiled(_HANGING)
    while found := token.search(text, start, end):
        start = after = found.end()
        if found["word"] is not None:
            continue
        if found["command"] is not None:
            start = after = _past_groups(text, start, end)
        spoilt = found["vulgar"] is not None
        while more := hanging.match(text, start, end):
            start = more.end() if more["command"] is None else _past_groups(text, more.end(), end)
            if more["unit"] is not None:
                break
            after, spoilt = start, True
        yield Amount(found, after, spoilt)


def said(amount: Amount) -> str:
    """Give the characters of a number, and of what makes it more than one."""
    return amount.found.string[amount.found.start() : amount.end]


def worth(amount: Amount) -> Fraction | None:
    """Give the value of a number, exactly; None where it is no number or too long a one."""
    found = amount.found
    sign = _compiled(rf"[^{_SIGN_LIKE}]+").sub("", found["sign"])
    if amount.spoilt or sign not in {"", "+", *_MINUS}:
        return None
    size = _size(found) if found["command"] is None else _fraction(found)
    return -size if size is not None and sign in _MINUS else size


def closing(text: str, start: int, end: int) -> int:
    """Give the offset of the brace that closes the group around `start`, or -1."""
    depth = 1
    for brace in _compiled(_BRACE).finditer(text, start, end):
        depth += _DEPTHS.get(brace[0], 0)
        if not depth:
            return brace.start()
    return -1


def _past_groups(text: str, start: int, end: int) -> int:
    """Give where the operands of a command end; where a brace is never closed, all is one."""
    after = start
    while opening := _compiled(_OPENING).match(text, after, end):
        last = closing(text, opening.end(), end)
        if last < 0:
            return end
        after = last + 1
    loose = _compiled(_LOOSE).match(text, start, end) if after == start else None
    return loose.end() if loose else after


def _size(found: Match[str]) -> Fraction | None:
    """Give what a number is worth without its sign: plain, over another, or times a power."""
    size = _plain(found["body"])
    power = next(filter(None, map(found.group, ("e", "ten", "braced", "raised"))), None)
    if found["under"] is not None:
        return _over(size, _plain(found["under"]), whole=True) if power is None else None
    if size is None or power is None:
        return size
    if len(power) > MOST_DIGITS:
        return None
    exponent = int(power.translate(_AS_ASCII))
    return size * Fraction(10) ** exponent if abs(exponent) <= MOST_EXPONENT else None


def _fraction(found: Match[str]) -> Fraction | None:
    r"""Give what \frac{a}{b} is worth, where both are numbers."""
    written = _compiled(_FRACTION).match(found.string, found.start("command"), found.endpos)
    if written is None:
        return None
    upper, lower = (_signed(part.strip()) for part in written.groups())
    return _over(upper, lower, whole=False)


def _signed(text: str) -> Fraction | None:
    found = _compiled(_SIGNED).fullmatch(text)
    size = _plain(found["body"]) if found else None
    return -size if found and size is not None and found["sign"] in _MINUS else size


def _over(upper: Fraction | None, lower: Fraction | None, *, whole: bool) -> Fraction | None:
    """Divide, if `whole` only whole numbers."""
    if upper is None or not lower:
        return None
    if whole and (upper.denominator != 1 or lower.denominator != 1):
        return None
    return upper / lower


def _plain(text: str) -> Fraction | None:
    """Give what well-formed digits are worth: grouped in threes or not, a part after the point."""
    found = _compiled(_PLAIN).fullmatch(text)
    digits = _compiled(_NO_DIGIT).sub("", text)
    if found is None or not 0 < len(digits) <= MOST_DIGITS:
        return None
    return Fraction(int(digits), 10 ** len(found["part"] or ""))
