"""How expected calls and those that were made are shown side by side, each by what it is to."""

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

from evalkit.operators.trajectory import pairs
from evalkit.operators.wanted import Wanted, misfit, wanted_of
from evalkit.registry import counted
from evalkit.reports.calls import call_text

MOST_ROWS = 20
SPARED = 2
"""So few rows that are alike are written out all the same."""
QUIET = {"=": "as expected", " ": "beside them"}


def aligned(expected: list[Any], actual: list[Any], order: str) -> Iterator[str]:
    """Yield a row for each call: `=` as expected, `-` expected and not made, `+` made instead.

    A call that was made instead of an expected one stands below it, with what keeps it from being
    it. One beside the expected ones is marked where it is not allowed. Of many rows, those that are
    as expected are counted first, so that what is wrong is not what is cut off.
    """
    wanted = [wanted_of(each) for each in expected]
    found = pairs(wanted, actual, order)
    instead = _instead(wanted, actual, found)
    rows = list(_rows(expected, wanted, actual, (found, instead), order))
    if len(rows) > MOST_ROWS:
        rows = list(_shortened(rows))
    yield from rows[:MOST_ROWS]
    if len(rows) > MOST_ROWS:
        yield f"and {counted(len(rows) - MOST_ROWS, 'more row')}"


def _shortened(rows: list[str]) -> Iterator[str]:
    """Count the calls that are as expected, or beside them and allowed, where several are alike."""
    for mark, group in groupby(rows, key=itemgetter(0)):
        alike = list(group)
        if mark in QUIET and len(alike) > SPARED:
            yield f"{mark} {counted(len(alike), 'call')} {QUIET[mark]}"
        else:
            yield from alike


def _rows(
    expected: list[Any],
    wanted: list[Wanted],
    actual: list[Any],
    matches: tuple[list[int | None], dict[int, int]],
    order: str,
) -> Iterator[str]:
    found, instead = matches
    known = {*found, *instead.values()}
    shown = 0
    for index, at in enumerate(found):
        place = at if at is not None else instead.get(index)
        if place is not None and order != "any_order":
            yield from _extra(actual, range(shown, place), known, order)
            shown = max(shown, place + 1)
        if at is not None:
            yield f"= {call_text(actual[at])}"
            continue
        yield f"- {call_text(expected[index])}"
        if place is not None:
            why = misfit(wanted[index], actual[place]) or "not in this order"
            yield f"+ {call_text(actual[place])}    {why}"
    yield from _extra(actual, range(shown, len(actual)), known, order)


def _extra(actual: list[Any], places: range, known: set[int | None], order: str) -> Iterator[str]:
    """Yield the calls that are none of the expected ones, nor made instead of one."""
    for at in places:
        if at not in known:
            mark, why = ("+", "    not expected") if order == "exact" else (" ", "")
            yield f"{mark} {call_text(actual[at])}{why}"


def _instead(wanted: list[Wanted], actual: list[Any], found: list[int | None]) -> dict[int, int]:
    """Pair what is left by its tool: those that are nearest first, and each but once."""
    left = [at for at in range(len(actual)) if at not in found]
    near = sorted(
        ((misfit(wanted[index], actual[at]) or "").count(";"), index, at)
        for index in range(len(wanted))
        for at in left
        if found[index] is None and wanted[index].tool == actual[at]["tool"]
    )
    instead: dict[int, int] = {}
    for _, index, at in near:
        if index not in instead and at not in instead.values():
            instead[index] = at
    return instead
