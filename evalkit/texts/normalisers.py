"""How two texts are made comparable: one table of named rules, and names joined to stages.

Every system has its own rule, and they differ where it hurts: `state-of-the-art` is one word for
`basic`, four for `words`, and `stateoftheart` for `squad`. So a rule has a name, and none stands in
for another.
"""

import re
import string
from collections.abc import Callable, Sequence
from functools import lru_cache, reduce
from unicodedata import category
from unicodedata import normalize as composed

Normaliser = Callable[[str], str]

JOINT = "+"
REMEMBERED = 128
"""So many joined names are put together once and kept."""

ARTICLES = frozenset({"a", "an", "the"})
_ARTICLE = re.compile(r"\b(?:a|an|the)\b")
_ASCII_PUNCTUATION = string.punctuation.encode("ascii")
# in a class, \w is what str.isalnum takes, and the underscore; \s is what str.isspace takes
_NO_WORD_NOR_SPACE = re.compile(r"(?:[^\w\s]|_)+")
_NO_WORD = re.compile(r"[\W_]+")
_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉", "0123456789" * 2)
_EMPHASIS = re.compile(r"[*_`#]+")
_COMMA_IN_NUMBER = re.compile(r"(?<=\d),(?=\d)")


def raw(text: str) -> str:
    """Leave the text as it is."""
    return text


def basic(text: str) -> str:
    """Keep letters, digits and spaces, in lower case; nothing takes the place of the others.

    >>> basic("State-of the ART!")
    'stateof the art'
    """
    return _collapsed(_NO_WORD_NOR_SPACE.sub("", text).lower())


def squad(text: str) -> str:
    r"""Do what `normalize_answer` of the official SQuAD script does, to the letter.

    In lower case, ASCII punctuation is deleted, and `\b(a|an|the)\b` becomes a space. An article is
    a word of its own only where no word character is beside it, and a dash or a control character
    is none: only where each character is a letter, a digit or a space are the articles certain
    to be whole words, and taken out as such, which is faster.

    >>> squad("The U.S. army, and a\x00b")
    'us army and \x00b'
    """
    return " ".join(squad_tokens((text,))[0])


def squad_tokens(texts: Sequence[str]) -> list[list[str]]:
    """Give the tokens that `squad` leaves of each text, of all in one go, which is faster.

    >>> squad_tokens(["The U.S. army", "a man"])
    [['us', 'army'], ['man']]
    """
    # beside a line end as beside the end of a text, a sigma in lower case is a final one
    kept = _without_ascii_punctuation("\n".join(texts).lower())
    lines = kept.split("\n")
    if len(lines) != len(texts):
        # a text has line ends of its own
        lines = [_without_ascii_punctuation(text.lower()) for text in texts]
    plain = str.isprintable if kept.isascii() else _is_plain
    return [
        [token for token in line.split() if token not in ARTICLES]
        if plain(line)
        else _ARTICLE.sub(" ", line).split()
        for line in lines
    ]


def _without_ascii_punctuation(text: str) -> str:
    """Delete it among the bytes of UTF-8, where no other character has a byte of ASCII."""
    kept = text.encode("utf-8", "surrogatepass").translate(None, _ASCII_PUNCTUATION)
    return kept.decode("utf-8", "surrogatepass")


def _is_plain(line: str) -> bool:
    return line.replace(" ", "").isalnum()


def gaia(text: str) -> str:
    """Fold raised and lowered digits, then do as `basic`, and drop the articles.

    >>> gaia("The H₂O, 10² times")
    'h2o 102 times'
    """
    return " ".join(_without_articles(basic(text.translate(_DIGITS)).split()))


def words(text: str) -> str:
    """Put a space for whatever is no letter or digit, in lower case, and drop the articles.

    >>> words("State-of the ART!")
    'state of art'
    """
    return " ".join(_without_articles(_NO_WORD.sub(" ", text.lower()).split()))


def prose(text: str) -> str:
    """Lower the case, and take off Markdown's emphasis and the commas within numbers.

    >>> prose("**Total:** 2,520 `EUR`, net")
    'total: 2520 eur, net'
    """
    return _collapsed(_COMMA_IN_NUMBER.sub("", _EMPHASIS.sub("", text.lower())))


def nfc(text: str) -> str:
    """Compose: a letter and its accent become one character where there is one."""
    return composed("NFC", text)


def nfkc(text: str) -> str:
    """Compose, and put the plain character for its variants: full-width letters, ligatures."""
    return composed("NFKC", text)


def punctuation(text: str) -> str:
    r"""Delete the punctuation of every script; symbols such as `$` and `+` stay.

    >>> punctuation("1914\N{EN DASH}1918, «$5»")
    '19141918 $5'
    """
    return "".join([each for each in text if category(each)[0] != "P"])


def distinct(text: str) -> str:
    """Keep each token once, where it comes first: F1 over the tokens is then F1 over their set.

    >>> distinct("to be or not to be")
    'to be or not'
    """
    return " ".join(dict.fromkeys(text.split()))


NORMALISERS: dict[str, Normaliser] = {
    "raw": raw,
    "basic": basic,
    "squad": squad,
    "gaia": gaia,
    "words": words,
    "prose": prose,
    "nfc": nfc,
    "nfkc": nfkc,
    "punctuation": punctuation,
    "distinct": distinct,
}
NAMES = tuple(NORMALISERS)


@lru_cache(maxsize=REMEMBERED)
def normaliser(name: str) -> Normaliser:
    r"""Give the rule of a name, or of names joined by `+`, the first of them applied first.

    A part that is no name is a KeyError of that part.

    >>> normaliser("nfkc+squad")("The \N{LATIN SMALL LIGATURE FI}rst!")
    'first'
    """
    return reduce(_then, [NORMALISERS[part] for part in name.split(JOINT)])


def _then(first: Normaliser, second: Normaliser) -> Normaliser:
    """Put one rule after another."""
    return lambda text: second(first(text))


def _collapsed(text: str) -> str:
    return " ".join(text.split())


def _without_articles(tokens: list[str]) -> list[str]:
    return [token for token in tokens if token not in ARTICLES]
