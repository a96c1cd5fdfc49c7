"""Expected calls and those that were made, side by side."""

from typing import Any

import pytest

from evalkit.reports.trajectory import aligned


def call(tool: str, **args: Any) -> dict[str, Any]:
    """A call, expected or made."""
    return {"tool": tool, "args": args}


FIND, REFUND, CANCEL = call("find", id=7), call("refund", id=7), call("cancel")
DIFFS: dict[str, Any] = {
    "as expected": ("in_order", [FIND, REFUND], [FIND, REFUND], ["= find(id=7)", "= refund(id=7)"]),
    "another argument": (
        "in_order",
        [FIND, REFUND],
        [FIND, call("refund", id=8)],
        [
            "= find(id=7)",
            "- refund(id=7)",
            "+ refund(id=8)    args.id: expected 7, got 8",
        ],
    ),
    "not made": ("in_order", [FIND, REFUND], [FIND], ["= find(id=7)", "- refund(id=7)"]),
    "one more, which is allowed": (
        "in_order",
        [FIND],
        [CANCEL, FIND],
        ["  cancel()", "= find(id=7)"],
    ),
    "one more, which is not": (
        "exact",
        [FIND],
        [FIND, CANCEL],
        ["= find(id=7)", "+ cancel()    not expected"],
    ),
    "swapped": (
        "in_order",
        [FIND, REFUND],
        [REFUND, FIND],
        ["= find(id=7)", "- refund(id=7)", "+ refund(id=7)    not in this order"],
    ),
    "any order": (
        "any_order",
        [FIND, REFUND],
        [REFUND, FIND],
        ["= find(id=7)", "= refund(id=7)"],
    ),
    "a name alone": ("exact", ["find"], [CANCEL], ["- find", "+ cancel()    not expected"]),
    "nothing at all": ("exact", [FIND], [], ["- find(id=7)"]),
}


@pytest.mark.parametrize("name", DIFFS)
def test_a_diff(name: str) -> None:
    """Each call stands once, beside the one that it is, or that it was made instead of."""
    order, expected, made, rows = DIFFS[name]
    assert list(aligned(expected, made, order)) == rows


def test_a_long_diff_is_cut() -> None:
    """After twenty rows there is a count."""
    rows = list(aligned([call("t", n=n) for n in range(30)], [], "exact"))
    assert rows[-1] == "and 10 more rows"
    assert len(rows) == 21


def test_a_long_value_is_cut() -> None:
    """A row fits on a line."""
    (row,) = aligned([call("t", text="x" * 1_000)], [], "exact")
    assert len(row) < 120


def test_what_is_wrong_is_not_cut_off() -> None:
    """Of many rows those that are as expected are counted, so that the others are seen."""
    wanted = [call("t", n=n) for n in range(40)]
    rows = list(aligned(wanted, [each for each in wanted if each["args"]["n"] != 30], "exact"))
    assert rows == ["= 30 calls as expected", "- t(n=30)", "= 9 calls as expected"]


def test_a_near_miss_stands_beside_the_nearest() -> None:
    """A call that two expected ones could have been is shown for the one that is nearer."""
    wanted = [call("t", a=5, b=5, c=1), call("t", a=2, b=2, c=2)]
    rows = list(aligned(wanted, [call("t", a=2, b=2, c=3)], "exact"))
    assert rows == [
        "- t(a=5, b=5, c=1)",
        "- t(a=2, b=2, c=2)",
        "+ t(a=2, b=2, c=3)    args.c: expected 2, got 3",
    ]
