"""The normalisers against their definitions, written out character by character."""

import re
import string
import unicodedata
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit.model.fields import NORMALISERS as NAMED
from evalkit.texts import NAMES, NORMALISERS, normaliser

ARTICLES = ["a", "an", "the"]
HARD = [
    *("a", "A", "an", "The", "THE", "b", "Z", "9", " ", "  ", "\t", "\n", "\x00", "\x1c", "\x7f"),
    *("-", "_", ".", ",", "'", '"', "*", "`", "#", "$", "\u2013", "\u2014", "\u2019", "\u00ab"),
    *("\u0301", "\u030a", "\u00e9", "\u0130", "\u0131", "\u03a3", "\u00df", "\ufb01", "\u212a"),
    *("\u2028", "\u0085", "\u00a0", "\u200b", "\u3000", "\uff41", "\uff21\uff2e", "\uff0d"),
    *(
        "\u00b2",
        "\u2085",
        "\u00bd",
        "\u0663",
        "\u2160",
        "\u5b57",
        "\U0001d7d8",
        "\ud800",
        "\udc00",
        "\u061c",
    ),
]
hard_texts = st.lists(st.sampled_from(HARD), max_size=12).map("".join)
texts = hard_texts | st.text(max_size=20)


def collapsed(text: str) -> str:
    """The text with one space between its tokens."""
    return " ".join(text.split())


def without_articles(text: str) -> str:
    """The text without the tokens that are articles."""
    return " ".join(token for token in text.split() if token not in ARTICLES)


def kept(text: str) -> str:
    """The alphanumeric characters and the spaces of a text."""
    return "".join(each for each in text if each.isalnum() or each.isspace())


def squad(text: str) -> str:
    """The four steps of the official script, each as it stands there."""
    text = text.lower()
    text = "".join(each for each in text if each not in set(string.punctuation))
    text = re.sub(r"\b(a|an|the)\b", " ", text, flags=re.UNICODE)
    return collapsed(text)


def gaia(text: str) -> str:
    """Raised and lowered digits folded, then `basic`, then the articles dropped."""
    marks = ("SUPERSCRIPT", "SUBSCRIPT")
    folded = [
        str(unicodedata.digit(each))
        if each.isdigit() and unicodedata.name(each, "").startswith(marks)
        else each
        for each in text
    ]
    return without_articles(collapsed(kept("".join(folded)).lower()))


DEFINITIONS: dict[str, Callable[[str], str]] = {
    "raw": lambda text: text,
    "basic": lambda text: collapsed(kept(text).lower()),
    "squad": squad,
    "gaia": gaia,
    "words": lambda text: without_articles(
        "".join(each if each.isalnum() else " " for each in text.lower())
    ),
    "prose": lambda text: collapsed(
        re.sub(r"(?<=\d),(?=\d)", "", "".join(c for c in text.lower() if c not in "*_`#"))
    ),
    "nfc": lambda text: unicodedata.normalize("NFC", text),
    "nfkc": lambda text: unicodedata.normalize("NFKC", text),
    "punctuation": lambda text: "".join(
        each for each in text if not unicodedata.category(each).startswith("P")
    ),
    "distinct": lambda text: " ".join(
        token for i, token in enumerate(text.split()) if token not in text.split()[:i]
    ),
}


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=150, deadline=None)
@given(text=texts)
def test_each_does_what_its_definition_says(name: str, text: str) -> None:
    """On any text, control characters, marks, dashes and half a surrogate pair included."""
    assert normaliser(name)(text) == DEFINITIONS[name](text)


@settings(max_examples=500, deadline=None)
@given(hard_texts)
def test_squad_is_the_official_one_where_it_takes_the_short_way(text: str) -> None:
    """Whatever stands beside an article decides whether it is one, as in the official script."""
    assert normaliser("squad")(text) == squad(text)


@pytest.mark.parametrize("code", range(0x100))
def test_squad_beside_each_character(code: int) -> None:
    """An article between any two characters of Latin-1 is one where the official script says so."""
    text = f"x{chr(code)}a{chr(code)}the {chr(code)}an"
    assert normaliser("squad")(text) == squad(text)


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("raw", " The U.S. ", " The U.S. "),
        ("basic", "State-of-the ART,\tthe 2nd!", "stateofthe art the 2nd"),
        ("squad", "State-of-the ART,\tthe 2nd!", "stateofthe art 2nd"),
        ("squad", "a\x00the\x7fb", "\x00 \x7fb"),
        ("squad", "the caf\u00e9, an \u00e5", "caf\u00e9 \u00e5"),
        ("squad", "a\u2013b", "\u2013b"),
        ("squad", "a\u0301", "\u0301"),
        ("squad", "\u00ab5 %\u00bb", "\u00ab5 \u00bb"),
        ("gaia", "The H\u2082O: 10\u00b2", "h2o 102"),
        ("words", "State-of-the ART,\tthe 2nd!", "state of art 2nd"),
        ("prose", "**Total:**  $2,520, `net` #1", "total: $2520, net 1"),
        ("prose", "1,234,567 or a, b", "1234567 or a, b"),
        ("nfc", "cafe\u0301", "caf\u00e9"),
        ("nfkc", "\uff21\ufb01\u00b2", "Afi2"),
        ("punctuation", "1914\u20131918 (\u00ab$5+\u00bb)", "19141918 $5+"),
        ("distinct", "to be or not to be", "to be or not"),
        ("nfkc+squad", "\uff34\uff48\uff45 C\u0041FE", "cafe"),
        ("basic+distinct", "To be, or not to BE", "to be or not"),
        ("distinct+basic", "To be, or not to BE", "to be or not to be"),
    ],
)
def test_examples(name: str, text: str, expected: str) -> None:
    """Each is another rule, and joined ones are applied from left to right."""
    assert normaliser(name)(text) == expected


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("squda", "squda"),
        ("", ""),
        ("squad+", ""),
        ("+squad", ""),
        ("nfkc+ squad", " squad"),
        ("SQUAD", "SQUAD"),
        ("nfkc+squda+x", "squda"),
    ],
)
def test_an_unknown_part_is_named(name: str, part: str) -> None:
    """What is no name is refused by itself, twice as well as once: never taken for another."""
    for _ in range(2):
        with pytest.raises(KeyError) as raised:
            normaliser(name)
        assert raised.value.args == (part,)


def test_the_names_are_those_of_the_table_and_of_the_model() -> None:
    """What an assertion may name is what there is."""
    assert set(NAMES) == set(NORMALISERS) == NAMED
