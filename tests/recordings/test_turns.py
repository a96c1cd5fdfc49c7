"""Which messages of a conversation an agent was put, where scripted answers stand among its own."""

import pytest

from evalkit.recordings.turns import turns_of

Said = list[tuple[str, str]]
U, A, S = "user", "assistant", "system"

CASES: dict[str, tuple[Said, list[str], list[tuple[int, str | None]] | None]] = {
    "one turn": ([(U, "a"), (A, "1")], ["1"], [(1, "1")]),
    "two turns": ([(U, "a"), (A, "1"), (U, "b"), (A, "2")], ["1", "2"], [(1, "1"), (3, "2")]),
    "a system prompt": ([(S, "s"), (U, "a"), (A, "1")], ["1"], [(2, "1")]),
    "history": ([(U, "a"), (A, "x"), (U, "b"), (A, "2")], ["2"], [(3, "2")]),
    "history that says the same": ([(U, "a"), (A, "2"), (U, "b"), (A, "2")], ["2"], [(3, "2")]),
    "history in between": (
        [(U, "a"), (A, "1"), (U, "b"), (A, "x"), (U, "c"), (A, "3")],
        ["1", "3"],
        [(1, "1"), (5, "3")],
    ),
    "two user turns in a row": ([(U, "a"), (U, "b"), (A, "2")], ["", "2"], [(1, ""), (2, "2")]),
    "a system turn in between": (
        [(U, "a"), (A, "1"), (S, "s"), (U, "b"), (A, "2")],
        ["1", "2"],
        [(1, "1"), (4, "2")],
    ),
    "several messages of an answer": ([(U, "a"), (A, "hm"), (A, "1")], ["1"], [(1, "1")]),
    "nothing said": ([(U, "a")], [""], [(1, "")]),
    "an answer that ends with a call": ([(U, "a"), (A, "hm")], [""], [(1, "")]),
    "not answered": ([(U, "a")], [], [(1, None)]),
    "the second not answered": ([(U, "a"), (A, "1"), (U, "b")], ["1"], [(1, "1"), (3, None)]),
    "silence, and not answered": ([(U, "a"), (U, "b")], [""], [(1, ""), (2, None)]),
    "nothing put": ([], [], []),
    "an answer that was never said": ([(U, "a"), (A, "1")], ["2"], None),
    "more answers than turns": ([(U, "a"), (A, "1")], ["1", "1"], None),
    "answers left over": ([(U, "a"), (A, "1"), (U, "b"), (A, "2")], ["2", "1"], None),
    "a turn without an answer": ([(U, "a"), (U, "b"), (A, "2")], ["2"], None),
    "messages, and no answer": ([(U, "a"), (A, "1")], [], None),
}


@pytest.mark.parametrize("case", CASES)
def test_turns_are_told_from_history(case: str) -> None:
    """Each turn that was put is found with its answer; where that can't be told, none is."""
    said, responses, expected = CASES[case]
    messages = [{"role": role, "content": content} for role, content in said]
    turns = turns_of(messages, responses)
    found = None if turns is None else [(len(each.conversation), each.text) for each in turns]
    assert found == expected


def test_a_turn_holds_the_conversation_and_what_was_added() -> None:
    """The conversation goes up to the user's message; what the agent said after it is apart."""
    messages = [{"role": role, "content": role} for role in (S, U, A, A, U, A)]
    first, second = turns_of(messages, [A, A]) or []
    assert (first.conversation, first.messages) == (messages[:2], messages[2:4])
    assert (second.conversation, second.messages) == (messages[:5], messages[5:])
