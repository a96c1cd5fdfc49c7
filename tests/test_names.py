"""Names that came twice are found among many, at a few bytes for each."""

import tracemalloc
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit.names import Names, folded

FIXED = settings(deadline=None, derandomize=True, max_examples=80)
SHARP_S = "\N{LATIN SMALL LETTER SHARP S}"
COMPOSED, DECOMPOSED = "caf\N{LATIN SMALL LETTER E WITH ACUTE}", "cafe\N{COMBINING ACUTE ACCENT}"


def seen(names: list[str]) -> tuple[Names, bool]:
    """These names, taken in and closed, and whether any may have come twice."""
    found = Names()
    for name in names:
        found.add(name)
    return found, found.close()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a", "A"),
        ("Refund", "rEFUND"),
        (COMPOSED, DECOMPOSED),
        (COMPOSED.upper(), DECOMPOSED),
        (f"stra{SHARP_S}e", "STRASSE"),
        ("a", "a"),
    ],
)
def test_names_that_a_reader_takes_for_one(one: str, other: str) -> None:
    """Fault 42: names that differ by case or by how they are composed have one folded form."""
    assert folded(one) == folded(other)
    found, twice = seen([one, other])
    assert twice
    assert found.maybe(one)
    assert found.maybe(other)


@pytest.mark.parametrize(
    ("one", "other"), [("a", "b"), ("a", "a "), ("1", "01"), ("a/b", "a.b"), ("", " ")]
)
def test_names_that_differ(one: str, other: str) -> None:
    """Other differences count: blanks, digits and signs make another name."""
    found, twice = seen([one, other])
    assert (twice, found.maybe(one), found.maybe(other)) == (False, False, False)


@FIXED
@given(st.lists(st.text("aAbB1\N{LATIN SMALL LETTER E WITH ACUTE}", max_size=3), max_size=30))
def test_exactly_the_twins_are_found(names: list[str]) -> None:
    """Each name that came twice is one that may have, and of so few no other is."""
    found, twice = seen(names)
    counts = Counter(map(folded, names))
    assert twice is any(count > 1 for count in counts.values())
    assert {name for name in names if found.maybe(name)} == {
        name for name in names if counts[folded(name)] > 1
    }


def test_what_never_came_did_not_come_twice() -> None:
    """A name that was not taken in is none that came twice."""
    assert not seen(["a", "a"])[0].maybe("b")


def test_a_name_takes_a_few_bytes() -> None:
    """Of a hundred thousand names no more is kept than about eight bytes each."""
    names = [f"scenario {number}" for number in range(100_000)]
    found = Names()
    tracemalloc.start()
    try:
        for name in names:
            found.add(name)
        found.close()
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < 16 * len(names)
