"""What is said of a request that was not recorded, and which recorded one is the wanted one."""

from typing import Any

import pytest

from evalkit.recordings.missing import is_answered, nothing_said
from evalkit.recordings.requests import of_end, of_step, of_turn

HI = {"role": "user", "content": "Where is my order?"}
RECORDED = [
    of_step(1, 0, "find_order", {"id": 1007}),
    of_step(1, 1, "refund", {"id": 1007}),
    of_end("tools", 1, 2),
    of_turn(1, [HI]),
    of_end("agent", 1, 1),
]

SAID = {
    "another argument": (
        of_step(1, 1, "refund", {"id": 1008}),
        (
            "no recording of refund(id=1008) for step 1, epoch 1; "
            "nearest: refund(id=1007): at args.id: expected 1007, got 1008"
        ),
    ),
    "an omitted argument": (
        of_step(1, 1, "refund", {}),
        (
            "no recording of refund() for step 1, epoch 1; "
            "nearest: refund(id=1007): at args.id: 1007 is missing"
        ),
    ),
    "one more argument": (
        of_step(1, 1, "refund", {"id": 1007, "why": "late"}),
        (
            "no recording of refund(id=1007, why='late') for step 1, epoch 1; "
            "nearest: refund(id=1007): at args.why: 'late' was not expected"
        ),
    ),
    "true for 1": (
        of_step(1, 1, "refund", {"id": True}),
        (
            "no recording of refund(id=True) for step 1, epoch 1; "
            "nearest: refund(id=1007): at args.id: expected 1007, got True"
        ),
    ),
    "another step": (
        of_step(1, 2, "refund", {"id": 1007}),
        (
            "no recording of refund(id=1007) for step 2, epoch 1; "
            "nearest: refund(id=1007): at step: expected 1, got 2"
        ),
    ),
    "another epoch": (
        of_step(2, 0, "find_order", {"id": 1007}),
        (
            "no recording of find_order(id=1007) for step 0, epoch 2; "
            "nearest: find_order(id=1007): at epoch: expected 1, got 2"
        ),
    ),
    "another tool": (
        of_step(1, 0, "find", {"id": 1007}),
        (
            "no recording of find(id=1007) for step 0, epoch 1; "
            "nearest: find_order(id=1007): at tool: expected 'find_order', got 'find'"
        ),
    ),
    "another question": (
        of_turn(1, [{"role": "user", "content": "Where is it?"}]),
        (
            "no recording of the answer to 'Where is it?', epoch 1; nearest: the answer to "
            "'Where is my order?': at conversation[0].content: "
            "expected 'Where is my order?', got 'Where is it?'"
        ),
    ),
    "another number of calls": (
        of_end("tools", 1, 1),
        (
            "no recording of the end, after 1 call, epoch 1; "
            "nearest: the end, after 2 calls: at after: expected 2, got 1"
        ),
    ),
    "another number of turns": (
        of_end("agent", 1, 2),
        (
            "no recording of the end, after 2 turns, epoch 1; "
            "nearest: the end, after 1 turn: at after: expected 1, got 2"
        ),
    ),
}


@pytest.mark.parametrize("case", SAID)
def test_the_nearest_recording_is_named(case: str) -> None:
    """A miss says what was asked, what comes nearest, and where the two differ."""
    wanted, said = SAID[case]
    assert nothing_said(wanted, RECORDED) == said


def test_many_differences_are_counted() -> None:
    """Of many differences the first are told, and how many more there are."""
    wanted = of_step(1, 1, "refund", {"id": 1, "a": 1, "b": 1, "c": 1, "d": 1})
    assert nothing_said(wanted, RECORDED).endswith("at args.b: 1 was not expected and 2 more")


def test_a_long_request_is_told_in_brief() -> None:
    """Neither long arguments nor long conversations fill the message."""
    long = {f"name_{n}": "x" * 1000 for n in range(100)}
    assert len(nothing_said(of_step(1, 0, "t", long), RECORDED)) < 800
    assert len(nothing_said(of_turn(1, [{"role": "user", "content": "x" * 9000}]), RECORDED)) < 500


def test_nothing_at_all_may_be_recorded() -> None:
    """Where there is nothing to come near, that is said."""
    assert nothing_said(of_end("tools", 1, 0), []).endswith("nor of anything else")


MATCHES: list[tuple[Any, Any, bool]] = [
    ({"n": 1}, {"n": 1.0}, True),
    ({"n": 1}, {"n": True}, False),
    ({"n": 1}, {"n": "1"}, False),
    ({"n": 1}, {}, False),
    ({}, {"n": None}, False),
    ([1, 2], [2, 1], False),
    ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
    ("[redacted]", "s3cret", True),
    ("[redacted]", 123456, True),
    ("[redacted]", 1.5, True),
    ("[redacted: KEY]", "s3cret", True),
    ("[redacted]", "", False),
    ("[redacted]", None, False),
    ("[redacted]", True, False),
    ("[redacted]", {"a": 1}, False),
    ("[redacted]", ["s3cret"], False),
    ("my key is [redacted], use it", "my key is s3cret, use it", True),
    ("my key is [redacted], use it", "my key is s3cret, lose it", False),
    ("my key is [redacted], use it", "my key is , use it", False),
    ("[redacted: A] and [redacted: B]", "one and other", True),
    ("[redacted: A] and [redacted: B]", "one or other", False),
    ("[redacted: A] and [redacted: B]", "one and ", False),
    ("a [redacted] b [redacted] c", "a x b y c", True),
    ("a [redacted] b [redacted] c", "a  b y c", False),
    ("key [redacted]", 12, False),
    ("[redacted without an end", "[redacted without an end", True),
    ("[redacted without an end", "anything", False),
]


@pytest.mark.parametrize(("recorded", "wanted", "same"), MATCHES)
def test_a_request_is_compared_as_json(recorded: Any, wanted: Any, same: bool) -> None:
    """Values are compared strictly; what was taken out as a secret may be any text or number."""
    assert is_answered(recorded, wanted) is same
    assert is_answered({"args": [recorded]}, {"args": [wanted]}) is same
