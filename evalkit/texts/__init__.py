"""How an answer in prose is scored: by its words, or by the number that it states.

exact, f1, exact_and_f1   against golds, after a named normaliser
number_in, fraction_of    the number that an answer states, or that a gold is
extract                   the part of an answer that is scored
"""

from evalkit.texts.extracts import EXTRACTS, extract
from evalkit.texts.normalisers import NAMES, NORMALISERS, normaliser
from evalkit.texts.numbers import Stated, fraction_of, number_in
from evalkit.texts.overlap import exact, exact_and_f1, f1

__all__ = [
    "EXTRACTS",
    "NAMES",
    "NORMALISERS",
    "Stated",
    "exact",
    "exact_and_f1",
    "extract",
    "f1",
    "fraction_of",
    "normaliser",
    "number_in",
]
