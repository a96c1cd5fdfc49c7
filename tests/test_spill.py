"""Texts are given back sorted, whether or not they were all held at once."""

from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit.spill import Spill

FIXED = settings(deadline=None, derandomize=True, max_examples=80)
LINES = st.text(st.characters(exclude_characters="\n", exclude_categories=()), max_size=6)


def spilled(texts: list[str], held: int) -> Spill:
    """All these texts, in this order."""
    spill = Spill(held=held)
    for text in texts:
        spill.add(text)
    return spill


@FIXED
@given(st.lists(LINES, max_size=20), st.integers(1, 25))
def test_it_gives_what_sorted_gives(texts: list[str], held: int) -> None:
    """However few are held, every text comes back as often as it was added, in order."""
    assert list(spilled(texts, held)) == sorted(texts)


def test_odd_line_ends_are_characters() -> None:
    """What some take for a line end is part of a text, and no text is cut at it."""
    texts = ["a\rb", "a\r", "\x0b\x0c", "\x1c\x1d\x1e", "\x85", "\u2028", "\u2029", "", "\r"]
    assert list(spilled(texts, 2)) == sorted(texts)


def test_it_can_be_gone_through_again() -> None:
    """What was sorted once is sorted a second time, with the runs on the disk."""
    spill = spilled(["c", "a", "b", "d", "e"], 2)
    assert list(spill) == list(spill) == ["a", "b", "c", "d", "e"]


def test_nothing_is_nothing() -> None:
    """Where nothing was added, nothing comes back."""
    assert list(Spill()) == []
