"""How a name is looked up in a table, and what a wrong one is answered with."""

from collections.abc import Iterable
from itertools import islice

CLOSE_ENOUGH = 0.6
LISTED = 8
COMPARED = 1_000
"""Of more names than these, only some that begin alike are looked at."""


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Give the known name closest to `name`, or None where none is close.

    >>> nearest("evaluate_cabnet", ["evaluate_cabinet", "design_drawer"])
    'evaluate_cabinet'
    """
    from difflib import get_close_matches  # noqa: PLC0415  - only a mistake pays for the import

    by_folded = {str(candidate).casefold(): str(candidate) for candidate in known}
    folded = name.casefold()
    if len(by_folded) > COMPARED:
        alike = (each for each in by_folded.items() if each[0][:1] == folded[:1])
        by_folded = dict(islice(alike, COMPARED))
    close = get_close_matches(folded, by_folded, n=1, cutoff=CLOSE_ENOUGH)
    if not close:
        close = [candidate for candidate in by_folded if folded and folded in candidate][:1]
    return by_folded[close[0]] if close else None


def hint_for(name: str, known: Iterable[str]) -> str:
    """Say what would have been accepted: the nearest name, else the first few there are."""
    names = sorted(map(str, known))
    close = nearest(name, names)
    if close is not None:
        return f"did you mean {close!r}?"
    return f"known: {listing(names)}" if names else "there is none"


def listing(names: Iterable[str], limit: int = LISTED) -> str:
    """Write names as a short list that says how many it leaves out."""
    shown = list(map(str, names))
    text = ", ".join(repr(name) for name in shown[:limit])
    return f"{text} and {len(shown) - limit} more" if len(shown) > limit else text


def counted(count: int, noun: str) -> str:
    """Write a count with its noun.

    >>> counted(1, "scenario"), counted(2, "scenario")
    ('1 scenario', '2 scenarios')
    """
    return f"{count} {noun}{'s' * (count != 1)}"
