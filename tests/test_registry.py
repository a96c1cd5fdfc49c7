"""How a wrong name is answered with the nearest known one."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit.registry import counted, hint_for, listing, nearest

FIXED = settings(deadline=None, derandomize=True, max_examples=50)
TOOLS = ["evaluate_cabinet", "design_drawer", "list_parts"]


@pytest.mark.parametrize(
    ("name", "known", "answer"),
    [
        ("evaluate_cabnet", TOOLS, "evaluate_cabinet"),
        ("EVALUATE_CABINET", TOOLS, "evaluate_cabinet"),
        ("drawer", TOOLS, "design_drawer"),
        ("zzz", TOOLS, None),
        ("", TOOLS, None),
        ("x", [], None),
        ("größe", ["Grösse", "other"], "Grösse"),
    ],
)
def test_nearest(name: str, known: list[str], answer: str | None) -> None:
    """The closest name is given as it is written, in whatever case it was asked for; else None."""
    assert nearest(name, known) == answer


@FIXED
@given(st.text(max_size=8), st.lists(st.text(max_size=8), max_size=5))
def test_nearest_is_known(name: str, known: list[str]) -> None:
    """Only a known name is ever given, and a known one is nearest to itself."""
    found = nearest(name, known)
    assert found is None or found in known
    if name and name in known:
        assert found is not None
        assert found.casefold() == name.casefold()


def test_nearest_takes_any_iterable() -> None:
    """The known names may come from a generator, which is read once."""
    assert nearest("oka", (name for name in ["oak", "pine"])) == "oak"


@pytest.mark.parametrize(
    ("name", "known", "hint"),
    [
        ("oka", ["pine", "oak"], "did you mean 'oak'?"),
        ("zzz", ["pine", "oak"], "known: 'oak', 'pine'"),
        ("zzz", [], "there is none"),
    ],
)
def test_hint(name: str, known: list[str], hint: str) -> None:
    """A hint names the nearest, else all there are, sorted, else that there is none."""
    assert hint_for(name, known) == hint


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, ""), (1, "'0'"), (3, "'0', '1', '2'"), (5, "'0', '1', '2' and 2 more")],
)
def test_listing(count: int, text: str) -> None:
    """A listing says how many names it leaves out."""
    assert listing(map(str, range(count)), limit=3) == text


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0 calls"), (1, "1 call"), (2, "2 calls"), (1_000, "1000 calls")]
)
def test_counted(count: int, text: str) -> None:
    """A count stands with its noun in the number that fits: one call, none or many calls."""
    assert counted(count, "call") == text
